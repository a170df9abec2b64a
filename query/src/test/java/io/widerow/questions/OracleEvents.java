package io.widerow.questions;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Events for the oracle, numbered from 0 in the order of writing. They have 8 types; three of ten
/// share a full millisecond with others; one of ten is late by up to two days. Events of the types
/// from `own.a` on have ids that the sender chose, and one of fifty of these replaces an earlier
/// event. The expected answer of each store is a sorted list.
public final class OracleEvents {
  public static final List<String> TYPES =
      List.of("access", "access.error", "cpu", "disk", "own.a", "own.b", "own.c", "own|d");
  private static final int OWN_FROM = 4;

  /// Time of the first event that is not late, in nanoseconds since the Unix epoch.
  public static final long START = 1_763_600_000_000_000_000L;

  /// Time over which the events that are not late are spread, in nanoseconds.
  public static final long SPAN = 12 * 3_600_000_000_000L;

  private static final long LATE = 48 * 3_600_000_000_000L;
  private static final int CHUNK = 500;
  private static final int DAEMON_OF_CLIENTS = 511;

  private final long[] nanos;
  private final byte[] types;
  private final int[] replaces; // the number whose id it reuses, or else its own number
  private final boolean[] hidden; // replaced by a later event

  /// @param count number of events
  public OracleEvents(int count, SplittableRandom random) {
    nanos = new long[count];
    types = new byte[count];
    replaces = new int[count];
    hidden = new boolean[count];
    int[] last = new int[TYPES.size()]; // an earlier event of each type with a fresh id
    Arrays.fill(last, -1);
    for (int i = 0; i < count; i++) {
      types[i] = (byte) random.nextInt(TYPES.size());
      replaces[i] = i;
      int earlier = last[types[i]];
      if (types[i] >= OWN_FROM && earlier >= 0 && random.nextInt(50) == 0) {
        replaces[i] = earlier;
        nanos[i] = nanos[earlier];
        hidden[earlier] = true;
        last[types[i]] = -1;
        continue;
      }
      nanos[i] = START + (long) ((double) i / count * SPAN) + random.nextLong(1_000_000_000L);
      if (random.nextInt(10) == 0) {
        nanos[i] -= random.nextLong(LATE);
      }
      if (random.nextInt(10) < 3) {
        nanos[i] -= nanos[i] % 1_000_000;
      }
      if (random.nextInt(100) == 0) {
        last[types[i]] = i;
      }
    }
  }

  public int count() {
    return nanos.length;
  }

  /// The time of an event, in nanoseconds since the Unix epoch.
  public long nanos(int number) {
    return nanos[number];
  }

  public String type(int number) {
    return TYPES.get(types[number]);
  }

  private boolean isOwn(int number) {
    return types[number] >= OWN_FROM;
  }

  /// The number in `n`, from which everything else about an event follows.
  private EventId ownId(int number) {
    long time = nanos[number];
    long tail = TimeUuid.tailOf(time, DAEMON_OF_CLIENTS, replaces[number]);
    return new EventId(TimeUuid.timeOfNanos(time), tail);
  }

  /// Numbers of the visible events, ordered by id, then type. Assigned ids have the store's number
  /// 0, which sorts before that of the clients, and then the order of arrival.
  public int[] sorted() {
    return java.util.stream.IntStream.range(0, count())
        .filter(i -> !hidden[i])
        .boxed()
        .sorted((a, b) -> {
          int order = Long.compare(nanos[a], nanos[b]);
          order = order != 0 ? order : Boolean.compare(isOwn(a), isOwn(b));
          return order != 0 ? order : Integer.compare(replaces[a], replaces[b]);
        })
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /// Writes events `[from, until)` to a store in chunks. Each chunk is one batch for one lane, and
  /// one batch for every lane with the events whose ids the sender chose.
  public void write(EventStore store, int from, int until) {
    int lanes = store.lanes();
    EventBatch[] own = new EventBatch[lanes];
    Arrays.setAll(own, _ -> new EventBatch(1 << 16, 1 << 24));
    try (var assigned = new EventBatch(1 << 16, 1 << 24)) {
      for (int chunk = from; chunk < until; chunk += CHUNK) {
        int end = Math.min(until, chunk + CHUNK);
        for (int i = chunk; i < end; i++) {
          put(i, isOwn(i) ? own[store.laneOf(ownId(i))] : assigned);
        }
        append(store, chunk / CHUNK % lanes, assigned, chunk);
        for (int lane = 0; lane < lanes; lane++) {
          append(store, lane, own[lane], chunk);
          store.lane(lane).commit(Durability.MEMORY);
        }
      }
    } finally {
      for (EventBatch batch : own) {
        batch.close();
      }
    }
  }

  private void put(int number, EventBatch batch) {
    byte[] type = utf8(TYPES.get(types[number]));
    if (isOwn(number)) {
      batch.begin(type, 0, type.length, ownId(number));
    } else {
      batch.begin(type, 0, type.length, nanos[number]);
    }
    byte[] body = utf8("GET /item/" + number % 1_000 + " took " + number % 77);
    batch.putString(new byte[] {'b', 'o', 'd', 'y'}, 0, 4, body);
    batch.putLong(new byte[] {'n'}, 0, 1, number);
    batch.putDouble(new byte[] {'x'}, 0, 1, number / 8.0);
    if (number % 3 == 0) {
      batch.putString(new byte[] {'h', 'o', 's', 't'}, 0, 4, utf8("h" + number % 5));
    }
    if (batch.end() != null) {
      throw new AssertionError("event " + number);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void append(EventStore store, int lane, EventBatch batch, long placement) {
    if (batch.count() > 0) {
      store
          .lane(lane)
          .append(
              batch,
              placement,
              (index, why) -> {
                throw new AssertionError(index + ": " + why);
              });
      batch.clear();
    }
  }
}
