package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.util.AsciiString;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.QuerySlots;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.AggregateCoverage;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.QueryResult;
import io.widerow.query.result.ReadCost;
import io.widerow.query.result.ResponseOptions;
import io.widerow.query.result.RollupUse;
import io.widerow.storage.Filter;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.WouldBlockException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// `GET /v1/query`: streams the result piece by piece. A piece is sent when the previous one is in
/// the socket, so a slow reader pauses the query, and a reader that disconnects ends it.
///
/// A query that looks at few events is first tried on the event loop of its connection: waking
/// another thread and then the loop again takes longer than answering from memory. If the query
/// would have to wait for the disk, or takes longer than [#HERE_NANOS], another thread answers it
/// from the start.
///
/// - Threads: the connection's event loop; other queries each have a thread, `widerow-query-<n>`.
final class QueryService {
  /// The position of the response's view in the order of arrival, for the parameter `arrived`.
  private static final AsciiString ARRIVED = HttpHeaderNames.of("widerow-arrived");

  /// The share of the result that came from rollups.
  private static final AsciiString ROLLUP = HttpHeaderNames.of("widerow-rollup");

  private static final AsciiString KEPT = HttpHeaderNames.of("widerow-kept");

  /// Without which damaged parts a response was made.
  static final AsciiString DAMAGE = HttpHeaderNames.of("widerow-damage");

  private static final int PIECE_BYTES = 256 << 10;
  private static final int SINK_BYTES = 32 << 10; // at first; it grows
  private static final int QUERIES_MAX = 64;
  private static final int QUERY_BYTES = 1 << 20; // pieces on the heap, and a block

  /// The longest time for which a query may occupy an event loop.
  private static final long HERE_NANOS = 1_000_000;

  /// Largest `limit` of a query that is tried on an event loop.
  private static final long HERE_LIMIT = 1_000;

  /// Queries that are not tried there after one that took too long.
  private static final int ELSEWHERE = 32;

  private static final QueryBudget HERE =
      new QueryBudget(512, 4 * HERE_LIMIT, Duration.ofNanos(HERE_NANOS));

  private final QueryResources resources;
  private final BooleanSupplier writing;
  private final AtomicInteger elsewhere = new AtomicInteger();
  private final AtomicInteger aggregatesElsewhere = new AtomicInteger();
  private final LongAdder answeredHere = new LongAdder();
  private final ReplyThreads threads;
  private final LongAdder stalled = new LongAdder();
  private volatile boolean stopping;

  /// @param resources its memory also limits how many run at a time
  /// @param writing whether write requests are in flight, which take precedence on event loops
  QueryService(QueryResources resources, BooleanSupplier writing) {
    this.resources = resources;
    int most = Math.clamp(resources.memory().bytesMax() / QUERY_BYTES, 1, QUERIES_MAX);
    this.threads = ReplyThreads.computing("widerow-query", most, resources.stallSeconds());
    this.writing = writing;
  }

  public List<HttpRoute> routes() {
    return List.of(QueryErrors.get("/v1/query", this::query));
  }

  private HttpResponse query(ServiceRequestContext context, HttpRequest request) {
    QueryParameters parameters = QueryParameters.parse(values(context), resources.epochNanos());
    return context.sessionProtocol().isMultiplex()
        ? answerSoon(context, parameters)
        : answer(context, parameters);
  }

  /// The response on a connection with many streams. It begins when the frames that came together
  /// with the request are read: one of them may reset its stream, and the query then costs nothing.
  private HttpResponse answerSoon(ServiceRequestContext context, QueryParameters parameters) {
    CompletableFuture<HttpResponse> begun = new CompletableFuture<>();
    HttpResponse response = HttpResponse.of(begun);
    context
        .eventLoop()
        .execute(() -> {
          if (response.isComplete()) {
            return; // its stream was reset
          }
          try {
            begun.complete(answer(context, parameters));
          } catch (Throwable failure) { // else the client would wait indefinitely
            begun.completeExceptionally(failure);
          }
        });
    return response;
  }

  private HttpResponse answer(ServiceRequestContext context, QueryParameters parameters) {
    HttpResponse small = stopping ? null : tryHere(parameters);
    if (small != null) {
      return small;
    }
    return stopping
        ? QuerySlots.busy()
        : threads.answer(context, QueryErrors.refusing(reply -> run(context, parameters, reply)));
  }

