/// The contract of the wide-row store: what a program may ask of it, whatever lies below.
///
/// ```
///   append, commit                  view, open, next
///   LaneWriter                      StoreView -> EventCursor
///         \                          /      Scan: range, projection, predicate, aggregation
///          EventStore ---------------
///              |
///      embedded: files of this machine
/// ```
///
/// An event is acknowledged at a [Durability]; a reader sees it once it is as durable as promised.
/// Every failure is a [StorageException], a closed family.
///
/// - Threads: one writer per lane calls its [LaneWriter]; any thread takes a [StoreView]; a cursor
///   belongs to one thread. A store starts no threads of its own.
@NullMarked
package io.widerow.storage;

import org.jspecify.annotations.NullMarked;
