package io.widerow.faults;

import io.widerow.ingest.ServeCommand;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The JVM for the daemons of tests. A test of many kills mostly waits for starts, so the daemon's
/// classes are linked once into an AOT cache of the JVM.
public final class QuickJvm {
  private static final String OUTPUT = "-XX:AOTCacheOutput=";

  static final List<String> DAEMON = List.of(ServeCommand.class.getName());

  private final List<String> options;
  private final List<String> program;

  private QuickJvm(List<String> options, List<String> program) {
    this.options = options;
    this.program = program;
  }

  /// The same JVM with another program, whose further arguments are those of the daemon.
  public QuickJvm running(Class<?> main, String... arguments) {
    return new QuickJvm(
        options, Stream.concat(Stream.of(main.getName()), Stream.of(arguments)).toList());
  }

  /// The command of a JVM like this one, without a program.
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
      boolean logging = option.startsWith("-Dslf4j.provider="); // clients bring one of their own
      if (option.startsWith("--") || option.startsWith("-Xmx") || logging) {
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
        ServeProcess.start(
            new QuickJvm(command, DAEMON), directory.resolve("trained"), "--lanes", "2");
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
    return new QuickJvm(command, DAEMON);
  }

  /// The command, up to the arguments of the daemon.
  List<String> command() {
    return Stream.concat(options.stream(), program.stream()).toList();
  }
}
