package io.widerow.ingest;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/// The JVM that daemons of tests run on. Starting is most of what a test of many kills waits for,
/// so the daemon's classes are put into an archive of the JVM once; that archives from jars only,
/// so directories of the class path are packed.
final class QuickJvm {
  private final List<String> command;

  private QuickJvm(List<String> command) {
    this.command = command;
  }

  /// As this JVM is.
  static List<String> plain() {
    List<String> command = base();
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    return command;
  }

  private static List<String> base() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--") || option.startsWith("-Xmx")) {
        command.add(option);
      }
    }
    command.add("-ea:io.widerow...");
    return command;
  }

  /// @param directory for the archive, and for the store of the daemon that it is made from
  static QuickJvm archived(Path directory) throws IOException, InterruptedException {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      entries.add(Files.isDirectory(path) ? pack(path, directory, entries.size()) : entry);
    }
    Path archive = directory.resolve("classes.jsa");
    List<String> command = base();
    command.add("-XX:ArchiveClassesAtExit=" + archive);
    command.addAll(
        List.of(
            "-Xlog:disable",
            "-Xlog:all=off:stderr",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            String.join(File.pathSeparator, entries)));
    ServeProcess trained =
        ServeProcess.start(new QuickJvm(command), directory.resolve("trained"), "--lanes", "2");
    try (trained;
        LedgerLoad load = new LedgerLoad(1, trained.port())) {
      load.awaitMore(20);
      load.end();
      load.verify();
      int exit = trained.stop(60);
      if (exit != 0) {
        throw new IOException("ended with %d: %s".formatted(exit, trained.output()));
      }
    }
    command.replaceAll(option ->
        option.startsWith("-XX:ArchiveClassesAtExit=")
            ? "-XX:SharedArchiveFile=" + archive
            : option);
    return new QuickJvm(command);
  }

  List<String> command() {
    return command;
  }

  private static String pack(Path classes, Path directory, int number) throws IOException {
    Path jar = directory.resolve(number + ".jar");
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
