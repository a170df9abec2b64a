/// LogQL, the query language of Grafana Loki: its text to a [io.widerow.query.logql.Expr], which
/// says what is asked and nothing of how it is answered.
///
/// ```
///   text --> LogqlLexer --> words --> LogqlParser --> Expr:  LogQuery | Metric
/// ```
///
/// - Threads: any; expressions are immutable.
@NullMarked
package io.widerow.query.logql;

import org.jspecify.annotations.NullMarked;
