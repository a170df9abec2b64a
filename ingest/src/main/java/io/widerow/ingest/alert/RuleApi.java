package io.widerow.ingest.alert;

import io.widerow.ingest.alert.AlertEngine.Standing;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.query.promql.GoNumber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// Groups, rules and alerts as Prometheus and Loki show them.
///
/// Sources: prometheus/prometheus `docs/querying/api.md`; grafana/loki `docs/.../reference/api.md`.
///
/// - Threads: any.
public final class RuleApi {
  private final AlertEngine engine;

  public RuleApi(AlertEngine engine) {
    this.engine = engine;
  }

  /// Which rules are shown. An empty list stands for all.
  ///
  /// @param type `alert` or `record`; empty for both
  /// @param logql only groups of LogQL, and rules that the store keeps
  /// @param alerts whether the alerts of a rule are shown
  public record Selection(
      String type,
      Collection<String> names,
      Collection<String> groups,
      Collection<String> files,
      boolean logql,
      boolean alerts) {
    private boolean hasGroup(RuleGroup group) {
      return (groups.isEmpty() || groups.contains(group.name()))
          && (files.isEmpty() || files.contains(group.file()))
          && (!logql || group.rules().stream().noneMatch(RuleApi::isPromql));
    }

    private boolean has(Rule rule) {
      return (type.isEmpty() || type.equals(rule.isAlert() ? "alert" : "record"))
          && (names.isEmpty() || names.contains(rule.name()));
    }
  }

  private static boolean isPromql(Rule rule) {
    return rule.expr() instanceof RuleExpr.Promql;
  }

  /// The value of `data` of `/api/v1/rules`.
  public String rules(Selection selection) {
    List<String> groups = new ArrayList<>();
    engine.forEach(standing -> {
      if (selection.hasGroup(standing.group)) {
        String rules = rules(standing, selection);
        boolean whole = selection.type.isEmpty() && selection.names.isEmpty();
        if (whole || !rules.isEmpty()) {
          groups.add(group(standing, rules));
        }
      }
    });
    return "{\"groups\":[" + String.join(",", groups) + "]}";
  }

  private static String group(Standing standing, String rules) {
    RuleGroup group = standing.group;
    StringBuilder json = new StringBuilder("{\"name\":");
    HttpResponses.appendString(json, group.name());
    HttpResponses.appendString(json.append(",\"file\":"), group.file());
    json.append(",\"rules\":[").append(rules);
    json.append("],\"interval\":").append(GoNumber.plain(group.intervalMillis() / 1e3));
    json.append(",\"limit\":").append(group.limit());
    json.append(",\"evaluationTime\":").append(GoNumber.plain(standing.seconds));
    return json.append(",\"lastEvaluation\":\"").append(last(standing)).append("\"}").toString();
  }

  /// Go's zero time before the first evaluation.
  private static String last(Standing standing) {
    return standing.evaluatedMillis == 0
        ? "0001-01-01T00:00:00Z"
        : AlertJson.time(standing.evaluatedMillis).toString();
  }

  private static String rules(Standing standing, Selection selection) {
    List<String> rules = new ArrayList<>();
    for (int i = 0; i < standing.group.rules().size(); i++) {
      Rule rule = standing.group.rules().get(i);
      if (selection.has(rule)) {
        rules.add(rule(standing, rule, standing.state.rules().get(i), selection.alerts));
      }
    }
    return String.join(",", rules);
  }

  private static String rule(
      Standing standing, Rule rule, GroupState.OfRule state, boolean withAlerts) {
    StringBuilder json = new StringBuilder("{");
    if (rule.isAlert()) {
      json.append("\"state\":\"").append(state.worst().text()).append("\",");
    }
    HttpResponses.appendString(json.append("\"name\":"), rule.name());
    HttpResponses.appendString(json.append(",\"query\":"), rule.expr().text());
    if (rule.isAlert()) {
      json.append(",\"duration\":").append(GoNumber.plain(rule.forMillis() / 1e3));
      json.append(",\"keepFiringFor\":").append(GoNumber.plain(rule.keepMillis() / 1e3));
    }
    AlertJson.appendMap(json.append(",\"labels\":"), Rule.written(rule.labels()));
    if (rule.isAlert()) {
      AlertJson.appendMap(json.append(",\"annotations\":"), Rule.written(rule.annotations()));
      if (withAlerts) {
        json.append(",\"alerts\":[").append(alerts(state)).append(']');
      }
    }
    String failure = standing.failure;
    String error = failure == null ? state.error() : failure;
    boolean never = standing.state.at() == GroupState.NEVER && failure == null;
    json.append(",\"health\":\"").append(never ? "unknown" : error == null ? "ok" : "err");
    json.append('"');
    if (error != null) {
      HttpResponses.appendString(json.append(",\"lastError\":"), error);
    }
    json.append(",\"evaluationTime\":").append(GoNumber.plain(state.seconds()));
    json.append(",\"lastEvaluation\":\"").append(last(standing));
    return json.append("\",\"type\":\"")
        .append(rule.isAlert() ? "alerting" : "recording")
        .append("\"}")
        .toString();
  }

  private static String alerts(GroupState.OfRule state) {
    List<String> alerts = new ArrayList<>();
    for (ActiveAlert alert : state.alerts().values()) {
      if (alert.isActive()) {
        alerts.add(alert(alert));
      }
    }
    return String.join(",", alerts);
  }

