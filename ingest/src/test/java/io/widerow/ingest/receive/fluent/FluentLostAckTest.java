package io.widerow.ingest.receive.fluent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.komamitsu.fluency.EventTime;
import org.komamitsu.fluency.Fluency;
import org.komamitsu.fluency.fluentd.FluencyBuilderForFluentd;

/// Goal: a chunk whose acknowledgement is lost on the way, and which the client therefore sends
/// again over another connection, is stored once. Method: the client Fluency, and between it and
/// the daemon a proxy that loses the first acknowledgements together with their connections.
@Timeout(300)
class FluentLostAckTest {
  private static final int LOST = 3;
  private static final int EVENTS = 2_000;

  private final MemoryStore store = new MemoryStore(2);

  /// Passes on all bytes but the answers on its first connections, which it closes instead.
  private static final class LossyProxy implements AutoCloseable {
    private final InetSocketAddress daemon;
    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger lost = new AtomicInteger();

    LossyProxy(InetSocketAddress daemon) throws IOException {
      this.daemon = daemon;
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      threads.execute(this::accept);
    }

    private void accept() {
      try {
        while (true) {
          Socket client = listener.accept();
          threads.execute(() -> pass(client));
        }
      } catch (IOException closed) {
        assertEquals(true, listener.isClosed(), closed.toString());
      }
    }

    private void pass(Socket client) {
      try (client;
          Socket server = new Socket(daemon.getAddress(), daemon.getPort())) {
        threads.execute(() -> copy(client, server));
        int first = server.getInputStream().read(); // of an answer: what it is for is stored
        if (first < 0 || lost.get() < LOST) {
          lost.addAndGet(first < 0 ? 0 : 1);
          return;
        }
        client.getOutputStream().write(first);
        long _ = server.getInputStream().transferTo(client.getOutputStream());
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }

    private static void copy(Socket from, Socket to) {
      try {
        long _ = from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException over) {
        assertEquals(true, from.isClosed() || to.isClosed(), over.toString());
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
      threads.shutdownNow();
    }
  }

  @Test
  void whatIsSentAgainIsStoredOnce(@TempDir java.nio.file.Path backup) throws IOException {
    Map<String, String> keys = Map.of("http", "127.0.0.1:0", "fluent", "127.0.0.1:0", "lanes", "2");
    try (Daemon daemon = Daemon.start(DaemonConfig.of(keys), store)) {
      InetSocketAddress address = daemon.socketAddress("fluent");
      assertNotNull(address);
      try (LossyProxy proxy = new LossyProxy(address)) {
        FluencyBuilderForFluentd builder = new FluencyBuilderForFluentd();
        builder.setAckResponseMode(true);
        builder.setSenderMaxRetryCount(20);
        builder.setSenderBaseRetryIntervalMillis(10);
        builder.setSenderMaxRetryIntervalMillis(50);
        builder.setWaitUntilBufferFlushed(30);
        builder.setFileBackupDir(backup.toString());
        try (Fluency fluency = builder.build("127.0.0.1", proxy.listener.getLocalPort())) {
          for (int i = 0; i < EVENTS; i++) {
            EventTime time = EventTime.fromEpoch(1_700_000_000L + i, 1);
            fluency.emit("app", time, Map.of("message", "m" + i));
          }
          fluency.flush();
        }
        assertEquals(LOST, proxy.lost.get());
      }
    }
    assertEquals(EVENTS, store.committed.size());
    TreeSet<String> bodies = new TreeSet<>();
    store.committed.forEach(event -> bodies.add(event.body()));
    assertEquals(EVENTS, bodies.size());
  }
}
