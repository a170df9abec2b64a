package io.widerow.loadgen.run;

import io.widerow.loadgen.wire.Connection;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.workload.Scrapes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Sends scrapes as fast as answers come, over several connections that share the series of each
/// scrape. The times of the samples are those of the schedule, not those of sending: hours pass in
/// seconds.
///
/// - Threads: one calls [#send], which starts one a connection and ends them.
public final class ScrapeRun {
  private final Endpoint endpoint;
  private final Scrapes scrapes;
  private final int connections;
  private final int batchSamples;
  private final String path;

  public ScrapeRun(Endpoint endpoint, Scrapes scrapes, int connections, int batchSamples) {
    if (connections < 1 || batchSamples < 1) {
      throw new IllegalArgumentException(
          "--connections and --batch must be at least 1, got %d and %d"
              .formatted(connections, batchSamples));
    }
    this.endpoint = endpoint;
    this.scrapes = scrapes;
    this.connections = connections;
    this.batchSamples = batchSamples;
    String level = endpoint.durability();
    this.path = "/api/v2/write?precision=ns" + (level == null ? "" : "&durability=" + level);
  }

  /// Sends the scrapes of a span of time.
  ///
  /// @param fromNanos time of the first scrape
  /// @param count scrapes
  /// @param everyNanos time between them
  /// @return samples, all of them accepted
  /// @throws IOException when a batch is not accepted whole
  public long send(long fromNanos, int count, long everyNanos)
      throws IOException, InterruptedException {
    long samples = 0;
    try (ExecutorService senders = Executors.newFixedThreadPool(connections)) {
      List<Future<Long>> sent = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        int from = (int) (scrapes.series() * (long) i / connections);
        int until = (int) (scrapes.series() * (i + 1L) / connections);
        sent.add(senders.submit(() -> share(from, until, fromNanos, count, everyNanos)));
      }
      for (Future<Long> share : sent) {
        samples += share.get();
      }
    } catch (ExecutionException failed) {
      throw new IOException("a batch failed", failed.getCause());
    }
    return samples;
  }

  private long share(int from, int until, long fromNanos, int count, long everyNanos)
      throws IOException {
    ByteBuffer body = Scrapes.buffer(batchSamples);
    long sent = 0;
    try (Connection connection = endpoint.connect()) {
      for (int step = 0; step < count; step++) {
        long timeNanos = fromNanos + step * everyNanos;
        for (int first = from; first < until; first += batchSamples) {
          int limit = Math.min(until, first + batchSamples);
          scrapes.batch(body, first, limit, step, timeNanos);
          ByteBuffer exact = body.slice(0, body.limit());
          Reply reply = connection.exchange(head(exact.capacity()), exact, limit - first);
          if (reply.failure() != null) {
            throw new IOException(
                "%d of %d samples accepted: %s"
                    .formatted(reply.accepted(), limit - first, reply.body().strip()));
          }
          sent += limit - first;
        }
      }
    }
    return sent;
  }

  private ByteBuffer head(int bodyBytes) {
    byte[] head =
        "POST %s HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
            .formatted(path, endpoint.host(), endpoint.port(), bodyBytes)
            .getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocateDirect(head.length).put(head).flip();
  }
}
