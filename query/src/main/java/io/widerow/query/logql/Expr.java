package io.widerow.query.logql;

/// A parsed LogQL expression: a log query or a metric query.
///
/// - Threads: any; expressions are immutable.
public sealed interface Expr permits LogQuery, Metric {}
