package io.widerow.query.logql;

/// What a text of LogQL asks for: lines, or numbers over time.
///
/// - Threads: any; expressions are immutable.
public sealed interface Expr permits LogQuery, Metric {}
