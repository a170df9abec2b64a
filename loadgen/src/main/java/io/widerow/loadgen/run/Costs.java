package io.widerow.loadgen.run;

/// Resources that a run used; -1 where no process or directory was named to watch.
///
/// @param targetCpuNanos CPU of the target while measuring
/// @param residentBytesPeak its peak resident memory since it started
/// @param writtenBytes what it wrote to disk while measuring
/// @param atRestBytes size of its directory after the run
/// @param stealShare share of the machine's time that its host gave to others
public record Costs(
    long targetCpuNanos,
    long residentBytesPeak,
    long writtenBytes,
    long atRestBytes,
    double stealShare) {
  static final Costs UNKNOWN = new Costs(-1, -1, -1, -1, 0);

  /// These costs with the size of the directory.
  public Costs withAtRestBytes(long bytes) {
    return new Costs(targetCpuNanos, residentBytesPeak, writtenBytes, bytes, stealShare);
  }

  /// These costs plus a share of the target's work after the run. All events that were sent,
  /// warm-up included, left that work, so the measured events bear only their share.
  ///
  /// @param ended reading at the end of the run
  /// @param settled reading once the target was idle
  /// @param measuredShare measured events as a share of all that were sent
  public Costs with(
      ProcessReading ended, ProcessReading settled, double measuredShare, long restBytes) {
    return new Costs(
        targetCpuNanos + Math.round(measuredShare * (settled.cpuNanos() - ended.cpuNanos())),
        settled.residentBytesPeak(),
        writtenBytes + Math.round(measuredShare * (settled.writtenBytes() - ended.writtenBytes())),
        restBytes,
        stealShare);
  }
}
