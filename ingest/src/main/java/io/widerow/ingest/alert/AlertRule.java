package io.widerow.ingest.alert;

import io.widerow.event.NearestName;
import io.widerow.event.SavedText;
import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.result.ContinuousQuery;
import io.widerow.query.result.RequestParameters;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An alert rule: an aggregate of each time step, a threshold, and the time for which the aggregate
/// must exceed it.
///
/// @param name its name
/// @param given its parameters as they were given, in the order of [#NAMES], without the name
/// @param question the aggregate of a step
/// @param above it fires when the aggregate is greater; null for no such threshold
/// @param below it fires when the aggregate is less; null for no such threshold
/// @param steps so many steps in a row must be beyond the threshold
public record AlertRule(
    String name,
    Map<String, List<String>> given,
    ContinuousQuery question,
    @Nullable Double above,
    @Nullable Double below,
    int steps) {
  /// The parameters of a rule.
  public static final List<String> NAMES =
      List.of("type", "where", "stats", "every", "lag", "above", "below", "for");

  static final int STEPS_MAX = 1_000;

  /// In place of a file, in the keys of groups.
  static final String FILE = "store";

  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private static final List<String> OF_QUESTION = List.of("type", "where", "stats", "every", "lag");

  /// A rule about all types does not count the results of rules.
  private static final String OTHERS =
      "type != \"%s\" and type != \"%s\" and type != \"%s\""
          .formatted(RuleStore.TYPE, GroupEvaluation.ALERTS, GroupEvaluation.FOR_STATE);

  private static final String EVERY_DEFAULT = "1m";
  private static final long EVERY_NANOS_MIN = 1_000_000_000;

  /// Reads a rule from its parameters.
  ///
  /// @throws QueryException.Refused when a name is unknown or a value makes no sense
  /// @throws IllegalArgumentException when the name or the whole is too long
  public static AlertRule parse(String name, Map<String, List<String>> parameters, long nowNanos) {
    for (String parameter : parameters.keySet()) {
      if (!NAMES.contains(parameter)) {
        throw new QueryException.Refused(
            parameter,
            "no such parameter%s known: rule, %s"
                .formatted(NearestName.question(parameter, NAMES, ";"), String.join(", ", NAMES)));
      }
    }
    if (!parameters.containsKey("stats")) {
      throw new QueryException.Refused("stats", "is missing, such as count");
    }
    ContinuousQuery _ = ContinuousQuery.parse(plain(parameters), nowNanos); // mistakes as given
    Map<String, List<String>> asked = asked(parameters);
    ContinuousQuery question = ContinuousQuery.parse(asked, nowNanos);
    if (question.figures().columns() != 1) {
      throw new QueryException.Refused(
          "stats",
          "an alert rule has one aggregate, got "
              + String.join(",", parameters.getOrDefault("stats", List.of())));
    }
    long every = question.figures().everyNanos();
    if (every < EVERY_NANOS_MIN) {
      throw new QueryException.Refused(
          "every",
          "must be at least 1s, got " + String.join(",", asked.getOrDefault("every", List.of())));
    }
    Double above = number(parameters, "above");
    Double below = number(parameters, "below");
    if (above == null && below == null) {
      throw new QueryException.Refused("above", "is missing: give a threshold, above or below");
    }
    Map<String, List<String>> kept = new LinkedHashMap<>();
    NAMES.stream()
        .filter(parameters::containsKey)
        .forEach(each -> kept.put(each, List.copyOf(parameters.getOrDefault(each, List.of()))));
    AlertRule rule = new AlertRule(name, kept, question, above, below, steps(parameters, every));
    var _ = rule.saved(); // refuses a name or a definition that cannot be kept
    return rule;
  }

  private static Map<String, List<String>> asked(Map<String, List<String>> parameters) {
    Map<String, List<String>> asked = plain(parameters);
    if (!asked.containsKey("type")) {
      List<String> where = asked.getOrDefault("where", List.of());
      asked.put(
          "where",
          where.isEmpty() ? List.of(OTHERS) : where.stream().map(AlertRule::ofOthers).toList());
    }
    return asked;
  }

  /// A filter or a pipeline of the types that are not the daemon's own.
  private static String ofOthers(String where) {
    return OTHERS + (where.stripLeading().startsWith("|") ? " " : " | ") + where;
  }

  private static Map<String, List<String>> plain(Map<String, List<String>> parameters) {
    Map<String, List<String>> asked = new HashMap<>();
    OF_QUESTION.stream()
        .filter(parameters::containsKey)
        .forEach(each -> asked.put(each, parameters.getOrDefault(each, List.of())));
    asked.putIfAbsent("every", List.of(EVERY_DEFAULT));
    return asked;
  }

  /// The aggregate of a step, where relative times of the filter count from `nowNanos`.
  ContinuousQuery questionAt(long nowNanos) {
    return ContinuousQuery.parse(asked(given), nowNanos);
  }

  private static int steps(Map<String, List<String>> parameters, long everyNanos) {
    String given = RequestParameters.single(parameters, "for");
    if (given == null) {
      return 1;
    }
    long nanos = TimeText.positive("for", given);
    long steps = nanos / everyNanos;
    if (nanos % everyNanos != 0 || steps > STEPS_MAX) {
      throw new QueryException.Refused(
          "for", "must be 1 to %d times every, got %s".formatted(STEPS_MAX, given));
    }
    return (int) steps;
  }

  private static @Nullable Double number(Map<String, List<String>> parameters, String name) {
    String given = RequestParameters.single(parameters, name);
    if (given == null) {
      return null;
    }
    try {
      double number = Double.parseDouble(given);
      if (Double.isFinite(number)) {
        return number;
      }
    } catch (NumberFormatException notOne) {
      throw new QueryException.Refused(name, "must be a number, got " + given);
    }
    throw new QueryException.Refused(name, "must be a number, got " + given);
  }

  /// A rule that a store has kept.
  static AlertRule of(SavedText saved, long nowNanos) {
    return parse(saved.name(), ParameterText.decode(saved.definition()), nowNanos);
  }

  /// As a store keeps it: its parameters in the form of a query string.
  public SavedText saved() {
    return new SavedText(name, ParameterText.encode(given));
  }

  /// Whether an aggregate exceeds the threshold.
  boolean isBeyond(double figure) {
    return (above != null && figure > above) || (below != null && figure < below);
  }

  /// The rule as an expression: `count of http where status >= 500 every 1m above 100`.
  String expression() {
    StringBuilder text = new StringBuilder(String.valueOf(text("stats")));
    String type = text("type");
    String where = text("where");
    text.append(type == null ? "" : " of " + type);
    text.append(where == null ? "" : " where " + where);
    text.append(" every ").append(every());
    for (String threshold : List.of("above", "below")) {
      String limit = text(threshold);
      text.append(limit == null ? "" : " %s %s".formatted(threshold, limit));
    }
    return text.toString();
  }

  /// The group of this rule alone. An alert that is pending at the end of the first step fires at
  /// the end of the last one.
  RuleGroup group() {
    long every = question.figures().everyNanos() / NANOS_PER_MILLISECOND;
    Rule rule =
        new Rule(
            true,
            name,
            new RuleExpr.Aggregate(this),
            (steps - 1) * every,
            0,
            new TreeMap<>(),
            new TreeMap<>());
    return new RuleGroup(
        FILE,
        name,
        every,
        0,
        0,
        question.lagNanos() / NANOS_PER_MILLISECOND,
        0,
        saved().definition(),
        List.of(rule));
  }

  /// A parameter as it was given, several with commas; null when it was not.
  public @Nullable String text(String parameter) {
    List<String> values = given.get(parameter);
    return values == null ? null : String.join(",", values);
  }

  /// The width of a step as text.
  public String every() {
    String every = text("every");
    return every == null ? EVERY_DEFAULT : every;
  }
}
