package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.alert.AlertScheduler;
import io.widerow.ingest.alert.AlertState;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The lists of rules that Grafana asks a Loki or a Prometheus data source for. The daemon has no
/// rules of Loki's ruler, so that its lists are empty; its own alert rules are shown with their
/// state.
///
/// | path | response |
/// |---|---|
/// | `/loki/api/v1/rules`, `/api/prom/rules`, and below them | 404 `no rule groups found` |
/// | `/api/v1/rules`, `/prometheus/api/v1/rules` | the daemon's alert rules as one group |
/// | `/api/v1/alerts`, `/prometheus/api/v1/alerts` | those that fire |
///
/// - Threads: any.
public final class RuleLists {
  private static final String GROUP = "widerow";
  private static final Set<HttpMethod> READ = Set.of(HttpMethod.GET);

  private final AlertScheduler alerts;

  public RuleLists(AlertScheduler alerts) {
    this.alerts = alerts;
  }

  public List<HttpRoute> routes() {
    Stream<HttpRoute> none =
        Stream.of("/loki/api/v1/rules", "/api/prom/rules")
            .flatMap(path -> Stream.of(path, path + "/{namespace}", path + "/{namespace}/{group}"))
            .map(path ->
                new HttpRoute(
                    path,
                    READ,
                    Tokens.Scope.QUERY,
                    (_, _) -> HttpResponses.text(HttpStatus.NOT_FOUND, "no rule groups found\n")));
    Stream<HttpRoute> own =
        Stream.of("/api/v1/", "/prometheus/api/v1/")
            .flatMap(path ->
                Stream.of(
                    HttpRoute.get(path + "rules", Tokens.Scope.QUERY, (_, _) -> rules()),
                    HttpRoute.get(path + "alerts", Tokens.Scope.QUERY, (_, _) -> firing())));
    return Stream.concat(none, own).toList();
  }

  private HttpResponse rules() {
    StringBuilder json = new StringBuilder("{\"status\":\"success\",\"data\":{\"groups\":[");
    if (!alerts.all().isEmpty()) {
      json.append(
          "{\"name\":\"" + GROUP + "\",\"file\":\"" + GROUP + "\",\"interval\":60,\"rules\":[");
      String comma = "";
      for (AlertScheduler.Ruled ruled : alerts.all()) {
        json.append(comma).append("{\"type\":\"alerting\",\"name\":");
        HttpResponses.appendString(json, ruled.rule().name());
        String query = String.valueOf(ruled.rule().text("stats"));
        HttpResponses.appendString(json.append(",\"query\":"), query);
        json.append(",\"duration\":0,\"labels\":{},\"annotations\":{},\"alerts\":[");
        json.append(isFiring(ruled) ? alert(ruled) : "");
        json.append("],\"state\":\"").append(isFiring(ruled) ? "firing" : "inactive");
        boolean known = ruled.state().kind() != AlertState.Kind.UNKNOWN;
        json.append("\",\"health\":\"").append(known ? "ok" : "unknown").append("\"}");
        comma = ",";
      }
      json.append("]}");
    }
    return HttpResponses.json(HttpStatus.OK, json.append("]}}\n").toString());
  }

  private HttpResponse firing() {
    List<String> firing =
        alerts.all().stream().filter(RuleLists::isFiring).map(RuleLists::alert).toList();
    return HttpResponses.json(
        HttpStatus.OK,
        "{\"status\":\"success\",\"data\":{\"alerts\":[" + String.join(",", firing) + "]}}\n");
  }

  private static boolean isFiring(AlertScheduler.Ruled ruled) {
    return ruled.state().kind() == AlertState.Kind.FIRING;
  }

  private static String alert(AlertScheduler.Ruled ruled) {
    StringBuilder json = new StringBuilder("{\"labels\":{\"alertname\":");
    HttpResponses.appendString(json, ruled.rule().name());
    Long step = ruled.state().stepNanos();
    Instant since = Instant.EPOCH.plusNanos(step == null ? 0 : step);
    json.append("},\"annotations\":{},\"state\":\"firing\",\"activeAt\":\"").append(since);
    String value = ruled.state().value() == null ? "" : String.valueOf(ruled.state().value());
    HttpResponses.appendString(json.append("\",\"value\":"), value);
    return json.append('}').toString();
  }
}
