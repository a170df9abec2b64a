package io.widerow.loadgen.run;

/// What a run cost the target's machine; -1 where nobody said which process or directory to watch.
///
/// @param targetCpuNanos CPU of the target while measuring
/// @param residentBytesPeak its most memory since it began
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

  /// These costs and their part of what the target did after the run. That is work left by all
  /// events that were sent, those of the warm-up too, so the measured ones have a share of it.
  ///
  /// @param ended when the run ended
  /// @param settled when it had come to rest
  /// @param measuredShare measured events, of all that were sent
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
