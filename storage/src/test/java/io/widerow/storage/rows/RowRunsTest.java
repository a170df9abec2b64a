package io.widerow.storage.rows;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView.Span;
import io.widerow.storage.sketch.EventRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the runs and single events of an open row are exactly the events that the filter, the
/// range and the spans keep. Method: random samples in bodies whose series take turns or come one
/// after the other, so that the row has several runs or a merge of them; with whole numbers that
/// are labels, fractions that are none, numbers of both kinds or none. All is taken apart and
/// compared with the events that cursors show.
class RowRunsTest {
  private static final long START = 1_700_000_000_000_000_000L;
  private static final PartitionKey KEY = new PartitionKey(0, 60, "hits", 0);
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final AttributeName HOST = AttributeName.of("host");
  private static final int EVENTS = 9_000;

  private final RowMemory memory = new RowMemory(16 << 20, 1);
  private final OpenRows rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));

  @AfterEach
  void close() {
    rows.close();
    memory.close();
  }

  private static void put(EventBatch batch, String name, @Nullable Object value) {
    byte[] utf8 = name.getBytes(UTF_8);
    switch (value) {
      case String text -> batch.putString(utf8, 0, utf8.length, text.getBytes(UTF_8));
      case Long number -> batch.putLong(utf8, 0, utf8.length, number);
      case Double number -> batch.putDouble(utf8, 0, utf8.length, number);
      case Boolean truth -> batch.putBoolean(utf8, 0, utf8.length, truth);
      case null, default -> {}
    }
  }

  private void fill(SplittableRandom random) {
    int hosts = 1 + random.nextInt(30);
    int together = random.nextBoolean() ? 1 : 1 + random.nextInt(60); // samples of a series
    boolean mixed = random.nextBoolean();
    boolean labelled = random.nextBoolean();
    try (var batch = new EventBatch(1 << 16, 1 << 20)) {
      byte[] type = KEY.type().getBytes(UTF_8);
      for (int i = 0; i < EVENTS; i++) {
        int body = i / (hosts * together);
        long nanos = START + (body * together + i % together) * 15_000_000_000L;
        batch.clear();
        batch.begin(type, 0, type.length, nanos);
        put(batch, "host", "h" + i / together % hosts);
        put(batch, "code", labelled ? 200L + random.nextInt(2) : null);
        put(batch, "exemplar", mixed && random.nextInt(20) == 0 ? random.nextDouble() : null);
        boolean stale = mixed && random.nextInt(10) == 0;
        boolean whole = mixed && random.nextInt(4) == 0;
        put(batch, "stale", stale ? true : null);
        put(batch, "value", stale ? null : whole ? random.nextLong() : random.nextDouble());
        assertNull(batch.end());
        int length = EventLayout.length(batch.memory(), 0);
        long at = rows.copyIn(batch.memory(), 0, length);
        EventLayout.setIdTail(rows.memory(), at, TimeUuid.tailOf(nanos, 1, i));
        assertTrue(rows.add(rows.row(KEY), at));
      }
    }
    rows.publish();
  }

  private static String shown(EventView event, long nanos, long arrival, @Nullable Long bits) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>(TestEvent.copyOf(event).attributes());
    if (attributes.get(VALUE) instanceof TestEvent.Bits(AttributeKind kind, long own)) {
      attributes.put(VALUE, new TestEvent.Bits(kind, bits == null ? own : bits));
    }
    return nanos + " " + arrival + " " + attributes;
  }

  private static List<String> shown(List<EventCursor> cursors) {
    List<String> found = new ArrayList<>();
    Map<Object, String> byKey = new HashMap<>();
    for (EventCursor cursor : cursors) {
      try (cursor) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          EventView event = cursor.event();
          if (event instanceof EventRun run) {
            String common = shown(run, 0, 0, 0L);
            assertEquals(common, byKey.getOrDefault(Objects.requireNonNull(run.key()), common));
            byKey.put(Objects.requireNonNull(run.key()), common);
            for (int i = 0; i < run.size(); i++) {
              found.add(shown(run, run.timeNanos(i), run.arrival(i), run.bits(i)));
            }
          } else {
            found.add(shown(event, event.timeNanos(), event.arrival(), null));
          }
        }
        assertSame(EventCursor.Step.END, cursor.next());
      }
    }
    found.sort(null);
    return found;
  }

  private static List<Span> spans(SplittableRandom random) {
    List<Span> spans = new ArrayList<>();
    long from = START - 1_000;
    for (int i = random.nextInt(5); i > 0; i--) {
      from += random.nextLong(4_000_000_000_000L);
      spans.add(new Span(from, from + 1 + random.nextLong(2_000_000_000_000L)));
      from = spans.getLast().untilNanos() + 1;
    }
    return spans;
  }

  private static boolean isIn(List<Span> spans, String shown) {
    long nanos = Long.parseLong(shown.substring(0, shown.indexOf(' ')));
    return spans.isEmpty()
        || spans.stream().anyMatch(each -> nanos >= each.fromNanos() && nanos < each.untilNanos());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void runsAndSinglesAreTheEvents(long seed) {
    var random = new SplittableRandom(seed);
    fill(random);
    List<Filter> filters =
        List.of(
            new Filter.Everything(),
            new Filter.Contains(HOST, Text.of("1")),
            new Filter.Exists(VALUE),
            new Filter.Compare(VALUE, Filter.Comparison.GREATER, new Filter.Literal.Fraction(0.5)),
            new Filter.OfTime(Filter.Comparison.GREATER, START + 300_000_000_000L));
    try (OpenRows.View view = Objects.requireNonNull(rows.view())) {
      OpenRow row = Objects.requireNonNull(view.row(KEY));
      for (Filter filter : filters) {
        List<Span> spans = spans(random);
        Scan scan =
            Scan.ofTime(
                START + random.nextLong(500_000_000_000L),
                START + random.nextLong(40_000_000_000_000L));
        var runs = new Grouping.Runs(VALUE, spans);
        List<EventCursor> cursors =
            row.runs().stream()
                .map(run -> RunCursor.Entries.from(rows.memory(), Long.MAX_VALUE, run, 0))
                .<EventCursor>map(each -> new RowRuns(each, runs, scan, filter))
                .toList();
        List<String> wanted = shown(view.open(row, scan, filter, null));
        wanted.removeIf(each -> !isIn(spans, each));
        assertEquals(wanted, shown(cursors));
      }
    }
  }
}
