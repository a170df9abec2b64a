package io.widerow.loadgen.compare;

import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A store of series that takes remote write and evaluates PromQL.
public enum SeriesStore {
  /// The daemon of this checkout.
  WIDEROW("Widerow", "/ready", ""),
  /// Debian's, an old version. Without `nocache` it takes responses from memory.
  VICTORIA("VictoriaMetrics 1.79.5", "/health", "&nocache=1"),
  /// Debian's.
  PROMETHEUS("Prometheus 2.42", "/-/ready", "");

  /// What its queries have in addition.
  public final String parameters;

  private final String label;
  private final String ready;

  SeriesStore(String label, String ready, String parameters) {
    this.label = label;
    this.ready = ready;
    this.parameters = parameters;
  }

  /// Its name and version.
  public String label() {
    return label;
  }

  /// Starts it on a directory that does not exist yet, and waits until it accepts requests.
  ServerProcess start(CompareOptions options, Path data, InetSocketAddress address)
      throws IOException, InterruptedException {
    String listen = "127.0.0.1:" + address.getPort();
    Path log = data.resolveSibling(data.getFileName() + ".log");
    List<String> command =
        switch (this) {
          case WIDEROW -> {
            Contestant daemon = options.contestant(Target.PRW.label);
            yield daemon.command(data, address);
          }
          case VICTORIA ->
              List.of(
                  options.home.resolve("loadgen/peers/victoria").toString(),
                  data.toString(),
                  Integer.toString(address.getPort()));
          case PROMETHEUS -> {
            Path configuration = data.resolveSibling(data.getFileName() + ".yml");
            Files.writeString(configuration, "storage: {tsdb: {out_of_order_time_window: 1h}}\n");
            yield List.of(
                "prometheus",
                "--config.file=" + configuration,
                "--storage.tsdb.path=" + data,
                "--storage.tsdb.retention.time=400d",
                "--web.listen-address=" + listen,
                "--web.enable-remote-write-receiver",
                "--query.max-samples=1000000000",
                "--log.level=error");
          }
        };
    ServerProcess server = ServerProcess.start(command, log);
    try {
      server.await(() -> HttpText.get(address, ready).status() == 200);
      return server;
    } catch (Throwable failure) {
      server.close();
      throw failure;
    }
  }

  /// Makes what it got readable, where that takes a request.
  void flush(InetSocketAddress address) throws IOException, InterruptedException {
    if (this == VICTORIA) {
      HttpText.get(address, "/internal/force_flush");
    }
  }

  /// Bytes of the files that hold its samples, without journals.
  long dataBytes(Path data) {
    return switch (this) {
      case WIDEROW -> CostWatcher.bytesBelow(data.resolve("segments"));
      case VICTORIA -> CostWatcher.bytesBelow(data);
      case PROMETHEUS -> {
        try (var below = Files.list(data)) {
          yield below
              .filter(each -> !each.endsWith("wal") && Files.isDirectory(each))
              .mapToLong(CostWatcher::bytesBelow)
              .sum();
        } catch (IOException gone) {
          throw new UncheckedIOException(gone);
        }
      }
    };
  }
}
