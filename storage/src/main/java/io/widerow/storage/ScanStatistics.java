package io.widerow.storage;

/// What a scan read and what it could leave out.
///
/// @param blocksRead blocks of segments that were opened
/// @param blocksSkipped blocks that the range or their statistics ruled out unread
/// @param bytesRead bytes read from files
/// @param eventsScanned events looked at
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
