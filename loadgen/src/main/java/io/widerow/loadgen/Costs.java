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

  /// These costs and what the target did after the run.
  ///
  /// @param ended when the run ended
  /// @param settled when it had come to rest
  Costs with(ProcessReading ended, ProcessReading settled, long restBytes) {
    return new Costs(
        targetCpuNanos + settled.cpuNanos() - ended.cpuNanos(),
        settled.residentBytesPeak(),
        writtenBytes + settled.writtenBytes() - ended.writtenBytes(),
        restBytes,
        stealShare);
  }
}
