package io.widerow.ingest.serve.reply;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Goal: there are ticks while enough threads compute, on each processor, and none before and
/// after. Method: ticks are counted.
@EnabledOnOs(OS.LINUX)
@Timeout(300)
class SchedulerTickerTest {
  private static void awaitMore(SchedulerTicker ticks) {
    long before = ticks.count();
    Await.until(() -> ticks.count() >= before + 20, "20 ticks");
  }

  /// Waits until the tickers wait for somebody to begin.
  private static void awaitRest(SchedulerTicker ticks) {
    Await.until(() -> ticks.rests(), "the ticks rest");
  }

  @Test
  void tickWhileSomebodyComputes() {
    var ticks = new SchedulerTicker(Processors.ofCaller()[0]);
    assertEquals(0, ticks.count());
    for (int round = 0; round < 3; round++) {
      ticks.begin();
      awaitMore(ticks);
      ticks.begin();
      ticks.end();
      awaitMore(ticks);
      ticks.end();
      awaitRest(ticks);
    }
  }

  @Test
  void waitUntilHalfOfTheProcessorsCompute() {
    int processor = Processors.ofCaller()[0];
    var ticks = new SchedulerTicker(processor, processor, processor);
    ticks.begin();
    assertTrue(ticks.rests());
    assertEquals(0, ticks.count());
    ticks.begin();
    awaitMore(ticks);
    ticks.end();
    awaitRest(ticks);
    ticks.end();
  }

  @Test
  void thereAreNoneWithoutProcessors() {
    var ticks = new SchedulerTicker();
    ticks.begin();
    assertTrue(ticks.rests());
    ticks.end();
    assertEquals(0, ticks.count());
  }

  @Test
  void knowWhetherSomebodyWrites() {
    var ticks = new SchedulerTicker();
    assertFalse(ticks.isWritten());
    var writing = new AtomicBoolean();
    try (var _ = ticks.watch(() -> false);
        var _ = ticks.watch(writing::get)) {
      assertFalse(ticks.isWritten());
      writing.set(true);
      assertTrue(ticks.isWritten());
    }
    assertFalse(ticks.isWritten());
  }

  @Test
  void aThreadStaysOnItsProcessor() throws Exception {
    int[] processors = Processors.ofCaller();
    int last = processors[processors.length - 1];
    var stays = new CompletableFuture<int[]>();
    Thread _ =
        Thread.ofPlatform()
            .start(() -> {
              assertTrue(Processors.stayOn(last));
              stays.complete(Processors.ofCaller());
            });
    assertArrayEquals(new int[] {last}, stays.get());
    assertArrayEquals(processors, Processors.ofCaller());
  }
}
