package io.widerow.cql.key;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/// The keys of the entries of one index.
///
/// ```
///   | index 4 | value, escaped | 00 00 | 01 | key of the row without its table |
///   +------------- partition ----------+
/// ```
///
/// The value is the form that it has in a key, cut after 1,024 bytes, with each `00` in it followed
/// by `ff`. So the entries of a value lie together, values in their order, and the entries of one
/// value in the order of the rows of the table. Of values that are cut, several may have the same
/// bytes: a reader compares the value of the row.
///
/// - Threads: any; immutable.
public final class IndexKeys {
  private static final int VALUE_BYTES_MAX = 1_024;
  private static final int ROW = 1;
  private static final int ESCAPE = 0xff;

  private final int number;
  private final int tableNumber;
  private final List<CqlType> types;

  private IndexKeys(int number, int tableNumber, List<CqlType> types) {
    this.number = number;
    this.tableNumber = tableNumber;
    this.types = types;
  }

  /// @param table that has the index
  public static IndexKeys of(Table table, SecondaryIndex index) {
    Column column = table.columns().get(table.find(index.column()));
    List<CqlType> parts = column.type().parts();
    List<CqlType> types =
        switch (index.target()) {
          case SIMPLE, FULL -> List.of(column.type());
          case VALUES -> List.of(parts.getLast());
          case KEYS -> List.of(parts.getFirst());
          case ENTRIES -> parts;
        };
    return new IndexKeys(index.number(), table.number(), types);
  }

  /// The beginning of the keys of all entries of a value.
  ///
  /// @param values one, or the key and the value of an entry of a map
  public byte[] value(List<Object> values) {
    CellBuffer form = new CellBuffer(64);
    for (int i = 0; i < values.size(); i++) {
      KeyForm.putComponent(types.get(i), values.get(i), false, form);
    }
    int bytes = Math.min(form.length(), VALUE_BYTES_MAX);
    CellBuffer out = new CellBuffer(64);
    out.putInt(number);
    KeyForm.putEscaped(ByteBuffer.wrap(form.bytes(), 0, bytes), out);
    out.putByte(ROW);
    return Arrays.copyOf(out.bytes(), out.length());
  }

  /// The key of an entry.
  ///
  /// @param row key of the row of the table, or of the header of a partition
  public byte[] entry(List<Object> values, byte[] row) {
    return under(value(values), row);
  }

  /// The key under a value that stands for a key of the table, or for a bound of its keys.
  public byte[] under(byte[] value, byte[] key) {
    if (ByteBuffer.wrap(key).getInt() != tableNumber) { // the key behind the table
      return behind(value);
    }
    int rest = key.length - Integer.BYTES;
    byte[] entry = Arrays.copyOf(value, value.length + rest);
    System.arraycopy(key, key.length - rest, entry, value.length, rest);
    return entry;
  }

  /// The key behind all entries of a value.
  public static byte[] behind(byte[] value) {
    byte[] key = value.clone();
    key[key.length - 1] = ROW + 1;
    return key;
  }

  /// The least key of all entries.
  public byte[] start() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /// The key behind all entries.
  public byte[] end() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number + 1).array();
  }

  /// The number of bytes of the key of an entry that stand for the value.
  public static int partitionBytes(byte[] entry) {
    int at = Integer.BYTES;
    while (entry[at] != 0 || (entry[at + 1] & 0xff) == ESCAPE) {
      at += entry[at] == 0 ? 2 : 1;
    }
    return at + 2;
  }

  /// The key of the row that an entry is of.
  public byte[] row(byte[] entry) {
    int at = partitionBytes(entry) + 1;
    byte[] key = new byte[Integer.BYTES + entry.length - at];
    ByteBuffer.wrap(key).putInt(tableNumber).put(entry, at, entry.length - at);
    return key;
  }
}
