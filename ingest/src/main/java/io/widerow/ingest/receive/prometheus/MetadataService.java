package io.widerow.ingest.receive.prometheus;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `GET` and `POST /api/v1/metadata`: the descriptions of metrics, in the form of Prometheus. The
/// parameters are `metric`, a name; `limit`, of metrics; and `limit_per_metric`.
///
/// ```
///   {"status":"success","data":{"up":[{"type":"gauge","help":"...","unit":""}]}}
/// ```
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: any event loop; the answer is written on the server's blocking executor.
final class MetadataService {
  private static final int FORM_BYTES_MAX = 64 << 10;

  private final MetadataTable table;

  MetadataService(MetadataTable table) {
    this.table = table;
  }

  HttpRoute route() {
    return new HttpRoute(
        "/api/v1/metadata",
        Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST),
        Tokens.Scope.QUERY,
        this::serve,
        (_, refused) -> error(refused));
  }

  private HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
    context.setMaxRequestLength(FORM_BYTES_MAX);
    return HttpResponse.of(
        request
            .aggregate()
            .handleAsync(
                (whole, failure) -> answer(context.queryParams(), whole, failure),
                context.blockingTaskExecutor()));
  }

  private HttpResponse answer(
      QueryParams ofPath, @Nullable AggregatedHttpRequest whole, @Nullable Throwable failure) {
    if (whole == null) {
      boolean large = Exceptions.peel(nonNull(failure)) instanceof ContentTooLargeException;
      return large
          ? error(
              new RequestRefused(
                  HttpStatus.REQUEST_ENTITY_TOO_LARGE,
                  "the parameters are larger than %d bytes".formatted(FORM_BYTES_MAX)))
          : HttpResponse.ofFailure(nonNull(failure));
    }
    QueryParams form =
        whole.method() == HttpMethod.POST
            ? QueryParams.fromQueryString(whole.contentUtf8())
            : QueryParams.of();
    try {
      String metric = given("metric", ofPath, form);
      long limit = number("limit", ofPath, form);
      long perMetric = number("limit_per_metric", ofPath, form);
      return HttpAnswers.json(HttpStatus.OK, json(table.copy(metric), limit, perMetric));
    } catch (RequestRefused refused) {
      return error(refused);
    }
  }

  private static Throwable nonNull(@Nullable Throwable failure) {
    return failure == null ? new IllegalStateException("neither a request nor a failure") : failure;
  }

  private static String given(String name, QueryParams ofPath, QueryParams form) {
    return form.get(name, ofPath.get(name, ""));
  }

  /// As Prometheus: negative is without a limit.
  private static long number(String name, QueryParams ofPath, QueryParams form)
      throws RequestRefused {
    String text = given(name, ofPath, form);
    try {
      return text.isEmpty() ? -1 : Long.parseLong(text);
    } catch (NumberFormatException notWhole) {
      throw new RequestRefused(
          HttpStatus.BAD_REQUEST, "%s must be a number, got %s".formatted(name, text));
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
      HttpAnswers.appendString(json.append(shown++ == 0 ? "" : ","), metric.getKey()).append(":[");
      List<MetricDescription> all = metric.getValue();
      long most = perMetric > 0 ? Math.min(perMetric, all.size()) : all.size();
      for (int i = 0; i < most; i++) {
        MetricDescription each = all.get(i);
        json.append(i == 0 ? "" : ",").append("{\"type\":\"");
        json.append(MetadataFile.name(each.type())).append('"');
        HttpAnswers.appendString(json.append(",\"help\":"), each.help());
        HttpAnswers.appendString(json.append(",\"unit\":"), each.unit()).append('}');
      }
      json.append(']');
    }
    return json.append("}}\n").toString();
  }

  private static HttpResponse error(RequestRefused refused) {
    String type =
        switch (refused.status().code()) {
          case 401, 403 -> "unauthorized";
          case 503 -> "unavailable";
          default -> "bad_data";
        };
    StringBuilder json = new StringBuilder("{\"status\":\"error\",\"errorType\":\"").append(type);
    HttpAnswers.appendString(json.append("\",\"error\":"), refused.reason());
    return HttpAnswers.json(refused.status(), json.append("}\n").toString());
  }
}
