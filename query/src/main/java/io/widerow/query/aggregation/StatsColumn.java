package io.widerow.query.aggregation;

/// A column of a result of aggregates.
///
/// @param head its name: that of the aggregate, the text of the expression, or the name after `as`
/// @param value of it
record StatsColumn(String head, StatsExpression value) {}
