package io.widerow.ingest.receive.prometheus;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.FormParameters;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.series.MetricDescription;
import io.widerow.ingest.series.StoredDescriptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// `GET` and `POST /api/v1/metadata`: the descriptions of metrics, in the form of Prometheus. The
/// parameters are `metric`, a name; `limit`, of metrics; and `limit_per_metric`.
///
/// ```
///   {"status":"success","data":{"up":[{"type":"gauge","help":"...","unit":""}]}}
/// ```
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: any event loop; the response is written on the server's blocking executor.
///
/// @param table what remote write said of metrics
/// @param stored the descriptions that data points in the store carry
record MetadataService(MetadataTable table, StoredDescriptions stored) {
  HttpRoute route() {
    return new HttpRoute(
        "/api/v1/metadata",
        Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST),
        Tokens.Scope.QUERY,
        (context, request) ->
            FormParameters.askSmall(
                context, request, ErrorRenderer.PROMETHEUS, given -> answer(context, given)),
        ErrorRenderer.PROMETHEUS);
  }

  private HttpResponse answer(ServiceRequestContext context, QueryParams given) {
    try {
      String metric = given.get("metric", "");
      long limit = number("limit", given);
      long perMetric = number("limit_per_metric", given);
      return HttpResponse.of(
          CompletableFuture.supplyAsync(
              () -> HttpResponses.json(HttpStatus.OK, json(all(metric), limit, perMetric)),
              context.blockingTaskExecutor()));
    } catch (RequestRefused refused) {
      return ErrorRenderer.PROMETHEUS.of(context, refused);
    }
  }

  private Map<String, List<MetricDescription>> all(String metric) {
    Map<String, List<MetricDescription>> all = table.copy(metric);
    stored
        .of(metric)
        .forEach((name, description) -> {
          List<MetricDescription> both = new ArrayList<>(all.getOrDefault(name, List.of()));
          if (!both.contains(description)) {
            both.add(description);
          }
          all.put(name, both);
        });
    return all;
  }

  /// As Prometheus: negative is without a limit.
  private static long number(String name, QueryParams given) throws RequestRefused {
    String text = given.get(name, "");
    try {
      return text.isEmpty() ? -1 : Long.parseLong(text);
    } catch (NumberFormatException notWhole) {
      throw RequestRefused.bad("%s must be a number, got %s".formatted(name, text));
    }
  }

  /// @param limit of metrics; negative for none
  /// @param perMetric of the descriptions of each; 0 or negative for none, as Prometheus has it
  static String json(Map<String, List<MetricDescription>> metrics, long limit, long perMetric) {
    StringBuilder json = new StringBuilder("{\"status\":\"success\",\"data\":{");
    long shown = 0;
    for (Map.Entry<String, List<MetricDescription>> metric : metrics.entrySet()) {
      if (limit >= 0 && shown >= limit) {
        break;
      }
      HttpResponses.appendString(json.append(shown++ == 0 ? "" : ","), metric.getKey())
          .append(":[");
      List<MetricDescription> all = metric.getValue();
      long most = perMetric > 0 ? Math.min(perMetric, all.size()) : all.size();
      for (int i = 0; i < most; i++) {
        MetricDescription each = all.get(i);
        json.append(i == 0 ? "" : ",").append("{\"type\":\"");
        json.append(MetadataFile.name(each.type())).append('"');
        HttpResponses.appendString(json.append(",\"help\":"), each.help());
        HttpResponses.appendString(json.append(",\"unit\":"), each.unit()).append('}');
      }
      json.append(']');
    }
    return json.append("}}\n").toString();
  }
}
