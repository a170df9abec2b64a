package io.widerow.storage;

/// What an acknowledgement promises, weakest first. Named in every reply and every benchmark.
public enum Durability {
  /// Admitted: lost when the process dies.
  MEMORY,
  /// Handed to the kernel: survives `kill -9`, not a power cut within the next second or two, after
  /// which a commit forces it anyway.
  OS,
  /// Forced to the disk: survives a power cut.
  DISK
}
