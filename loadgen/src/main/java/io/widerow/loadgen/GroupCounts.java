package io.widerow.loadgen;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Counts events by a field and a step of time, as `widerow query --stats count --by FIELD --every
/// STEP` does. A daemon that has these parameters over HTTP counts itself; one that refuses them is
/// asked for the field of each event, and the counting is done here.
///
/// - Threads: one.
final class GroupCounts {
  private static final int SECOND_CHARS = "2026-11-20T19:05:03".length();
  private static final String TYPE = "type"; // every row has it

  private final String types;
  private final GroupOptions options;
  private final LongSupplier newestNanos;
  private final Stamper stamper = new Stamper();
  private boolean refused;

  /// @param types as the query's parameter has them
  /// @param newestNanos where the time that is counted ends
  GroupCounts(String types, GroupOptions options, LongSupplier newestNanos) {
    this.types = types;
    this.options = options;
    this.newestNanos = newestNanos;
  }

  /// Asks once; how many groups there are.
  long ask(TimedQuery query) throws IOException {
    if (!refused) {
      try {
        return query.get(path() + byTarget(), false).lines() - 1;
      } catch (HttpRefusal refusal) {
        if (refusal.status() != 400) {
          throw refusal;
        }
        refused = true;
      }
    }
    Map<String, Long> counts = new HashMap<>();
    Steps steps = new Steps(options.everyNanos());
    String fields = options.by().equals(TYPE) ? "none" : options.by();
    query.get(path() + "&fields=" + HttpText.encoded(fields), line -> count(line, steps, counts));
    return counts.size();
  }

  /// True when the target refused to count, and the reader does it.
  boolean isCountedHere() {
    return refused;
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

  /// A row is `id,time,type,field`; neither of the first three has a comma.
  private void count(String line, Steps steps, Map<String, Long> counts) {
    int time = line.indexOf(',') + 1;
    int type = line.indexOf(',', time) + 1;
    int field = line.indexOf(',', type) + 1;
    if (time > 0 && Character.isDigit(line.charAt(time))) { // not the titles
      String value =
          options.by().equals(TYPE) ? line.substring(type, field - 1) : line.substring(field);
      counts.merge(steps.of(line.substring(time, time + SECOND_CHARS)) + value, 1L, Long::sum);
    }
  }

  /// Turns times into the step that they are in; a second's text is parsed once.
  private static final class Steps {
    private final long everySeconds;
    private String last = "";
    private long step;

    Steps(long everyNanos) {
      everySeconds = everyNanos / Quantity.SECOND;
    }

    long of(String second) {
      if (!second.equals(last)) {
        step = Math.floorDiv(Instant.parse(second + "Z").getEpochSecond(), everySeconds);
        last = second;
      }
      return step;
    }
  }
}
