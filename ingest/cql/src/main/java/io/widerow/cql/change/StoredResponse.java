package io.widerow.cql.change;

import io.widerow.cql.type.CellBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/// The response to a request, stored for its retries.
///
/// ```
///   columns (2), each: bytes (2), name | rows (4) | cells of the rows: bytes (4), value
/// ```
///
/// Big-endian. A cell is as it goes to the client. Without columns the response has no rows.
///
/// @param columns their names
/// @param count of rows
/// @param cells a cell for each column, row by row
public record StoredResponse(List<String> columns, int count, CellBuffer cells) {
  /// The response of a statement that returns no rows.
  public static final StoredResponse NOTHING = new StoredResponse(List.of(), 0, new CellBuffer(0));

  public StoredResponse {
    columns = List.copyOf(columns);
  }

  byte[] toBytes() {
    CellBuffer out = new CellBuffer(64 + cells.length());
    out.putShort(columns.size());
    for (String column : columns) {
      byte[] utf8 = column.getBytes(StandardCharsets.UTF_8);
      out.putShort(utf8.length);
      out.put(utf8);
    }
    out.putInt(count);
    out.put(Arrays.copyOf(cells.bytes(), cells.length()));
    return Arrays.copyOf(out.bytes(), out.length());
  }

  static StoredResponse of(ByteBuffer kept) {
    ByteBuffer in = kept.duplicate();
    List<String> columns = new ArrayList<>();
    for (int left = Short.toUnsignedInt(in.getShort()); left > 0; left--) {
      byte[] utf8 = new byte[Short.toUnsignedInt(in.getShort())];
      in.get(utf8);
      columns.add(new String(utf8, StandardCharsets.UTF_8));
    }
    int count = in.getInt();
    CellBuffer cells = new CellBuffer(in.remaining());
    byte[] rest = new byte[in.remaining()];
    in.get(rest);
    cells.put(rest);
    return new StoredResponse(columns, count, cells);
  }

  /// This response without columns that were dropped since.
  public StoredResponse with(Predicate<String> isThere) {
    if (columns.stream().allMatch(isThere)) {
      return this;
    }
    ByteBuffer in = ByteBuffer.wrap(cells.bytes(), 0, cells.length());
    CellBuffer left = new CellBuffer(cells.length());
    for (int row = 0; row < count; row++) {
      for (String column : columns) {
        int begun = in.position();
        in.position(begun + Integer.BYTES + Math.max(0, in.getInt(begun)));
        if (isThere.test(column)) {
          byte[] cell = new byte[in.position() - begun];
          in.get(begun, cell);
          left.put(cell);
        }
      }
    }
    return new StoredResponse(columns.stream().filter(isThere).toList(), count, left);
  }
}
