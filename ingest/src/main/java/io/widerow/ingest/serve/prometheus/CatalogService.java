package io.widerow.ingest.serve.prometheus;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.FormParameters;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.series.Labels;
import io.widerow.query.series.SeriesCatalog;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/// Prometheus's API for labels and series: `/api/v1/labels`, `/api/v1/label/{name}/values`,
/// `/api/v1/series`, `/api/v1/status/buildinfo`.
///
/// ```
///   {"status":"success","data":["job","instance"],"warnings":["..."]}
/// ```
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: event loops; each response is made on a thread, `widerow-prometheus-<n>`. A reader
///   that leaves ends it.
final class CatalogService {
  private static final Set<HttpMethod> METHODS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST);
  private static final int SINK_BYTES = 16 << 10;
  private static final int ANSWERS_MAX = 4;
  private static final long BUDGET_NANOS = 5_000_000_000L;

  private static final String NO_PROMQL =
      "PromQL is not evaluated here: let a Prometheus read the samples by remote read"
          + " (/api/v1/read)";

  private final EventStore store;
  private final QueryMemory memory;
  private final ReplyThreads threads;
  private final String version;

  /// @param memory that all queries share
  /// @param version of this program
  CatalogService(EventStore store, QueryMemory memory, DaemonConfig config, String version) {
    this.store = store;
    this.memory = memory;
    this.version = version;
    this.threads =
        ReplyThreads.computing("widerow-prometheus", ANSWERS_MAX, config.limits().stallSeconds());
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
        route("/api/v1/series", CatalogService::series),
        new HttpRoute(
            "/api/v1/status/buildinfo",
            METHODS,
            Tokens.Scope.QUERY,
            (_, _) -> HttpResponses.json(HttpStatus.OK, buildInfo()),
            ErrorRenderer.PROMETHEUS),
        notEvaluated("/api/v1/query"),
        notEvaluated("/api/v1/query_range"));
  }

  /// An endpoint that names the alternative, for users whose Prometheus data source points here.
  private static HttpRoute notEvaluated(String path) {
    return new HttpRoute(
        path,
        METHODS,
        Tokens.Scope.QUERY,
        (context, _) ->
            ErrorRenderer.PROMETHEUS.of(
                context, new RequestRefused(HttpStatus.NOT_IMPLEMENTED, NO_PROMQL)),
        ErrorRenderer.PROMETHEUS);
  }

  private String buildInfo() {
    StringBuilder json = new StringBuilder("{\"status\":\"success\",\"data\":{\"version\":\"");
    HttpResponses.appendString(
        json.append(version).append("\",\"revision\":"), "widerow " + version);
    return json.append(
            ",\"branch\":\"\",\"buildUser\":\"\",\"buildDate\":\"\",\"goVersion\":\"\"}}\n")
        .toString();
  }

  private HttpRoute route(String path, Question question) {
    return new HttpRoute(
        path,
        METHODS,
        Tokens.Scope.QUERY,
        (context, request) ->
            FormParameters.ask(
                context,
                request,
                memory,
                ErrorRenderer.PROMETHEUS,
                given -> ask(context, given, question)),
        ErrorRenderer.PROMETHEUS);
  }

  private HttpResponse ask(ServiceRequestContext context, QueryParams given, Question question) {
    String label = context.pathParam("name");
    CatalogParameters parameters = new CatalogParameters(given);
    return threads.answer(
        context,
        reply -> {
          try {
            run(
                new Asked(parameters, label == null ? "" : label, parameters.limit()),
                question,
                reply);
          } catch (QueryException failed) { // nothing was sent yet
            reply.refuse(refusal(context, status(failed), failed));
          } catch (StorageException.Unreachable away) {
            reply.refuse(refusal(context, HttpStatus.SERVICE_UNAVAILABLE, away));
          } catch (StorageException failed) {
            reply.refuse(refusal(context, HttpStatus.INTERNAL_SERVER_ERROR, failed));
          }
        });
  }

  private static HttpResponse refusal(
      ServiceRequestContext context, HttpStatus status, Exception failed) {
    return ErrorRenderer.PROMETHEUS.of(
        context, new RequestRefused(status, String.valueOf(failed.getMessage())));
  }

  private static HttpStatus status(QueryException failed) {
    return switch (failed) {
      case QueryException.Refused _, QueryException.Expired _ -> HttpStatus.BAD_REQUEST;
      case QueryException.OverBudget _ -> HttpStatus.UNPROCESSABLE_ENTITY;
      case QueryException.Stopped _, QueryException.Remote _ -> HttpStatus.SERVICE_UNAVAILABLE;
    };
  }

  private void run(Asked asked, Question question, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = store.view();
        QueryExecution execution = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      OutputBuffer json = new OutputBuffer(SINK_BYTES, execution::hold);
      json.put("{\"status\":\"success\",\"data\":[");
      SeriesCatalog catalog =
          new SeriesCatalog(execution, asked.parameters().range(), BUDGET_NANOS);
      var _ = reply.response().whenComplete().whenComplete((_, _) -> catalog.cancel());
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
      reply.begin(ResponseHeaders.builder(HttpStatus.OK).contentType(MediaType.JSON_UTF_8).build());
      reply.end(json.bytes(), json.length());
    }
  }

  private static void labels(Asked asked, SeriesCatalog catalog, OutputBuffer json) {
    write(catalog.names(asked.parameters().selectors()), CatalogService::putText, asked, json);
  }

  private static void values(Asked asked, SeriesCatalog catalog, OutputBuffer json) {
    if (!LogqlNames.isLabel(asked.label())) {
      throw new QueryException.Refused("label", "no label can be named " + asked.label());
    }
    write(
        catalog.values(asked.label(), asked.parameters().selectors()),
        CatalogService::putText,
        asked,
        json);
  }

  private static void series(Asked asked, SeriesCatalog catalog, OutputBuffer json) {
    if (!asked.parameters().hasSelectors()) {
      throw new QueryException.Refused("match[]", "is missing");
    }
    write(catalog.series(asked.parameters().selectors()), CatalogService::putLabels, asked, json);
  }

  private static void putText(OutputBuffer json, String text) {
    json.put('"');
    json.putJson(text);
    json.put('"');
  }

  private static void putLabels(OutputBuffer json, Labels labels) {
    json.put('{');
    String comma = "";
    for (Labels.Label label : labels.all()) {
      json.put(comma);
      putText(json, label.name());
      json.put(':');
      putText(json, label.value());
      comma = ",";
    }
    json.put('}');
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
