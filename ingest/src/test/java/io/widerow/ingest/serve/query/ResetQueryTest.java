package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.faults.Http2Flood;
import io.widerow.faults.RawHttp2;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a query whose HTTP/2 stream is reset costs next to nothing. Method: a daemon whose store
/// counts the views asked of it, and the events read after the reset; frames on a raw socket.
@Timeout(300)
class ResetQueryTest {
  private static final int END = RawHttp2.END_STREAM | RawHttp2.END_HEADERS;
  private static final int EVENTS_MAX = 100 * ScanWatch.EVENTS_BETWEEN;

  private final MemoryStore store = new MemoryStore(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private final CountDownLatch reset = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private int read; // events after the reset; written by the query before `closed`
  private Daemon daemon;

  @BeforeEach
  void start() {
    daemon = Daemon.start(DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1")), store);
  }

  @AfterEach
  void stop() {
    reset.countDown();
    daemon.close();
  }

  /// Sends a request and waits for its answer: all frames before it have been read.
  private static void settle(RawHttp2 raw, int stream) throws IOException {
    raw.send(RawHttp2.request(stream, "/ready", END));
    assertTrue(raw.awaitAnswerOf(stream), "stream " + stream + " is not answered");
  }

  @ParameterizedTest
  @EnumSource(names = {"RAPID_RESET", "WINDOW_UPDATE_OF_0"})
  void aQueryThatIsResetWithItsRequestAsksForNoView(Http2Flood flood) throws IOException {
    try (RawHttp2 raw = new RawHttp2(daemon.httpAddress().getPort())) {
      settle(raw, 1);
      ByteArrayOutputStream together = new ByteArrayOutputStream();
      for (int n = 1; n <= 15; n++) {
        together.writeBytes(flood.frames(n));
      }
      raw.send(together.toByteArray());
      settle(raw, RawHttp2.stream(16));
    }
    assertEquals(0, store.views.get());
  }

  @ParameterizedTest
  @EnumSource(names = {"RAPID_RESET", "WINDOW_UPDATE_OF_0"})
  void aQueryThatReadsStopsAtTheNextCheck(Http2Flood flood) throws Exception {
    store.shown = new EndlessView();
    byte[] request = RawHttp2.request(1, "/v1/query?type=*", END);
    byte[] both = flood.frames(0);
    try (RawHttp2 raw = new RawHttp2(daemon.httpAddress().getPort())) {
      raw.send(request);
      assertTrue(opened.await(Await.SECONDS, TimeUnit.SECONDS), "the query does not read");
      raw.send(Arrays.copyOfRange(both, request.length, both.length));
      settle(raw, 3);
      reset.countDown();
      assertTrue(closed.await(Await.SECONDS, TimeUnit.SECONDS), "the view is not closed");
    }
    assertTrue(read <= ScanWatch.EVENTS_BETWEEN, read + " events after the reset");
  }

  /// What a connection asked for ends with it.
  @Test
  void aQueryOfAConnectionThatIsEndedStops() throws Exception {
    store.shown = new EndlessView();
    try (RawHttp2 raw = new RawHttp2(daemon.httpAddress().getPort())) {
      raw.send(RawHttp2.request(1, "/v1/query?type=*", END));
      assertTrue(opened.await(Await.SECONDS, TimeUnit.SECONDS), "the query does not read");
      assertTrue(raw.floodUntilEnded(Http2Flood.PING::frames, 100_000, true));
      reset.countDown();
      assertTrue(closed.await(Await.SECONDS, TimeUnit.SECONDS), "the view is not closed");
    }
    assertTrue(read <= ScanWatch.EVENTS_BETWEEN, read + " events after the end");
  }

  /// One partition, whose events the filter drops; there are more than a query may read.
  private final class EndlessView implements StoreView {
    private static final long DAY = PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;

    @Override
    public List<PartitionInfo> partitions(
        Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since) {
      PartitionKey key = new PartitionKey(0, PartitionKey.MINUTES_PER_DAY, "t", 0);
      return List.of(new PartitionInfo(key, 1, 0, DAY - 1));
    }

    @Override
    public List<TypeInfo> types(Predicate<String> types) {
      return List.of();
    }

    @Override
    public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
      return fromNanos < DAY ? new Span(0, DAY) : null;
    }

    @Override
    public Arrivals arrivals() {
      return new LaneArrivals(0, List.of(0L));
    }

    @Override
    public boolean isExpired(String type, long timeNanos) {
      return false;
    }

    @Override
    public EventCursor open(List<PartitionKey> partitions, Scan scan) {
      return new EndlessCursor(scan.watch());
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  private final class EndlessCursor implements EventCursor {
    private final ScanWatch watch;

    EndlessCursor(ScanWatch watch) {
      this.watch = watch;
    }

    @Override
    public Step next() {
      opened.countDown();
      try {
        reset.await();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
      while (read < EVENTS_MAX) {
        read++;
        watch.event();
      }
      return Step.END;
    }

    @Override
    public EventView event() {
      throw new IllegalStateException("no event is kept");
    }

    @Override
    public ScanStatistics statistics() {
      return ScanStatistics.NONE;
    }

    @Override
    public void close() {}
  }
}
