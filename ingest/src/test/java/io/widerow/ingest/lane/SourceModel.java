package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.event.EventId;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A source with a few partitions, read into a store on a simulated disk by a program that crashes
/// again and again. A record has a number, which names its topic, partition and offset. After each
/// start the events must be exactly those before the positions that the lanes restored.
///
/// - Threads: the test's, and those of the lanes while [GatedWaitStrategy] lets them run.
final class SourceModel {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHER = "other".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PAD = "pad".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PADDING = "x".repeat(300).getBytes(StandardCharsets.US_ASCII);
  private static final int PARTITIONS = 3;
  private static final long TOPIC = 1_000_000_000;
  private static final long PARTITION = 10_000_000;
  private static final long FAR_NANOS = Duration.ofDays(365).toNanos();
  private static final byte[] FAR = "far".getBytes(StandardCharsets.US_ASCII);

  private final SplittableRandom random;
  private final TestClock clock = new TestClock(START_NANOS + Duration.ofHours(2).toNanos());
  private final List<Topic> topics = new ArrayList<>();
  private SimDisk disk;
  private long seconds = 1_000;
  private long keys;
  private final StoreConfig config;

  /// A topic. The source reads the last one.
  private record Topic(UUID id, int number, List<Reader> readers) {}

  /// A range of records that is handed over as one batch.
  private record Chunk(long first, long next) {}

  /// What a source holds about a partition. Only `acknowledged` survives a crash: it is the model.
  private static final class Reader {
    final SourcePartition of;
    long acknowledged;
    long offered;
    int term;

    /// Refused records that have no dead letter, and those that have one. Only `written` survives a
    /// crash: it is the topic of the letters.
    final SortedSet<Long> owed = new TreeSet<>();

    final Set<Long> written = new HashSet<>();
    boolean owesLess; // than the newest note
    final ArrayDeque<Chunk> again = new ArrayDeque<>();
    final List<Chunk> sent = new ArrayList<>();
    final List<BatchOutcome> outcomes = new ArrayList<>();
    boolean isSplit; // the one batch that is out

    Reader(SourcePartition of) {
      this.of = of;
    }

    /// The last partition has no dead letters.
    boolean hasLetters() {
      return of.partition() < PARTITIONS - 1;
    }
  }

  SourceModel(long seed) {
    random = new SplittableRandom(seed);
    disk = new SimDisk(random.nextLong());
    config =
        StoreConfig.at(Path.of("/store"))
            .withMemory(6 << 20, Duration.ofHours(1))
            .withJournal(1 << 20, 1 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ofHours(1), null);
    create();
  }

  private void create() {
    int number = topics.size();
    var topic = new Topic(new UUID(random.nextLong(), number), number, new ArrayList<>());
    for (int i = 0; i < PARTITIONS; i++) {
      topic.readers.add(new Reader(new SourcePartition(topic.id, i)));
    }
    topics.add(topic);
  }

  void run(int lives) {
    for (int life = 0; life < lives; life++) {
      int lanes = random.nextInt(4) == 0 ? random.nextInt(1, 4) : 2;
      if (random.nextInt(6) == 0) {
        create();
      }
      live(config.withLanes(lanes, 12), life == lives - 1);
    }
  }

  private final List<GatedWaitStrategy> gates = new ArrayList<>();

  private void live(StoreConfig now, boolean isLast) {
    EmbeddedStore store = FileJournal.openStore(now, disk, clock);
    gates.clear();
    Lanes lanes =
        new Lanes(
            store,
            new Lanes.Settings(64, 1, 1 << 10, 2),
            () -> {
              gates.add(new GatedWaitStrategy());
              return gates.getLast();
            },
            new BatchPool(1 << 20, 1 << 16, 64),
            new SimpleMeterRegistry(),
            () -> seconds);
    lanes.start();
    restart(store, lanes);
    if (!isLast && random.nextInt(3) > 0) {
      disk.cutPowerAt(disk.operations() + random.nextInt(1, 400));
    }
    try {
      for (int step = random.nextInt(5, 120); step > 0 && lanes.failure() == null; step--) {
        step(store, lanes);
      }
      disk.fillFor(Long.MAX_VALUE, Long.MAX_VALUE);
      for (int i = 0; i < 12; i++) {
        for (Reader reader : topics.getLast().readers) {
          if (!reader.again.isEmpty()) {
            offer(lanes, reader);
          }
        }
        settle(lanes);
      }
      if (isLast) {
        assertEquals(null, lanes.failure());
        check(store, lanes, true);
      }
    } catch (SimDisk.PowerCut cut) {
      // the machine is off
    } catch (StorageException failed) {
      assertTrue(lanes.failure() != null || isOff(), failed.toString());
    }
    boolean kill = random.nextInt(4) == 0 && !isOff();
    SimDisk left = kill ? disk.restart() : disk.crash(false);
    disk.cutPowerAt(Long.MAX_VALUE);
    gates.forEach(GatedWaitStrategy::free);
    lanes.close();
    try {
      store.close();
    } catch (StorageException | SimDisk.PowerCut | AssertionError failed) {
      // the cut has stopped it anywhere, and it is not the disk that goes on
    }
    disk = left;
  }

