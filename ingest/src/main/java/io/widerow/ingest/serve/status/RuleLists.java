package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.alert.AlertEngine;
import io.widerow.ingest.alert.RuleApi;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The rules that Grafana and other clients ask a Prometheus or a Loki for.
///
/// | path | response |
/// |---|---|
/// | `/api/v1/rules` | all groups: those of files, and each rule that the store keeps |
/// | `/prometheus/api/v1/rules` | the same without groups of PromQL: Loki's ruler |
/// | `/api/v1/alerts`, `/prometheus/api/v1/alerts` | alerts that are pending or fire |
/// | `/api/v1/alertmanagers` | where alerts are sent |
/// | `/loki/api/v1/rules`, `/api/prom/rules`, and below them | groups of LogQL as YAML, or 404 |
/// | `/-/reload` | reads the rule files again: 500 when one cannot be used |
///
/// - Threads: any.
public final class RuleLists {
  private static final Set<HttpMethod> READ = Set.of(HttpMethod.GET);

  private final AlertEngine engine;
  private final RuleApi api;

  public RuleLists(AlertEngine engine) {
    this.engine = engine;
    this.api = new RuleApi(engine);
  }

  public List<HttpRoute> routes() {
    Stream<HttpRoute> yaml =
        Stream.of("/loki/api/v1/rules", "/api/prom/rules")
            .flatMap(path -> Stream.of(path, path + "/{namespace}", path + "/{namespace}/{group}"))
            .map(path ->
                new HttpRoute(path, READ, Tokens.Scope.QUERY, (context, _) -> yaml(context)));
    Stream<HttpRoute> json =
        Stream.of("/api/v1/", "/prometheus/api/v1/")
            .flatMap(path ->
                Stream.of(
                    HttpRoute.get(
                        path + "rules",
                        Tokens.Scope.QUERY,
                        (context, _) -> rules(context.queryParams(), path.length() > 8)),
                    HttpRoute.get(
                        path + "alerts", Tokens.Scope.QUERY, (_, _) -> success(api.alerts()))));
    HttpRoute receivers =
        HttpRoute.get(
            "/api/v1/alertmanagers", Tokens.Scope.QUERY, (_, _) -> success(api.alertmanagers()));
    return Stream.of(yaml, json, Stream.of(receivers)).flatMap(each -> each).toList();
  }

  /// `POST /-/reload`.
  public HttpRoute reload() {
    return new HttpRoute(
        "/-/reload",
        Set.of(HttpMethod.POST, HttpMethod.PUT),
        Tokens.Scope.ADMIN,
        (_, _) ->
            engine.reload(true)
                ? HttpResponses.text(HttpStatus.OK, "")
                : HttpResponses.text(
                    HttpStatus.INTERNAL_SERVER_ERROR,
                    "failed to reload: " + String.join("; ", engine.problems()) + "\n"));
  }

  private static HttpResponse success(String data) {
    return HttpResponses.json(HttpStatus.OK, "{\"status\":\"success\",\"data\":" + data + "}\n");
  }

  private HttpResponse rules(QueryParams given, boolean logql) {
    String type = given.get("type", "");
    if (!Set.of("", "alert", "record").contains(type)) {
      return HttpResponses.json(
          HttpStatus.BAD_REQUEST,
          "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"invalid parameter"
              + " \\\"type\\\": not supported value\"}\n");
    }
    return success(
        api.rules(
            new RuleApi.Selection(
                type,
                given.getAll("rule_name[]"),
                given.getAll("rule_group[]"),
                given.getAll("file[]"),
                logql,
                !Boolean.parseBoolean(given.get("exclude_alerts", "false")))));
  }

  private HttpResponse yaml(ServiceRequestContext context) {
    String yaml =
        api.logqlRules(
            orEmpty(context.pathParam("namespace")), orEmpty(context.pathParam("group")));
    return yaml.isEmpty()
        ? HttpResponses.text(HttpStatus.NOT_FOUND, "no rule groups found\n")
        : HttpResponses.text(HttpStatus.OK, yaml);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
