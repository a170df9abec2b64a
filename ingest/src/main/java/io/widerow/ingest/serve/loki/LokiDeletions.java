package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import io.widerow.event.AttributeName;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.FormParameters;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.run.DeletionFilter;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.DeletionControl.Standing;
import io.widerow.storage.embedded.EmbeddedStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Loki's requests for deletions, as deletions of the daemon: they begin at once, and cannot be
/// cancelled. `end` is inside the range, as in Loki.
///
/// | request | response |
/// |---|---|
/// | POST, PUT: `query`, `start`, `end` | 204, with the id in `X-Delete-Request-ID` |
/// | GET | all deletions, in the order of their ids |
/// | DELETE: `request_id` | 400: it has begun; 404: there is none |
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
final class LokiDeletions {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long SECONDS_MAX = 253_402_300_799L; // the year 9999
  private static final String ID = "d-";

  private final EventStore store;
  private final QueryMemory memory;
  private final LongSupplier epochNanos;
  private final Function<StoreView, LogqlContext> contexts;

  LokiDeletions(
      EventStore store,
      QueryMemory memory,
      LongSupplier epochNanos,
      Function<StoreView, LogqlContext> contexts) {
    this.store = store;
    this.memory = memory;
    this.epochNanos = epochNanos;
    this.contexts = contexts;
  }

  /// Responds to a request.
  private interface Work {
    HttpResponse of(EmbeddedStore store, QueryParams given);
  }

  List<HttpRoute> routes(String root) {
    return List.of(
        route(root, Set.of(HttpMethod.POST, HttpMethod.PUT), this::create),
        route(root, Set.of(HttpMethod.GET), (embedded, _) -> list(embedded)),
        route(root, Set.of(HttpMethod.DELETE), LokiDeletions::cancel));
  }

  private HttpRoute route(String root, Set<HttpMethod> methods, Work work) {
    return new HttpRoute(
        root + "delete",
        methods,
        Tokens.Scope.ADMIN,
        (context, request) -> {
          context.clearRequestTimeout();
          return FormParameters.ask(
              context,
              request,
              memory,
              LokiErrors.FORM,
              given ->
                  HttpResponse.of(
                      CompletableFuture.supplyAsync(
                          () -> answer(given, work), context.blockingTaskExecutor())));
        },
        LokiErrors.FORM);
  }

  private HttpResponse answer(QueryParams given, Work work) {
    if (!(store instanceof EmbeddedStore embedded)) {
      return LokiErrors.of(
          HttpStatus.NOT_IMPLEMENTED,
          "events of a store on a cluster are deleted there: this is for a store on one machine");
    }
    try {
      return work.of(embedded, given);
    } catch (QueryException failed) {
      return LokiErrors.of(failed);
    } catch (IllegalArgumentException | IllegalStateException refused) {
      return LokiErrors.of(HttpStatus.BAD_REQUEST, String.valueOf(refused.getMessage()));
    } catch (StorageException failed) {
      return LokiErrors.of(failed);
    }
  }

  private HttpResponse create(EmbeddedStore embedded, QueryParams given) {
    long now = epochNanos.getAsLong();
    LokiParameters parameters = new LokiParameters(given, now);
    String query = required(parameters, "query", "query not set");
    String start = required(parameters, "start", "start time not set");
    String end = parameters.text("end");
    long from = LokiParameters.time("start: ", start, now);
    long last = end == null ? now : LokiParameters.time("end: ", end, now);
    if (last > now) {
      throw new IllegalArgumentException("deletes in the future are not allowed, got end " + end);
    }
    if (from >= last) {
      throw new IllegalArgumentException(
          "start time can't be greater than or equal to end time, got %s and %s"
              .formatted(start, end == null ? "now" : end));
    }
    if (!(LogqlParser.parse(query) instanceof LogQuery lines)) {
      throw new IllegalArgumentException("unsupported query: a log query is required: " + query);
    }
    try (StoreView view = embedded.view();
        LogqlContext context = contexts.apply(view)) {
      Filter filter = filter(context, lines, from, last);
      var asked = new DeletionControl.Asked(List.of(), from, last + 1, query, filter);
      if (embedded.deletions().count(asked, view).events() == 0) {
        return HttpResponse.of(HttpStatus.NO_CONTENT);
      }
      int id = embedded.deletions().plan(asked, view).id();
      embedded.deletions().run(id);
      LOG.log(
          Level.INFO,
          "the deletion {0} of a client of Loki begins: {1}",
          new Object[] {ID + id, query});
      return HttpResponse.of(
          ResponseHeaders.of(HttpStatus.NO_CONTENT, "x-delete-request-id", ID + id));
    }
  }

  private static String required(LokiParameters parameters, String name, String missing) {
    String text = parameters.text(name);
    if (text == null) {
      throw new IllegalArgumentException(missing);
    }
    return text;
  }

  private static Filter filter(LogqlContext context, LogQuery lines, long from, long last) {
    RangeQuery range = RangeQuery.ALL.withRange(from, last + 1);
    Set<AttributeName> names = context.attributeNames(range);
    return DeletionFilter.of(
        lines, names == null ? context.labels() : context.labels().knowing(names));
  }

  private HttpResponse list(EmbeddedStore embedded) {
    long now = epochNanos.getAsLong();
    StringBuilder json = new StringBuilder("[");
    for (Standing each : embedded.deletions().all()) {
      boolean isDone = each.state().equals("done");
      json.append(json.length() > 1 ? "," : "").append("{\"request_id\":\"" + ID).append(each.id());
      json.append("\",\"start_time\":").append(seconds(each.fromNanos()));
      json.append(",\"end_time\":").append(seconds(each.untilNanos() - 1));
      HttpResponses.appendString(json.append(",\"query\":"), each.where());
      json.append(",\"status\":\"").append(isDone ? "processed" : "received");
      json.append("\",\"created_at\":").append(seconds(isDone ? each.endedNanos() : now));
      json.append('}');
    }
    return HttpResponses.json(HttpStatus.OK, json.append("]\n").toString());
  }

  private static long seconds(long nanos) {
    return Math.clamp(Math.floorDiv(nanos, SECOND_NANOS), 0, SECONDS_MAX);
  }

  private static HttpResponse cancel(EmbeddedStore embedded, QueryParams given) {
    String id = given.get("request_id", "");
    boolean isKnown =
        embedded.deletions().all().stream().anyMatch(each -> id.equals(ID + each.id()));
    return isKnown
        ? LokiErrors.of(
            HttpStatus.BAD_REQUEST,
            "deletion of request which is in process or already processed is not allowed")
        : LokiErrors.of(
            HttpStatus.NOT_FOUND, "could not find delete request with given id: '" + id + "'");
  }
}
