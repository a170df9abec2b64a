/// Internal. Aggregates a view from the cells that its segments keep (materialized aggregates), and
/// from the events where cells do not suffice.
///
/// - Threads: an aggregation belongs to one thread.
@NullMarked
package io.widerow.storage.aggregate;

import org.jspecify.annotations.NullMarked;
