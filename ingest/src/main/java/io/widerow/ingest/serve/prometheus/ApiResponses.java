package io.widerow.ingest.serve.prometheus;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.AttributeName;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.FormParameters;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.series.Labels;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Answers requests of Prometheus' API in JSON.
///
/// - Threads: event loops; each response is made on a thread, `widerow-prometheus-<n>`. A reader
///   that leaves ends it.
final class ApiResponses {
  static final Set<HttpMethod> METHODS = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST);

  private static final int SINK_BYTES = 16 << 10;
  private static final int ANSWERS_MAX = 4;

  private final EventStore store;
  private final QueryMemory memory;
  private final ReplyThreads threads;
  private final Set<AttributeName> logLabels;

  /// @param memory that all queries share
  ApiResponses(EventStore store, QueryMemory memory, DaemonConfig config) {
    this.store = store;
    this.memory = memory;
    this.logLabels = new LabelMapping(config.lokiLabels()).attributes();
    this.threads =
        ReplyThreads.computing("widerow-prometheus", ANSWERS_MAX, config.limits().stallSeconds());
  }

  /// A request.
  ///
  /// @param name in the path; empty without one
  record Call(
      CatalogParameters parameters, String name, QueryExecution execution, QueryReply reply) {
    /// Runs something when the reader leaves.
    void whenLeft(Runnable run) {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> run.run());
    }
  }

  /// Writes the whole response.
  @FunctionalInterface
  interface Writer {
    void write(Call call, OutputBuffer json);
  }

  HttpRoute route(String path, Writer writer) {
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
                given -> ask(context, given, writer)),
        ErrorRenderer.PROMETHEUS);
  }

  private HttpResponse ask(ServiceRequestContext context, QueryParams given, Writer writer) {
    String name = context.pathParam("name");
    CatalogParameters parameters = new CatalogParameters(given, logLabels);
    return threads.answer(
        context,
        reply -> {
          try {
            run(parameters, name == null ? "" : name, writer, reply);
          } catch (PromqlException failed) { // nothing was sent yet
            HttpStatus status =
                failed.isExecution() ? HttpStatus.UNPROCESSABLE_ENTITY : HttpStatus.BAD_REQUEST;
            reply.refuse(refusal(context, status, failed));
          } catch (QueryException.Stopped over) {
            reply.refuse(
                ErrorRenderer.prometheus(
                    HttpStatus.SERVICE_UNAVAILABLE, "timeout", String.valueOf(over.getMessage())));
          } catch (QueryException failed) {
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

  private void run(CatalogParameters parameters, String name, Writer writer, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = store.view();
        QueryExecution execution = new QueryExecution(view, budget(parameters), memory)) {
      OutputBuffer json = new OutputBuffer(SINK_BYTES, execution::hold);
      Call call = new Call(parameters, name, execution, reply);
      call.whenLeft(execution::cancel);
      writer.write(call, json);
      reply.begin(ResponseHeaders.builder(HttpStatus.OK).contentType(MediaType.JSON_UTF_8).build());
      reply.end(json.bytes(), json.length());
    }
  }

  /// The budget with the `timeout` of a request, if that is shorter.
  private static QueryBudget budget(CatalogParameters parameters) {
    QueryBudget most = QueryBudget.DEFAULT;
    Duration timeout = Duration.ofMillis(parameters.duration("timeout", 0));
    return timeout.isPositive() && timeout.compareTo(most.time()) < 0
        ? new QueryBudget(most.partitionsMax(), most.eventsScannedMax(), timeout)
        : most;
  }

  static void putText(OutputBuffer json, String text) {
    json.put('"');
    json.putJson(text);
    json.put('"');
  }

  /// Writes a tree of maps, lists, texts, numbers, booleans and nulls.
  static void putTree(OutputBuffer json, @Nullable Object tree) {
    switch (tree) {
      case Map<?, ?> members -> {
        json.put('{');
        String comma = "";
        for (Map.Entry<?, ?> member : members.entrySet()) {
          json.put(comma);
          putText(json, String.valueOf(member.getKey()));
          json.put(':');
          putTree(json, member.getValue());
          comma = ",";
        }
        json.put('}');
      }
      case List<?> items -> {
        json.put('[');
        String comma = "";
        for (Object item : items) {
          json.put(comma);
          putTree(json, item);
          comma = ",";
        }
        json.put(']');
      }
      case String text -> putText(json, text);
      case null, default -> json.put(String.valueOf(tree));
    }
  }

  static void putLabels(OutputBuffer json, Labels labels) {
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
}
