package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.AnswerThreads;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.StepQuestion;
import io.widerow.query.result.StepTail;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/// `GET /v1/tail`: with `stats` one response of a continuous query, see [StepTail]; the client asks
/// again with the position in its last line. Without `stats` events without end, see [EventTail].
///
/// - Threads: the connection's event loop; each response is made on a virtual thread,
///   `widerow-tail-<n>`.
final class StepService {
  private static final MediaType LINES = MediaType.parse("application/x-ndjson");
  private static final int PIECE_BYTES = 256 << 10;
  private static final int SINK_BYTES = 16 << 10;
  private static final int ANSWERS_MAX = 16;

  private final EventStore store;
  private final QueryMemory memory;
  private final LongSupplier epochNanos;
  private final AnswerThreads threads;
  private final EventTail events;

  /// @param memory that all queries share
  /// @param stallSeconds how long a reader may take nothing
  StepService(EventStore store, QueryMemory memory, int stallSeconds, LongSupplier epochNanos) {
    this.store = store;
    this.memory = memory;
    this.epochNanos = epochNanos;
    this.threads = AnswerThreads.waiting("widerow-tail", ANSWERS_MAX, stallSeconds);
    this.events = new EventTail(store, memory, stallSeconds, epochNanos);
  }

  public List<HttpRoute> routes() {
    return List.of(HttpRoute.get("/v1/tail", Tokens.Scope.QUERY, this::tail));
  }

  /// Ends tails without end soon.
  public void stop() {
    events.stop();
  }

  private HttpResponse tail(ServiceRequestContext context, HttpRequest request) {
    if (!context.queryParams().contains("stats")) {
      return events.answer(context, request);
    }
    StepQuestion question;
    try {
      question = StepQuestion.parse(QueryService.values(context), epochNanos.getAsLong());
    } catch (QueryException refused) {
      return HttpAnswers.error(HttpStatus.BAD_REQUEST, String.valueOf(refused.getMessage()));
    }
    return threads.answer(context, reply -> run(question, reply));
  }

  private void run(StepQuestion question, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = store.view();
        HeldMemory held = new HeldMemory(memory);
        StepTail tail = new StepTail(view, question, QueryBudget.DEFAULT, memory)) {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> tail.cancel());
      OutputBuffer sink = new OutputBuffer(SINK_BYTES, held);
      ResponseHeadersBuilder headers = ResponseHeaders.builder(HttpStatus.OK).contentType(LINES);
      if (question.arrived() == null) {
        var _ = QueryErrors.warn(question.warnings(view, epochNanos.getAsLong()), headers);
      }
      send(tail, sink, reply, headers.build());
    } catch (QueryException | StorageException failed) { // once begun, the response is aborted
      reply.refuse(QueryErrors.of(failed));
      reply.fail(failed);
    }
  }

  private void send(StepTail tail, OutputBuffer sink, QueryReply reply, ResponseHeaders headers)
      throws ExecutionException, InterruptedException, TimeoutException {
    try {
      tail.write(epochNanos.getAsLong(), sink, full -> piece(full, reply, headers));
      beginOnce(reply, headers);
    } catch (QueryException | StorageException failed) {
      if (!reply.hasBegun()) { // an error before the first piece has a status of its own
        reply.refuse(QueryErrors.of(failed));
        return;
      }
      sink.put("{\"error\":\"");
      sink.putJson(String.valueOf(failed.getMessage()));
      sink.put("\"}\n");
    }
    reply.end(sink.bytes(), sink.length());
  }

  private static void beginOnce(QueryReply reply, ResponseHeaders headers) {
    if (!reply.hasBegun()) {
      reply.begin(headers);
    }
  }

  private static boolean piece(OutputBuffer sink, QueryReply reply, ResponseHeaders headers) {
    if (sink.length() < PIECE_BYTES) {
      return true;
    }
    beginOnce(reply, headers);
    try {
      boolean there = reply.write(sink.bytes(), sink.length());
      sink.clear();
      return there;
    } catch (ExecutionException | TimeoutException gone) {
      throw new QueryException.Stopped("the reader is gone: " + gone.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new QueryException.Stopped("interrupted while writing the response");
    }
  }
}
