package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.ContinuousQuery;
import io.widerow.query.result.ContinuousQueryRun;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// `GET /v1/tail`: with `stats` one response of a continuous query, see [ContinuousQueryRun]; the
/// client asks again with the position in its last line. Without `stats` events without end, see
/// [EventTail].
///
/// - Threads: the connection's event loop; each response is made on a virtual thread,
///   `widerow-tail-<n>`.
final class StepService {
  private static final int PIECE_BYTES = 256 << 10;
  private static final int SINK_BYTES = 16 << 10;
  private static final int ANSWERS_MAX = 16;

  private final QueryResources resources;
  private final ReplyThreads threads;
  private final EventTail events;

  StepService(QueryResources resources) {
    this.resources = resources;
    this.threads = ReplyThreads.waiting("widerow-tail", ANSWERS_MAX, resources.stallSeconds());
    this.events = new EventTail(resources);
  }

  public List<HttpRoute> routes() {
    return List.of(QueryErrors.get("/v1/tail", this::tail));
  }

  /// Ends tails without end soon.
  public void stop() {
    events.stop();
  }

  private HttpResponse tail(ServiceRequestContext context, HttpRequest request) {
    if (!context.queryParams().contains("stats")) {
      return events.answer(context, request);
    }
    ContinuousQuery question =
        ContinuousQuery.parse(QueryService.values(context), resources.epochNanos());
    return threads.answer(context, QueryErrors.refusing(reply -> run(question, reply)));
  }

  private void run(ContinuousQuery question, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (StoreView view = resources.store().view();
        HeldMemory held = new HeldMemory(resources.memory());
        ContinuousQueryRun tail =
            new ContinuousQueryRun(view, question, QueryBudget.DEFAULT, resources.memory())) {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> tail.cancel());
      OutputBuffer sink = new OutputBuffer(SINK_BYTES, held);
      ResponseHeadersBuilder headers =
          ResponseHeaders.builder(HttpStatus.OK).contentType(HttpResponses.LINES);
      if (question.arrived() == null) {
        var _ = QueryErrors.warn(question.warnings(view, resources.epochNanos()), headers);
      }
      send(tail, sink, reply, headers.build());
    }
  }

  private void send(
      ContinuousQueryRun tail, OutputBuffer sink, QueryReply reply, ResponseHeaders headers)
      throws ExecutionException, InterruptedException, TimeoutException {
    try {
      tail.write(resources.epochNanos(), sink, full -> piece(full, reply, headers));
      reply.beginOnce(() -> headers);
    } catch (QueryException | StorageException failed) {
      if (!reply.hasBegun()) { // an error before the first piece has a status of its own
        throw failed;
      }
      sink.put("{\"error\":\"");
      sink.putJson(String.valueOf(failed.getMessage()));
      sink.put("\"}\n");
    }
    reply.end(sink.bytes(), sink.length());
  }

  private static boolean piece(OutputBuffer sink, QueryReply reply, ResponseHeaders headers) {
    if (sink.length() < PIECE_BYTES) {
      return true;
    }
    reply.beginOnce(() -> headers);
    return QueryErrors.write(reply, sink);
  }
}
