package io.widerow.cql.tablestats;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The widest partitions of each table in one source, such as a file.
///
/// ```
///   tables, each: bytes | table | rows | rest | count
///                 | partitions, each: bytes | the rest of the key | 2 * rows + expires | marked
///                                     | [ expiry ]
/// ```
///
/// Numbers are varints, an expiry is zigzag. Tables and partitions ascend.
///
/// - Threads: any; immutable.
public final class Widths {
  /// Number of leading bytes of a key that identify its table.
  public static final int TABLE_BYTES = 4;

  /// Partitions that are kept of a table.
  public static final int LISTED = 100;

  private static final int KEY_BYTES_MAX = 0xffff;

  private final List<OfTable> tables;

  Widths(List<OfTable> tables) {
    this.tables = List.copyOf(tables);
  }

  /// The partitions of one table.
  public static final class OfTable {
    private final byte[] table;
    private final long rows;
    private final long rest;
    private final List<Partition> widest;

    /// @param table first bytes of its keys
    /// @param rows of all its partitions
    /// @param rest the most rows that one of the other partitions has
    /// @param widest some of its partitions, none narrower than one of the others
    OfTable(byte[] table, long rows, long rest, List<Partition> widest) {
      this.table = table.clone();
      this.rows = rows;
      this.rest = rest;
      this.widest = widest.stream().sorted(Partition::compareKey).toList();
    }

    public long rows() {
      return rows;
    }

    public long rest() {
      return rest;
    }

    /// In the order of their keys.
    public List<Partition> widest() {
      return widest;
    }

    /// The recorded width of a partition; null when it is not one of the widest.
    public @Nullable Partition find(byte[] key) {
      for (Partition each : widest) {
        if (each.hasKey(key)) {
          return each;
        }
      }
      return null;
    }
  }

  /// Those of a table; null when the source has no key of it.
  public @Nullable OfTable of(byte[] table) {
    for (OfTable each : tables) {
      if (Arrays.equals(each.table, table)) {
        return each;
      }
    }
    return null;
  }

  /// Writes them.
  public void put(ByteSink out) {
    for (OfTable each : tables) {
      out.putVarint(each.table.length);
      out.put(each.table, 0, each.table.length);
      out.putVarint(each.rows);
      out.putVarint(each.rest);
      out.putVarint(each.widest.size());
      for (Partition partition : each.widest) {
        put(partition, each.table.length, out);
      }
    }
  }

  private static void put(Partition partition, int skipped, ByteSink out) {
    byte[] key = partition.key();
    boolean expires = partition.expiry() != Long.MAX_VALUE;
    out.putVarint(key.length - skipped);
    out.put(key, skipped, key.length - skipped);
    out.putVarint(2 * partition.rows() + (expires ? 1 : 0));
    out.putVarint(partition.marked());
    if (expires) {
      out.putZigzag(partition.expiry());
    }
  }

  /// Reads what [#put] wrote, to the end.
  ///
  /// @throws io.widerow.storage.StorageException.Corrupt when it is something else
  public static Widths read(ByteSource in) {
    List<OfTable> tables = new ArrayList<>();
    while (in.left() > 0) {
      byte[] table = bytes(in, TABLE_BYTES);
      if (!tables.isEmpty() && Arrays.compareUnsigned(tables.getLast().table, table) >= 0) {
        throw in.corrupt("widths of tables that do not ascend");
      }
      long rows = count(in);
      long rest = count(in);
      List<Partition> widest = new ArrayList<>();
      for (int left = in.readCount(0, LISTED, "partitions"); left > 0; left--) {
        widest.add(partition(in, table));
      }
      requireAscending(widest, in);
      tables.add(new OfTable(table, rows, rest, widest));
    }
    return new Widths(tables);
  }

  private static byte[] bytes(ByteSource in, int most) {
    int count = in.readCount(0, Math.min(most, in.left()), "bytes of a key");
    int at = in.skip(count, "a key");
    return Arrays.copyOfRange(in.bytes(), at, at + count);
  }

  private static long count(ByteSource in) {
    long count = in.readVarint();
    if (count < 0) {
      throw in.corrupt("%s rows".formatted(Long.toUnsignedString(count)));
    }
    return count;
  }

  private static Partition partition(ByteSource in, byte[] table) {
    byte[] more = bytes(in, KEY_BYTES_MAX);
    byte[] key = Arrays.copyOf(table, table.length + more.length);
    System.arraycopy(more, 0, key, table.length, more.length);
    long rows = count(in);
    long marked = count(in);
    long expiry = (rows & 1) == 0 ? Long.MAX_VALUE : in.readZigzag();
    if (marked > rows >>> 1) {
      throw in.corrupt("%d of %d rows are live themselves".formatted(marked, rows >>> 1));
    }
    return new Partition(key, rows >>> 1, marked, expiry);
  }

  private static void requireAscending(List<Partition> widest, ByteSource in) {
    for (int i = 1; i < widest.size(); i++) {
      if (widest.get(i - 1).compareKey(widest.get(i)) >= 0) {
        throw in.corrupt("widths of partitions that do not ascend");
      }
    }
  }
}
