package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/// A daemon with a store on the disk as an operator meets it over HTTP.
public class OperatedDaemon implements AutoCloseable {
  public final EmbeddedStore store;
  public final Daemon daemon;
  public final Http http;

  /// @param directory for the store, in `store`
  /// @param keys of the configuration
  public OperatedDaemon(Path directory, Map<String, String> keys) {
    this(directory, keys, it -> it);
  }

  /// @param seen the store as the daemon sees it
  public OperatedDaemon(Path directory, Map<String, String> keys, UnaryOperator<EventStore> seen) {
    Map<String, String> all = new HashMap<>(keys);
    all.put("data", directory.resolve("store").toString());
    all.put("http", "127.0.0.1:0");
    all.put("disk-reserve-bytes", "0");
    DaemonConfig config = TunedConfig.of(all);
    store = LocalStore.open(config);
    daemon = Daemon.start(config, seen.apply(store));
    http = new Http(daemon);
  }

  public final String url() {
    return "http://127.0.0.1:" + daemon.httpAddress().getPort();
  }

  public final String get(String path) throws IOException, InterruptedException {
    return http.get(path).body();
  }

  public final HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    return http.send(method, path);
  }

  /// Fails unless each of these requests is refused with 400 and a sentence.
  ///
  /// @param refused parts of the sentences, by what follows the path
  public final void assertRefused(String method, String path, Map<String, String> refused)
      throws IOException, InterruptedException {
    for (var each : refused.entrySet()) {
      HttpResponse<String> answer = send(method, path + each.getKey());
      assertEquals(400, answer.statusCode(), each.getKey() + answer.body());
      assertTrue(answer.body().contains(each.getValue()), answer.body());
    }
  }

  /// Seals what is committed. Each lane seals its own rows, because it may be writing.
  public final void seal() throws InterruptedException {
    store.requestSeal();
    Await.until(
        () -> {
          daemon.lanes().tick();
          return !store.isSealRequested();
        },
        "each lane seals its rows");
    store.awaitBackground();
  }

  /// [#seal], and runs due merges.
  public final void merge() throws InterruptedException {
    seal();
    store.maintain();
    store.awaitBackground();
  }

  @Override
  public void close() {
    http.close();
    daemon.close();
    store.close();
  }
}
