package io.widerow.loadgen;

/// How the program ends, as the shell sees it.
final class ExitCode {
  static final int OK = 0;

  /// Batches failed.
  static final int FAILURES = 1;

  /// An option has a value that cannot be.
  static final int USAGE = 64;

  /// Reading back found loss, repeats, disorder or strangers.
  static final int WRONG = 65;

  /// The target cannot be reached.
  static final int UNAVAILABLE = 69;

  /// A file cannot be read or written.
  static final int FILE = 74;

  /// A figure is beyond its bound, such as `--max-p99`.
  static final int BOUND = 99;

  private ExitCode() {}
}
