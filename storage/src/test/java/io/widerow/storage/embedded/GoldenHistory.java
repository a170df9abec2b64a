package io.widerow.storage.embedded;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.faults.GoldenZip;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// Events and writer of the golden store of two lanes with a thin history: one hour of each of
/// eight days, then one hour of a ninth day. Each round writes 32 events to both lanes.
///
/// ```
///   rounds 0 to 7   sealed, then merged, one hour each; all in one bucket of 8 days
///   round 8         sealed, then merged
///   round 9         late, of the same hour; sealed only
///   round 10        late, of the same hour; in the journals, and the witness tells of it
///   round 11        the same, after the last witness
/// ```
///
/// The merge after round 7 makes one segment of 8 days of those merged before and the two that were
/// just sealed.
final class GoldenHistory {
  static final String NAME = "store-v1-history";
  static final int ROUNDS = 12;
  static final int ROUNDS_SEALED = 10;
  static final int LANES = 2;

  /// Events of a round.
  static final int EVENTS = 32;

  private static final int ROUND_LATE = 9;
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long DAY = 24 * HOUR;

  /// 2023-11-11, the start of a bucket of 8 days.
  private static final long START_NANOS = 19_672 * DAY;

  private static final List<String> TYPES = List.of("alarm", "door", "note");
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private GoldenHistory() {}

  static StoreConfig config(Path directory) {
    return StoreConfig.at(directory)
        .withLanes(LANES, LANES)
        .withBuckets(60, Map.of())
        .withMemory(8 << 20, Duration.ofHours(1))
        .withJournal(1 << 20, 2 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  /// Whether the event has an id from the client. Those of the rounds of one hour are equal, so the
  /// last one replaces the others.
  static boolean isOwn(long number) {
    return number % 8 == 3;
  }

  private static EventId ownId(long number) {
    return new EventId(
        TimeUuid.timeOfNanos(timeNanos(number) / 1_000_000 * 1_000_000),
        TimeUuid.tailOf(0, 511, number % EVENTS));
  }

  static String type(long number) {
    return TYPES.get((int) (number % EVENTS % TYPES.size()));
  }

  /// The time; of an event with [#isOwn] that of its id.
  static long timeNanos(long number) {
    long round = number / EVENTS;
    long day = Math.min(round, 8);
    long hour = day * 5 % 24;
    long nanos = isOwn(number) ? 0 : round + 1;
    return START_NANOS + day * DAY + hour * HOUR + number % EVENTS * 1_000_000 + nanos;
  }

  /// Numbers of the events that no later one replaces, in ascending order.
  static List<Long> expected(int rounds) {
    Map<EventId, Long> own = new TreeMap<>();
    numbers(rounds).filter(GoldenHistory::isOwn).forEach(n -> own.put(ownId(n), n));
    return Stream.concat(numbers(rounds).filter(n -> !isOwn(n)).boxed(), own.values().stream())
        .sorted()
        .toList();
  }

  private static LongStream numbers(int rounds) {
    return LongStream.range(0, (long) rounds * EVENTS);
  }

  /// Writes a round and makes it durable; an event with an id goes to the lane of this id.
  static void write(EmbeddedStore store, int round) {
    try (var batch = new EventBatch(1 << 12, 1 << 20)) {
      for (int lane = 0; lane < LANES; lane++) {
        batch.clear();
        for (long n = (long) round * EVENTS; n < (round + 1L) * EVENTS; n++) {
          if (lane == (isOwn(n) ? store.laneOf(ownId(n)) : n % LANES)) {
            add(batch, n);
          }
        }
        Appends.all(store.lane(lane), batch, round);
        store.lane(lane).note(new byte[] {42});
        store.lane(lane).commit(Durability.DISK);
      }
    }
  }

  private static void add(EventBatch batch, long number) {
    byte[] type = type(number).getBytes(StandardCharsets.UTF_8);
    if (isOwn(number)) {
      batch.begin(type, 0, type.length, ownId(number));
    } else {
      batch.begin(type, 0, type.length, timeNanos(number));
    }
    batch.putLong(NUMBER, 0, NUMBER.length, number);
    byte[] body = ("door " + number + " opened").getBytes(StandardCharsets.UTF_8);
    batch.putString(BODY, 0, BODY.length, body);
    var rejection = batch.end();
    if (rejection != null) {
      throw new IllegalStateException("event " + number + ": " + rejection);
    }
  }

  /// Writes the golden store, as a process leaves it that dies.
  ///
  /// @param directory for the store
  /// @param out for the zip
  static void write(Path directory, Path out) throws IOException {
    Path path = directory.resolve(NAME);
    try (EmbeddedStore store = EmbeddedStore.open(config(path), Runnable::run)) {
      for (int round = 0; round < ROUNDS; round++) {
        write(store, round);
        if (round < ROUNDS_SEALED) {
          store.sealAll();
        }
        if (round < ROUND_LATE || round == ROUNDS_SEALED) {
          store.maintain();
        }
      }
      GoldenZip.pack(path, out.resolve(NAME + ".zip"));
    }
  }
}
