package io.widerow.loadgen;

/// What a run cost the target's machine; -1 where nobody said which process or directory to watch.
///
/// @param targetCpuNanos CPU of the target while measuring
/// @param residentBytesPeak its most memory since it began
/// @param writtenBytes what it wrote to disk while measuring
/// @param atRestBytes size of its directory after the run
/// @param stealShare share of the machine's time that its host gave to others
record Costs(
    long targetCpuNanos,
    long residentBytesPeak,
    long writtenBytes,
    long atRestBytes,
    double stealShare) {
  static final Costs UNKNOWN = new Costs(-1, -1, -1, -1, 0);
}
