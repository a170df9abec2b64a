/// LogQL, the query language of Grafana Loki: its text to a [io.widerow.query.logql.Expr], which
/// describes the query, not its execution.
///
/// ```
///   text --> LogqlLexer --> words --> LogqlParser --> Expr:  LogQuery | Metric
/// ```
///
/// - Threads: any; expressions are immutable.
@NullMarked
package io.widerow.query.logql;

import org.jspecify.annotations.NullMarked;