  private boolean isOff() {
    try {
      disk.forceDirectory(Path.of("/"));
      return false;
    } catch (SimDisk.PowerCut cut) {
      return true;
    }
  }

  /// What the program knows after a start: the positions in the store.
  private void restart(EmbeddedStore store, Lanes lanes) {
    check(store, lanes, false);
    for (Reader reader : topics.getLast().readers) {
      SourcePosition at = lanes.positions().get(reader.of);
      reader.again.clear();
      reader.sent.clear();
      reader.outcomes.clear();
      reader.isSplit = false;
      reader.owed.clear();
      reader.owed.addAll(at == null ? List.of() : at.owed());
      reader.offered = at == null ? 0 : at.until();
      reader.term = at == null ? 0 : at.term();
      if (at == null) {
        reader.again.add(new Chunk(0, 0)); // a partition begins with a position
      } else if (at.complete() < at.until()) {
        reader.again.add(new Chunk(at.complete(), at.until()));
      }
    }
  }

  private void step(EmbeddedStore store, Lanes lanes) {
    switch (random.nextInt(18)) {
      case 0 -> {
        seconds += random.nextInt(4);
        clock.advance(random.nextLong(1_000_000_000));
      }
      case 1 -> store.maintain();
      case 2 -> {
        if (random.nextInt(4) == 0) {
          store.sealAll();
        }
      }
      case 3, 4 -> push(lanes);
      case 5 -> {
        long from = disk.operations() + random.nextInt(20);
        disk.fillFor(from, from + random.nextInt(1, 12));
      }
      case 6, 7, 8, 9 -> settle(lanes);
      case 10, 11 -> writeLetters(topics.getLast().readers.get(random.nextInt(PARTITIONS)));
      default -> {
        offer(lanes, topics.getLast().readers.get(random.nextInt(PARTITIONS)));
      }
    }
  }

  /// A batch of a sender of HTTP, whose key makes notes and expires.
  private void push(Lanes lanes) {
    IncomingBatch batch = lanes.begin(START_NANOS);
    batch.events.begin(OTHER, 0, OTHER.length, START_NANOS);
    batch.events.putString(PAD, 0, PAD.length, PADDING, 0, PADDING.length);
    batch.end();
    lanes.write(batch, new BatchKey(random.nextLong(), keys++), Durability.DISK, _ -> {});
  }

  private void writeLetters(Reader reader) {
    for (int left = random.nextInt(1, 6); left > 0 && !reader.owed.isEmpty(); left--) {
      reader.written.add(reader.owed.removeFirst());
      reader.owesLess = true;
    }
  }

  private void offer(Lanes lanes, Reader reader) {
    // with dead letters the note of the next batch names what the store refused of this one
    if (reader.sent.size() >= (reader.hasLetters() ? 1 : 4) || reader.isSplit) {
      return;
    }
    Chunk chunk = reader.again.peekFirst();
    if (chunk == null && reader.owesLess && reader.sent.isEmpty() && random.nextBoolean()) {
      reader.term++;
      chunk = new Chunk(reader.offered, reader.offered);
    } else if (chunk == null) {
      chunk = new Chunk(reader.offered, reader.offered + random.nextInt(1, 30));
    }
    boolean split = isSplit(chunk);
    if (split && !reader.sent.isEmpty()) {
      return; // it waits for those before it
    }
    if (reader.again.pollFirst() == null) {
      reader.offered = chunk.next;
    }
    reader.isSplit = split;
    reader.sent.add(chunk);
    SourcePlace place = SourcePlace.whole(reader.of, reader.term, chunk.first, chunk.next, 0);
    if (reader.hasLetters()) {
      SortedSet<Long> owed = new TreeSet<>(reader.owed);
      for (long offset = chunk.first; offset < chunk.next; offset++) {
        if (isBad(offset)) {
          owed.add(offset);
        }
      }
      long first = chunk.first;
      place = place.with(List.of(), List.copyOf(owed)).owing(index -> first + index);
      reader.owesLess = false;
    }
    lanes.write(
        batch(lanes, reader, chunk),
        place,
        outcome -> {
          synchronized (reader) {
            reader.outcomes.add(outcome);
          }
        });
  }

  private static boolean isOwn(long offset) {
    return offset % 97 < 6 && offset % 3 != 0 && !isBad(offset) && !isFar(offset);
  }

  /// Whether the decoder refuses a record.
  private static boolean isBad(long offset) {
    return offset % 41 == 7;
  }

  /// Whether the store refuses a record: its time is too far ahead.
  private static boolean isFar(long offset) {
    return offset % 41 > 38;
  }

  private static boolean isSplit(Chunk chunk) {
    for (long offset = chunk.first; offset < chunk.next; offset++) {
      if (isOwn(offset)) {
        return true;
      }
    }
    return false;
  }

  private long number(SourcePartition of, long offset) {
    int topic = (int) of.topic().getLeastSignificantBits();
    return topic * TOPIC + of.partition() * PARTITION + offset;
  }

