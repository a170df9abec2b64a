package io.widerow.storage.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Seeds;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.cursor.MergeCursor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: whatever the order of arrival, a view shows exactly the events published before it was
/// created, in order, the latest write of each id, in both directions, for any range. Method:
/// append events with random times, some on time, some late, some written again; publish at random
/// moments; compare views, also old ones, with a sorted map. The seed is the test's name; to replay
/// one, run with `-Dseed=<n>`.
class OpenRowsModelTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.UTF_8);
  private static final PartitionKey KEY = new PartitionKey(0, 1_440, "t", 0);

  static List<Long> seeds() {
    return Seeds.of(40);
  }

  /// An event of the model: what a view must show under an id.
  private record Shown(EventId id, long arrival) {}

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void viewsShowWhatWasPublished(long seed) {
    var random = new SplittableRandom(seed);
    TreeMap<EventId, Long> model = new TreeMap<>();
    List<OpenRows.View> views = new ArrayList<>();
    List<List<Shown>> expected = new ArrayList<>();
    try (var memory = new RowMemory(4 << 20, 1);
        var batch = new EventBatch(1 << 16, 1 << 16)) {
      var rows = Objects.requireNonNull(OpenRows.tryOpen(0, memory, 0, 0));
      long base = 0;
      int lateShare = random.nextInt(101);
      for (long arrival = 1; arrival <= 3_000; arrival++) {
        base += random.nextInt(3);
        long ticks = random.nextInt(100) < lateShare ? random.nextLong(base + 1) : base;
        EventId id =
            model.isEmpty() || random.nextInt(20) > 0
                ? new EventId(TimeUuid.UNIX_EPOCH_TICKS + ticks, TimeUuid.tailOf(0, 1, arrival))
                : existing(model, random);
        append(rows, batch, id, arrival);
        model.put(id, arrival);
        if (random.nextInt(100) == 0) {
          rows.publish();
          views.add(assertNotNullView(rows));
          expected.add(shown(model));
        }
      }
      for (int i = 0; i < views.size(); i++) {
        check(views.get(i), expected.get(i), random);
        views.get(i).close();
      }
      rows.close();
    }
  }

  private static OpenRows.View assertNotNullView(OpenRows rows) {
    var view = rows.view();
    assertNotNull(view);
    return view;
  }

  private static EventId existing(Map<EventId, Long> model, SplittableRandom random) {
    List<EventId> ids = List.copyOf(model.keySet());
    return ids.get(random.nextInt(ids.size()));
  }

  private static void append(OpenRows rows, EventBatch batch, EventId id, long arrival) {
    batch.clear();
    batch.begin(TYPE, 0, TYPE.length, id);
    batch.putLong(TYPE, 0, TYPE.length, arrival);
    assertEquals(null, batch.end());
    long at = rows.copyIn(batch.memory(), 0, EventLayout.length(batch.memory(), 0));
    EventLayout.setVersion(rows.memory(), at, arrival);
    assertEquals(true, rows.add(rows.row(KEY), at));
  }

  private static List<Shown> shown(Map<EventId, Long> model) {
    List<Shown> list = new ArrayList<>();
    model.forEach((id, arrival) -> list.add(new Shown(id, arrival)));
    return list;
  }

  private static void check(OpenRows.View view, List<Shown> all, SplittableRandom random) {
    OpenRow row = view.row(KEY);
    assertNotNull(row);
    EventId from = random.nextBoolean() ? EventId.LEAST : all.get(random.nextInt(all.size())).id();
    EventId until = random.nextBoolean() ? EventId.LIMIT : all.get(random.nextInt(all.size())).id();
    for (boolean descending : new boolean[] {false, true}) {
      List<Shown> wanted =
          all.stream()
              .filter(e -> e.id().compareTo(from) >= 0 && e.id().compareTo(until) < 0)
              .sorted(order(descending))
              .toList();
      Scan scan = Scan.all().withRange(from, until).withDescending(descending);
      List<Shown> found = new ArrayList<>();
      try (EventCursor cursor =
          MergeCursor.of(view.open(row, scan, new Filter.Everything(), null), descending)) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          found.add(new Shown(cursor.event().id(), cursor.event().version()));
        }
      }
      assertEquals(wanted, found);
    }
  }

  private static Comparator<Shown> order(boolean descending) {
    Comparator<Shown> ascending = Comparator.comparing(Shown::id);
    return descending ? ascending.reversed() : ascending;
  }
}
