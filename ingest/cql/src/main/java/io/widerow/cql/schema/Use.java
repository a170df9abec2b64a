package io.widerow.cql.schema;

import org.jspecify.annotations.Nullable;

/// The parts of a row that a result reads.
///
/// @param column its index in [Table#columns]
/// @param key of the only element of the map that is read; null for the whole column
public record Use(int column, @Nullable Object key) {}
