package io.widerow.cql.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Random writes to tables: few keys, few timestamps, so that much of it meets; and what a view
/// shows, as text.
///
/// - Threads: one.
public final class TableDriver {
  /// Before and behind every key that it writes.
  private static final byte[] FIRST = {0};

  private static final byte[] LAST = {9};

  private static final HexFormat HEX = HexFormat.of();
  private final SplittableRandom random;
  private int valueBytesMax = 8;

  public TableDriver(SplittableRandom random) {
    this.random = random;
  }

  /// Gives values up to so many bytes.
  public TableDriver withValues(int bytesMax) {
    valueBytesMax = bytesMax;
    return this;
  }

  /// What all keys of the table begin with that most keys are of.
  public static byte[] table() {
    return new byte[] {1, 0, 0, 0};
  }

  /// A key: of a table whose partitions have enough bytes for a filter, or too few.
  public byte[] key(boolean header) {
    byte[] partition = partition();
    int more = header ? 0 : 1 + random.nextInt(3);
    byte[] key = new byte[partition.length + 1 + more];
    System.arraycopy(partition, 0, key, 0, partition.length);
    key[partition.length] = (byte) (header ? 0 : 1);
    for (int i = 0; i < more; i++) {
      key[partition.length + 1 + i] = (byte) (random.nextInt(3) * 127);
    }
    return key;
  }

  private byte[] partition() {
    boolean isLong = random.nextInt(4) > 0;
    byte[] partition = new byte[isLong ? 13 : 3];
    partition[0] = (byte) (isLong ? 1 : 2);
    partition[isLong ? 11 : 2] = (byte) random.nextInt(4);
    return partition;
  }

  private static int partitionOf(byte[] key) {
    return key[0] == 1 ? 13 : 3;
  }

  /// One group of some mutations.
  ///
  /// @param nowSeconds from which times to live count
  public Consumer<Mutations> group(long nowSeconds) {
    List<Consumer<Mutations>> parts = new ArrayList<>();
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      parts.add(random.nextInt(5) == 0 ? header(nowSeconds) : row(nowSeconds));
    }
    return out -> parts.forEach(part -> part.accept(out));
  }

  private Consumer<Mutations> header(long nowSeconds) {
    byte[] key = key(true);
    long timestamp = timestamp();
    byte[] from = key(false);
    byte[] until = key(false);
    System.arraycopy(key, 0, from, 0, Math.min(key.length - 1, from.length));
    int kind = random.nextInt(4);
    Consumer<Mutations> cells = cells(nowSeconds);
    return out -> {
      out.row(key, partitionOf(key));
      switch (kind) {
        case 0 -> out.deletePartition(timestamp);
        case 1, 2 -> out.deleteRange(from, until, timestamp);
        default -> cells.accept(out);
      }
    };
  }

  private Consumer<Mutations> row(long nowSeconds) {
    byte[] key = key(false);
    int kind = random.nextInt(8);
    long timestamp = timestamp();
    int ttl = ttl();
    Consumer<Mutations> cells = cells(nowSeconds);
    return out -> {
      out.row(key, partitionOf(key));
      if (kind == 0) {
        out.deleteRow(timestamp);
      } else if (kind < 4) {
        out.live(timestamp, ttl, nowSeconds + ttl);
      }
      if (kind != 1) {
        cells.accept(out);
      }
    };
  }

  private Consumer<Mutations> cells(long nowSeconds) {
    List<Consumer<Mutations>> parts = new ArrayList<>();
    for (int left = random.nextInt(4); left > 0; left--) {
      parts.add(cell(nowSeconds));
    }
    return out -> parts.forEach(part -> part.accept(out));
  }

  private Consumer<Mutations> cell(long nowSeconds) {
    int column = random.nextInt(4) * 100;
    byte[] path = column < 200 ? null : new byte[random.nextInt(3)];
    long timestamp = timestamp();
    int ttl = ttl();
    byte[] value = new byte[random.nextInt(valueBytesMax)];
    random.nextBytes(value);
    return switch (random.nextInt(8)) {
      case 0 -> out -> out.deleteCell(column, path, timestamp);
      case 1 -> out -> out.deleteCells(column, timestamp);
      default -> out -> out.cell(column, path, value, timestamp, ttl, nowSeconds + ttl);
    };
  }

  private long timestamp() {
    return switch (random.nextInt(20)) {
      case 0 -> Long.MAX_VALUE;
      case 1 -> -random.nextLong(1L << 50);
      default -> 1_000 + random.nextInt(30);
    };
  }

  private int ttl() {
    return random.nextInt(3) == 0 ? 1 + random.nextInt(50) : 0;
  }

  /// A range of keys whose rows are asked for: of one partition, or of many.
  public byte[][] range() {
    byte[] from = random.nextInt(4) == 0 ? FIRST : key(random.nextInt(4) == 0);
    byte[] until = random.nextInt(4) == 0 ? LAST : key(false);
    if (random.nextBoolean()) {
      until = from.clone();
      until[until.length - 1]++;
    }
    return new byte[][] {from, until};
  }

  /// From when the rows that are live themselves are not.
  public static List<Long> liveExpiries(TableView view, long nowSeconds) {
    List<Long> expiries = new ArrayList<>();
    try (TableCursor cursor = view.scan(FIRST, LAST, false, nowSeconds)) {
      while (cursor.next()) {
        if (cursor.isLive()) {
          expiries.add(cursor.liveExpiry());
        }
      }
    }
    return expiries;
  }

  /// All that a scan shows: a line a row.
  public static List<String> read(
      TableView view, byte[] from, byte[] until, boolean descending, long nowSeconds) {
    List<String> rows = new ArrayList<>();
    try (TableCursor cursor = view.scan(from, until, descending, nowSeconds)) {
      while (cursor.next()) {
        StringBuilder row = new StringBuilder(hex(cursor.key()));
        row.append(cursor.isLive() ? " live" : "");
        while (cursor.nextCell()) {
          row.append(" | ").append(cursor.column()).append(' ').append(hex(cursor.path()));
          row.append('=').append(hex(cursor.value())).append(" at ").append(cursor.timestamp());
          row.append(" ttl ").append(cursor.ttl()).append(" to ").append(cursor.expiry());
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  /// Every row, from the least to the greatest.
  public static List<String> readAll(TableView view, long nowSeconds) {
    return read(view, FIRST, LAST, false, nowSeconds);
  }

  private static String hex(@Nullable ByteBuffer bytes) {
    if (bytes == null) {
      return "-";
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return HEX.formatHex(copy);
  }
}
