package io.widerow.ingest.serve.prometheus;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.AttributeName;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.decode.SnappyBlock;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.series.SampledSeries;
import io.widerow.query.series.SeriesScan;
import io.widerow.query.series.SeriesSelector;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// `POST /api/v1/read`: Prometheus remote read. A block of snappy around a [ReadRequest] is
/// answered with samples or with chunks, as the reader asks. All queries of a request see one view
/// of the store.
///
/// Source: prometheus/prometheus `docs/querying/remote_read_api.md`.
///
/// - Threads: event loops; each response is made on a thread, `widerow-prometheus-<n>`. A reader
///   that leaves ends it.
/// - Memory: the samples of the response, packed, count as memory of queries.
final class RemoteReadService {
  static final int BODY_BYTES_MAX = 1 << 20; // packed and unpacked
  private static final int ANSWERS_MAX = 16;
  private static final String PROTOBUF = "application/x-protobuf";
  private static final String CHUNKS =
      "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";

  private final EventStore store;
  private final QueryMemory memory;
  private final ReplyThreads threads;
  private final Set<AttributeName> logLabels;

  /// @param memory that all queries share
  /// @param config has the timeout for readers that take nothing, and the labels of logs
  RemoteReadService(EventStore store, QueryMemory memory, DaemonConfig config) {
    this.store = store;
    this.memory = memory;
    this.logLabels = new LabelMapping(config.lokiLabels()).attributes();
    this.threads =
        ReplyThreads.computing("widerow-prometheus", ANSWERS_MAX, config.limits().stallSeconds());
  }

  List<HttpRoute> routes() {
    return List.of(
        new HttpRoute(
            "/api/v1/read",
            Set.of(HttpMethod.POST),
            Tokens.Scope.QUERY,
            this::read,
            (_, refused) -> refusal(refused)));
  }

  private static HttpResponse refusal(RequestRefused refused) {
    return HttpResponses.text(refused.status(), refused.reason() + "\n");
  }

  private HttpResponse read(ServiceRequestContext context, HttpRequest request) {
    if (request.headers().contentLength() > BODY_BYTES_MAX) {
      return refusal(tooLarge());
    }
    context.setMaxRequestLength(BODY_BYTES_MAX);
    return HttpResponse.of(
        request
            .aggregate()
            .handleAsync(
                (whole, failure) -> answer(context, whole, failure),
                context.blockingTaskExecutor()));
  }

  private HttpResponse answer(
      ServiceRequestContext context,
      @Nullable AggregatedHttpRequest whole,
      @Nullable Throwable failure) {
    try {
      if (whole == null) {
        if (failure != null && Exceptions.peel(failure) instanceof ContentTooLargeException) {
          throw tooLarge();
        }
        return HttpResponse.ofFailure(
            failure == null ? new IllegalStateException("no request") : failure);
      }
      requireForm(whole.headers());
      ReadRequest asked = decode(whole.content().array());
      return threads.answer(context, reply -> run(asked, reply));
    } catch (RequestRefused refused) {
      return refusal(refused);
    }
  }

  private static RequestRefused tooLarge() {
    return new RequestRefused(
        HttpStatus.REQUEST_ENTITY_TOO_LARGE,
        "the body is larger than the limit of %d bytes".formatted(BODY_BYTES_MAX));
  }

  private static void requireForm(RequestHeaders headers) throws RequestRefused {
    String coding = headers.get(HttpHeaderNames.CONTENT_ENCODING, "").strip();
    if (!coding.isEmpty() && !coding.toLowerCase(Locale.ROOT).equals("snappy")) {
      throw BodyCoding.unknown("snappy", coding);
    }
    MediaType type = headers.contentType();
    if (type != null && !type.nameWithoutParameters().equals(PROTOBUF)) {
      throw new RequestRefused(
          HttpStatus.UNSUPPORTED_MEDIA_TYPE,
          "Content-Type must be %s, got %s".formatted(PROTOBUF, type));
    }
  }

