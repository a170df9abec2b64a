package io.widerow.cli.cql;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.query.QueryException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The body of a response of the native protocol.
///
/// - Threads: one.
final class CqlBody {
  private static final int COMPRESSED = 0x01;
  private static final int TRACED = 0x02;
  private static final int PAYLOAD = 0x04;
  private static final int WARNED = 0x08;

  private static final int ROWS = 2;
  private static final int GLOBAL_TABLE = 0x01;
  private static final int MORE_PAGES = 0x02;
  private static final int NO_METADATA = 0x04;

  private static final int UUID_BYTES = 16;

  private final ByteBuffer in;
  private final List<String> warnings = new ArrayList<>();

  private CqlBody(ByteBuffer in) {
    this.in = in;
  }

  /// Reads the leading parts that the flags of the frame announce.
  ///
  /// @throws QueryException.Remote when the bytes are no such body
  static CqlBody of(ByteBuffer in, int flags) {
    var body = new CqlBody(in);
    return body.whole(() -> {
      if ((flags & COMPRESSED) != 0) {
        throw broken("it is compressed, without a request for compression");
      }
      if ((flags & TRACED) != 0) {
        body.skip(UUID_BYTES);
      }
      if ((flags & WARNED) != 0) {
        for (int left = body.unsignedShort(); left > 0; left--) {
          body.warnings.add(body.string());
        }
      }
      if ((flags & PAYLOAD) != 0) {
        for (int left = body.unsignedShort(); left > 0; left--) {
          String _ = body.string();
          ByteBuffer _ = body.bytes();
        }
      }
      return body;
    });
  }

  private <T> T whole(Supplier<T> read) {
    try {
      return read.get();
    } catch (BufferUnderflowException | IndexOutOfBoundsException cut) {
      throw broken("it is cut");
    }
  }

  private static QueryException.Remote broken(String why) {
    return new QueryException.Remote("the response cannot be read: " + why);
  }

  private void skip(int length) {
    in.position(Math.addExact(in.position(), length));
  }

  private int unsignedShort() {
    return Short.toUnsignedInt(in.getShort());
  }

  private String string() {
    return text(unsignedShort());
  }

  private String text(int length) {
    ByteBuffer bytes = in.slice(in.position(), length);
    skip(length);
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  private @Nullable ByteBuffer bytes() {
    int length = in.getInt();
    if (length < 0) {
      return null;
    }
    ByteBuffer bytes = in.slice(in.position(), length);
    skip(length);
    return bytes;
  }

  /// Warnings that the server sends with the result.
  List<String> warnings() {
    return warnings;
  }

  /// The error that this is.
  QueryException.Remote error() {
    return whole(() -> {
      int number = in.getInt();
      return new QueryException.Remote("%s (0x%04x)".formatted(string(), number));
    });
  }

  /// The rows that this is; null for a result without rows.
  ///
  /// @throws QueryException.Remote when it is no result
  CqlConnection.@Nullable Page result() {
    return whole(() -> in.getInt() == ROWS ? page() : null);
  }

  private CqlConnection.Page page() {
    int flags = in.getInt();
    int count = in.getInt();
    ByteBuffer next = (flags & MORE_PAGES) == 0 ? null : bytes();
    if ((flags & NO_METADATA) != 0) {
      throw broken("it has no names of columns");
    }
    boolean oneTable = (flags & GLOBAL_TABLE) != 0;
    if (oneTable) {
      table();
    }
    List<CqlConnection.Column> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      if (!oneTable) {
        table();
      }
      columns.add(new CqlConnection.Column(string(), type()));
    }
    List<CqlConnection.Row> rows = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      List<@Nullable ByteBuffer> row = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        row.add(bytes());
      }
      rows.add(new CqlConnection.Row(row));
    }
    return new CqlConnection.Page(columns, rows, next);
  }

  private void table() {
    String _ = string();
    String _ = string();
  }

  private CqlType type() {
    int option = unsignedShort();
    return switch (option) {
      case 0x20 -> new CqlType.ListOf(type(), false);
      case 0x21 -> new CqlType.MapOf(type(), type(), false);
      case 0x22 -> new CqlType.SetOf(type(), false);
      case 0x30 -> userType();
      case 0x31 -> {
        List<CqlType> elements = new ArrayList<>();
        for (int left = unsignedShort(); left > 0; left--) {
          elements.add(type());
        }
        yield new CqlType.TupleOf(elements);
      }
      case 0x00 -> customType(string());
      default -> nativeType(option);
    };
  }

  private CqlType userType() {
    String keyspace = string();
    String name = string();
    List<CqlType.Field> fields = new ArrayList<>();
    for (int left = unsignedShort(); left > 0; left--) {
      fields.add(new CqlType.Field(string(), type()));
    }
    return new CqlType.UserType(keyspace, name, fields, false);
  }

  /// A duration has no number in version 4. What else has none is shown as its bytes.
  private static CqlType customType(String javaClass) {
    return javaClass.endsWith(".DurationType") ? NativeType.DURATION : NativeType.BLOB;
  }

  private static CqlType nativeType(int option) {
    for (NativeType type : NativeType.values()) {
      if (type.number == option) {
        return type;
      }
    }
    throw broken("it has a column of the unknown type %d".formatted(option));
  }
}
