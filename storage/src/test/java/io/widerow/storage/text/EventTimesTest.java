package io.widerow.storage.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.faults.MemoryDisk;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.segment.ColumnBuilder;
import io.widerow.storage.segment.ColumnEncoder;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.segment.GoldenLines;
import io.widerow.storage.segment.GoldenSegment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: lines that repeat their events' times take no bytes for them, in whatever zone, and damage
/// is reported. Method: lines of a time and a word, on time, late, and in other zones; their size
/// with the events' times and without; columns read without the times they need.
/// [TemplateSearchTest] has lines of any shape.
class EventTimesTest {
  private static final Path FILE = Path.of("times");
  private static final int LINES = 2_000;
  private static final int HOUR = 3_600_000;
  private static final int DAY = 24 * HOUR;

  /// Lines a second or two apart, over midnight.
  private static long millis(int line) {
    return 23L * HOUR + 1_371L * line + line % 7 * 11L;
  }

  private static List<String> lines(IntUnaryOperator lateMillis) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      long time = Math.floorMod(millis(i) + lateMillis.applyAsInt(i), (long) DAY);
      long second = time / 1_000;
      String day = "%02d:%02d:%02d".formatted(second / 3_600, second / 60 % 60, second % 60);
      lines.add(day + ".%03d something happened".formatted(time % 1_000));
    }
    return lines;
  }

  private static EventTimes times() {
    return new EventTimes()
        .of(IntStream.range(0, LINES).mapToLong(i -> millis(i) * 10_000).toArray());
  }

  /// An encoded column.
  private static final class Written {
    final int flags;
    final int length;
    private final byte[] bytes;

    private Written(int flags, byte[] bytes, int length) {
      this.flags = flags;
      this.bytes = bytes;
      this.length = length;
    }

    static Written of(List<String> lines, int level, boolean timed) {
      ColumnBuilder column = new ColumnBuilder(AttributeName.BODY, AttributeKind.STRING);
      AttributeValue value = new AttributeValue();
      for (int i = 0; i < lines.size(); i++) {
        byte[] line = lines.get(i).getBytes(StandardCharsets.US_ASCII);
        value.setText(AttributeKind.STRING, MemorySegment.ofArray(line), 0, line.length);
        column.add(i, value);
      }
      ByteSink out = new ByteSink();
      try (var compressor = new BlockCompressor(level, Throttle.NONE)) {
        var encoder = new ColumnEncoder(compressor, new TokenSet());
        int flags = encoder.encode(column, LINES, new Series(), timed ? times() : null, out);
        byte[] bytes = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
        return new Written(flags, bytes, out.length());
      }
    }

    List<String> read(@Nullable EventTimes times) {
      List<String> found = new ArrayList<>();
      try (var decompressor = new BlockDecompressor()) {
        var reader = new ColumnReader(FILE, new LongDecoder(decompressor), decompressor);
        reader.decode(
            new ByteSource(FILE).over(bytes, 0, length, 0),
            AttributeKind.STRING,
            LINES,
            LINES,
            null,
            times,
            (flags & ColumnFlags.COMPRESSED) != 0);
        AttributeValue value = new AttributeValue();
        for (int i = 0; i < LINES; i++) {
          assertTrue(reader.value(i, value));
          found.add(value.toString());
        }
      }
      return found;
    }
  }

  private static void check(List<String> lines, int level, boolean timed, int bytesMax) {
    Written written = Written.of(lines, level, true);
    assertEquals(timed, (written.flags & ColumnFlags.TIMED) != 0, "level " + level);
    assertEquals(lines, written.read(times()));
    assertTrue(written.length <= bytesMax, written.length + " bytes");
  }

  @Test
  void timesOfEventsTakeNothing() {
    for (int zone : new int[] {0, HOUR, -11 * HOUR, 12 * HOUR, 5 * HOUR + HOUR / 2}) {
      List<String> lines = lines(_ -> zone);
      check(lines, 1, true, 80);
      check(lines, 9, true, 80);
    }
  }

  /// Only the thorough compressor finds that lines are a little late.
  @Test
  void latenessTakesLessThanTimes() {
    var random = new SplittableRandom(1);
    int[] late = random.ints(LINES, 0, 16).toArray();
    List<String> lines = lines(i -> late[i]);
    check(lines, 9, true, LINES / 2 + 60); // four bits each
    assertTrue(Written.of(lines, 9, false).length > LINES / 2 + 200);
    check(lines, 1, false, Integer.MAX_VALUE);
  }

  @Test
  void timesOfSomethingElseStayAsTheyAre() {
    var random = new SplittableRandom(2);
    int[] any = random.ints(LINES, 0, DAY).toArray();
    List<String> lines = lines(i -> any[i]);
    check(lines, 1, false, Integer.MAX_VALUE);
  }

  @Test
  void withoutTheEventsTimesItIsDamage() {
    Written written = Written.of(lines(_ -> HOUR), 9, true);
    assertThrows(StorageException.Corrupt.class, () -> written.read(null));
  }

  @Test
  void theGoldenSegmentsNeedTimes() {
    var disk = new MemoryDisk();
    for (SegmentProfile form : List.of(SegmentProfile.SEALED, SegmentProfile.FINAL)) {
      SegmentSizes.write(disk, FILE, GoldenLines.events(), form);
      assertTrue(GoldenSegment.directory(disk.bytes(FILE)).timed[0]);
      disk.delete(FILE);
    }
  }
}
