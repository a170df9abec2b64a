package io.widerow.cql.plan;

import io.widerow.cql.type.CqlType;

/// A column of a result, or a value that an execution brings.
///
/// @param name of the column, or such as `[limit]`
public record Variable(String keyspace, String table, String name, CqlType type) {}
