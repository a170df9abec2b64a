package io.widerow.storage.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Seeds;
import io.widerow.faults.TestEvent;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.segment.GoldenArrivals;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: any ids of a block round-trip, and ids of lines that arrive a little out of order take
/// hardly more space than their times. Method: blocks of random shapes, from ids in order of
/// arrival to ids made up by clients, under a fast and a thorough compressor; bytes that no encoder
/// writes. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class IdEncoderTest {
  private static final Path FILE = Path.of("ids");
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  static List<Long> seeds() {
    return Seeds.of(40);
  }

  private static TestEvent event(long nanos, int daemon, long counter, long version) {
    var id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, daemon, counter));
    return new TestEvent(id, version, "t", new TreeMap<>());
  }

  private static List<TestEvent> events(SplittableRandom random) {
    long unit = random.nextBoolean() ? SECOND : 1L << random.nextInt(0, 40);
    int late = 1 + random.nextInt(1 << random.nextInt(1, 14)); // units
    int daemons = random.nextInt(4) == 0 ? 3 : 1;
    long own = random.nextInt(6) == 0 ? 10 : Long.MAX_VALUE; // one in so many
    long first = random.nextLong(TimeUuid.COUNTER_LIMIT - 100_000);
    List<TestEvent> events = new ArrayList<>();
    var ids = new HashSet<EventId>();
    for (int i = random.nextInt(1, 1_500); i > 0; i--) {
      long counter = random.nextInt(8) == 0 ? first + random.nextInt(5_000) : first + 5_000 + i;
      long nanos = START_NANOS + unit * (i / 3 + random.nextInt(late));
      TestEvent event =
          event(nanos, random.nextInt(daemons), counter, random.nextLong(own) == 0 ? i : 0);
      if (ids.add(event.id())) {
        events.add(event);
      }
    }
    events.sort(Comparator.comparing(TestEvent::id));
    return events;
  }

  private static byte[] encode(List<TestEvent> events, int level) {
    return encode(events, level, level > 1);
  }

  private static byte[] encode(List<TestEvent> events, int level, boolean thorough) {
    try (var compressor = new BlockCompressor(level, Throttle.NONE)) {
      var encoder = new IdEncoder(new LongEncoder(compressor), thorough);
      events.forEach(encoder::add);
      ByteSink out = new ByteSink();
      encoder.put(events.size(), out);
      return Arrays.copyOf(out.bytes(), out.length());
    }
  }

  private static IdDecoder decode(byte[] bytes, int count) {
    byte[] slack = Arrays.copyOf(bytes, bytes.length + ByteSource.SLACK);
    try (var decompressor = new BlockDecompressor()) {
      var decoder = new IdDecoder(new LongDecoder(decompressor));
      decoder.decode(new ByteSource(FILE).over(slack, 0, bytes.length, 0), count);
      return decoder;
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void anyIdsComeBack(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 20; round++) {
      List<TestEvent> events = events(random);
      int count = events.size();
      IdDecoder found = decode(encode(events, random.nextInt(4) == 0 ? 1 : 9), count);
      assertArrayEquals(
          events.stream().mapToLong(event -> event.id().time()).toArray(),
          Arrays.copyOf(found.times, count));
      assertArrayEquals(
          events.stream().mapToLong(event -> event.id().tail()).toArray(),
          Arrays.copyOf(found.tails, count));
      assertArrayEquals(
          events.stream().mapToLong(TestEvent::version).toArray(),
          Arrays.copyOf(found.versions, count));
    }
  }

  @Test
  void whatArrivesLateTakesNoMoreThanItsTime() {
    var random = new SplittableRandom(1);
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      events.add(event(START_NANOS + (i / 8 + random.nextInt(16)) * SECOND, 3, 77_000 + i, 0));
    }
    events.sort(Comparator.comparing(TestEvent::id));
    int bits = encode(events, 9).length * Byte.SIZE / events.size();
    assertTrue(bits <= 5, bits + " bits; lateness needs four of them");
  }

  @Test
  void theGoldenSegmentHasThisForm() {
    List<TestEvent> events = GoldenArrivals.events();
    int ordered = encode(events, 9, false).length;
    int arrived = encode(events, 9, true).length;
    assertTrue(arrived < ordered, arrived + " bytes, " + ordered + " in order of time");
  }

  private static byte[] arrived(long[] units, long least, long unit, int daemon, long[] counters) {
    try (var compressor = new BlockCompressor(1, Throttle.NONE)) {
      var longs = new LongEncoder(compressor);
      ByteSink out = new ByteSink();
      longs.encode(units, units.length, out);
      out.putByte(IdEncoder.ARRIVED);
      out.putVarint(least);
      out.putVarint(unit);
      out.putVarint(0);
      out.putVarint(daemon);
      longs.encode(counters, counters.length, out);
      longs.encode(new long[units.length], units.length, out);
      return Arrays.copyOf(out.bytes(), out.length());
    }
  }

  private static void assertRefused(String why, byte[] bytes) {
    var told = assertThrows(StorageException.Corrupt.class, () -> decode(bytes, 3));
    assertTrue(String.valueOf(told.getMessage()).contains(why), told::getMessage);
  }

  @Test
  void whatCannotBeIsRefused() {
    long[] units = {5, 0, 1};
    long[] counters = {7, 8, 9};
    long least = TimeUuid.timeOfNanos(START_NANOS);
    IdDecoder found = decode(arrived(units, least, 10, 1, counters), 3);
    assertEquals(List.of(least, least + 10, least + 50), boxed(found.times));
    assertEquals(
        List.of(8L, 9L, 7L), boxed(found.tails).stream().map(TimeUuid::counterOf).toList());
    assertRefused("counters", arrived(units, least, 10, 1, new long[] {7, 7, 9}));
    assertRefused("counter", arrived(units, least, 10, 1, new long[] {-1, 7, 9}));
    assertRefused("times", arrived(units, least, 1L << 58, 1, counters));
    assertRefused("times", arrived(units, least, -1, 1, counters));
    assertRefused("times", arrived(units, -1, 1, 1, counters));
    assertRefused("time", arrived(new long[] {5, -1, 1}, least, 10, 1, counters));
    assertRefused("daemon", arrived(units, least, 10, TimeUuid.DAEMON_LIMIT, counters));
  }

  private static List<Long> boxed(long[] values) {
    return Arrays.stream(values, 0, 3).boxed().toList();
  }
}
