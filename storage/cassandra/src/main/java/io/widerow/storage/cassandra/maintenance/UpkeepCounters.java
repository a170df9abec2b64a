package io.widerow.storage.cassandra.maintenance;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// Counters of maintenance since the start of this process.
///
/// - Threads: any.
final class UpkeepCounters {
  final LongAdder merges = new LongAdder();
  final LongAdder eventsMerged = new LongAdder();
  final LongAdder bytesMerged = new LongAdder();
  final LongAdder swapsLost = new LongAdder();
  final LongAdder eventsRemoved = new LongAdder();
  final LongAdder segmentsDeleted = new LongAdder();
  final LongAdder partitionsDropped = new LongAdder();

  /// Milliseconds since the Unix epoch; 0 for never.
  final AtomicLong lastMergeMillis = new AtomicLong();

  final AtomicLong lastSweepMillis = new AtomicLong();
}
