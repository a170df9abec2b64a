package io.widerow.ingest;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.ColdKeys;
import io.widerow.ingest.config.HostName;
import io.widerow.ingest.doctor.Finding;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.objects.ColdMover;
import io.widerow.storage.objects.ColdObjects;
import io.widerow.storage.objects.ColdOptions;
import io.widerow.storage.objects.ObjectStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToDoubleFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The threads of segments that are kept elsewhere: `widerow-cold` moves them, `widerow-cold-read-`
/// threads read them for queries, one for each request.
final class ColdThreads implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final long BEHIND_BYTES_MAX = 10L << 30;
  private static final int MOVES_AT_ONCE = 16;

  private final ColdControl cold;
  private final ColdMover mover;
  private final ExecutorService readers =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().name("widerow-cold-read-", 0).daemon().factory());
  private final MaintenanceLoop moves = new MaintenanceLoop("widerow-cold");
  private volatile boolean closed;
  private String told = "ok"; // of the thread of the moves

  ColdThreads(ColdKeys keys, EmbeddedStore store, MeterRegistry registry) {
    ObjectStore objects = keys.place().open(keys.s3());
    cold = store.cold();
    cold.readFrom(new ColdObjects(objects, readers));
    mover = new ColdMover(cold, objects, ColdOptions.of(keys, HostName.value()), System::nanoTime);
    cold.cache(keys.cacheBytes());
    count("place", ColdControl::requests, registry);
    count("memory", ColdControl::hits, registry);
    count("disk", ColdControl::cacheHits, registry);
    FunctionCounter.builder("widerow.cold.read.bytes", cold, ColdControl::bytesRead)
        .register(registry);
    Gauge.builder("widerow.cold.bytes", mover, each -> each.status().bytes()).register(registry);
    Gauge.builder("widerow.cold.pending.bytes", mover, each -> each.status().pendingBytes())
        .register(registry);
    moves.repeat("moves to cold", PAUSE, this::step);
  }

  private void count(String source, ToDoubleFunction<ColdControl> reads, MeterRegistry registry) {
    FunctionCounter.builder("widerow.cold.reads", cold, reads)
        .tag("source", source)
        .register(registry);
  }

  ColdMover mover() {
    return mover;
  }

  private void step() {
    try {
      for (int left = MOVES_AT_ONCE; left > 0 && !closed && mover.step(); left--) {}
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    ColdMover.Status now = mover.status();
    if (!now.state().equals(told)) {
      LOG.log(
          now.state().equals("ok") ? Level.INFO : Level.WARNING,
          "cold at {0}: {1}{2}",
          new Object[] {now.at(), now.state(), now.reason() == null ? "" : ": " + now.reason()});
      told = now.state();
    }
  }

  /// What an operator should know.
  List<Finding> findings() {
    ColdMover.Status now = mover.status();
    String reason = now.reason() == null ? "" : ": " + now.reason();
    return switch (now.state()) {
      case "other-owner" ->
          List.of(
              finding(
                  "objects-owner",
                  null,
                  null,
                  "no segment is moved to `cold`" + reason,
                  "stop the other daemon, or run `widerow backup take-over`"));
      case "away" ->
          List.of(
              finding(
                  "objects-away",
                  (double) now.bytes(),
                  null,
                  "the place of old segments cannot be used" + reason,
                  "see the state of %s; newer events are not affected".formatted(now.at())));
      default ->
          now.pendingBytes() <= BEHIND_BYTES_MAX
              ? List.of()
              : List.of(
                  finding(
                      "cold-behind",
                      (double) now.pendingBytes(),
                      (double) BEHIND_BYTES_MAX,
                      "%d bytes should have moved to `cold`".formatted(now.pendingBytes()),
                      "see what slows down " + now.at()));
    };
  }

  private static Finding finding(
      String code, @Nullable Double value, @Nullable Double limit, String sentence, String act) {
    return new Finding(code, Finding.Severity.WARN, "store", value, limit, sentence, act);
  }

  /// Begins no more moves. Call it before the store is closed.
  @Override
  public void close() {
    closed = true;
    moves.stop();
    readers.shutdown();
    cold.closeCache();
  }
}
