package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.fields.FieldsAnswer;
import io.widerow.query.fields.FieldsQuestion;
import io.widerow.query.fields.FieldsScan;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// `GET /v1/fields`: which fields the events of a range have, with their values, and which of them
/// are different in some of the events; `GET /v1/fields/{name}`: one of them.
///
/// - Threads: the connection's event loop; each answer is made on a virtual thread,
///   `widerow-fields-<n>`. A reader that leaves ends it.
public final class FieldsService {
  private static final MediaType LINES = MediaType.parse("application/x-ndjson");
  private static final int SINK_BYTES = 16 << 10;
  private static final int ANSWERS_MAX = 4;

  private final EventStore store;
  private final QueryMemory memory;
  private final LongSupplier epochNanos;
  private final QueryThreads threads;

  /// @param memory that all queries share
  /// @param stallSeconds how long a reader may take nothing
  public FieldsService(
      EventStore store, QueryMemory memory, int stallSeconds, LongSupplier epochNanos) {
    this.store = store;
    this.memory = memory;
    this.epochNanos = epochNanos;
    this.threads = new QueryThreads("widerow-fields", ANSWERS_MAX, stallSeconds);
  }

  public List<HttpRoute> routes() {
    return List.of(
        HttpRoute.get("/v1/fields", Tokens.Scope.QUERY, (context, _) -> fields(context, null)),
        HttpRoute.get(
            "/v1/fields/{name}",
            Tokens.Scope.QUERY,
            (context, _) -> fields(context, context.pathParam("name"))));
  }

  private HttpResponse fields(ServiceRequestContext context, @Nullable String field) {
    FieldsQuestion asked;
    try {
      asked = FieldsQuestion.parse(QueryService.values(context), field, epochNanos.getAsLong());
    } catch (QueryException refused) {
      return HttpAnswers.error(HttpStatus.BAD_REQUEST, String.valueOf(refused.getMessage()));
    }
    return threads.answer(context, reply -> run(asked, reply));
  }

  private void run(FieldsQuestion asked, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    OutputBuffer sink = new OutputBuffer(SINK_BYTES);
    try (StoreView view = store.view();
        FieldsScan scan = new FieldsScan(view, asked, memory)) {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> scan.cancel());
      FieldsAnswer.write(asked, scan, sink);
      reply.begin(ResponseHeaders.builder(HttpStatus.OK).contentType(LINES).build());
      reply.end(sink.bytes(), sink.length());
    } catch (StorageException.Unreachable away) {
      reply.refuse(QueryService.unreachable(away));
    } catch (QueryException | StorageException failed) { // nothing was sent yet
      reply.refuse(
          HttpAnswers.error(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(failed.getMessage())));
    }
  }
}
