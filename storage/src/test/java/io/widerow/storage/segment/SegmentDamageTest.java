package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.PartitionKey;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.text.EventTimes;
import io.widerow.storage.text.TokenSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: damage is reported, never shown as data. Method: flip every byte of a small segment, cut
/// it at every length, open it in another store, and give decoders random bytes with valid
/// checksums.
public class SegmentDamageTest {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("damage.seg");
  private final MemoryDisk disk = new MemoryDisk();
  private final List<TestEvent> events = SegmentSizes.broker().subList(0, 120);
  private final PartitionKey key = SegmentSizes.key(events);

  private byte[] written() {
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(7, 60, 1 << 20, 4));
    return disk.bytes(FILE);
  }

  private List<TestEvent> read(Scan scan) {
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = Segment.open(disk, FILE, STORE, 1);
        EventCursor cursor = SegmentCursor.open(segment, key, scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
    }
    return found;
  }

  @Test
  public void everyFlippedByteIsFound() {
    byte[] good = written();
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << (at % 8));
      disk.set(FILE, bad);
      int where = at;
      assertThrows(
          StorageException.Corrupt.class,
          () -> {
            try (Segment segment = Segment.open(disk, FILE, STORE, 1)) {
              segment.verify();
            }
          },
          () -> "byte " + where);
      try {
        assertEquals(events, read(Scan.all()), () -> "byte " + where);
      } catch (StorageException.Corrupt told) {
        assertTrue(told.offset >= 0, told::toString);
      }
    }
  }

  @Test
  void everyCutIsFound() {
    byte[] good = written();
    for (int length = 0; length < good.length; length++) {
      disk.set(FILE, Arrays.copyOf(good, length));
      assertThrows(
          StorageException.Corrupt.class, () -> Segment.open(disk, FILE, STORE, 1).close());
    }
  }

  @Test
  void anotherStoresSegmentIsRefused() {
    written();
    assertThrows(
        StorageException.Corrupt.class, () -> Segment.open(disk, FILE, new UUID(1, 3), 1).close());
    assertThrows(StorageException.Corrupt.class, () -> Segment.open(disk, FILE, STORE, 2).close());
    assertFalse(read(Scan.all()).isEmpty());
  }

  /// A block of another file at the same offset, as after a misdirected write of the disk.
  @Test
  public void aBlockOfAnotherSegmentIsFound() {
    byte[] good = written();
    disk.delete(FILE);
    SegmentSizes.write(disk, FILE, 2, events, new SegmentProfile(7, 60, 1 << 20, 4));
    byte[] other = disk.bytes(FILE);
    assertEquals(good.length, other.length);
    int from = SegmentFormat.HEADER_BYTES;
    int until = good.length - SegmentFormat.FOOTER_BYTES;
    byte[] bad = good.clone();
    System.arraycopy(other, from, bad, from, until - from);
    disk.set(FILE, bad);
    var told = assertThrows(StorageException.Corrupt.class, () -> read(Scan.all()));
    assertTrue(told.offset >= from && told.offset < until, told::toString);
  }

  static List<Long> seeds() {
    return Seeds.of(Slice.of(4, 20));
  }

  /// Forged bytes are refused or decode to some column; nothing else may happen.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void madeUpColumnsDoNotCrash(long seed) {
    var random = new SplittableRandom(seed);
    ByteSink good = new ByteSink();
    try (var compressor = new BlockCompressor(7, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      var column = new ColumnBuilder(AttributeName.BODY, AttributeKind.STRING);
      var value = new AttributeValue();
      for (int i = 0; i < events.size(); i++) {
        assertTrue(events.get(i).find(AttributeName.BODY, value));
        column.add(i, value);
      }
      Series none = new Series();
      var encoder = new ColumnEncoder(compressor, new TokenSet());
      EventTimes times = new EventTimes();
      times.of(events.stream().mapToLong(event -> event.id().time()).toArray());
      int flags = encoder.encode(column, events.size(), none, times, good);
      assertEquals(ColumnFlags.COMPRESSED | ColumnFlags.TIMED, flags);
      var reader = new ColumnReader(FILE, new LongDecoder(decompressor), decompressor);
      int length = good.length();
      for (int i = 0; i < 2_000; i++) {
        byte[] bad = Arrays.copyOf(good.bytes(), length + ByteSource.SLACK);
        for (int flips = random.nextInt(1, 6); flips > 0; flips--) {
          int from = random.nextInt(4) == 0 ? 0 : Math.max(0, length - 900);
          bad[random.nextInt(from, length)] = (byte) random.nextInt(256);
        }
        int limit = random.nextInt(8) == 0 ? random.nextInt(length) : length;
        var in = new ByteSource(FILE).over(bad, 0, limit, 0);
        try {
          reader.decode(in, column.kind, events.size(), events.size(), null, times, true);
          reader.value(random.nextInt(events.size()), value);
          value.toBytes();
        } catch (StorageException.Corrupt told) {
          assertTrue(told.getMessage() != null);
        }
      }
    }
  }
}