  /// Unpacks and decodes a request.
  static ReadRequest decode(byte[] packed) throws RequestRefused {
    try {
      long length = SnappyBlock.length(packed, 0, packed.length);
      if (length > BODY_BYTES_MAX) {
        throw tooLarge();
      }
      byte[] body = new byte[(int) length];
      SnappyBlock.unpack(packed, 0, packed.length, body, 0, body.length);
      return ReadRequest.decode(body, body.length);
    } catch (SnappyBlock.Bad bad) {
      throw RequestRefused.bad("the body is not a valid snappy block: " + bad.getMessage());
    }
  }

  private void run(ReadRequest asked, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = store.view();
        QueryExecution execution = new QueryExecution(view, QueryBudget.DEFAULT, memory)) {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> execution.cancel());
      if (asked.chunked() && !(asked.takesSamples() && mayHaveNatives(asked, execution))) {
        chunks(asked, execution, reply);
      } else {
        samples(asked, execution, reply);
      }
    } catch (QueryException failed) { // the response ends with it when it has begun
      reply.refuse(
          refusal(new RequestRefused(status(failed), String.valueOf(failed.getMessage()))));
      reply.fail(failed);
    } catch (StorageException failed) {
      boolean again = failed instanceof StorageException.Unreachable;
      reply.refuse(
          refusal(
              new RequestRefused(
                  again ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.INTERNAL_SERVER_ERROR,
                  String.valueOf(failed.getMessage()))));
      reply.fail(failed);
    }
  }

  private static HttpStatus status(QueryException failed) {
    return switch (failed) {
      case QueryException.OverBudget _ -> HttpStatus.REQUEST_ENTITY_TOO_LARGE;
      case QueryException.Stopped _, QueryException.Remote _ -> HttpStatus.SERVICE_UNAVAILABLE;
      case QueryException.Refused _, QueryException.Expired _ -> HttpStatus.BAD_REQUEST;
    };
  }

  private static boolean mayHaveNatives(ReadRequest asked, QueryExecution execution) {
    return asked.queries().stream()
        .anyMatch(query ->
            query.samples()
                && SeriesScan.mayHaveNatives(execution, query.selector(), query.range()));
  }

  private List<SampledSeries> read(QueryExecution execution, ReadRequest.Query query) {
    Set<AttributeName> labels = new HashSet<>(logLabels);
    labels.addAll(query.selector().logLabels());
    SeriesSelector selector = new SeriesSelector(query.selector().matchers(), labels);
    return SeriesScan.read(execution, selector, query.range(), query.samples()).sorted();
  }

  private void samples(ReadRequest asked, QueryExecution execution, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    List<List<SampledSeries>> results = new ArrayList<>();
    for (ReadRequest.Query query : asked.queries()) {
      results.add(read(execution, query));
    }
    long bytes = SampleResponse.bytes(results);
    reply.begin(
        ResponseHeaders.of(
            HttpStatus.OK,
            HttpHeaderNames.CONTENT_TYPE,
            PROTOBUF,
            HttpHeaderNames.CONTENT_ENCODING,
            "snappy"));
    SampleResponse.send(results, bytes, reply);
  }

  private void chunks(ReadRequest asked, QueryExecution execution, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    ChunkResponse answer = new ChunkResponse(reply);
    for (int i = 0; i < asked.queries().size(); i++) {
      ReadRequest.Query query = asked.queries().get(i);
      long mark = execution.held();
      List<SampledSeries> found = read(execution, query);
      boolean isLast = i + 1 == asked.queries().size();
      if (!reply.hasBegun() && (isLast || !found.isEmpty())) {
        reply.begin(ResponseHeaders.of(HttpStatus.OK, HttpHeaderNames.CONTENT_TYPE, CHUNKS));
      }
      answer.send(i, found);
      execution.release(mark);
    }
    answer.end();
  }
}
