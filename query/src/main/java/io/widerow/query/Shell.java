package io.widerow.query;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// What surrounds a command: where its answer and its messages go, whether people look at them, and
/// the environment.
///
/// @param out takes the answer; not buffered
/// @param outToTerminal the answer is shown on a terminal
/// @param errToTerminal messages are shown on a terminal
/// @param unicode what shows the answer knows more than ASCII
/// @param environment `WIDEROW_TOKEN`, the bearer token for a daemon; `NO_COLOR`
public record Shell(
    OutputStream out,
    PrintStream err,
    boolean outToTerminal,
    boolean errToTerminal,
    boolean unicode,
    Map<String, String> environment) {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  public Shell {
    environment = Map.copyOf(environment);
  }

  /// That of this process.
  public static Shell ofProcess() {
    return new Shell(
        new FileOutputStream(FileDescriptor.out),
        System.err,
        isTerminal("1"),
        isTerminal("2"),
        System.out.charset().name().startsWith("UTF"),
        System.getenv());
  }

  /// Asks the system which file a descriptor is; where it cannot say, the JDK, which knows it of
  /// input and output together only.
  @SuppressWarnings("SystemConsoleNull") // it is null again with the default console of JDK 25
  private static boolean isTerminal(String descriptor) {
    try {
      String file = Files.readSymbolicLink(DESCRIPTORS.resolve(descriptor)).toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException unknown) {
      var console = System.console();
      return console != null && console.isTerminal();
    }
  }

  boolean colour() {
    return outToTerminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }
}
