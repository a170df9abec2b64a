/// Internal. Views of a store on a cluster, for any number of daemons and tools: what the daemons
/// have applied, planned from the catalog and the directories, fetched by key and merged.
///
/// ```
///   daemons -> position -> catalog -> partitions -> directories -> segments -> values -> merge
///              (a view)    (spans, buckets)                        (by bound, read ahead)
/// ```
@NullMarked
package io.widerow.storage.cassandra.read;

import org.jspecify.annotations.NullMarked;
