package io.widerow.rollup;

import io.widerow.event.AttributeName;
import java.util.List;

/// An aggregation that stored aggregates may serve instead of events.
///
/// @param by attributes that group; the type is none of them
/// @param fields the stored aggregates that the query needs, of attributes that do not group
/// @param stepNanos width of a step of time in nanoseconds; 0 for a single step
/// @param bytes true when it asks for the bytes of events
public record RollupRequest(
    List<AttributeName> by, List<RollupField> fields, long stepNanos, boolean bytes) {
  private static final long MINUTE_NANOS = 60_000_000_000L;

  public RollupRequest {
    by = List.copyOf(by);
    fields = List.copyOf(fields);
  }

  /// A query without bytes.
  public RollupRequest(List<AttributeName> by, List<RollupField> fields, long stepNanos) {
    this(by, fields, stepNanos, false);
  }

  /// True when counts and bytes by minute, which every type has, answer it without a filter.
  public boolean isOfMinutes() {
    return by.isEmpty() && fields.isEmpty() && stepNanos % MINUTE_NANOS == 0;
  }
}
