package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.PartitionWeights;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.AnswerThreads;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.TypeGlobs;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.PartitionCatalog;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/// `GET /v1/partitions`: the wide rows of a store and what is in them. The answer comes from the
/// catalog in memory; no event is read. A store on a cluster has its catalog there: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
final class PartitionsService {
  private static final MediaType LINES = MediaType.parse("application/x-ndjson");
  private static final List<String> KNOWN = List.of("type", "from", "to");
  private static final String OF_CLUSTER =
      "the partitions of a store on a cluster are in its tables: this lists those of a store on one"
          + " machine";

  /// Answers at a time: each is on the heap as a whole.
  private static final int ANSWERS_MAX = 2;

  private final EventStore store;
  private final Semaphore places = new Semaphore(ANSWERS_MAX);

  PartitionsService(EventStore store) {
    this.store = store;
  }

  public List<HttpRoute> routes() {
    return List.of(HttpRoute.get("/v1/partitions", Tokens.Scope.QUERY, this::partitions));
  }

  /// Which partitions are wanted.
  private record Wanted(TypeGlobs types, long fromNanos, long untilNanos) {}

  private HttpResponse partitions(ServiceRequestContext context, HttpRequest request) {
    if (!(store instanceof EmbeddedStore embedded)) {
      return HttpAnswers.error(HttpStatus.NOT_IMPLEMENTED, OF_CLUSTER);
    }
    try {
      Parameters.requireKnown(context.queryParams(), KNOWN);
      Wanted wanted = wanted(context.queryParams());
      if (!places.tryAcquire()) {
        return AnswerThreads.busy();
      }
      return HttpResponse.of(
          CompletableFuture.supplyAsync(
              () -> answer(embedded, wanted), context.blockingTaskExecutor()));
    } catch (RequestRefused refused) {
      return HttpAnswers.error(refused.status(), refused.reason());
    } catch (QueryException.Refused refused) {
      return HttpAnswers.error(HttpStatus.BAD_REQUEST, String.valueOf(refused.getMessage()));
    }
  }

  private Wanted wanted(QueryParams given) throws RequestRefused {
    TypeGlobs types = new TypeGlobs(given.getAll("type"));
    if (types.globs().contains("")) {
      throw new RequestRefused(HttpStatus.BAD_REQUEST, "type: is empty");
    }
    long now = store.nowNanos();
    String from = Parameters.single(given, "from");
    String to = Parameters.single(given, "to");
    long fromNanos = from == null ? Long.MIN_VALUE : TimeText.parse("from", from, now);
    long untilNanos = to == null ? Long.MAX_VALUE : TimeText.parse("to", to, now);
    if (fromNanos >= untilNanos) {
      throw new RequestRefused(
          HttpStatus.BAD_REQUEST,
          "to: %s is not after from, %s".formatted(to, from == null ? "the beginning" : from));
    }
    return new Wanted(types, fromNanos, untilNanos);
  }

  private HttpResponse answer(EmbeddedStore embedded, Wanted wanted) {
    StringBuilder lines = new StringBuilder();
    try {
      PartitionWeights weights = embedded.layout().weights();
      for (PartitionCatalog.Entry entry :
          embedded.partitions().entries(wanted.types, wanted.fromNanos, wanted.untilNanos)) {
        append(lines, entry, weights);
      }
    } finally {
      places.release();
    }
    return HttpResponse.of(
        ResponseHeaders.builder(HttpStatus.OK).contentType(LINES).build(),
        HttpData.ofUtf8(lines.toString()));
  }

  private static void append(
      StringBuilder lines, PartitionCatalog.Entry entry, PartitionWeights weights) {
    HttpAnswers.appendString(lines.append("{\"partition\":"), entry.key().toString());
    lines.append(",\"events\":").append(entry.events());
    lines.append(",\"bytes\":").append(entry.bytes());
    double weight = weights.of(entry.events(), entry.restBytes());
    lines.append(",\"weight\":").append(String.format(Locale.ROOT, "%.4f", weight));
    lines.append(",\"state\":\"").append(entry.state().name().toLowerCase(Locale.ROOT));
    lines.append("\"}\n");
  }
}
