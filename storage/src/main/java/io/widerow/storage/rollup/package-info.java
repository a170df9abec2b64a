/// Internal. Figures that do not depend on the order of events (mergeable aggregates): what is
/// added in parts, and merged, is bit for bit what is added at once. The query module computes its
/// answers with them, and segments keep them in the cells of rollups.
///
/// - Threads: a figure belongs to one thread.
@NullMarked
package io.widerow.storage.rollup;

import org.jspecify.annotations.NullMarked;
