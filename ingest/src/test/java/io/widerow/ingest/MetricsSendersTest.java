package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.graphite.Graphite;
import com.codahale.metrics.graphite.GraphiteReporter;
import com.codahale.metrics.graphite.GraphiteSender;
import com.codahale.metrics.graphite.GraphiteUDP;
import com.codahale.metrics.graphite.PickledGraphite;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.statsd.StatsdConfig;
import io.micrometer.statsd.StatsdMeterRegistry;
import io.micrometer.statsd.StatsdProtocol;
import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what widely used libraries send to Graphite and StatsD is stored, each value once and
/// unchanged. Method: Dropwizard Metrics 4.2.40 and Micrometer 1.17.2 against a daemon.
@Timeout(300)
class MetricsSendersTest {
  private final MemoryStore store = new MemoryStore(1);
  private @Nullable Daemon running;

  @BeforeEach
  void start() {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "http", "127.0.0.1:0",
                "graphite", "127.0.0.1:0",
                "statsd", "127.0.0.1:0",
                "lanes", "1"));
    running = Daemon.start(config, store);
  }

  @AfterEach
  void end() {
    if (running != null) {
      running.close();
    }
  }

  private InetSocketAddress address(String protocol) {
    assertNotNull(running);
    InetSocketAddress address = running.socketAddress(protocol);
    assertNotNull(address);
    return address;
  }

  private void awaitStored(int count) {
    Await.until(() -> store.committed.size() >= count, count + " events are stored");
    assertEquals(count, store.committed.size(), () -> store.committed.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "udp", "pickle"})
  void dropwizard(String transport) throws IOException {
    MetricRegistry metrics = new MetricRegistry();
    metrics.counter("orders").inc(7);
    Gauge<Double> load = () -> 0.25;
    metrics.register("load", load);
    try (GraphiteSender sender =
            switch (transport) {
              case "tcp" -> new Graphite(address("graphite"));
              case "udp" -> new GraphiteUDP(address("graphite"));
              default -> new PickledGraphite(address("graphite"), 1);
            };
        GraphiteReporter reporter =
            GraphiteReporter.forRegistry(metrics).prefixedWith("web1").build(sender)) {
      reporter.report();
      awaitStored(2);
    }
    Map<String, Object> values = new TreeMap<>();
    for (MemoryStore.Stored event : store.committed) {
      assertEquals("graphite", event.type());
      assertEquals(0, event.timeNanos() % 1_000_000_000);
      Object before =
          values.put(
              String.valueOf(event.attributes().get("path")),
              event.attributes().getOrDefault("value", "none"));
      assertEquals(null, before);
    }
    assertEquals("{web1.load=0.25, web1.orders.count=7.0}", values.toString());
  }

  @Test
  void manyPickledMetricsOfOneFrame() throws IOException {
    try (PickledGraphite sender = new PickledGraphite(address("graphite"), 500)) {
      sender.connect();
      for (int i = 0; i < 500; i++) {
        sender.send("host" + i + ".load", Integer.toString(i), 1_767_323_045L);
      }
      sender.flush();
      awaitStored(500);
    }
    double sum = 0;
    for (MemoryStore.Stored event : store.committed) {
      sum += ((Number) event.attributes().getOrDefault("value", -1e9)).doubleValue();
      assertEquals(1_767_323_045_000_000_000L, event.timeNanos());
    }
    assertEquals(499 * 500 / 2, sum);
    assertEquals(500, store.committed.size());
  }

  /// Micrometer connects in the background and drops earlier counts, and its buffer is sent when it
  /// is full, or by a poll. So a first counter is counted until it has arrived, and polls are
  /// frequent.
  @ParameterizedTest
  @EnumSource(
      value = StatsdProtocol.class,
      names = {"UDP", "TCP"})
  void micrometer(StatsdProtocol transport) {
    Settings settings = new Settings(transport, address("statsd").getPort());
    StatsdMeterRegistry metrics = new StatsdMeterRegistry(settings, Clock.SYSTEM);
    try {
      Counter connected = metrics.counter("connected");
      while (store.committed.isEmpty() && !Thread.currentThread().isInterrupted()) {
        connected.increment();
        Await.pauseNanos(20_000_000);
      }
      Counter orders = Counter.builder("orders").tag("shop", "berlin").register(metrics);
      orders.increment(7);
      metrics.timer("checkout").record(Duration.ofMillis(125));
      DistributionSummary sizes = metrics.summary("sizes");
      for (int i = 0; i < 100; i++) {
        sizes.record(i + 0.5);
      }
      var _ = metrics.gauge("load", 0.25);
      Await.until(() -> micrometers().size() >= 103, "all meters have come");
    } finally {
      metrics.close();
    }
    List<String> all = micrometers();
    assertEquals("orders {kind=counter, shop=berlin, statistic=count, value=7}", all.get(0));
    assertEquals("checkout {kind=timer, value=125}", all.get(1));
    List<String> hundred =
        IntStream.range(0, 100)
            .mapToObj(i -> "sizes {kind=histogram, value=" + (i + 0.5) + "}")
            .toList();
    assertEquals(hundred, all.subList(2, 102));
    assertEquals(
        List.of("load {kind=gauge, statistic=value, value=0.25}"), all.subList(102, all.size()));
  }

  private List<String> micrometers() {
    synchronized (store.committed) {
      return store.committed.stream()
          .filter(event -> !event.type().equals("connected"))
          .map(event -> event.type() + " " + event.attributes())
          .toList();
    }
  }

  /// As users set it, with frequent polls.
  private record Settings(StatsdProtocol protocol, int port) implements StatsdConfig {
    @Override
    public @Nullable String get(String key) {
      return switch (key) {
        case "statsd.pollingFrequency" -> "50ms";
        case "statsd.publishUnchangedMeters" -> "false";
        default -> null;
      };
    }
  }
}