  private IncomingBatch batch(Lanes lanes, Reader reader, Chunk chunk) {
    IncomingBatch batch = lanes.begin(START_NANOS);
    for (long offset = chunk.first; offset < chunk.next; offset++) {
      long number = number(reader.of, offset);
      long nanos = START_NANOS + offset / 10 * 1_000_000;
      if (isBad(offset)) {
        batch.refuse("bad");
        continue;
      }
      if (isFar(offset)) {
        batch.events.begin(FAR, 0, FAR.length, START_NANOS + FAR_NANOS);
      } else if (isOwn(offset)) {
        EventId id = EventId.leastOf(START_NANOS + number);
        batch.events.begin(TYPE, 0, TYPE.length, id);
      } else {
        batch.events.begin(TYPE, 0, TYPE.length, nanos);
      }
      batch.events.putLong(NUMBER, 0, NUMBER.length, number);
      batch.events.putString(PAD, 0, PAD.length, PADDING, 0, PADDING.length);
      batch.end();
    }
    return batch;
  }

  /// Lets the lanes work, in any order, and reads the outcomes.
  private void settle(Lanes lanes) {
    if (lanes.failure() != null) {
      return;
    }
    lanes.tick();
    List<GatedWaitStrategy> order = new ArrayList<>(gates);
    while (!order.isEmpty()) {
      order.remove(random.nextInt(order.size())).run();
    }
    for (Reader reader : topics.getLast().readers) {
      settle(reader, lanes);
    }
  }

  private static void settle(Reader reader, Lanes lanes) {
    List<Chunk> back = new ArrayList<>();
    for (int i = 0; i < reader.sent.size(); i++) {
      Chunk chunk = reader.sent.get(i);
      if (i < reader.outcomes.size() && reader.outcomes.get(i) instanceof BatchOutcome.Stored) {
        assertTrue(back.isEmpty(), () -> chunk + " is stored before " + back);
        reader.acknowledged = Math.max(reader.acknowledged, chunk.next);
        for (long offset = chunk.first; offset < chunk.next; offset++) {
          boolean refused = isBad(offset) || isFar(offset);
          if (refused && reader.hasLetters() && !reader.written.contains(offset)) {
            reader.owed.add(offset);
          }
        }
      } else {
        assertTrue(lanes.failure() != null || reader.outcomes.size() == reader.sent.size());
        back.add(chunk);
      }
    }
    back.reversed().forEach(reader.again::addFirst);
    reader.sent.clear();
    reader.outcomes.clear();
    reader.isSplit = false;
  }

  /// The store has the records before the positions, each once and in order, and no others.
  private void check(EmbeddedStore store, Lanes lanes, boolean isRunning) {
    Map<Long, Integer> found = new HashMap<>();
    Map<Long, Long> last = new HashMap<>();
    try (StoreView view = store.view()) {
      for (StoreModel.Shown event :
          StoreReading.read(view, "t"::equals, 0, Long.MAX_VALUE / 2, Scan.all())) {
        found.merge(event.number(), 1, Integer::sum);
        if (!isOwn(event.number() % PARTITION)) {
          Long before = last.put(event.number() / PARTITION, event.number());
          assertTrue(before == null || before < event.number(), "order at " + event);
        }
      }
    }
    for (Topic topic : topics) {
      for (Reader reader : topic.readers) {
        boolean isRead = isRunning && topic.number == topics.size() - 1;
        check(reader, isRead ? null : lanes.positions().get(reader.of), isRead, found);
      }
    }
    assertEquals(Map.of(), found, "never acknowledged, and after the position");
  }

  private void check(
      Reader reader, @Nullable SourcePosition at, boolean isRunning, Map<Long, Integer> found) {
    long complete = at == null ? 0 : at.complete();
    if (isRunning) {
      complete = reader.acknowledged;
    } else {
      assertTrue(
          complete >= reader.acknowledged || isPartOf(reader, at), "forgotten: " + reader.of);
    }
    long until = isRunning || at == null ? complete : at.until();
    for (long offset = 0; offset < until; offset++) {
      Integer times = found.remove(number(reader.of, offset));
      if (isBad(offset) || isFar(offset)) {
        assertEquals(null, times, "refused: %d of %s".formatted(offset, reader.of));
        boolean isOwed =
            isRunning ? reader.owed.contains(offset) : at != null && at.owed().contains(offset);
        assertTrue(
            !reader.hasLetters() || offset >= complete || isOwed || reader.written.contains(offset),
            "no letter, and not owed: %d of %s".formatted(offset, reader.of));
      } else if (offset < complete) {
        assertEquals(1, times, "record %d of %s".formatted(offset, reader.of));
      } else {
        assertTrue(times == null || times == 1, "twice: %d of %s".formatted(offset, reader.of));
      }
    }
  }

  /// Whether a position ends with a batch that was split. It is acknowledged when all its parts are
  /// stored; only the note of the next batch counts it as complete.
  private static boolean isPartOf(Reader reader, @Nullable SourcePosition at) {
    return at != null
        && at.until() >= reader.acknowledged
        && isSplit(new Chunk(at.complete(), at.until()));
  }
}
