package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.Rejection;
import io.widerow.event.TimeUuid;
import io.widerow.faults.StoreReading;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Events with a number, a value that groups and, some of them, ids of their own, in a
/// [RetentionStore]; and what figures of them should be, however many of them are gone.
final class FigureStore {
  static final long HOUR_NANOS = 3_600_000_000_000L;
  static final long DAY_NANOS = 24 * HOUR_NANOS;

  /// An event as it was written last.
  record Written(String type, long nanos, long number, long value) {}

  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] VALUE = "value".getBytes(StandardCharsets.UTF_8);

  private final Map<String, Written> written = new HashMap<>(); // by number, or type and own id
  private long number;

  static RollupDefinition rollup(String name, String glob, int minutes, @Nullable Duration keep) {
    var field = new RollupField(AttributeName.of("n"), RollupFigure.ALL);
    var shape = new RollupShape(minutes, List.of(AttributeName.of("value")), List.of(field));
    return new RollupDefinition(name, glob, shape, "sum(n)", keep);
  }

  /// Writes events, a microsecond apart.
  ///
  /// @param own true to give them ids of their own: the same for the same type and time
  void write(RetentionStore it, String type, long nanos, int count, boolean own) {
    write(it.store(), type, nanos, count, own);
  }

  /// The same to any store.
  void write(EmbeddedStore store, String type, long nanos, int count, boolean own) {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    Map<String, Written> more = new HashMap<>();
    List<String> refused = new ArrayList<>();
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < count; i++) {
        long at = nanos + i * 1_000L;
        var event = new Written(type, at, ++number, number % 3);
        if (own) {
          var id = new EventId(TimeUuid.timeOfNanos(at), TimeUuid.tailOf(0, 1, 0));
          batch.begin(utf8, 0, utf8.length, id);
          more.put(type + id, event);
        } else {
          batch.begin(utf8, 0, utf8.length, at);
          more.put("" + number, event);
        }
        batch.putLong(NUMBER, 0, NUMBER.length, event.number);
        batch.putLong(VALUE, 0, VALUE.length, event.value);
        assertEquals(null, batch.end());
      }
      store.lane(0).append(batch, 0, refusals(refused));
    }
    store.lane(0).commit(Durability.DISK);
    assertEquals(List.of(), refused);
    written.putAll(more);
  }

  private static LaneWriter.Rejections refusals(List<String> refused) {
    return new LaneWriter.Rejections() {
      @Override
      public void rejected(int index, Rejection why) {
        refused.add(why.reason());
      }

      @Override
      public void pastRetention(int index, Duration kept) {
        refused.add(Rejection.pastRetention(kept));
      }
    };
  }

  /// Forgets events: figures of them are not expected any more.
  void forget(Predicate<Written> which) {
    written.values().removeIf(which);
  }

  /// Sum and number of events, by type, hour and value.
  Map<String, String> expected() {
    Map<String, long[]> sums = new TreeMap<>();
    for (Written event : written.values()) {
      String group = "%s %d %d".formatted(event.type, event.nanos / HOUR_NANOS, event.value);
      long[] sum = sums.computeIfAbsent(group, _ -> new long[2]);
      sum[0] += event.number;
      sum[1]++;
    }
    Map<String, String> expected = new TreeMap<>();
    sums.forEach((group, sum) -> expected.put(group, sum[0] + " of " + sum[1]));
    return expected;
  }

  /// The same as the store has it.
  static Map<String, String> figures(EmbeddedStore store, ScanWatch watch) {
    Map<String, String> figures = new TreeMap<>();
    try (StoreView view = store.view()) {
      StoreReading.keptSums(view, _ -> true, 0, Long.MAX_VALUE / 2, watch)
          .forEach((group, sum) -> figures.put(group, sum.whole() + " of " + sum.count()));
    }
    return figures;
  }

  static Map<String, String> figures(EmbeddedStore store) {
    var watch = new ScanWatch(() -> {});
    Map<String, String> figures = figures(store, watch);
    assertEquals(0, watch.missingMinutes(), "missing minutes");
    return figures;
  }

  static long filesOfFigures(RetentionStore it) {
    return it.disk.files().stream().filter(file -> file.toString().endsWith(".fig")).count();
  }
}
