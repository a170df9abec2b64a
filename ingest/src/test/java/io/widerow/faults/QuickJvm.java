package io.widerow.faults;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The JVM for the daemons of tests. A test of many kills mostly waits for starts, so the daemon's
/// classes are linked once into an AOT cache of the JVM.
public final class QuickJvm {
  private static final String OUTPUT = "-XX:AOTCacheOutput=";

  private final List<String> command;

  private QuickJvm(List<String> command) {
    this.command = command;
  }

  /// The command of a JVM like this one.
  ///
  /// @param more options, which override those of this JVM
  public static List<String> plain(List<String> more) {
    List<String> command = base();
    command.addAll(more);
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

  /// @param directory for the archive, and for the store of the daemon that creates it
  public static QuickJvm archived(Path directory) throws IOException, InterruptedException {
    String classPath = PackedClasses.path(directory);
    Path archive = directory.resolve("classes.aot");
    List<String> command = base();
    command.add(OUTPUT + archive);
    // A library of the journal extracts itself into a new file at each start; these options make it
    // reuse one file.
    command.add("-Djffi.extract.dir=" + directory);
    command.add("-Djffi.extract.name=jffi");
    command.addAll(
        List.of(
            "-Xlog:disable",
            "-Xlog:all=off:stderr",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath));
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
    command.replaceAll(option -> option.startsWith(OUTPUT) ? "-XX:AOTCache=" + archive : option);
    return new QuickJvm(command);
  }

  List<String> command() {
    return command;
  }
}
