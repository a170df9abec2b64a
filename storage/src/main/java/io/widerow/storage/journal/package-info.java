/// Internal. The write-ahead log: one journal per lane in Chronicle Queue's file format, one
/// checksummed, compressed frame per group of batches, forced before anything is acknowledged; and
/// the notes, which a lane keeps in addition to its events (the ledger of batch keys).
///
/// ```
///   journal/0-00000001-...01   [frame LSN 1][frame 2][frame 3]     lane, number, first LSN
///   journal/0-00000002-...04   [frame LSN 4] ...                   forced after each group
///   journal/0-spare            the next file, made ahead
///   journal/0-used             a trimmed file, to be the next one
/// ```
///
/// - Threads: one writer per lane; trimming and metrics from any thread.
@NullMarked
package io.widerow.storage.journal;

import org.jspecify.annotations.NullMarked;
