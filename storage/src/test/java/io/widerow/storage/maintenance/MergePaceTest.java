package io.widerow.storage.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.SegmentSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a merge waits while rows are sealed and as long again, but not when there are too many
/// segments. Method: a clock that the test sets, and another thread that waits.
@Timeout(300)
class MergePaceTest {
  private static final long TOOK_NANOS = TimeUnit.HOURS.toNanos(1); // for real, it never ends
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - TOOK_NANOS / 2); // wraps around
  private final MergePace pace = new MergePace(nanos::get);
  private final AtomicBoolean urgent = new AtomicBoolean();

  private CompletableFuture<Boolean> waiting() throws InterruptedException {
    var done = new CompletableFuture<Boolean>();
    Thread thread = Thread.ofPlatform().start(() -> done.complete(pace.await(urgent::get)));
    Await.until(
        () -> {
          assertFalse(done.isDone(), "it did not wait");
          return thread.getState() == Thread.State.WAITING
              || thread.getState() == Thread.State.TIMED_WAITING;
        },
        "it waits");
    return done;
  }

  private void seal() {
    pace.sealingBegins();
    nanos.addAndGet(TOOK_NANOS);
    pace.sealingEnds();
  }

  /// Seals in no time, which adds no wait of its own.
  private void haveItLook() {
    pace.sealingBegins();
    pace.sealingEnds();
  }

  @Test
  void nothingIsSealed() {
    assertTrue(pace.await(() -> false));
  }

  @Test
  void itWaitsAsLongAgainAsSealingTook() throws Exception {
    seal();
    CompletableFuture<Boolean> first = waiting();
    nanos.addAndGet(TOOK_NANOS - 1);
    haveItLook();
    assertFalse(first.isDone());
    nanos.addAndGet(1);
    haveItLook();
    assertTrue(first.get());
  }

  @Test
  void theLastOfSeveralEndsIt() throws Exception {
    pace.sealingBegins();
    pace.sealingBegins();
    pace.sealingEnds();
    CompletableFuture<Boolean> one = waiting();
    pace.sealingEnds();
    assertTrue(one.get());
  }

  @Test
  void urgentMergesDoNotWait() throws Exception {
    pace.sealingBegins();
    CompletableFuture<Boolean> one = waiting();
    urgent.set(true);
    seal(); // with the other one that goes on
    assertTrue(one.get());
    assertTrue(pace.await(urgent::get));
  }

  @Test
  void theEndOfTheStoreEndsIt() throws Exception {
    pace.sealingBegins();
    CompletableFuture<Boolean> one = waiting();
    pace.end();
    assertFalse(one.get());
    pace.sealingEnds();
    assertFalse(pace.await(() -> true));
  }

  @Test
  void aThreadThatIsInterruptedGivesUp() {
    pace.sealingBegins();
    Thread.currentThread().interrupt();
    assertFalse(pace.await(() -> false));
    assertTrue(Thread.interrupted(), "it stays interrupted");
  }

  private static LiveSegment segment(long id, String type, long from, long to) {
    var key = new PartitionKey(0, 60, type, 0);
    long tail = EventId.LEAST.tail();
    var least = new EventId(from, tail);
    var part = new SegmentSummary.Partition(key, 2, least, new EventId(to, tail), false);
    var entry = new SegmentEntry(id, 0, 60, false, 100, 2, PartitionTable.of(List.of(part)));
    return new LiveSegment(entry, new StorageException.Corrupt(Path.of("/none"), 0, "gone"));
  }

  /// `count` segments, each of which begins `step` after the previous one.
  private static List<LiveSegment> segments(int count, long step, long length) {
    List<LiveSegment> segments = new ArrayList<>();
    for (int i = count; i > 0; i--) {
      segments.add(segment(i, "log", i * step, i * step + length));
    }
    return segments;
  }

  @Test
  void manySegmentsAreUrgent() {
    assertFalse(MergePace.isUrgent(List.of()));
    assertFalse(MergePace.isUrgent(segments(MergePace.SEGMENTS_MAX - 1, 10, 9)));
    assertTrue(MergePace.isUrgent(segments(MergePace.SEGMENTS_MAX, 10, 9)));
  }

  @Test
  void overlappingSegmentsAreUrgent() {
    int most = MergePace.OVERLAPPING_MAX;
    long length = 10L * (most - 1); // to the beginning of the one that is so many further
    assertTrue(MergePace.isUrgent(segments(2 * most, 10, length)));
    assertFalse(MergePace.isUrgent(segments(2 * most, 10, length - 1)));
    List<LiveSegment> apart = segments(most - 1, 0, 5);
    apart.add(segment(1_000, "other", 0, 5));
    assertFalse(MergePace.isUrgent(apart), "of another partition");
    apart.add(segment(1_001, "log", 5, 5));
    assertTrue(MergePace.isUrgent(apart));
    assertEquals(most + 1, apart.size());
  }
}
