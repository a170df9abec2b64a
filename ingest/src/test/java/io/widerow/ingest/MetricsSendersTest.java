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
import io.micrometer.core.instrument.Timer;
import io.micrometer.statsd.StatsdConfig;
import io.micrometer.statsd.StatsdMeterRegistry;
import io.micrometer.statsd.StatsdProtocol;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what widely used libraries send to Graphite and StatsD is stored, each value once and
/// unchanged. Method: Dropwizard Metrics 4.2.40 and Micrometer 1.17.2 against a daemon.
@Timeout(15)
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
                "graphite-pickle", "127.0.0.1:0",
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
    while (store.committed.size() < count && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
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
              default -> new PickledGraphite(address("graphite-pickle"), 1);
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
    try (PickledGraphite sender = new PickledGraphite(address("graphite-pickle"), 500)) {
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

  @ParameterizedTest
  @CsvSource({"UDP, true", "UDP, false", "TCP, true", "TCP, false"})
  void micrometer(StatsdProtocol transport, boolean buffered) {
    StatsdMeterRegistry metrics =
        new StatsdMeterRegistry(
            new Settings(transport, address("statsd").getPort(), buffered), Clock.SYSTEM);
    try {
      Counter orders = Counter.builder("orders").tag("shop", "berlin").register(metrics);
      Timer timer = Timer.builder("checkout").register(metrics);
      DistributionSummary sizes = DistributionSummary.builder("sizes").register(metrics);
      orders.increment(7);
      timer.record(Duration.ofMillis(125));
      sizes.record(0.5);
      awaitStored(3);
    } finally {
      metrics.close();
    }
    assertEquals("", store.committed.toString());
  }

  /// As users set it.
  private record Settings(StatsdProtocol protocol, int port, boolean buffered)
      implements StatsdConfig {
    @Override
    public @Nullable String get(String key) {
      return null;
    }
  }
}
