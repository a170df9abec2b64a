/// Internal. The write-ahead log: one journal per lane on Chronicle Queue, one checksummed,
/// compressed frame per group of batches, forced before anything is acknowledged; and the notes,
/// what a lane remembers beside its events (the ledger of batch keys).
///
/// ```
///   journal/lane-0/  file 1 [frame LSN 1][frame 2][frame 3] | file 2 [frame 4] ...   spare file
///                    forced after each group; a file goes once a segment replaces all its frames
/// ```
///
/// - Threads: one writer per lane; trimming and figures from any thread.
@NullMarked
package io.widerow.storage.journal;

import org.jspecify.annotations.NullMarked;
