/// Aggregation: counts, sums, percentiles and groups over a range, and the plots of a terminal.
/// What the store can aggregate from its blocks is never decoded here.
///
/// - Threads: an aggregation belongs to one thread.
@NullMarked
package io.widerow.query.aggregation;

import org.jspecify.annotations.NullMarked;
