package io.widerow.cql.key;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.KeySpan;
import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The keys of the rows of one table.
///
/// ```
///   | table 4 | token 8 | partition key components | 00 | kind 1 | clustering components | 00 |
/// ```
///
/// So partitions lie in the order of their tokens, in each its header first, then its rows in
/// clustering order. A prefix `p` of clustering values is the range from `p` until `p 42`. A
/// component of the partition key that has a decimal in it has its bytes as on the wire, since 1.0
/// and 1.00 are two partitions.
///
/// - Threads: any; immutable.
public final class TableKeys {
  private static final int HEADER = 0;
  private static final int ROW = 1;
  private static final int TOKEN_AT = Integer.BYTES;
  private static final int PARTITION_AT = TOKEN_AT + Long.BYTES;
  private static final int COMPONENT_BYTES_MAX = 0xffff;

  private final int number;
  private final List<Column> partition;
  private final List<Column> clustering;

  private TableKeys(int number, List<Column> partition, List<Column> clustering) {
    this.number = number;
    this.partition = partition;
    this.clustering = clustering;
  }

  public static TableKeys of(Table table) {
    return new TableKeys(table.number(), table.of(Kind.PARTITION_KEY), table.of(Kind.CLUSTERING));
  }

  /// The keys of all rows of some tables.
  ///
  /// @param first number of a table
  /// @param last number of a table, inclusive
  public static KeySpan all(int first, int last) {
    return new KeySpan(start(first), start(last + 1));
  }

  private static byte[] start(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  public List<Column> clustering() {
    return clustering;
  }

  /// The bytes of a partition key as it is hashed.
  private byte[] serialised(List<Object> values) {
    CellBuffer out = new CellBuffer(64);
    for (int i = 0; i < values.size(); i++) {
      byte[] bytes = WireCodec.bytes(WireCodec.encode(partition.get(i).type(), values.get(i)));
      if (bytes.length > COMPONENT_BYTES_MAX) {
        throw CqlException.invalid(
            "Key length of %d is longer than maximum of %d"
                .formatted(bytes.length, COMPONENT_BYTES_MAX));
      }
      if (values.size() == 1) {
        if (bytes.length == 0) {
          throw CqlException.invalid("Key may not be empty");
        }
        return bytes;
      }
      out.putShort(bytes.length);
      out.put(bytes);
      out.putByte(0);
    }
    return Arrays.copyOf(out.bytes(), out.length());
  }

  /// The token of a partition key. An empty one, which no row has, comes before all.
  ///
  /// @param values of all its columns
  public long token(List<Object> values) {
    boolean isEmpty =
        values.size() == 1
            && !WireCodec.encode(partition.getFirst().type(), values.getFirst()).hasRemaining();
    return isEmpty ? Long.MIN_VALUE : tokenOf(values);
  }

  private long tokenOf(List<Object> values) {
    byte[] bytes = serialised(values);
    return Murmur3.token(bytes, 0, bytes.length);
  }

  /// The common prefix of all keys of a partition.
  ///
  /// @param values of all columns of its key
  public byte[] partition(List<Object> values) {
    CellBuffer out = new CellBuffer(64);
    out.putInt(number);
    out.putLong(tokenOf(values) ^ Long.MIN_VALUE);
    for (int i = 0; i < values.size(); i++) {
      CqlType type = partition.get(i).type();
      if (isAsOnWire(type)) {
        out.putByte(KeyForm.VALUE);
        KeyForm.putEscaped(WireCodec.encode(type, values.get(i)), out);
      } else {
        KeyForm.putComponent(type, values.get(i), false, out);
      }
    }
    out.putByte(0);
    return bytes(out);
  }

  private static boolean isAsOnWire(CqlType type) {
    return type.contains(NativeType.DECIMAL);
  }

  private static byte[] bytes(CellBuffer out) {
    if (out.length() > COMPONENT_BYTES_MAX) {
      throw CqlException.invalid(
          "Key length of %d is longer than maximum of %d"
              .formatted(out.length(), COMPONENT_BYTES_MAX));
    }
    return Arrays.copyOf(out.bytes(), out.length());
  }

  /// The key of a partition's header.
  public static byte[] header(byte[] partition) {
    byte[] key = Arrays.copyOf(partition, partition.length + 1);
    key[partition.length] = HEADER;
    return key;
  }

  /// The key behind all rows of a partition.
  public static byte[] behind(byte[] partition) {
    byte[] key = Arrays.copyOf(partition, partition.length + 1);
    key[partition.length] = ROW + 1;
    return key;
  }

  /// The key of a row.
  ///
  /// @param values of all clustering columns
  public byte[] row(byte[] partition, List<Object> values) {
    byte[] prefix = prefix(partition, values);
    return Arrays.copyOf(prefix, prefix.length + 1);
  }

  /// The common prefix of the keys of rows whose first clustering columns have these values. It is
  /// also the least key of their range.
  public byte[] prefix(byte[] partition, List<Object> values) {
    CellBuffer out = new CellBuffer(64);
    out.put(partition);
    out.putByte(ROW);
    for (int i = 0; i < values.size(); i++) {
      Column column = clustering.get(i);
      KeyForm.putComponent(column.type(), values.get(i), column.descending(), out);
    }
    return bytes(out);
  }

  /// The key behind all that begin with a prefix.
  public static byte[] after(byte[] prefix) {
    byte[] key = Arrays.copyOf(prefix, prefix.length + 1);
    key[prefix.length] = KeyForm.AFTER;
    return key;
  }

  /// The least key behind a key.
  public static byte[] next(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /// The least key of all partitions whose token is not less.
  public byte[] fromToken(long token) {
    return ByteBuffer.allocate(PARTITION_AT).putInt(number).putLong(token ^ Long.MIN_VALUE).array();
  }

  /// The key behind the table.
  public byte[] end() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number + 1).array();
  }