  /// The answer to a small query whose events are in memory; null when another thread must answer,
  /// also after any failure. Small are a few events in order, counts from rollups, and aggregates
  /// of events of which token filters may leave none.
  private @Nullable HttpResponse tryHere(QueryParameters parameters) {
    RangeQuery query = parameters.query();
    if (parameters.extras().explain()
        || query.since() != null
        || query.derived() != null
        || writing.getAsBoolean()) {
      return null;
    }
    if (parameters.asksForFigures()) {
      boolean may =
          !parameters.extras().progress()
              && (parameters.asksForCells() || query.filter() instanceof Filter.Has);
      return may ? tryHere(parameters, aggregatesElsewhere) : null;
    }
    boolean small =
        query.limit() <= HERE_LIMIT
            && query.filter() instanceof Filter.Everything
            && query.fields() == null; // which is checked for names that no event has
    return small ? tryHere(parameters, elsewhere) : null;
  }

  /// @param passed queries of this kind that are not tried here for now
  private @Nullable HttpResponse tryHere(QueryParameters parameters, AtomicInteger passed) {
    if (passed.get() > 0) {
      passed.decrementAndGet();
      return null;
    }
    HttpResponse answer = answerHere(parameters);
    if (answer == null) {
      passed.set(ELSEWHERE);
    } else {
      answeredHere.increment();
    }
    return answer;
  }

  private @Nullable HttpResponse answerHere(QueryParameters parameters) {
    try (StoreView view = resources.store().viewWithin(HERE_NANOS);
        HeldMemory held = new HeldMemory(resources.memory())) {
      parameters.requireRollup(view);
      OutputBuffer sink = new OutputBuffer(SINK_BYTES, held);
      RangeReader reader =
          RangeReader.open(
              view, parameters.query(), parameters.readMode(), HERE, resources.memory());
      try (QueryResult answer =
          new QueryResult(
              reader,
              parameters.writer(resources.memory(), reader::unread, parameters.check(view)),
              parameters.query().after())) {
        while (answer.writeNext(sink)) {
          if (sink.length() >= PIECE_BYTES) {
            return null;
          }
        }
        return answer.failure() == null
            ? HttpResponse.of(
                allHeaders(parameters, reader), HttpData.copyOf(sink.bytes(), 0, sink.length()))
            : null;
      }
    } catch (WouldBlockException | QueryException | StorageException elsewhereThen) {
      return null; // the other thread reports it
    }
  }

  private static ResponseHeaders headers(QueryParameters parameters, RangeReader reader) {
    ResponseHeaders headers =
        ResponseHeaders.of(
            HttpStatus.OK,
            HttpHeaderNames.CONTENT_TYPE,
            parameters.format().contentType,
            ARRIVED,
            reader.arrivals());
    String download = parameters.extras().download();
    return download == null
        ? headers
        : headers.toBuilder()
            .set(HttpHeaderNames.CONTENT_DISPOSITION, "attachment; filename=\"" + download + '"')
            .build();
  }

