package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.alert.AlertRule;
import io.widerow.ingest.alert.AlertScheduler;
import io.widerow.ingest.alert.AlertState;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.result.FieldCheck;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The alert rules, over HTTP: `GET /v1/alerts` lists them with their states, `PUT` sets one,
/// `DELETE` removes one. Their states are also in `/metrics`. A store on a cluster keeps none: 501.
///
/// - Threads: any event loop; changes are made on the server's blocking executor.
public final class AlertService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String PATH = "/v1/alerts";
  private static final Pattern JSON_NUMBER =
      Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");
  private static final String OF_CLUSTER =
      "a store on a cluster keeps no alert rules: set them at a daemon with a local store";

  private final AlertScheduler alerts;
  private final MaintenanceRoutes<AlertScheduler> routes;
  private final LongSupplier epochNanos;

  public AlertService(AlertScheduler alerts, LongSupplier epochNanos) {
    this.alerts = alerts;
    this.routes = new MaintenanceRoutes<>(PATH, () -> alerts.isThere() ? alerts : null, OF_CLUSTER);
    this.epochNanos = epochNanos;
  }

  public List<HttpRoute> routes() {
    return List.of(
        routes.get("", Tokens.Scope.QUERY, this::list),
        routes.change(HttpMethod.PUT, this::set),
        routes.change(HttpMethod.DELETE, this::unset));
  }

  /// `GET /v1/alerts`: one line for each rule; with `rule=NAME` that one, or 404.
  private HttpResponse list(AlertScheduler there, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("rule"));
    String name = given.contains("rule") ? Parameters.required(given, "rule") : null;
    StringBuilder lines = new StringBuilder();
    for (AlertScheduler.Ruled ruled : there.all()) {
      if (name == null || name.equals(ruled.rule().name())) {
        append(lines, ruled);
      }
    }
    if (name != null && lines.isEmpty()) {
      return HttpResponses.error(
          HttpStatus.NOT_FOUND, "rule: there is no '%s'; %s".formatted(name, names()));
    }
    return MaintenanceRoutes.lines(lines);
  }

  private String names() {
    List<String> names = alerts.all().stream().map(ruled -> ruled.rule().name()).toList();
    return names.isEmpty() ? "none is set" : "there are " + String.join(", ", names);
  }

  /// `PUT /v1/alerts?rule=NAME&stats=count&type=http*&where=...&every=1m&above=100&for=5m`.
  private HttpResponse set(AlertScheduler there, QueryParams given) throws RequestRefused {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    given.names().stream()
        .filter(each -> !each.equals("rule"))
        .forEach(each -> parameters.put(each, given.getAll(each)));
    AlertRule rule =
        AlertRule.parse(Parameters.required(given, "rule"), parameters, epochNanos.getAsLong());
    there.set(rule);
    LOG.log(
        Level.INFO, "the alert rule {0} was set: {1}", new Object[] {rule.name(), rule.saved()});
    StringBuilder line =
        append(new StringBuilder(), new AlertScheduler.Ruled(rule, AlertState.NEW));
    line.append(FieldCheck.line(there.warnings(rule)));
    return HttpResponses.json(HttpStatus.OK, line.toString());
  }

  /// `DELETE /v1/alerts?rule=NAME`.
  private HttpResponse unset(AlertScheduler there, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("rule"));
    String name = Parameters.required(given, "rule");
    there.unset(name);
    LOG.log(Level.INFO, "the alert rule {0} was unset", name);
    return MaintenanceRoutes.unset(name);
  }

  private static StringBuilder append(StringBuilder json, AlertScheduler.Ruled ruled) {
    AlertRule rule = ruled.rule();
    AlertState state = ruled.state();
    HttpResponses.appendString(json.append("{\"rule\":"), rule.name());
    appendText(json.append(",\"stats\":"), rule.text("stats"));
    appendText(json.append(",\"type\":"), rule.text("type"));
    appendText(json.append(",\"where\":"), rule.text("where"));
    appendText(json.append(",\"every\":"), rule.every());
    json.append(",\"above\":").append(threshold(rule.text("above")));
    json.append(",\"below\":").append(threshold(rule.text("below")));
    appendText(json.append(",\"for\":"), rule.text("for"));
    json.append(",\"state\":\"").append(state.kind().text);
    json.append("\",\"value\":").append(number(state.value()));
    Long step = state.stepNanos();
    appendText(
        json.append(",\"step\":"), step == null ? null : Instant.EPOCH.plusNanos(step).toString());
    return appendText(json.append(",\"why\":"), state.why()).append("}\n");
  }

  private static StringBuilder appendText(StringBuilder json, @Nullable String text) {
    return text == null ? json.append("null") : HttpResponses.appendString(json, text);
  }

  /// A threshold as it was given, if that is a number in JSON too: `1d` and `+5` are none.
  private static String threshold(@Nullable String given) {
    if (given == null) {
      return "null";
    }
    return JSON_NUMBER.matcher(given).matches()
        ? given
        : BigDecimal.valueOf(Double.parseDouble(given)).toString();
  }

  /// A finite number as it is; else there is none.
  private static String number(@Nullable Cell value) {
    boolean finite =
        value != null
            && (value.kind() == Cell.Kind.WHOLE || value.kind() == Cell.Kind.NUMBER)
            && Double.isFinite(value.number());
    return finite && value != null ? value.text() : "null";
  }

  /// The lines of `/metrics`.
  void appendMetrics(MetricText text) {
    List<AlertScheduler.Ruled> rules = alerts.all();
    if (rules.isEmpty()) {
      return;
    }
    text.head(
        "widerow_alert_firing", "gauge", "1 while the alert rule fires, 0 while it is quiet.");
    for (AlertScheduler.Ruled ruled : rules) {
      if (ruled.state().kind() != AlertState.Kind.UNKNOWN) {
        boolean fires = ruled.state().kind() == AlertState.Kind.FIRING;
        line(text, "widerow_alert_firing", ruled, fires ? 1 : 0);
      }
    }
    text.head("widerow_alert_unknown", "gauge", "1 while the state of the alert rule is unknown.");
    for (AlertScheduler.Ruled ruled : rules) {
      boolean unknown = ruled.state().kind() == AlertState.Kind.UNKNOWN;
      line(text, "widerow_alert_unknown", ruled, unknown ? 1 : 0);
    }
    text.head("widerow_alert_value", "gauge", "The aggregate of the last step that has ended.");
    for (AlertScheduler.Ruled ruled : rules) {
      String value = number(ruled.state().value());
      if (!value.equals("null")) {
        line(text, "widerow_alert_value", ruled, value);
      }
    }
  }

  private static void line(
      MetricText text, String metric, AlertScheduler.Ruled ruled, Object value) {
    text.line(metric + "{rule=\"" + ruled.rule().name() + "\"}", value);
  }
}
