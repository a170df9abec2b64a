package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.source.SourceProvider;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// `GET /v1/kafka`: JSON lines, how far each partition is read. `POST /v1/kafka/seen` clears the
/// lists of gaps.
///
/// - Threads: any event loop.
///
/// @param forward what the daemon sends, as a JSON object; null when it sends nothing
public record KafkaService(
    Supplier<SourceProvider.@Nullable Source> kafka, Supplier<@Nullable String> forward) {
  HttpResponse partitions(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    SourceProvider.Source source = kafka.get();
    StringBuilder lines = new StringBuilder();
    if (source != null) {
      source.partitions().forEach(line -> lines.append(line).append('\n'));
    }
    return MaintenanceRoutes.lines(lines);
  }

  HttpResponse seen(ServiceRequestContext context, HttpRequest request) throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    SourceProvider.Source source = kafka.get();
    long gaps = source == null ? 0 : source.seen();
    return HttpResponses.json(HttpStatus.OK, "{\"cleared\":" + gaps + "}\n");
  }

  /// The members of `/v1/status`; empty when nothing is read or sent.
  String summary() {
    SourceProvider.Source source = kafka.get();
    String sent = forward.get();
    return (source == null ? "" : ",\"kafka\":[" + source.summary() + "]")
        + (sent == null ? "" : ",\"forward\":" + sent);
  }
}