  static Map<String, List<String>> values(ServiceRequestContext context) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (String name : context.queryParams().names()) {
      values.put(name, context.queryParams().getAll(name));
    }
    return values;
  }

  private void run(ServiceRequestContext context, QueryParameters parameters, QueryReply reply)
      throws ExecutionException, InterruptedException {
    try (StoreView view = resources.store().view();
        HeldMemory held = new HeldMemory(resources.memory())) {
      OutputBuffer sink = new OutputBuffer(SINK_BYTES, held);
      RangeReader reader =
          RangeReader.open(
              view,
              parameters.query(),
              parameters.readMode(),
              QueryBudget.DEFAULT.withFetchedBytes(parameters.extras().coldBudget()),
              resources.memory());
      // Nothing may be written for long, with a selective filter or with statistics.
      var _ = reply.response().whenComplete().whenComplete((_, _) -> reader.cancel());
      parameters.requireRollup(view);
      if (parameters.extras().plan()) {
        sink.put(ReadCost.of(reader, 0).json() + "\n");
        reply.begin(headers(parameters, reader));
        reply.end(sink.bytes(), sink.length());
        reader.close();
        return;
      }
      try (QueryResult answer =
          new QueryResult(
              reader,
              parameters.writer(resources.memory(), reader::unread, parameters.check(view)),
              parameters.query().after())) {
        if (parameters.asksForFigures() && !parameters.extras().progress()) {
          sendCounted(answer, reply, parameters, reader, sink);
        } else {
          if (parameters.extras().progress()) {
            ProgressLines.start(
                view, parameters.query(), reader, reply, headers(parameters, reader));
          }
          send(answer, reply, parameters, reader, sink);
        }
      }
    } catch (TimeoutException tookNothing) { // its open view would delay writers in the end
      stalled.increment();
      reply.fail(tookNothing);
      Channel channel = context.log().partial().channel();
      if (channel != null) {
        var _ = channel.close();
      }
    }
  }

  private void send(
      QueryResult answer,
      QueryReply reply,
      QueryParameters parameters,
      RangeReader reader,
      OutputBuffer sink)
      throws ExecutionException, InterruptedException, TimeoutException {
    long beganNanos = System.nanoTime();
    while (answer.writeNext(sink)) {
      beginOnce(reply, parameters, reader);
      endIfStopping(reader);
      if (sink.length() >= PIECE_BYTES) {
        if (!reply.write(sink.bytes(), sink.length())) {
          return;
        }
        sink.clear();
      }
    }
    if (!reply.hasBegun()) {
      answer.requireWhole();
    }
    beginOnce(reply, parameters, reader);
    if (parameters.extras().progress() && answer.failure() == null) {
      AggregateCoverage.of(reader)
          .putLine(sink); // the headers were sent before anything was counted
    }
    explain(answer, parameters, reader, beganNanos, sink);
    reply.end(sink.bytes(), sink.length());
  }

  /// Begins the response at its first row: an error before it has a status of its own.
  private static void beginOnce(QueryReply reply, QueryParameters parameters, RangeReader reader) {
    reply.beginOnce(() -> headers(parameters, reader));
  }

  /// Lets a response end with an error, as one that is cut must not look complete.
  private void endIfStopping(RangeReader reader) {
    if (stopping) {
      reader.cancel();
    }
  }

  /// Sends aggregates whose headers report their sources, so they are computed first.
  private void sendCounted(
      QueryResult answer,
      QueryReply reply,
      QueryParameters parameters,
      RangeReader reader,
      OutputBuffer sink)
      throws ExecutionException, InterruptedException, TimeoutException {
    long beganNanos = System.nanoTime();
    while (answer.writeNext(sink)) {
      endIfStopping(reader);
      assert sink.length() == 0 : "figures before all events are counted";
    }
    answer.requireWhole();
    explain(answer, parameters, reader, beganNanos, sink);
    reply.begin(allHeaders(parameters, reader));
    reply.end(sink.bytes(), sink.length());
  }

  /// The headers of a result that is complete.
  private static ResponseHeaders allHeaders(QueryParameters parameters, RangeReader reader) {
    RollupUse use = RollupUse.of(reader, parameters);
    AggregateCoverage kept = AggregateCoverage.of(reader);
    ResponseHeadersBuilder headers = headers(parameters, reader).toBuilder();
    if (use != null) {
      headers.set(ROLLUP, use.header());
    }
    if (!kept.isNone()) {
      headers.set(KEPT, kept.header());
    }
    String damage = ResponseOptions.damage(reader);
    if (damage != null) {
      headers.set(DAMAGE, damage);
    }
    return headers.build();
  }

  /// Writes the read statistics, when the request asks for them and the result is complete.
  private static void explain(
      QueryResult answer,
      QueryParameters parameters,
      RangeReader reader,
      long beganNanos,
      OutputBuffer sink) {
    if (parameters.extras().explain() && answer.failure() == null) {
      sink.put(ReadCost.of(reader, System.nanoTime() - beganNanos).json() + "\n");
    }
  }

  /// Queries that were answered on event loops.
  public long answeredHere() {
    return answeredHere.sum();
  }

  /// Queries that ended because their readers stalled.
  public long stalled() {
    return stalled.sum();
  }

  /// Ends running queries at their next piece, and refuses new ones.
  public void stop() {
    stopping = true;
  }
}
