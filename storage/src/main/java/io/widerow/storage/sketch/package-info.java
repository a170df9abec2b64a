/// Internal. Aggregates that do not depend on the order of events (mergeable): adding values in
/// parts and merging the parts gives, bit for bit, the result of adding all values at once. The
/// query module computes its results with them, and segments keep them in the cells of rollups.
///
/// - Threads: an aggregate belongs to one thread.
@NullMarked
package io.widerow.storage.sketch;

import org.jspecify.annotations.NullMarked;
