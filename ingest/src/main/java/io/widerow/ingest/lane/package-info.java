/// Lanes: one Disruptor ring and one writer thread each. What waits in a ring becomes one group,
/// one frame of the write-ahead log, one force, then the responses. The ledger recognises repeated
/// batches.
///
/// - Threads: any thread publishes a batch; one consumer per lane writes.
@NullMarked
package io.widerow.ingest.lane;

import org.jspecify.annotations.NullMarked;
