package io.widerow.storage;

import java.util.List;

/// Counters and gauges of an open store. Counters start at zero when the store is opened.
///
/// @param eventsCommitted events appended and committed
/// @param eventBytesCommitted bytes of their records
/// @param openEvents events in open rows now
/// @param openRowBytes bytes that these events take: records, index, and the objects of their rows
/// @param openBytes native memory of open rows now, in bytes, including rows that are being flushed
/// @param segments live segment files now
/// @param segmentEvents events in live segments now
/// @param segmentBytes bytes of live segments now
/// @param journalBytes bytes of journal files now
/// @param journalBytesWritten bytes of frames written to the journal
/// @param segmentBytesWritten bytes written to segment files, merges included
/// @param sealed generations of open rows flushed to segments
/// @param merged merges completed
/// @param failure why the write side has ended; empty while it works
/// @param backgroundFailure why the last flush or merge failed, which will be tried again; empty
///   when it did not fail
/// @param damage damage found so far by opening and reading: segments that are not served in full,
///   and lost groups of the journal of a store that was opened in spite of them
public record StoreStatistics(
    long eventsCommitted,
    long eventBytesCommitted,
    long openEvents,
    long openRowBytes,
    long openBytes,
    long segments,
    long segmentEvents,
    long segmentBytes,
    long journalBytes,
    long journalBytesWritten,
    long segmentBytesWritten,
    long sealed,
    long merged,
    String failure,
    String backgroundFailure,
    List<Damage> damage) {
  /// The same of a store whose write side has ended.
  public StoreStatistics withFailure(String why) {
    return new StoreStatistics(
        eventsCommitted,
        eventBytesCommitted,
        openEvents,
        openRowBytes,
        openBytes,
        segments,
        segmentEvents,
        segmentBytes,
        journalBytes,
        journalBytesWritten,
        segmentBytesWritten,
        sealed,
        merged,
        why,
        backgroundFailure,
        damage);
  }
}
