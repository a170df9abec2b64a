package io.widerow.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Launcher of test programs in processes of their own, with the module options of this one. It can
/// archive the classes first, since such a test mostly waits for JVM starts.
public final class ChildJvm {
  private final List<String> options = new ArrayList<>();

  private ChildJvm(String classPath) {
    options.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ProcessHandle.current().info().arguments().map(Arrays::asList).orElseThrow().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(options::add);
    options.addAll(
        List.of(
            "-ea",
            "-Xmx128m",
            "-Xlog:disable",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath));
  }

  /// Starts programs from this class path.
  public static ChildJvm plain() {
    return new ChildJvm(System.getProperty("java.class.path"));
  }

  /// Starts programs fast, from an archive of the classes that [KilledWriter] needs.
  ///
  /// @param directory for the archive
  public static ChildJvm archived(Path directory) throws IOException, InterruptedException {
    var child = new ChildJvm(PackedClasses.path(directory));
    Path archive = directory.resolve("classes.jsa");
    child.options.add(1, "-XX:ArchiveClassesAtExit=" + archive);
    Process trained =
        child.start(KilledWriter.class, directory.resolve("trained").toString(), "0", "0").start();
    try (BufferedReader out = trained.inputReader(StandardCharsets.UTF_8)) {
      for (int line = 0; line < 10; line++) {
        out.readLine();
      }
      trained.toHandle().destroy(); // SIGTERM: an exit, at which the JVM writes the archive
      while (out.readLine() != null) {}
    }
    trained.waitFor();
    child.options.set(1, "-XX:SharedArchiveFile=" + archive);
    return child;
  }

  /// @param before prefix of the command: a program that runs the JVM, with its arguments
  public ProcessBuilder start(List<String> before, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>(before);
    command.addAll(options);
    command.add(program.getName());
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  public ProcessBuilder start(Class<?> program, String... arguments) {
    return start(List.of(), program, arguments);
  }
}
