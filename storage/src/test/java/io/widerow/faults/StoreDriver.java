package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Driver that writes random events to a store: several types, equal times, late ones, some with
/// ids of their own, some of these written again. It tracks appended and acknowledged events
/// separately.
public final class StoreDriver implements AutoCloseable {
  public static final List<String> TYPES = List.of("access", "broker", "cpu|load", "日誌");
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);
  private static final byte[] LEVEL = "level".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] VALUE = "value".getBytes(StandardCharsets.UTF_8);

  public final StoreModel acknowledged = new StoreModel();
  public final Map<Integer, List<StoreModel.Written>> appended =
      new HashMap<>(); // by lane, not committed

  /// Groups that were committed and not forced, by lane, oldest first.
  public final Map<Integer, List<List<StoreModel.Written>>> unforced = new HashMap<>();

  /// The events of each batch, by the number of its note.
  public final Map<Long, List<StoreModel.Written>> noted = new HashMap<>();

  private final SplittableRandom random;
  private final EventBatch batch = new EventBatch(1 << 12, 1 << 22);
  private final List<EventId> ownIds = new ArrayList<>();
  private long number;
  private long lateMaxNanos = 7_200_000_000_000L;
  private int lateOneIn = 10;
  private int bodyBytesMax;
  private boolean young;
  private boolean levels;

  public StoreDriver(SplittableRandom random) {
    this.random = random;
  }

  /// Makes every other event late, by up to this time. Over years most of them are alone in their
  /// bucket.
  public StoreDriver withThinHistory(Duration most) {
    lateMaxNanos = most.toNanos();
    lateOneIn = 2;
    return this;
  }

  /// Makes one in four events late, by up to this time, and nothing older than it: ids are written
  /// again only while they are younger.
  public StoreDriver withYoungEvents(Duration most) {
    lateMaxNanos = most.toNanos();
    lateOneIn = 4;
    young = true;
    return this;
  }

  /// Gives every other event a body of up to so many random bytes in hexadecimal, so that few
  /// events fill a journal file.
  public StoreDriver withBodies(int bytesMax) {
    bodyBytesMax = bytesMax;
    return this;
  }

  /// Gives each event an attribute for its level, whose value is none.
  public StoreDriver withLevels() {
    levels = true;
    return this;
  }

  private String body() {
    String line = "GET /item/" + random.nextInt(1_000) + " from host-" + random.nextInt(20);
    if (bodyBytesMax == 0 || random.nextBoolean()) {
      return line;
    }
    byte[] bytes = new byte[1 + random.nextInt(bodyBytesMax / 2)];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /// Appends a batch to one lane.
  public void append(EventStore store, long nowNanos, int eventsMax) {
    int lane = random.nextInt(store.lanes());
    batch.clear();
    List<StoreModel.Written> written = new ArrayList<>();
    for (int left = 1 + random.nextInt(eventsMax); left > 0; left--) {
      Place place = place(store, lane, nowNanos);
      byte[] body = body().getBytes(StandardCharsets.UTF_8);
      StoreModel.Written event = place.written(number++, random.nextInt(100) / 4.0);
      byte[] type = event.type().getBytes(StandardCharsets.UTF_8);
      if (event.own()) {
        batch.begin(type, 0, type.length, event.ownId());
      } else {
        batch.begin(type, 0, type.length, event.timeNanos());
      }
      batch.putString(BODY, 0, BODY.length, body);
      if (levels) {
        batch.putString(LEVEL, 0, LEVEL.length, NUMBER);
      }
      batch.putLong(NUMBER, 0, NUMBER.length, event.number());
      batch.putDouble(VALUE, 0, VALUE.length, event.value());
      assertNull(batch.end());
      written.add(event);
    }
    // Before the call: when the power is cut in the middle, they may be there.
    appended.computeIfAbsent(lane, _ -> new ArrayList<>()).addAll(written);
    long note = written.getFirst().number();
    noted.put(note, written);
    store
        .lane(lane)
        .append(
            batch,
            random.nextLong(),
            (index, why) -> {
              throw new AssertionError(written.get(index) + " refused: " + why);
            });
    store.lane(lane).note(note(note).array());
  }

  /// The note of a batch.
  public static ByteBuffer note(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).flip();
  }

  /// Where an event goes.
  private record Place(String type, long timeNanos, EventId ownId) {
    StoreModel.Written written(long number, double value) {
      return new StoreModel.Written(number, type, timeNanos, ownId, value);
    }
  }

  private Place place(EventStore store, int lane, long nowNanos) {
    String type = TYPES.get(random.nextInt(TYPES.size()));
    long time = nowNanos - (random.nextInt(lateOneIn) == 0 ? random.nextLong(lateMaxNanos) : 0);
    time -= random.nextBoolean() ? time % 1_000_000 : 0;
    if (random.nextInt(12) == 0) {
      EventId id = ownId(time, nowNanos);
      if (store.laneOf(id) == lane) {
        return new Place(type, TimeUuid.tickNanos(id.time()), id);
      }
    }
    return new Place(type, time, EventId.LIMIT);
  }

  private EventId ownId(long time, long nowNanos) {
    if (!ownIds.isEmpty() && random.nextBoolean()) {
      EventId known = ownIds.get(random.nextInt(ownIds.size()));
      if (!young || TimeUuid.tickNanos(known.time()) >= nowNanos - lateMaxNanos) {
        return known;
      }
    }
    EventId id =
        new EventId(
            TimeUuid.timeOfNanos(time), TimeUuid.tailOf(time, 511, random.nextLong(1L << 40)));
    ownIds.add(id);
    return id;
  }

  /// Commits every lane; the appended events are then acknowledged.
  public void commit(EventStore store, Durability durability) {
    for (int lane = 0; lane < store.lanes(); lane++) {
      commit(store, lane, durability);
    }
  }

  /// Commits one lane.
  void commit(EventStore store, int lane, Durability durability) {
    store.lane(lane).commit(durability);
    unforced.getOrDefault(lane, List.of()).forEach(acknowledged::putAll);
    unforced.remove(lane);
    acknowledged.putAll(appended.getOrDefault(lane, List.of()));
    appended.remove(lane);
  }

  /// Commits every lane at a level that survives no power cut.
  public void commitUnforced(EventStore store) {
    for (int lane = 0; lane < store.lanes(); lane++) {
      // Before the call: what it hands to the kernel may survive.
      List<StoreModel.Written> group = appended.remove(lane);
      if (group != null) {
        unforced.computeIfAbsent(lane, _ -> new ArrayList<>()).add(group);
      }
      store.lane(lane).commit(Durability.OS);
    }
  }

  @Override
  public void close() {
    batch.close();
  }
}
