package io.widerow.storage;

/// The cost of a scan: what it read and what it could skip.
///
/// @param blocksRead blocks of segments that were opened
/// @param blocksSkipped blocks that the range or their statistics ruled out
/// @param bytesRead bytes read from files
/// @param eventsScanned events examined
/// @param eventsKept events that passed range and filter
public record ScanStatistics(
    long blocksRead, long blocksSkipped, long bytesRead, long eventsScanned, long eventsKept) {
  public static final ScanStatistics NONE = new ScanStatistics(0, 0, 0, 0, 0);

  public ScanStatistics plus(ScanStatistics other) {
    return new ScanStatistics(
        blocksRead + other.blocksRead,
        blocksSkipped + other.blocksSkipped,
        bytesRead + other.bytesRead,
        eventsScanned + other.eventsScanned,
        eventsKept + other.eventsKept);
  }
}
