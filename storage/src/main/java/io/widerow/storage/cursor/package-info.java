/// Internal. Sorted streams and their combination: the k-way merge by loser tree that gives the
/// global order, concatenation, filtering, lazily opened inputs, and parallel prefetch. A merge of
/// cursors is a cursor.
///
/// - Threads: a cursor belongs to one thread; [ParallelPrefetch] hands pieces of a scan to others.
@NullMarked
package io.widerow.storage.cursor;

import org.jspecify.annotations.NullMarked;
