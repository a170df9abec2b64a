package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.WidePartition;
import io.widerow.cql.store.Widest;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// `widerow.table_sizes`: the widest partitions of each table and view of users, and how many cells
/// they have by the formula for wide rows:
///
/// ```
///   n_v = n_r * (n_c - n_pk - n_s) + n_s       rows, columns, those of the key, static ones
/// ```
public final class TableSizes extends RowsOfTables {
  /// Rows that one query reads at most to count them.
  private static final long READ_MOST = 1_000_000;

  private static final int PARTITIONS = 100;

  /// @param schema that users have now
  /// @param clock by which rows expire
  public TableSizes(Supplier<Schema> schema, TableStore store, InstantSource clock) {
    super(
        named("widerow", "table_sizes")
            .descending("n_v", NativeType.BIGINT)
            .clustering("partition_key", NativeType.TEXT)
            .column("bytes", NativeType.BIGINT)
            .column("exact", NativeType.BOOLEAN)
            .column("n_c", NativeType.INT)
            .column("n_pk", NativeType.INT)
            .column("n_r", NativeType.BIGINT)
            .column("n_s", NativeType.INT)
            .build(
                "the widest partitions of each table: n_v = n_r * (n_c - n_pk - n_s) + n_s, the"
                    + " cells of n_r rows; n_r is the most that there can be where exact is false"),
        schema,
        store,
        clock);
  }

  @Override
  void add(List<Table> tables, Reading reading) {
    long left = READ_MOST;
    for (Table table : tables) {
      byte[] number = ByteBuffer.allocate(Integer.BYTES).putInt(table.number()).array();
      boolean isView = table.view() != null;
      Widest widest = reading.view().widest(number, isView, PARTITIONS, left, reading.nowSeconds());
      left -= widest.read();
      add(table, widest, reading);
    }
  }

  private static void add(Table table, Widest widest, Reading reading) {
    TableKeys keys = TableKeys.of(table);
    int columns = table.columns().size();
    int ofKey = (int) table.columns().stream().filter(Column::isKey).count();
    int statics = table.of(Kind.STATIC).size();
    for (WidePartition each : widest.partitions()) {
      ByteBuffer key = ByteBuffer.wrap(TableKeys.header(each.key()));
      reading.add(
          table.keyspace(),
          table.name(),
          each.rows() * (columns - ofKey - statics) + statics,
          text(table, keys.read(key).partition()),
          each.bytes(),
          each.isExact(),
          columns,
          ofKey,
          each.rows(),
          statics);
    }
  }

  /// A partition key, with colons between the values of its columns.
  private static String text(Table table, List<Object> values) {
    List<Column> columns = table.of(Kind.PARTITION_KEY);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      texts.add(Texts.ofAny(columns.get(i).type(), values.get(i)));
    }
    return String.join(":", texts);
  }
}
