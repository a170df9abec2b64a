package io.widerow.storage.sketch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: aggregates that were written in parts, read and merged equal, to the last bit, the
/// aggregates of all values at once; equal values have equal hashes. Method: random longs and
/// doubles of all magnitudes and texts, in random parts. The seed is the test's name, `-Dseed=<n>`
/// replays it.
class RollupFiguresTest {
  private static final Path FILE = Path.of("a.seg");

  private static AttributeValue number(SplittableRandom random) {
    AttributeValue value = new AttributeValue();
    switch (random.nextInt(6)) {
      case 0 -> value.setBits(AttributeKind.LONG, random.nextLong());
      case 1 -> value.setBits(AttributeKind.LONG, random.nextInt(-5, 5));
      case 2 -> value.setBits(AttributeKind.LONG, Long.MIN_VALUE + random.nextInt(2));
      case 3 -> set(value, random.nextInt(-20, 20) / 4.0);
      case 4 -> set(value, random.nextInt(9) == 0 ? Double.NEGATIVE_INFINITY : -0.0);
      default -> {
        double any = Double.longBitsToDouble(random.nextLong());
        set(value, Double.isNaN(any) ? 0x1p63 : any);
      }
    }
    return value;
  }

  private static void set(AttributeValue value, double number) {
    value.setBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(number));
  }

  private static final class All {
    private NumberSum sum = new NumberSum();
    private Extreme least = Extreme.least();
    private Extreme greatest = Extreme.greatest();
    private PercentileHistogram grid = new PercentileHistogram();
    private HashedValues hashes = new HashedValues();

    void add(AttributeValue value) {
      sum.add(value);
      least.add(value);
      greatest.add(value);
      grid.add(value.asDouble());
      hashes.add(value);
    }

    void add(All other) {
      sum.add(other.sum);
      least.add(other.least);
      greatest.add(other.greatest);
      grid.add(other.grid);
      hashes.add(other.hashes);
    }

    All writtenAndRead() {
      ByteSink out = new ByteSink();
      sum.write(out);
      least.write(out);
      greatest.write(out);
      grid.write(out);
      hashes.write(out);
      ByteSource in = source(out);
      All read = new All();
      read.sum = NumberSum.read(in);
      read.least.read(in);
      read.greatest.read(in);
      read.grid = PercentileHistogram.read(in);
      read.hashes = HashedValues.read(in);
      in.requireEnd("the figures");
      return read;
    }

    List<Object> results() {
      List<Object> results = new ArrayList<>();
      results.addAll(List.of(sum.count(), sum.whole(), sum.hasDoubles(), sum.value()));
      for (Extreme each : List.of(least, greatest)) {
        results.addAll(List.of(each.isAny(), each.isLong(), each.whole(), each.number()));
      }
      results.addAll(List.of(grid.total(), hashes.size()));
      for (double percent : new double[] {0, 1, 50, 99, 99.9, 100}) {
        results.add(grid.percentile(percent));
      }
      return results;
    }
  }

  private static ByteSource source(ByteSink out) {
    byte[] bytes = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
    return new ByteSource(FILE).over(bytes, 0, out.length(), 0);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void partsAreTheWhole(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 50; round++) {
      All once = new All();
      All merged = new All();
      All part = new All();
      for (int left = 1 + random.nextInt(100); left > 0; left--) {
        AttributeValue value = number(random);
        once.add(value);
        part.add(value);
        if (random.nextInt(8) == 0) {
          merged.add(part.writtenAndRead());
          part = new All();
        }
      }
      merged.add(part.writtenAndRead());
      assertEquals(once.results(), merged.results());
      assertEquals(once.results(), merged.writtenAndRead().writtenAndRead().results());
    }
  }

  @Test
  void largeSumsAreKept() {
    NumberSum sum = new NumberSum();
    AttributeValue value = new AttributeValue();
    value.setBits(AttributeKind.LONG, Long.MAX_VALUE);
    for (int i = 0; i < 5; i++) {
      sum.add(value);
    }
    ByteSink out = new ByteSink();
    sum.write(out);
    NumberSum read = NumberSum.read(source(out));
    assertEquals(BigInteger.valueOf(Long.MAX_VALUE).multiply(BigInteger.valueOf(5)), read.whole());
    assertEquals(5, read.count());
  }

  @Test
  void equalValuesHaveOneHash() {
    HashedValues hashes = new HashedValues();
    AttributeValue value = new AttributeValue();
    value.setBits(AttributeKind.LONG, 1);
    hashes.add(value);
    set(value, 1.0);
    hashes.add(value);
    text(value, AttributeKind.STRING, "a text of some words");
    hashes.add(value);
    text(value, AttributeKind.BYTES, "a text of some words");
    hashes.add(value);
    assertEquals(2, hashes.size());
    text(value, AttributeKind.STRING, "1");
    hashes.add(value);
    value.setBits(AttributeKind.BOOLEAN, 1);
    hashes.add(value);
    set(value, 1.5);
    hashes.add(value);
    assertEquals(5, hashes.size());
  }

  private static void text(AttributeValue value, AttributeKind kind, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    value.setText(kind, MemorySegment.ofArray(bytes), 0, bytes.length);
  }

  /// Hashes of files never change, and a million texts that differ little have as many.
  @Test
  void hashesAreSpread() {
    byte[] text = Arrays.copyOf("user-0000000".getBytes(StandardCharsets.UTF_8), 32);
    assertEquals(
        0x9508_b9d6_0713_0335L, ValueHash.of(AttributeKind.STRING.code, text, 0, 12), "changed");
    HashedValues hashes = new HashedValues();
    for (int i = 0; i < 1_000_000; i++) {
      for (int digit = 11, rest = i; digit > 4; digit--, rest /= 10) {
        text[digit] = (byte) ('0' + rest % 10);
      }
      hashes.add(ValueHash.of(AttributeKind.STRING.code, text, 0, 12));
    }
    assertEquals(1_000_000, hashes.size());
  }

  /// Damaged figures are refused or are other figures, and nothing else happens.
  @Test
  void flippedBitsAreRefusedOrRead() {
    var random = new SplittableRandom(7);
    All all = new All();
    for (int i = 0; i < 30; i++) {
      all.add(number(random));
    }
    ByteSink out = new ByteSink();
    all.grid.write(out);
    all.sum.write(out);
    int refused = 0;
    for (int bit = 0; bit < 8 * out.length(); bit++) {
      byte[] bytes = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      ByteSource in = new ByteSource(FILE).over(bytes, 0, out.length(), 0);
      try {
        PercentileHistogram.read(in);
        NumberSum.read(in);
      } catch (StorageException.Corrupt expected) {
        refused++;
      }
    }
    assertTrue(refused > 10, refused + " were refused");
    assertThrows(StorageException.Corrupt.class, () -> HashedValues.read(source(new ByteSink())));
  }
}
