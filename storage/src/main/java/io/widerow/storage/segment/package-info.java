/// Internal. The segment (sorted string table): an immutable file of sorted, columnar, checksummed
/// blocks of many partitions, with its index, statistics and group filters. Format:
/// `FORMAT-segment.md`.
///
/// ```
///   header | block | block | group filter | block | ... | index | footer
/// ```
///
/// - Threads: a writer and a block reader belong to one thread; an open [Segment] is shared by all.
@NullMarked
package io.widerow.storage.segment;

import org.jspecify.annotations.NullMarked;
