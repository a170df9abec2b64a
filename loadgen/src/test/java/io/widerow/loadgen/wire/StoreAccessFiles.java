package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// Builds what opens a store in this process, as the script `build` of the peers does, with the
/// daemon that this build has packaged.
public final class StoreAccessFiles {
  private StoreAccessFiles() {}

  /// @param top of the checkout
  /// @param to where the classes go
  public static void compile(Path top, Path to) throws IOException {
    Path from = top.resolve("loadgen/src/store");
    Path services = Path.of("META-INF/services", StoreAccess.class.getName());
    Files.createDirectories(to.resolve(services).getParent());
    Files.copy(from.resolve("resources").resolve(services), to.resolve(services));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    Path daemon = top.resolve("ingest/cli/target");
    List<Path> sources;
    List<Path> libraries;
    try (Stream<Path> java = Files.walk(from.resolve("java"));
        Stream<Path> lib = Files.list(daemon.resolve("lib"))) {
      sources = java.filter(file -> file.toString().endsWith(".java")).toList();
      libraries =
          Stream.concat(
                  Stream.of(top.resolve("loadgen/target/classes"), daemon.resolve("classes")), lib)
              .toList();
    }
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-Xlint:all,-processing,-classfile,-path",
              "-Werror",
              "-d",
              to.toString(),
              "-cp",
              String.join(":", libraries.stream().map(Path::toString).toList()));
      assertTrue(
          compiler
              .getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call(),
          said::toString);
    }
    assertEquals("", said.toString());
  }
}
