package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.source.SourceProvider;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// `GET /v1/kafka`: JSON lines, how far each partition is read.
///
/// - Threads: any event loop.
public record KafkaService(Supplier<SourceProvider.@Nullable Source> kafka) {
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

  /// The member of `/v1/status`; empty when nothing is read.
  String summary() {
    SourceProvider.Source source = kafka.get();
    return source == null ? "" : ",\"kafka\":[" + source.summary() + "]";
  }
}
