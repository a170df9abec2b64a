package io.widerow.storage;

import java.util.List;

/// Figures of an open store, since it was opened unless said otherwise.
///
/// @param eventsCommitted events appended and committed
/// @param eventBytesCommitted bytes of their records
/// @param openEvents events in open rows now
/// @param openBytes native memory of open rows now, those being sealed included
/// @param segments live segment files now
/// @param segmentEvents events in them
/// @param segmentBytes bytes of them
/// @param journalBytes bytes of journal files now
/// @param journalBytesWritten bytes of frames written to the journal
/// @param segmentBytesWritten bytes written to segment files, merges included
/// @param sealed open-row generations sealed
/// @param merged merges done
/// @param failure why the write side has ended; empty while it works
/// @param backgroundFailure why sealing or merging failed last, to be tried again; empty when it
///   did not
/// @param damage what is damaged, as far as opening and reading have looked: segments, of which not
///   all is served, and, in a store that was opened in spite of it, lost groups of its journal
public record StoreStatistics(
    long eventsCommitted,
    long eventBytesCommitted,
    long openEvents,
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
    List<Damage> damage) {}
