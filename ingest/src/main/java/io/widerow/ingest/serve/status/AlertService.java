package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.alert.AlertEngine;
import io.widerow.ingest.alert.AlertRule;
import io.widerow.ingest.alert.AlertState;
import io.widerow.ingest.alert.RuleApi;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.result.FieldCheck;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The alert rules, over HTTP: `GET /v1/alerts` lists them with their states, `PUT` sets one,
/// `DELETE` removes one. Their states are also in `/metrics`. A store on a cluster keeps none: 501.
///
/// - Threads: any event loop; changes are made on the server's blocking executor.
public final class AlertService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String PATH = "/v1/alerts";
  private static final String OF_CLUSTER =
      "a store on a cluster keeps no alert rules: write them into files of rules-dir";

  private final AlertEngine alerts;
  private final MaintenanceRoutes<AlertEngine> routes;
  private final MaintenanceRoutes<AlertEngine> lists;
  private final RuleApi api;
  private final LongSupplier epochNanos;

  public AlertService(AlertEngine alerts, LongSupplier epochNanos) {
    this.alerts = alerts;
    this.api = new RuleApi(alerts);
    this.routes =
        new MaintenanceRoutes<>(PATH, () -> alerts.keepsRules() ? alerts : null, OF_CLUSTER);
    this.lists = new MaintenanceRoutes<>(PATH, () -> alerts, OF_CLUSTER);
    this.epochNanos = epochNanos;
  }

  /// Why rule files are not in force as they are.
  List<String> problems() {
    return alerts.problems();
  }

  public List<HttpRoute> routes() {
    return List.of(
        lists.get("", Tokens.Scope.QUERY, this::list),
        routes.change(HttpMethod.PUT, this::set),
        routes.change(HttpMethod.DELETE, this::unset));
  }

  /// `GET /v1/alerts`: one line for each rule; with `rule=NAME` those of that name, or 404.
  private HttpResponse list(AlertEngine there, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("rule"));
    String name = given.contains("rule") ? Parameters.required(given, "rule") : null;
    List<String> lines = api.lines(name, nowMillis());
    if (name != null && lines.isEmpty()) {
      return HttpResponses.error(
          HttpStatus.NOT_FOUND, "rule: there is no '%s'; %s".formatted(name, names()));
    }
    return MaintenanceRoutes.lines(new StringBuilder(String.join("", lines)));
  }

  private long nowMillis() {
    return epochNanos.getAsLong() / 1_000_000;
  }

  private String names() {
    Set<String> names = new TreeSet<>();
    names.addAll(alerts.states().keySet());
    return names.isEmpty() ? "none is set" : "there are " + String.join(", ", names);
  }

  /// `PUT /v1/alerts?rule=NAME&stats=count&type=http*&where=...&every=1m&above=100&for=5m`.
  private HttpResponse set(AlertEngine there, QueryParams given) throws RequestRefused {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    given.names().stream()
        .filter(each -> !each.equals("rule"))
        .forEach(each -> parameters.put(each, given.getAll(each)));
    String name = Parameters.required(given, "rule");
    AlertRule rule = AlertRule.parse(name, parameters, epochNanos.getAsLong());
    there.set(rule);
    LOG.log(
        Level.INFO, "the alert rule {0} was set: {1}", new Object[] {rule.name(), rule.saved()});
    StringBuilder line = new StringBuilder(String.join("", there.lines(rule)));
    line.append(FieldCheck.line(there.warnings(rule)));
    return HttpResponses.json(HttpStatus.OK, line.toString());
  }

  /// `DELETE /v1/alerts?rule=NAME`.
  private HttpResponse unset(AlertEngine there, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("rule"));
    String name = Parameters.required(given, "rule");
    there.unset(name);
    LOG.log(Level.INFO, "the alert rule {0} was unset", name);
    return MaintenanceRoutes.unset(name);
  }

  /// The lines of `/metrics`.
  void appendMetrics(MetricText text) {
    if (!alerts.alertmanagers().isEmpty()) {
      text.counter(
          "widerow_notifications_sent_total",
          "Requests with alerts that an Alertmanager took.",
          alerts.sent());
      text.counter(
          "widerow_notifications_failed_total",
          "Requests with alerts that no Alertmanager took; they are repeated.",
          alerts.notSent());
    }
    Map<String, AlertState> rules = alerts.states();
    if (rules.isEmpty()) {
      return;
    }
    text.head(
        "widerow_alert_firing", "gauge", "1 while the alert rule fires, 0 while it is quiet.");
    rules.forEach((name, state) -> {
      if (state.kind() != AlertState.Kind.UNKNOWN) {
        line(text, "widerow_alert_firing", name, state.kind() == AlertState.Kind.FIRING ? 1 : 0);
      }
    });
    text.head("widerow_alert_unknown", "gauge", "1 while the state of the alert rule is unknown.");
    rules.forEach((name, state) -> {
      boolean unknown = state.kind() == AlertState.Kind.UNKNOWN;
      line(text, "widerow_alert_unknown", name, unknown ? 1 : 0);
    });
    text.head("widerow_alert_value", "gauge", "The value of the last evaluation.");
    rules.forEach((name, state) -> {
      String value = state.number();
      if (!value.equals("null")) {
        line(text, "widerow_alert_value", name, value);
      }
    });
  }

  private static void line(MetricText text, String metric, String rule, Object value) {
    text.line(metric + "{rule=" + MetricText.quoted(rule) + "}", value);
  }
}
