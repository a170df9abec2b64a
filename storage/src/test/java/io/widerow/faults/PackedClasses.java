package io.widerow.faults;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/// Class path of this process with its directories packed into jars. The JVM archives classes from
/// jars only, and starting from an archive makes a test of many processes fast.
public final class PackedClasses {
  private PackedClasses() {}

  /// @param directory for the jars
  public static String path(Path directory) throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      entries.add(
          Files.isDirectory(path) ? pack(path, directory.resolve(entries.size() + ".jar")) : entry);
    }
    return String.join(File.pathSeparator, entries);
  }

  private static String pack(Path classes, Path jar) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(jar);
        var out = new JarOutputStream(bytes);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
    return jar.toString();
  }
}
