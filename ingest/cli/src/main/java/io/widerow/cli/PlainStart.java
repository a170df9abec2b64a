package io.widerow.cli;

import java.util.List;
import java.util.OptionalInt;

/// A command that can run without picocli. Loading picocli takes a quarter of the time that a
/// daemon needs until it is ready: its classes have a format that no AOT cache takes.
public interface PlainStart {
  /// Runs the command and returns its exit code; empty when only picocli reads these arguments:
  /// mistakes, help, and all but the plainest forms.
  OptionalInt start(List<String> arguments);
}
