import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.apache.cassandra.db.marshal.TimeUUIDType;

/// Writes pairs of version-1 UUIDs and how Cassandra's own `TimeUUIDType` orders them, one pair a
/// line: `<` or `=` or `>`, then the two UUIDs as 32 hexadecimal digits each. Runs on JDK 17 with
/// cassandra-all; README.md next to the pom describes how.
public final class TimeUuidGolden {
  private static final long VERSION_1 = 0x1000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long NODE_MULTICAST = 0x0000_0100_0000_0000L;
  private static final long TICKS_1970 = 0x01b2_1dd2_1381_4000L;
  private static final long TICKS_2200 = TICKS_1970 + 7_258_118_400L * 10_000_000L;
  private static final int[] EDGE_BYTES = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};

  private final List<String> lines = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(20261120);

  private TimeUuidGolden() {}

  public static void main(String[] args) throws IOException {
    TimeUuidGolden golden = new TimeUuidGolden();
    golden.randomPairs(3_000);
    golden.equalTimes(3_000);
    golden.signedBytes();
    golden.edgeTimes();
    golden.assignedIds(3_000);
    Path out = Path.of(args[0]);
    Files.createDirectories(out.toAbsolutePath().getParent());
    try (Writer writer =
        new OutputStreamWriter(
            new GZIPOutputStream(Files.newOutputStream(out)) {
              {
                def.setLevel(9);
              }
            },
            StandardCharsets.US_ASCII)) {
      for (String line : golden.lines) {
        writer.write(line);
        writer.write('\n');
      }
    }
    System.out.println(golden.lines.size() + " pairs, " + Files.size(out) + " bytes");
  }

  /// Anything that is a version-1 UUID.
  private void randomPairs(int count) {
    for (int i = 0; i < count; i++) {
      add(uuid(random.nextLong(), random.nextLong()), uuid(random.nextLong(), random.nextLong()));
    }
  }

  /// Equal or neighbouring times, tails that share a beginning of random length.
  private void equalTimes(int count) {
    for (int i = 0; i < count; i++) {
      long time = random.nextLong(TICKS_1970, TICKS_2200);
      long tail = random.nextLong();
      int shared = random.nextInt(0, 65);
      long mask = shared == 0 ? 0 : -1L << (64 - shared);
      long other = (tail & mask) | (random.nextLong() & ~mask);
      add(uuid(time, tail), uuid(time + (i % 10 == 0 ? 1 : 0), other));
    }
  }

  /// Every edge byte against every other, in each byte of the tail, the rest equal or opposed.
  private void signedBytes() {
    for (int place = 0; place < 8; place++) {
      int shift = 8 * (7 - place);
      for (int a : EDGE_BYTES) {
        for (int b : EDGE_BYTES) {
          for (long rest : new long[] {0, -1L, 0x7f7f_7f7f_7f7f_7f7fL, VARIANT * 0x0101L}) {
            long keep = ~(0xffL << shift);
            long behind = shift == 0 ? 0 : (1L << shift) - 1;
            long left = (rest & keep) | ((long) a << shift);
            long right = (rest & keep) | ((long) b << shift);
            add(uuid(TICKS_1970, left), uuid(TICKS_1970, right));
            add(uuid(TICKS_1970, left & ~behind), uuid(TICKS_1970, right | behind));
          }
        }
      }
    }
  }

  private void edgeTimes() {
    long[] times = {
      0, 1, 0xffff_ffffL, 0x1_0000_0000L, 0xffff_ffff_ffffL, 0x1_0000_0000_0000L, TICKS_1970 - 1,
      TICKS_1970, TICKS_1970 + 1, TICKS_2200 - 1, TICKS_2200, (1L << 59) - 1, 1L << 59,
      (1L << 60) - 1
    };
    for (long a : times) {
      for (long b : times) {
        add(uuid(a, random.nextLong()), uuid(b, random.nextLong()));
      }
    }
  }

  /// Ids as Widerow assigns them, neighbours in time, nanosecond, daemon or counter.
  private void assignedIds(int count) {
    for (int i = 0; i < count; i++) {
      long nanos = random.nextLong(0, (TICKS_2200 - TICKS_1970) * 100 - 1_000);
      int daemon = random.nextInt(512);
      long counter = random.nextLong(1L << 45);
      switch (i % 4) {
        case 0 -> add(assigned(nanos, daemon, counter), assigned(nanos, daemon, counter + 1));
        case 1 -> add(assigned(nanos, daemon, counter), assigned(nanos + 1, daemon, 0));
        case 2 -> add(assigned(nanos, daemon, counter), assigned(nanos, random.nextInt(512), 0));
        default ->
            add(
                assigned(nanos, daemon, counter),
                assigned(nanos + random.nextInt(300), daemon, random.nextLong(1L << 45)));
      }
    }
  }

  /// The layout as FORMAT.md has it, written a second time and bit by bit.
  private static UUID assigned(long epochNanos, int daemon, long counter) {
    long fields =
        ((epochNanos % 100) << 54) | ((long) daemon << 45) | (counter & ((1L << 45) - 1));
    long tail = 0;
    int from = 60;
    for (int bit = 61; bit >= 0; bit--) {
      if (bit == 40) {
        continue; // multicast
      }
      tail |= ((fields >>> from) & 1) << bit;
      from--;
    }
    for (int top = 55; top >= 7; top -= 8) {
      tail ^= 1L << top;
    }
    return uuid(TICKS_1970 + epochNanos / 100, tail | NODE_MULTICAST);
  }

  /// A version-1 UUID with the low 60 bits of `time` and the low 62 bits of `tail`.
  private static UUID uuid(long time, long tail) {
    long high =
        (time << 32) | ((time >>> 16) & 0xffff_0000L) | VERSION_1 | ((time >>> 48) & 0x0fffL);
    return new UUID(high, VARIANT | (tail & 0x3fff_ffff_ffff_ffffL));
  }

  private void add(UUID a, UUID b) {
    int order = TimeUUIDType.instance.compare(bytes(a), bytes(b));
    lines.add((order < 0 ? "<" : order > 0 ? ">" : "=") + hex(a) + hex(b));
  }

  private static String hex(UUID uuid) {
    return uuid.toString().replace("-", "");
  }

  private static ByteBuffer bytes(UUID uuid) {
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .flip();
  }
}
