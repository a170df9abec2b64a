package io.widerow.cql.schema;

import org.jspecify.annotations.Nullable;

/// When a value was written, and when it expires.
///
/// @param micros the time of the write, since 1970
/// @param secondsLeft until it expires; null for never
public record Written(long micros, @Nullable Integer secondsLeft) {}
