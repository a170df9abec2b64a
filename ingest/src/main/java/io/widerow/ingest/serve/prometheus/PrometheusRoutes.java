package io.widerow.ingest.serve.prometheus;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.query.QueryMemory;
import io.widerow.storage.EventStore;
import java.util.List;
import java.util.stream.Stream;

/// The endpoints at which Prometheus and compatible clients read.
public final class PrometheusRoutes {
  private PrometheusRoutes() {}

  /// @param memory that all queries share
  /// @param version of this program
  public static List<HttpRoute> of(
      EventStore store, QueryMemory memory, DaemonConfig config, String version) {
    ApiResponses responses = new ApiResponses(store, memory, config);
    return Stream.of(
            new RemoteReadService(store, memory, config).routes(),
            new CatalogService(responses).routes(),
            new ServerInfoService(version).routes(),
            new PromqlService(responses).routes())
        .flatMap(List::stream)
        .toList();
  }
}
