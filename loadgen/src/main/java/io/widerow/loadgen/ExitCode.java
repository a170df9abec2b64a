package io.widerow.loadgen;

/// Exit codes of the program.
final class ExitCode {
  static final int OK = 0;

  /// Batches failed.
  static final int FAILURES = 1;

  /// An option has an impossible value.
  static final int USAGE = 64;

  /// Reading back found events lost, repeated, out of order, changed or never sent.
  static final int WRONG = 65;

  /// The target cannot be reached.
  static final int UNAVAILABLE = 69;

  /// A file cannot be read or written.
  static final int FILE = 74;

  /// A figure exceeds its bound, such as `--max-p99`.
  static final int BOUND = 99;

  private ExitCode() {}
}
