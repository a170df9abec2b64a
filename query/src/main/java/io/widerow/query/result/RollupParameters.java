package io.widerow.query.result;

import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.aggregation.Aggregate;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupRequest;
import io.widerow.rollup.RollupShape;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The parameters that define a rollup, as HTTP and the command line take them: `type` (glob),
/// `by`, `stats`, `every`, `keep`.
public final class RollupParameters {
  private static final List<String> NAMES = List.of("type", "by", "stats", "every", "keep");
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long MINUTE_NANOS = 60 * SECOND_NANOS;
  private static final String BUILT_IN = "count";

  private RollupParameters() {}

  /// @throws QueryException.Refused when a name is unknown or a value makes no sense
  /// @throws IllegalArgumentException when the name is none, or a list is too long
  public static RollupDefinition parse(String name, Map<String, List<String>> given) {
    RequestParameters.requireKnown(given, NAMES);
    if (name.equals(BUILT_IN)) {
      throw new QueryException.Refused("rollup", "every type has count already; take another name");
    }
    String stats = RequestParameters.single(given, "stats");
    if (stats == null) {
      throw new QueryException.Refused("stats", "is missing, such as count,p99(ms)");
    }
    String type = RequestParameters.single(given, "type");
    if (type == null) {
      throw new QueryException.Refused("type", "is missing: a type, or a pattern with * and ?");
    }
    String every = RequestParameters.single(given, "every");
    int minutes = every == null ? 1 : minutes(every);
    StatsQuery figures =
        StatsQuery.parse(stats, RequestParameters.single(given, "by"), minutes + "m");
    if (figures == null) {
      throw new IllegalStateException("no figures of " + stats);
    }
    if (!figures.isPlain()) {
      throw new QueryException.Refused(
          "stats", "a rollup keeps aggregates of all events, without expressions, got " + stats);
    }
    figures
        .by()
        .forEach(each -> {
          if (each.toString().equals("type")) {
            throw new QueryException.Refused(
                "by", "type: every rollup is by type; an attribute is attributes.type");
          }
        });
    String keep = RequestParameters.single(given, "keep");
    return new RollupDefinition(
        name,
        type,
        shape(figures, minutes),
        text(figures.measures()),
        keep == null ? null : keep(keep));
  }

  private static Duration keep(String keep) {
    long nanos = TimeText.positive("keep", keep);
    if (nanos % SECOND_NANOS != 0) {
      throw new QueryException.Refused("keep", "must be whole seconds, got " + keep);
    }
    return Duration.ofNanos(nanos);
  }

  private static final AttributeName ATTRIBUTE_LEVEL =
      AttributeName.of(NameText.PREFIX + Level.FIELD);

  private static RollupShape shape(StatsQuery figures, int minutes) {
    RollupRequest question = figures.question();
    if (figures.by().contains(ATTRIBUTE_LEVEL)) {
      throw new QueryException.Refused(
          "by", "attributes.level: a rollup groups by the level of the events; write level");
    }
    if (question == null) {
      throw new QueryException.Refused(
          "stats",
          "%s: the name of the type has no such aggregates; an attribute is attributes.type"
              .formatted(text(figures.measures())));
    }
    if (question.bytes()) {
      throw new QueryException.Refused(
          "stats",
          "%s: every type has bytes by minute already, and no rollup has them by group"
              .formatted(text(figures.measures())));
    }
    return new RollupShape(minutes, question.by(), question.fields());
  }

  private static String text(List<Aggregate> measures) {
    return measures.stream().map(Aggregate::toString).collect(Collectors.joining(","));
  }

  private static int minutes(String every) {
    long nanos = TimeText.positive("every", every);
    if (nanos != MINUTE_NANOS && nanos != RollupShape.MINUTES_AN_HOUR * MINUTE_NANOS) {
      throw new QueryException.Refused("every", "must be 1m or 1h, got " + every);
    }
    return (int) (nanos / MINUTE_NANOS);
  }

  /// The attributes that group, as answers show them.
  public static String by(RollupDefinition rollup) {
    return rollup.shape().by().stream()
        .map(name -> NameText.shown(name.toString()))
        .collect(Collectors.joining(","));
  }
}
