package io.widerow.cql.change;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// The keys of the rows of a table, some at a time, from which views and indexes are filled.
///
/// - Threads: one.
///
/// @param headers whether headers of partitions are rows, too
record FillPages(TableWriter writer, TableKeys keys, boolean headers) {
  private static final int ROWS = 512;
  private static final int BYTES = 1 << 20;

  /// The next keys from one on; none behind the last one.
  List<byte[]> page(byte[] from) {
    List<byte[]> page = new ArrayList<>();
    long bytes = 0;
    try (TableView shown = writer.store().view();
        TableCursor rows = shown.scan(from, keys.end(), false, StoredRow.NOTHING_EXPIRED)) {
      while (page.size() < ROWS && bytes < BYTES && rows.next()) {
        byte[] key = WireCodec.bytes(rows.key());
        if (headers || keys.read(ByteBuffer.wrap(key)).clustering() != null) {
          page.add(key);
          while (rows.nextCell()) {
            bytes += rows.value().remaining();
          }
        }
      }
    }
    return page;
  }
}
