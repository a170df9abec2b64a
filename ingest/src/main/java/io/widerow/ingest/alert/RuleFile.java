package io.widerow.ingest.alert;

import io.widerow.ingest.decode.Sha256;
import io.widerow.query.QueryException;
import io.widerow.query.logql.Expr;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Metric;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A rule file, in the format of Prometheus and of Loki.
///
/// ```
///   groups:
///     - name: api                # interval, limit, query_offset, labels
///       rules:
///         - alert: Errors        # or record; for, keep_firing_for, labels, annotations
///           expr: rate(errors_total[5m]) > 1
/// ```
///
/// Sources: prometheus/prometheus `docs/configuration/`, `model/rulefmt/`.
///
/// @param path of the file, for people and in the keys of groups
/// @param hash of its text
public record RuleFile(String path, String hash, boolean isLogql, List<RuleGroup> groups) {
  private static final Set<String> OF_FILE = Set.of("groups");
  private static final Set<String> OF_GROUP =
      Set.of("name", "interval", "query_offset", "limit", "labels", "rules");
  private static final Set<String> OF_RULE =
      Set.of("record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations");
  private static final Pattern LABEL = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
  private static final long INTERVAL_MIN = 100;

  public RuleFile {
    groups = List.copyOf(groups);
  }

  /// @param intervalMillis of groups that have none
  /// @throws RuleMistake with the file, the line and the reason
  public static RuleFile parse(String path, String text, boolean isLogql, long intervalMillis) {
    byte[] digest = Sha256.start().digest(text.getBytes(StandardCharsets.UTF_8));
    String hash = HexFormat.of().formatHex(digest, 0, 8);
    Map<String, YamlNode> members =
        YamlNode.parse(path, text).members(OF_FILE, "type rulefmt.RuleGroups");
    List<RuleGroup> groups = new ArrayList<>();
    Set<String> names = new HashSet<>();
    YamlNode all = members.get("groups");
    for (YamlNode each : all == null ? List.<YamlNode>of() : all.items()) {
      RuleGroup group = group(each, hash, isLogql, intervalMillis);
      if (!names.add(group.name())) {
        throw each.mistake(
            "groupname: \"%s\" is repeated in the same file".formatted(group.name()));
      }
      groups.add(group);
    }
    return new RuleFile(path, hash, isLogql, groups);
  }

  private static RuleGroup group(YamlNode node, String hash, boolean isLogql, long otherwise) {
    Map<String, YamlNode> members = node.members(OF_GROUP, "type rulefmt.RuleGroup");
    YamlNode named = members.get("name");
    String name = named == null ? "" : named.text();
    if (name.isEmpty()) {
      throw node.mistake("Groupname must not be empty");
    }
    YamlNode given = members.get("interval");
    long interval = YamlNode.millisOr(given, otherwise);
    interval = interval == 0 ? otherwise : interval;
    if (given != null && interval < INTERVAL_MIN) {
      throw given.mistake("interval must be at least 100ms, got " + given.text());
    }
    YamlNode limit = members.get("limit");
    SortedMap<String, Rule.Text> labels = texts(members.get("labels"), true);
    List<Rule> rules = new ArrayList<>();
    YamlNode all = members.get("rules");
    for (YamlNode each : all == null ? List.<YamlNode>of() : all.items()) {
      rules.add(rule(each, isLogql, labels));
    }
    return new RuleGroup(
        node.file(),
        name,
        interval,
        RuleGroup.phase(name, interval),
        YamlNode.millisOr(members.get("query_offset"), 0),
        0,
        limit == null ? 0 : limit.number(),
        hash,
        rules);
  }

  private static Rule rule(YamlNode node, boolean isLogql, SortedMap<String, Rule.Text> ofGroup) {
    Map<String, YamlNode> members = node.members(OF_RULE, "type rulefmt.Rule");
    YamlNode record = members.get("record");
    YamlNode alert = members.get("alert");
    if (record != null && alert != null) {
      throw node.mistake("only one of 'record' and 'alert' must be set");
    }
    YamlNode named = record == null ? alert : record;
    if (named == null || named.text().isEmpty()) {
      throw node.mistake("one of 'record' or 'alert' must be set");
    }
    YamlNode expr = members.get("expr");
    if (expr == null || expr.text().isBlank()) {
      throw node.mistake("field 'expr' must be set in rule");
    }
    if (record != null) {
      for (String only : List.of("annotations", "for", "keep_firing_for")) {
        YamlNode given = members.get(only);
        if (given != null) {
          throw given.mistake("invalid field '%s' in recording rule".formatted(only));
        }
      }
    }
    SortedMap<String, Rule.Text> labels = new TreeMap<>(ofGroup);
    labels.putAll(texts(members.get("labels"), true));
    return new Rule(
        alert != null,
        named.text(),
        isLogql ? logql(expr) : promql(expr),
        YamlNode.millisOr(members.get("for"), 0),
        YamlNode.millisOr(members.get("keep_firing_for"), 0),
        labels,
        texts(members.get("annotations"), false));
  }

  private static RuleExpr promql(YamlNode expr) {
    try {
      return new RuleExpr.Promql(expr.text(), PromqlParser.parse("expr", expr.text()));
    } catch (PromqlException | QueryException wrong) {
      throw expr.mistake("could not parse expression: " + wrong.getMessage());
    }
  }

  private static RuleExpr logql(YamlNode expr) {
    Expr parsed;
    try {
      parsed = LogqlParser.parse(expr.text());
    } catch (QueryException wrong) {
      throw expr.mistake("could not parse expression: " + wrong.getMessage());
    }
    return switch (parsed) {
      case Metric metric -> new RuleExpr.Logql(expr.text(), metric);
      case LogQuery _ ->
          throw expr.mistake("could not parse expression: a rule needs numbers, got log lines");
    };
  }

  private static SortedMap<String, Rule.Text> texts(@Nullable YamlNode node, boolean areLabels) {
    SortedMap<String, Rule.Text> texts = new TreeMap<>();
    Map<String, YamlNode> members = node == null ? Map.of() : node.members();
    members.forEach((name, value) -> {
      if (name.isEmpty()
          || (areLabels ? name.equals("__name__") : !LABEL.matcher(name).matches())) {
        throw value.mistake(
            "invalid %s name: %s".formatted(areLabels ? "label" : "annotation", name));
      }
      try {
        texts.put(name, Rule.Text.of(value.text()));
      } catch (IllegalArgumentException wrong) {
        throw wrong instanceof RuleMistake
            ? wrong
            : value.mistake("%s: could not parse template: %s".formatted(name, wrong.getMessage()));
      }
    });
    return texts;
  }
}
