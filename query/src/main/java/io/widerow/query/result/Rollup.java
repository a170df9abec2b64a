package io.widerow.query.result;

import io.widerow.query.QueryException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The use of rollups: whether aggregates may come from rollups instead of events. The result is
/// the same.
public enum Rollup {
  /// Where rollups can serve the query.
  AUTO,
  /// Never.
  OFF,
  /// A query that rollups cannot serve is refused.
  ONLY;

  static Rollup parse(@Nullable String text) {
    return switch (text) {
      case null -> AUTO;
      case "auto" -> AUTO;
      case "off" -> OFF;
      case "only" -> ONLY;
      default ->
          throw new QueryException.Refused("rollup", "must be auto, off or only, got " + text);
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
