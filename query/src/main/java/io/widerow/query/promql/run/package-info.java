/// The evaluation of PromQL over samples: all steps of a query at once, one row of values a series.
///
/// ```
///   PromqlExpr --> PromqlRun --> Rows          values of a series by step
///                    |  ^
///      SampleSource -+  +- WindowFunctions, ElementFunctions, Aggregations, Matches
/// ```
///
/// - Threads: one a query.
/// - Memory: the samples of one selector and the rows of the operands, counted by the query.
@NullMarked
package io.widerow.query.promql.run;

import org.jspecify.annotations.NullMarked;
