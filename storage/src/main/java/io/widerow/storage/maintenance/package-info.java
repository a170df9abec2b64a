/// Internal. Background work: sealing (flush of the memtable), merging (compaction), dropping
/// expired events, room on the disk, and trimming the journal.
///
/// ```
///   rows --seal--> segments --merge--> final segment of a bucket --retention--> gone
/// ```
///
/// - Threads: tasks on executors that the owner hands in; none is started here.
@NullMarked
package io.widerow.storage.maintenance;

import org.jspecify.annotations.NullMarked;