  private static String alert(ActiveAlert alert) {
    StringBuilder json = new StringBuilder("{\"labels\":");
    AlertJson.appendMap(json, alert.labels().map());
    AlertJson.appendMap(json.append(",\"annotations\":"), alert.annotations());
    json.append(",\"state\":\"").append(alert.state().text());
    json.append("\",\"activeAt\":\"").append(AlertJson.time(alert.activeAt()));
    if (alert.keepSince() > 0) {
      json.append("\",\"keepFiringSince\":\"").append(AlertJson.time(alert.keepSince()));
    }
    return json.append("\",\"value\":\"")
        .append(GoNumber.json(alert.value()))
        .append("\"}")
        .toString();
  }

  /// The value of `data` of `/api/v1/alerts`.
  public String alerts() {
    List<String> all = new ArrayList<>();
    engine.forEach(standing ->
        standing.state.rules().stream()
            .map(RuleApi::alerts)
            .filter(Predicate.not(String::isEmpty))
            .forEach(all::add));
    return "{\"alerts\":[" + String.join(",", all) + "]}";
  }

  /// The addresses to which alerts are sent.
  public String alertmanagers() {
    StringBuilder json = new StringBuilder("{\"activeAlertmanagers\":[");
    String comma = "";
    for (String url : engine.alertmanagers()) {
      json.append(comma).append("{\"url\":");
      HttpResponses.appendString(json, url);
      json.append('}');
      comma = ",";
    }
    return json.append("],\"droppedAlertmanagers\":[]}").toString();
  }

  /// Loki's groups in YAML, by namespace, which is a file; empty without any.
  ///
  /// @param namespace only this one; empty for all
  /// @param group only this one; empty for all
  public String logqlRules(String namespace, String group) {
    Map<String, List<RuleGroup>> files = new LinkedHashMap<>();
    engine.forEach(standing -> {
      RuleGroup each = standing.group;
      boolean isLogql =
          each.rules().stream().anyMatch(rule -> rule.expr() instanceof RuleExpr.Logql);
      boolean asked =
          (namespace.isEmpty() || namespace.equals(each.file()))
              && (group.isEmpty() || group.equals(each.name()));
      if (isLogql && asked) {
        files.computeIfAbsent(each.file(), _ -> new ArrayList<>()).add(each);
      }
    });
    StringBuilder yaml = new StringBuilder();
    files.forEach((file, groups) -> {
      if (group.isEmpty()) {
        yaml.append(quoted(file)).append(":\n");
        groups.forEach(each -> append(yaml, each, "  - ", "    "));
      } else {
        groups.forEach(each -> append(yaml, each, "", ""));
      }
    });
    return yaml.toString();
  }

  private static void append(StringBuilder yaml, RuleGroup group, String first, String indent) {
    yaml.append(first).append("name: ").append(quoted(group.name())).append('\n');
    yaml.append(indent).append("interval: ").append(millis(group.intervalMillis())).append('\n');
    yaml.append(indent).append("rules:\n");
    for (Rule rule : group.rules()) {
      yaml.append(indent).append(rule.isAlert() ? "  - alert: " : "  - record: ");
      yaml.append(quoted(rule.name())).append('\n');
      String inner = indent + "    ";
      yaml.append(inner).append("expr: ").append(quoted(rule.expr().text())).append('\n');
      if (rule.forMillis() > 0) {
        yaml.append(inner).append("for: ").append(millis(rule.forMillis())).append('\n');
      }
      if (rule.keepMillis() > 0) {
        yaml.append(inner).append("keep_firing_for: ").append(millis(rule.keepMillis()));
        yaml.append('\n');
      }
      append(yaml, "labels", Rule.written(rule.labels()), inner);
      append(yaml, "annotations", Rule.written(rule.annotations()), inner);
    }
  }

  private static void append(
      StringBuilder yaml, String name, Map<String, String> texts, String indent) {
    if (!texts.isEmpty()) {
      yaml.append(indent).append(name).append(":\n");
      texts.forEach((each, text) ->
          yaml.append(indent)
              .append("  ")
              .append(quoted(each))
              .append(": ")
              .append(quoted(text))
              .append('\n'));
    }
  }

  /// A text of JSON is one of YAML.
  private static String quoted(String text) {
    return HttpResponses.appendString(new StringBuilder(), text).toString();
  }

  private static String millis(long millis) {
    return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
  }

  /// A line for each rule: what it is and its state, for `GET /v1/alerts`.
  ///
  /// @param name only rules of this name; null for all
  public List<String> lines(@org.jspecify.annotations.Nullable String name, long nowMillis) {
    List<String> lines = new ArrayList<>();
    engine.forEach(standing -> {
      for (int i = 0; i < standing.group.rules().size(); i++) {
        Rule rule = standing.group.rules().get(i);
        if (rule.isAlert() && (name == null || name.equals(rule.name()))) {
          lines.add(line(standing, i, nowMillis));
        }
      }
    });
    return lines;
  }

  private static String line(Standing standing, int i, long nowMillis) {
    RuleGroup group = standing.group;
    Rule rule = group.rules().get(i);
    AlertRule ofStore = rule.expr() instanceof RuleExpr.Aggregate(var kept) ? kept : null;
    return new AlertLine(group, rule, ofStore, AlertEngine.state(standing, i, nowMillis)).json();
  }
}
