package io.widerow.storage.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.FoldedText;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.AccessLogEvents;
import io.widerow.faults.Await;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.cursor.MergeCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a filter keeps the same events of an open row on whatever thread it runs, and no thread
/// reads after the cursor is closed. Method: access-log lines, some late, so that there are several
/// runs; filters of all kinds, both directions and a part of the row, compared with the filter
/// applied to each event; executors that run tasks at once, on another thread, later, or never.
@Timeout(300)
class RunPrefiltersTest {
  private static final int EVENTS = 24_000;
  private static final PartitionKey KEY = new PartitionKey(0, 60, "apache.access", 0);
  private static final AttributeName BODY = AttributeName.BODY;
  private static final AttributeName NONE = AttributeName.of("none");

  private final RowMemory memory = new RowMemory(16 << 20, 1);
  private final OpenRows rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));
  private OpenRows.View view;
  private OpenRow row;

  @BeforeEach
  void fill() {
    try (var batch = new EventBatch(1 << 20, 16 << 20)) {
      AccessLogEvents.of(7).fill(batch, EVENTS);
      long from = 0;
      for (int arrival = 0; arrival < EVENTS; arrival++) {
        int length = EventLayout.length(batch.memory(), from);
        long at = rows.copyIn(batch.memory(), from, length);
        EventLayout.setIdTail(rows.memory(), at, TimeUuid.tailOf(0, 1, arrival));
        assertTrue(rows.add(rows.row(KEY), at));
        from += EventLayout.alignedLength(length);
      }
    }
    rows.publish();
    view = Objects.requireNonNull(rows.view());
    row = Objects.requireNonNull(view.row(KEY));
    assertTrue(row.runs().size() > 1, "one run");
  }

  @AfterEach
  void close() {
    view.close();
    rows.close();
    memory.close();
  }

  static List<Filter> filters() {
    Filter word = new Filter.Has(BODY, Text.of("Mozilla"));
    Filter part = new Filter.Contains(BODY, Text.of("bot"));
    return List.of(
        word,
        part,
        new Filter.Contains(BODY, Text.of("zyxwvu")),
        new Filter.Has(BODY, Text.of("ozill")),
        new Filter.And(List.of(word, part)),
        new Filter.Or(List.of(part, new Filter.Contains(BODY, Text.of("favicon")))),
        new Filter.Or(List.of(part, new Filter.Exists(NONE))),
        new Filter.Not(word),
        new Filter.Exists(BODY),
        new Filter.Exists(NONE),
        new Filter.ContainsFolded(BODY, FoldedText.of("mOZILLA")),
        new Filter.Compare(NONE, Filter.Comparison.NOT_EQUAL, new Filter.Literal.Whole(5)),
        new Filter.And(
            List.of(
                part,
                new Filter.OfType(
                    new Filter.Compare(
                        BODY,
                        Filter.Comparison.NOT_EQUAL,
                        new Filter.Literal.Word(Text.of("other")))))),
        new Filter.Contains(NONE, Text.of("bot")),
        new Filter.Compare(BODY, Filter.Comparison.GREATER, new Filter.Literal.Word(Text.of("2"))),
        new Filter.Matches(BODY, (_, _, length) -> length % 7 == 0));
  }

  @ParameterizedTest
  @MethodSource("filters")
  void whatIsKeptDoesNotDependOnTheThread(Filter filter) {
    for (boolean descending : new boolean[] {false, true}) {
      Scan all = Scan.all().withDescending(descending);
      List<TestEvent> each = read(all, new Filter.Everything(), null);
      EventId low = each.get(5_000).id();
      EventId high = each.get(19_000).id();
      Scan part = descending ? all.withRange(high, low) : all.withRange(low, high);
      for (Scan scan : List.of(all, part)) {
        List<TestEvent> kept =
            each.stream()
                .filter(event -> event.id().compareTo(scan.from()) >= 0)
                .filter(event -> event.id().compareTo(scan.until()) < 0)
                .filter(event -> FilterEvaluation.keeps(filter, event, new AttributeValue()))
                .toList();
        assertEquals(kept, read(scan, filter, null));
        assertEquals(kept, read(scan, filter, Runnable::run));
        assertEquals(kept, read(scan, filter, task -> Thread.ofPlatform().start(task)));
        assertEquals(kept, read(scan, filter, _ -> {})); // nobody has time
      }
    }
  }

  private List<TestEvent> read(Scan scan, Filter filter, @Nullable Executor threads) {
    List<TestEvent> found = new ArrayList<>();
    try (EventCursor cursor =
        MergeCursor.of(view.open(row, scan, filter, threads), scan.descending())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
      ScanStatistics statistics = cursor.statistics();
      assertEquals(found.size(), statistics.eventsKept());
      assertTrue(statistics.eventsScanned() >= found.size(), statistics::toString);
      if (scan.equals(Scan.all())) {
        assertEquals(EVENTS, statistics.eventsScanned());
      }
    }
    return found;
  }

  @Test
  void othersAreAskedOnlyWhereThereIsMuch() {
    AtomicInteger asked = new AtomicInteger();
    Executor counting =
        task -> {
          asked.incrementAndGet();
          task.run();
        };
    read(Scan.all(), new Filter.Everything(), counting);
    assertEquals(0, asked.get());
    try (EventCursor cursor = mostEvents(new Filter.Exists(BODY), counting)) {
      for (int i = 0; i < 2_000; i++) {
        assertEquals(EventCursor.Step.EVENT, cursor.next());
      }
      assertEquals(0, asked.get());
    }
    read(Scan.all(), new Filter.Exists(BODY), counting);
    assertTrue(asked.get() > 1, () -> asked + " pieces");
  }

  /// A cursor over the run with most events, which holds the events that were on time.
  private EventCursor mostEvents(Filter filter, Executor threads) {
    List<EventCursor> cursors = view.open(row, Scan.all(), filter, threads);
    return cursors.stream()
        .max((a, b) -> Integer.compare(((RunCursor) a).entries(), ((RunCursor) b).entries()))
        .orElseThrow();
  }

  @Test
  void whatAnotherThreadMetIsToldTheReader() {
    Filter.TextTest failing =
        (_, _, _) -> {
          if (Thread.currentThread().getName().equals("other")) {
            throw new IllegalStateException("met");
          }
          return true;
        };
    Executor others = task -> join(Thread.ofPlatform().name("other").start(task));
    try (EventCursor cursor = mostEvents(new Filter.Matches(BODY, failing), others)) {
      IllegalStateException told =
          assertThrows(
              IllegalStateException.class,
              () -> {
                while (cursor.next() == EventCursor.Step.EVENT) {
                  assertEquals(KEY.type(), cursor.event().type());
                }
              });
      assertEquals("met", told.getMessage());
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Test
  void noThreadReadsAfterTheCursorIsClosed() throws InterruptedException {
    CountDownLatch looking = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger looks = new AtomicInteger();
    Filter.TextTest slow =
        (_, _, _) -> {
          looks.incrementAndGet();
          if (Thread.currentThread().getName().equals("other")) {
            looking.countDown();
            await(goOn);
          }
          return true;
        };
    Queue<Runnable> late = new ArrayDeque<>();
    EventCursor cursor = mostEvents(new Filter.Matches(BODY, slow), late::add);
    while (late.size() < 2) {
      assertEquals(EventCursor.Step.EVENT, cursor.next());
    }
    Thread other = Thread.ofPlatform().name("other").start(Objects.requireNonNull(late.poll()));
    looking.await();
    Thread closing = Thread.ofPlatform().start(cursor::close);
    Await.until(() -> closing.getState() == Thread.State.WAITING, "the closing waits");
    assertTrue(other.isAlive());
    goOn.countDown();
    closing.join();
    other.join();
    int before = looks.get();
    Objects.requireNonNull(late.poll()).run();
    assertEquals(before, looks.get(), "it was begun after the end");
    assertFalse(other.isAlive());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /// The filter itself searches texts that are too long for the prefilter.
  @Test
  void longTextsAreFoundToo() {
    try (var more = new RowMemory(4 << 20, 1);
        var batch = new EventBatch(1 << 20, 4 << 20)) {
      OpenRows large = Objects.requireNonNull(OpenRows.tryOpen(0, more, 0, 0));
      byte[] type = {'t'};
      byte[] body = {'b', 'o', 'd', 'y'};
      PartitionKey key = new PartitionKey(0, 60, "t", 0);
      int[] lengths = {
        10, 1_000, 1_100, 8_175, 8_176, 8_177, 8_192, 65_519, 65_520, 65_521, 65_536, 500_000
      };
      for (int i = 0; i < lengths.length; i++) {
        byte[] text = new byte[lengths[i]];
        Arrays.fill(text, (byte) 'a');
        text[lengths[i] - 2] = 'x';
        text[lengths[i] - 1] = 'y';
        batch.clear();
        batch.begin(type, 0, 1, i);
        batch.putString(body, 0, body.length, text, 0, text.length);
        assertEquals(null, batch.end());
        long at = large.copyIn(batch.memory(), 0, EventLayout.length(batch.memory(), 0));
        EventLayout.setIdTail(large.memory(), at, TimeUuid.tailOf(0, 1, i));
        assertTrue(large.add(large.row(key), at));
      }
      large.publish();
      try (OpenRows.View shown = Objects.requireNonNull(large.view())) {
        OpenRow its = Objects.requireNonNull(shown.row(key));
        for (String needle : List.of("xy", "xya", "axy")) {
          Filter filter = new Filter.Contains(BODY, Text.of(needle));
          int found = 0;
          try (EventCursor cursor =
              MergeCursor.of(shown.open(its, Scan.all(), filter, null), false)) {
            while (cursor.next() == EventCursor.Step.EVENT) {
              found++;
            }
          }
          assertEquals(needle.equals("xya") ? 0 : lengths.length, found);
        }
      }
      large.close();
    }
  }
}
