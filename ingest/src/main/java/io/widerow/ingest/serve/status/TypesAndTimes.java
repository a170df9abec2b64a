package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.TimeText;
import io.widerow.query.TypeGlobs;
import io.widerow.storage.embedded.EmbeddedStore;
import java.time.Instant;
import java.util.List;

/// The types and the time range of a request: `type` (several), `from`, `to`.
///
/// @param fromNanos inclusive, nanoseconds since the Unix epoch; the least long when not given
/// @param untilNanos exclusive; the greatest long when not given
record TypesAndTimes(TypeGlobs types, long fromNanos, long untilNanos) {
  /// @throws IllegalArgumentException with a sentence for the client, also when the store has
  ///   nothing of such types
  /// @throws RequestRefused when `from` or `to` is given several times
  static TypesAndTimes of(QueryParams given, EmbeddedStore store) throws RequestRefused {
    TypeGlobs types = new TypeGlobs(given.getAll("type"));
    for (String glob : types.globs()) {
      if (glob.isEmpty()) {
        throw new IllegalArgumentException("type: is empty");
      }
      var one = new TypeGlobs(List.of(glob));
      if (store.partitions().entries(one, Long.MIN_VALUE, Long.MAX_VALUE).isEmpty()) {
        throw new IllegalArgumentException("type: no type matches '%s'".formatted(glob));
      }
    }
    long now = store.nowNanos();
    String from = Parameters.single(given, "from");
    String to = Parameters.single(given, "to");
    long fromNanos = from == null ? Long.MIN_VALUE : TimeText.parse("from", from, now);
    long untilNanos = to == null ? Long.MAX_VALUE : TimeText.parse("to", to, now);
    if (fromNanos >= untilNanos) {
      throw new IllegalArgumentException(
          "to: %s is not after from, %s".formatted(to, from == null ? "the beginning" : from));
    }
    return new TypesAndTimes(types, fromNanos, untilNanos);
  }

  /// For the log: `web, shop.* from 2026-11-20T00:00:00Z`.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(types.globs().isEmpty() ? "all types" : String.join(", ", types.globs()));
    if (fromNanos != Long.MIN_VALUE) {
      text.append(" from ").append(instant(fromNanos));
    }
    if (untilNanos != Long.MAX_VALUE) {
      text.append(" to ").append(instant(untilNanos));
    }
    return text.toString();
  }

  private static Instant instant(long epochNanos) {
    return Instant.EPOCH.plusNanos(epochNanos);
  }
}
