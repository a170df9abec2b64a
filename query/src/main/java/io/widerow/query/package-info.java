/// Range queries over any [io.widerow.storage.EventStore]: which partitions overlap a range, the
/// multi-get merge over them in one global order, and tokens, positions in that order.
///
/// ```
///   RangeQuery --> RangePlan: partitions by bucket, as the reader comes to them
///                     |  open, at most the query's budget of memory
///                     v
///                  merge of partitions --> RangeReader --> events in order, then a Token
/// ```
///
/// - Threads: a reader belongs to one thread; any thread may cancel it.
@NullMarked
package io.widerow.query;

import org.jspecify.annotations.NullMarked;
