package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.Stamp;
import io.widerow.loadgen.workload.Stamper;
import java.io.IOException;
import java.util.function.LongSupplier;

/// Has the target count events by a field and a step of time, as `widerow query --stats count --by
/// FIELD --every STEP` does, over the newest time.
///
/// - Threads: one.
public final class GroupCounts {
  private final String types;
  private final GroupOptions options;
  private final LongSupplier newestNanos;
  private final Stamper stamper = new Stamper();

  /// @param types as a query parameter
  /// @param newestNanos end of the counted time range
  public GroupCounts(String types, GroupOptions options, LongSupplier newestNanos) {
    this.types = types;
    this.options = options;
    this.newestNanos = newestNanos;
  }

  /// Runs the query once and returns the number of groups.
  long ask(TimedQuery query) throws IOException {
    return query.get(path() + byTarget(), false).lines() - 1;
  }

  private String path() {
    long untilNanos = newestNanos.getAsLong();
    return "/v1/query?format=csv&type=%s&from=%s&to=%s"
        .formatted(
            types,
            stamper.text(Stamp.RFC3339, 0, untilNanos - options.overNanos()),
            stamper.text(Stamp.RFC3339, 0, untilNanos));
  }

  private String byTarget() {
    return "&stats=count&by=%s&every=%ds"
        .formatted(HttpText.encoded(options.by()), options.everyNanos() / Quantity.SECOND);
  }
}
