package io.widerow.ingest.serve.prometheus;

import io.widerow.ingest.http.HttpRoute;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.series.SeriesCatalog;
import io.widerow.query.series.SeriesSelector;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/// Prometheus' API for labels and series: `/api/v1/labels`, `/api/v1/label/{name}/values`,
/// `/api/v1/series`.
///
/// ```
///   {"status":"success","data":["job","instance"],"warnings":["..."]}
/// ```
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: see [ApiResponses].
final class CatalogService {
  private static final long BUDGET_NANOS = 5_000_000_000L;

  private final ApiResponses responses;

  CatalogService(ApiResponses responses) {
    this.responses = responses;
  }

  /// A request: writes the data of its response.
  @FunctionalInterface
  private interface Question {
    void answer(Asked asked, SeriesCatalog catalog, OutputBuffer json);
  }

  /// The request.
  ///
  /// @param label named in the path; empty without one
  private record Asked(CatalogParameters parameters, String label, long limit) {}

  List<HttpRoute> routes() {
    return List.of(
        route("/api/v1/labels", CatalogService::labels),
        route("/api/v1/label/{name}/values", CatalogService::values),
        route("/api/v1/series", CatalogService::series));
  }

  private HttpRoute route(String path, Question question) {
    return responses.route(path, (call, json) -> run(call, question, json));
  }

  private static void run(ApiResponses.Call call, Question question, OutputBuffer json) {
    Asked asked = new Asked(call.parameters(), call.name(), call.parameters().limit());
    SeriesCatalog catalog =
        new SeriesCatalog(call.execution(), asked.parameters().range(), BUDGET_NANOS);
    call.whenLeft(catalog::cancel);
    json.put("{\"status\":\"success\",\"data\":[");
    question.answer(asked, catalog, json);
    json.put(']');
    if (catalog.read() < 1) {
      json.put(
          String.format(
              Locale.ROOT,
              ",\"warnings\":[\"only %.1f %% of the range was read, in %d s: narrow the query\"]",
              100 * catalog.read(),
              BUDGET_NANOS / 1_000_000_000));
    }
    json.put("}\n");
  }

  private static void labels(Asked asked, SeriesCatalog catalog, OutputBuffer json) {
    write(catalog.names(asked.parameters().selectors()), ApiResponses::putText, asked, json);
  }

  private static void values(Asked asked, SeriesCatalog catalog, OutputBuffer json) {
    String label = EscapedName.decode(asked.label());
    if (SeriesSelector.attribute(label) == null) {
      throw new QueryException.Refused("label", "no label can be named " + label);
    }
    write(
        catalog.values(label, asked.parameters().selectors()), ApiResponses::putText, asked, json);
  }

  private static void series(Asked asked, SeriesCatalog catalog, OutputBuffer json) {
    if (!asked.parameters().hasSelectors()) {
      throw new QueryException.Refused("match[]", "is missing");
    }
    write(catalog.series(asked.parameters().selectors()), ApiResponses::putLabels, asked, json);
  }

  private static <T> void write(
      Collection<T> all, BiConsumer<OutputBuffer, T> writer, Asked asked, OutputBuffer json) {
    long left = asked.limit();
    String comma = "";
    for (T each : all) {
      if (left-- == 0) {
        return;
      }
      json.put(comma);
      writer.accept(json, each);
      comma = ",";
    }
  }
}
