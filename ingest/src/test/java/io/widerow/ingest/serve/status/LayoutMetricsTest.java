package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.event.EventBatch;
import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.faults.Await;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: metrics of the layout get new values without new meters. When a meter is removed and added
/// while the registry is read, the reader may find it twice.
class LayoutMetricsTest {
  private static void append(EmbeddedStore store, String type) {
    try (EventBatch events = new EventBatch(1 << 10, 1 << 20, 1 << 16)) {
      byte[] name = type.getBytes(StandardCharsets.UTF_8);
      events.begin(name, 0, name.length, store.nowNanos());
      assertEquals(null, events.end());
      int _ =
          store
              .lane(0)
              .append(
                  events,
                  0,
                  (_, why) -> {
                    throw new AssertionError(why.reason());
                  });
      long _ = store.lane(0).commit(Durability.DISK);
    }
  }

  /// Looks until there are so many types: the store takes them in once a second.
  private static void measure(LayoutService layout, SimpleMeterRegistry registry, int types)
      throws InterruptedException {
    Await.until(
        () -> {
          layout.look();
          layout.measure();
          return registry.find("widerow.type.shards").gauges().size() == types;
        },
        types + " types");
  }

  @Test
  void seriesThatStayAreRenewedInPlace(@TempDir Path directory) throws InterruptedException {
    StoreConfig config = StoreConfig.at(directory.resolve("store"));
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      var layout = new LayoutService(store, registry);
      var _ = store.layout().set(new LayoutOverride("*", 60, 1, Source.API));
      append(store, "a");
      measure(layout, registry, 1);
      Gauge width = registry.get("widerow.type.width.minutes").tag("type", "a").gauge();
      var _ = store.layout().set(new LayoutOverride("a", 30, LayoutOverride.UNSAID, Source.API));
      append(store, "b");
      measure(layout, registry, 2);
      assertSame(width, registry.get("widerow.type.width.minutes").tag("type", "a").gauge());
      assertEquals(30, width.value());
    }
  }
}
