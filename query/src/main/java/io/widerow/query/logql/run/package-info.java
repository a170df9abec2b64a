/// Answers to LogQL: what the store can decide becomes a range, types, a filter, a projection and a
/// grouping; the rest is decided line by line.
///
/// ```
///   Expr --> Selection: filter, attributes --> RangeReader --> Pipeline --> LogRun: lines
///                                                                      --> RangeSamples --> Series
/// ```
///
/// - Threads: one a query; any thread may cancel it.
@NullMarked
package io.widerow.query.logql.run;

import org.jspecify.annotations.NullMarked;