  /// The values of a key.
  ///
  /// @param partition all of the partition key
  /// @param clustering all of the clustering key; null when it is the key of a header
  /// @param prefix the number of bytes of the key that belong to its partition
  public record Parts(
      List<Object> partition, @Nullable List<Object> clustering, long token, int prefix) {
    /// The value of a column of the key; null for one of another kind, and for a clustering column
    /// in a header.
    public @Nullable Object value(Column column) {
      return switch (column.kind()) {
        case PARTITION_KEY -> partition.get(column.position());
        case CLUSTERING -> clustering == null ? null : clustering.get(column.position());
        case STATIC, REGULAR -> null;
      };
    }
  }

  /// Reads a key.
  public Parts read(ByteBuffer key) {
    ByteBuffer bytes = key.duplicate();
    int begun = bytes.position();
    long token = bytes.getLong(begun + TOKEN_AT) ^ Long.MIN_VALUE;
    bytes.position(begun + PARTITION_AT);
    KeyReader reader = new KeyReader(bytes);
    @Nullable Object[] keys = new Object[partition.size()];
    for (int i = 0; i < keys.length; i++) {
      CqlType type = partition.get(i).type();
      keys[i] = isAsOnWire(type) ? reader.escaped(type) : reader.component(type, false);
    }
    requireEnd(bytes.get());
    int prefix = bytes.position() - begun;
    if (bytes.get() == HEADER) {
      return new Parts(all(keys), null, token, prefix);
    }
    @Nullable Object[] values = new Object[clustering.size()];
    for (int i = 0; i < values.length; i++) {
      Column column = clustering.get(i);
      values[i] = reader.component(column.type(), column.descending());
    }
    requireEnd(bytes.get());
    return new Parts(all(keys), all(values), token, prefix);
  }

  private static List<Object> all(@Nullable Object[] values) {
    return Arrays.stream(values).map(Objects::requireNonNull).toList();
  }

  private static void requireEnd(int found) {
    if (found != 0) {
      throw new IllegalStateException("a list of a key that ends with " + found);
    }
  }
}
