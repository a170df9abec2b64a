package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.HeldMemory;
import io.widerow.query.Token;
import io.widerow.query.export.ExportCursor;
import io.widerow.query.export.ExportFormat;
import io.widerow.query.export.ExportRequest;
import io.widerow.query.export.RemoteExport;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.StoreView;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// `GET /v1/export`: all events of a range as NDJSON, CSV or Parquet, streamed. The response has no
/// limit of time: the cursor takes a new view of the store now and then.
///
/// - Threads: the connection's event loop; each response is made on a thread, `widerow-export-<n>`.
///   A reader that leaves, or takes nothing for too long, ends it.
/// - Memory: a piece; for Parquet also a row group, which the budget of queries accounts for.
final class ExportService {
  private static final int PIECE_BYTES = 256 << 10;
  private static final int SINK_BYTES = 32 << 10; // at first; it grows
  private static final int ANSWERS_MAX = 4;

  private final QueryResources resources;
  private final ReplyThreads threads;

  ExportService(QueryResources resources) {
    this.resources = resources;
    this.threads = ReplyThreads.computing("widerow-export", ANSWERS_MAX, resources.stallSeconds());
  }

  public List<HttpRoute> routes() {
    return List.of(QueryErrors.get("/v1/export", this::export));
  }

  private HttpResponse export(ServiceRequestContext context, HttpRequest request) {
    ExportRequest asked = ExportRequest.parse(QueryService.values(context), resources.epochNanos());
    return threads.answer(context, QueryErrors.refusing(reply -> run(asked, reply)));
  }

  private void run(ExportRequest asked, QueryReply reply)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (HeldMemory held = new HeldMemory(resources.memory())) {
      held.accept(asked.format().bytesMax());
      answer(asked, reply, held);
    }
  }

  private void answer(ExportRequest asked, QueryReply reply, HeldMemory held)
      throws ExecutionException, InterruptedException, TimeoutException {
    Token position = asked.query().after();
    Token start = position == null ? Token.before(asked.query().fromNanos()) : position;
    try (ExportCursor cursor =
            new ExportCursor(
                resources.store()::view,
                asked.query(),
                resources.memory(),
                resources.epochNanos(),
                ExportCursor.KEPT,
                System::nanoTime);
        QueryResult answer = new QueryResult(cursor, asked.format().writer(), start)) {
      var _ = reply.response().whenComplete().whenComplete((_, _) -> cursor.cancel());
      ResponseHeaders headers = headers(asked, cursor);
      OutputBuffer sink = new OutputBuffer(SINK_BYTES, held);
      while (answer.writeNext(sink)) {
        reply.beginOnce(() -> headers); // an error before the first row has a status of its own
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
      reply.beginOnce(() -> headers);
      RuntimeException failure = answer.failure();
      if (failure != null && asked.format() == ExportFormat.parquet) {
        reply.fail(failure); // such a file has no place for a sentence, and no footer
      } else if (reply.write(sink.bytes(), sink.length())) {
        reply.end(sink.bytes(), 0);
      }
    }
  }

  private ResponseHeaders headers(ExportRequest asked, ExportCursor cursor) {
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(HttpStatus.OK)
            .add(HttpHeaderNames.CONTENT_TYPE, asked.format().contentType)
            .add(
                HttpHeaderNames.of(RemoteExport.UNTIL),
                Instant.EPOCH.plusNanos(cursor.untilNanos()).toString())
            .add(HttpHeaderNames.of(RemoteExport.EXPECTED), Long.toString(cursor.eventsExpected()));
    try (StoreView view = resources.store().view()) {
      var _ = QueryErrors.warn(asked.warnings(view), headers);
    }
    return headers.build();
  }
}
