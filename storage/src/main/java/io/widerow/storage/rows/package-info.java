/// Internal. Open rows, the memtable: the newest events of each partition, in native memory, as a
/// few sorted runs per partition (patience sorting). Late data costs the same append as data on
/// time.
///
/// - Threads: one writer per lane appends; any thread reads committed events, without locks.
/// - Memory: chunks of native memory, freed when the rows are sealed and the last reader is closed.
@NullMarked
package io.widerow.storage.rows;

import org.jspecify.annotations.NullMarked;
