package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.FormParameters;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.LogqlLimits;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Loki's query API. Each query reads one view of the store and its response is sent as a whole; a
/// client that disconnects ends its query.
///
/// - Threads: the connection's event loop; each query has a thread, `widerow-loki-<n>`.
public final class LokiService {
  private static final String ROOT = "/loki/api/v1/";
  private static final Set<HttpMethod> METHODS = Set.of(HttpMethod.GET, HttpMethod.POST);
  private static final int QUERIES_MAX = 64;
  private static final long QUERY_BYTES = 1 << 20;
  private static final int SINK_BYTES = 16 << 10;

  private final EventStore store;
  private final QueryMemory memory;
  private final KnownFields known;
  private final LabelMapping labels;
  private final LogqlLimits limits;
  private final LongSupplier epochNanos;
  private final LokiResponses answers;
  private final LokiTail tail;
  private final ReplyThreads threads;
  private final Set<LogqlContext> running = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /// @param memory that all queries share
  /// @param known the counted fields of sealed blocks
  /// @param config names the labels of streams, and how long the reader of a tail may take nothing
  /// @param version of this program
  public LokiService(
      EventStore store,
      QueryMemory memory,
      KnownFields known,
      DaemonConfig config,
      LongSupplier epochNanos,
      String version) {
    this.store = store;
    this.memory = memory;
    this.known = known;
    this.labels = new LabelMapping(config.lokiLabels());
    this.limits = new LogqlLimits(config.lokiSeriesMax(), config.logqlTextBytes());
    this.epochNanos = epochNanos;
    this.answers = new LokiResponses(version, LokiLimits.of(config));
    int stallSeconds = config.limits().stallSeconds();
    this.tail = new LokiTail(store, memory, known, labels, limits, epochNanos, stallSeconds);
    int most = Math.clamp(memory.bytesMax() / QUERY_BYTES, 1, QUERIES_MAX);
    this.threads = ReplyThreads.computing("widerow-loki", most, stallSeconds);
  }

  /// Responds to a request.
  @FunctionalInterface
  interface Question {
    /// Writes the response.
    void answer(LogqlContext execution, Asked asked, OutputBuffer out);
  }

  /// The request.
  ///
  /// @param name the part of the path that is a name; empty without one
  /// @param categorized whether labels, metadata and parsed labels are returned separately
  record Asked(LokiParameters parameters, String name, boolean categorized) {}

  public List<HttpRoute> routes() {
    List<HttpRoute> routes = new ArrayList<>();
    routes.add(route("query", answers::query));
    routes.add(route("query_range", answers::queryRange));
    routes.add(route("labels", answers::labels));
    routes.add(route("label", answers::labels));
    routes.add(route("label/{name}/values", answers::labelValues));
    routes.add(route("series", answers::series));
    routes.add(route("index/stats", LokiDiscovery::stats));
    routes.add(route("index/volume", LokiDiscovery::volume));
    routes.add(route("index/volume_range", LokiDiscovery::volumeRange));
    routes.add(route("detected_labels", LokiDiscovery::labels));
    routes.add(route("detected_fields", LokiDiscovery::fields));
    routes.add(route("detected_field/{name}/values", LokiDiscovery::fieldValues));
    routes.add(route("patterns", LokiDiscovery::patterns));
    routes.add(tail.route());
    routes.add(route("format_query", answers::formatQuery, LokiErrors::ofFormatting));
    routes.add(route("drilldown-limits", answers::limits));
    routes.add(route("status/buildinfo", answers::buildInfo));
    routes.addAll(new LokiDeletions(store, memory, epochNanos, this::context).routes(ROOT));
    return routes;
  }

  private HttpRoute route(String path, Question question) {
    return route(path, question, LokiErrors::of);
  }

  private HttpRoute route(
      String path, Question question, Function<QueryException, HttpResponse> errors) {
    return new HttpRoute(
        ROOT + path,
        METHODS,
        Tokens.Scope.QUERY,
        (context, request) ->
            FormParameters.ask(
                context,
                request,
                memory,
                LokiErrors.FORM,
                given -> answer(context, request, given, question, errors)),
        LokiErrors.FORM);
  }

  private HttpResponse answer(
      ServiceRequestContext context,
      HttpRequest request,
      QueryParams given,
      Question question,
      Function<QueryException, HttpResponse> errors) {
    if (stopping) {
      return busy();
    }
    String name = context.pathParam("name");
    LokiParameters parameters = new LokiParameters(given, epochNanos.getAsLong());
    Asked asked =
        new Asked(parameters, name == null ? "" : name, LokiResponses.isCategorized(request));
    return threads.answer(context, reply -> run(asked, question, errors, reply), LokiService::busy);
  }

  private static HttpResponse busy() {
    return LokiErrors.of(HttpStatus.SERVICE_UNAVAILABLE, "too many queries; try again");
  }

  /// The response counts as memory of its query until it is in the socket.
  private void run(
      Asked asked,
      Question question,
      Function<QueryException, HttpResponse> errors,
      QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = store.view();
        LogqlContext execution = context(view)) {
      running.add(execution);
      var _ = reply.response().whenComplete().whenComplete((_, _) -> execution.cancel());
      OutputBuffer out = new OutputBuffer(SINK_BYTES, execution::hold);
      try {
        if (stopping) {
          execution.cancel();
        }
        question.answer(execution, asked, out);
      } finally {
        running.remove(execution);
      }
      reply.begin(ResponseHeaders.builder(HttpStatus.OK).contentType(MediaType.JSON_UTF_8).build());
      reply.end(out.bytes(), out.length());
    } catch (QueryException failed) {
      reply.refuse(errors.apply(failed));
    } catch (StorageException failed) {
      reply.refuse(LokiErrors.of(failed));
    }
  }

  private LogqlContext context(StoreView view) {
    return new LogqlContext(view, labels, known, limits, QueryBudget.DEFAULT, memory);
  }

  /// Ends running queries, and refuses new ones.
  public void stop() {
    stopping = true;
    tail.stop();
    running.forEach(LogqlContext::cancel);
  }
}
