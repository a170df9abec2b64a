package io.widerow.loadgen;

import io.widerow.loadgen.compare.Contestant;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// A command below `widerow load`.
@Command(mixinStandardHelpOptions = true, sortOptions = false)
abstract class LoadgenCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /// Prints one line at once: a run takes minutes, and someone watches.
  final void print(String line) {
    out().println(line);
    out().flush();
  }

  /// The arguments after `widerow load`, for a report to name.
  final List<String> arguments() {
    return Objects.requireNonNull(spec.parent()).commandLine().getParseResult().originalArgs();
  }

  /// Refuses a target that is not a daemon on one machine.
  ///
  /// @param who as the user wrote the target
  static void requireDaemon(Contestant contestant, String who) {
    if (!contestant.isWiderow() || contestant.isOnCluster()) {
      throw new IllegalArgumentException(
          "WHO: only a daemon of Widerow on one machine can be measured, got " + who);
    }
  }
}
