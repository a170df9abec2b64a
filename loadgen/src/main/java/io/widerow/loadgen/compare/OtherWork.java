package io.widerow.loadgen.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Other programs that want processors while something is measured, as they do on the machines of
/// operators: shells that count, each for a processor. They end with this process, also when it is
/// killed.
///
/// - Threads: one.
public final class OtherWork implements AutoCloseable {
  /// Looks about ten times a second whether the process of its first argument is still there.
  private static final String COUNT =
      "while kill -0 \"$1\" 2>/dev/null; do"
          + " i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

  private final List<Process> programs = new ArrayList<>();

  /// @param count of programs, 0 or more
  public OtherWork(int count) throws IOException {
    try {
      for (int i = 0; i < count; i++) {
        programs.add(start(ProcessHandle.current().pid()));
      }
    } catch (IOException failure) {
      close();
      throw failure;
    }
  }

  /// @param owner the process with which the program ends
  static Process start(long owner) throws IOException {
    return new ProcessBuilder("sh", "-c", COUNT, "other-work", Long.toString(owner))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  List<ProcessHandle> programs() {
    return programs.stream().map(Process::toHandle).toList();
  }

  /// How the work is named in a report; empty when there is none.
  public String words() {
    return switch (programs.size()) {
      case 0 -> "";
      case 1 -> ", while a program computes";
      default -> ", while %d programs compute".formatted(programs.size());
    };
  }

  @Override
  public void close() {
    programs.forEach(Process::destroyForcibly);
  }
}
