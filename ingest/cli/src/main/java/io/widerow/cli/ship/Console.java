package io.widerow.cli.ship;

import java.io.PrintStream;

/// The command's output on standard error: sentences, and on a terminal one line that shows how far
/// it is.
///
/// - Threads: any.
final class Console {
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final String prefix;
  private final PrintStream err;
  private final boolean terminal;
  private String shown = "";

  /// @param command whose name its sentences begin with
  /// @param terminal whether `err` is one
  Console(String command, PrintStream err, boolean terminal) {
    this.prefix = "widerow " + command + ": ";
    this.err = err;
    this.terminal = terminal;
  }

  boolean isTerminal() {
    return terminal;
  }

  synchronized void tell(String sentence) {
    clear();
    err.println(prefix + sentence);
    err.print(shown);
    err.flush();
  }

  private void clear() {
    if (!shown.isEmpty()) {
      err.print(CLEAR_LINE);
    }
  }

  /// Replaces the line of a terminal; elsewhere nothing.
  synchronized void show(String line) {
    if (terminal) {
      clear();
      shown = line;
      err.print(line);
      err.flush();
    }
  }

  /// Takes the line away.
  synchronized void end() {
    clear();
    shown = "";
    err.flush();
  }
}
