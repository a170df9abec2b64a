package io.widerow.ingest.serve.query;

import io.widerow.query.QueryMemory;
import io.widerow.storage.EventStore;
import java.util.function.LongSupplier;

/// The parts of the daemon with which queries are answered.
///
/// @param memory that all queries share
/// @param stallSeconds how long a reader may take nothing
/// @param clock the time now, nanoseconds since the Unix epoch
record QueryResources(EventStore store, QueryMemory memory, int stallSeconds, LongSupplier clock) {
  long epochNanos() {
    return clock.getAsLong();
  }
}
