package io.widerow.ingest;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.util.AsciiString;
import io.widerow.query.ByteSink;
import io.widerow.query.QueryAnswer;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.QueryParameters;
import io.widerow.query.RangeReader;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// `GET /v1/query`: streams the answer piece by piece. A piece goes out when the one before is in
/// the socket, so a slow reader pauses the query; one that goes away ends it.
///
/// - Threads: each query has a virtual one of its own, `widerow-query-<n>`.
final class QueryService {
  /// Where the answer's view is in the order of arrival; the parameter `arrived` takes it.
  private static final AsciiString ARRIVED = HttpHeaderNames.of("widerow-arrived");

  private static final int PIECE_BYTES = 256 << 10;
  private static final int SINK_BYTES = 32 << 10; // enough for most; it grows
  private static final int QUERIES_MAX = 64;
  private static final int QUERY_BYTES = 1 << 20; // its pieces, on the heap, and a block

  private final EventStore store;
  private final QueryMemory memory;
  private final int stallSeconds;
  private final LongSupplier epochNanos;
  private final AtomicLong number = new AtomicLong();
  private final Semaphore places;
  private final LongAdder stalled = new LongAdder();
  private volatile boolean stopping;

  /// @param memory what all queries share; how many there may be at a time follows from it
  /// @param stallSeconds how long a reader may take nothing
  QueryService(EventStore store, QueryMemory memory, int stallSeconds, LongSupplier epochNanos) {
    this.store = store;
    this.memory = memory;
    this.places = new Semaphore(Math.clamp(memory.bytesMax() / QUERY_BYTES, 1, QUERIES_MAX));
    this.stallSeconds = stallSeconds;
    this.epochNanos = epochNanos;
  }

  HttpResponse query(ServiceRequestContext context, HttpRequest request) {
    QueryParameters parameters;
    try {
      parameters = QueryParameters.parse(values(context), epochNanos.getAsLong());
    } catch (QueryException refused) {
      return HttpAnswers.error(HttpStatus.BAD_REQUEST, String.valueOf(refused.getMessage()));
    }
    if (stopping || !places.tryAcquire()) {
      return HttpAnswers.error(HttpStatus.SERVICE_UNAVAILABLE, "too many queries; try again");
    }
    context.clearRequestTimeout(); // the query's own budget counts
    QueryReply reply = new QueryReply(context, stallSeconds);
    String name = "widerow-query-" + number.incrementAndGet();
    Thread.ofVirtual().name(name).start(() -> run(context, parameters, reply));
    return reply.response();
  }

  private static Map<String, List<String>> values(ServiceRequestContext context) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (String name : context.queryParams().names()) {
      values.put(name, context.queryParams().getAll(name));
    }
    return values;
  }

  private void run(ServiceRequestContext context, QueryParameters parameters, QueryReply reply) {
    try (StoreView view = store.view()) {
      RangeReader reader = RangeReader.open(view, parameters.query(), QueryBudget.DEFAULT, memory);
      // Nothing may be written for long, where a filter keeps little or figures are asked for.
      var _ = reply.response().whenComplete().whenComplete((_, _) -> reader.cancel());
      if (parameters.asksForFigures()) {
        reader.inAnyOrder(parameters.fold());
      }
      try (QueryAnswer answer =
          new QueryAnswer(reader, parameters.writer(memory), parameters.query().after())) {
        reply.begin(
            ResponseHeaders.of(
                HttpStatus.OK,
                HttpHeaderNames.CONTENT_TYPE,
                parameters.format().contentType,
                ARRIVED,
                reader.arrivals()));
        send(answer, reply);
      }
    } catch (QueryException.Expired expired) { // told before anything of the answer
      reply.refuse(expired(expired));
    } catch (ExecutionException gone) { // the reader has left; nobody is there to be told
      reply.fail(gone);
    } catch (TimeoutException tookNothing) { // what it holds open would hold up writers in the end
      stalled.increment();
      reply.fail(tookNothing);
      Channel channel = context.log().partial().channel();
      if (channel != null) {
        var _ = channel.close();
      }
    } catch (Throwable failure) {
      reply.fail(failure);
    } finally {
      places.release();
    }
  }

  private static HttpResponse expired(QueryException.Expired expired) {
    StringBuilder json = new StringBuilder("{\"error\":");
    HttpAnswers.appendString(json, String.valueOf(expired.getMessage()));
    if (expired.first != null) {
      HttpAnswers.appendString(json.append(",\"first\":"), expired.first.toString());
    }
    return HttpResponse.of(
        ResponseHeaders.of(HttpStatus.GONE, HttpHeaderNames.CONTENT_TYPE, MediaType.JSON_UTF_8),
        HttpData.ofUtf8(json.append("}\n").toString()));
  }

  private void send(QueryAnswer answer, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    ByteSink sink = new ByteSink(SINK_BYTES);
    while (answer.writeNext(sink) && !stopping) {
      if (sink.length() >= PIECE_BYTES) {
        if (!reply.write(sink.bytes(), sink.length())) {
          return;
        }
        sink.clear();
      }
    }
    reply.end(sink.bytes(), sink.length());
  }

  /// Queries whose readers took nothing any more.
  long stalled() {
    return stalled.sum();
  }

  /// Ends the queries that run, at their next piece, and refuses new ones.
  void stop() {
    stopping = true;
  }
}
