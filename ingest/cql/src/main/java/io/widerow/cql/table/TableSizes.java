package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowList;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.WidePartition;
import io.widerow.cql.store.Widest;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/// `widerow.table_sizes`: the widest partitions of each table and view of users, and how many cells
/// they have by the formula for wide rows:
///
/// ```
///   n_v = n_r * (n_c - n_pk - n_s) + n_s       rows, columns, those of the key, static ones
/// ```
///
/// - Threads: any.
///
/// @param schema that users have now
/// @param clock by which rows expire
public record TableSizes(Supplier<Schema> schema, TableStore store, InstantSource clock)
    implements RowSource {
  /// Rows that one query reads at most to count them.
  private static final long READ_MOST = 1_000_000;

  private static final int PARTITIONS = 100;
  private static final long BYTES_OF_ROW = 512;

  private static final Table TABLE =
      Table.named("widerow", "table_sizes")
          .partition("keyspace_name", NativeType.TEXT)
          .clustering("table_name", NativeType.TEXT)
          .descending("n_v", NativeType.BIGINT)
          .clustering("partition_key", NativeType.TEXT)
          .column("bytes", NativeType.BIGINT)
          .column("exact", NativeType.BOOLEAN)
          .column("n_c", NativeType.INT)
          .column("n_pk", NativeType.INT)
          .column("n_r", NativeType.BIGINT)
          .column("n_s", NativeType.INT)
          .build(
              "the widest partitions of each table: n_v = n_r * (n_c - n_pk - n_s) + n_s, the cells"
                  + " of n_r rows; n_r is the most that there can be where exact is false");

  private static final List<CqlType> TYPES = TABLE.columns().stream().map(Column::type).toList();
  private static final int OF_TABLE = 2; // the first columns name one
  private static final int CELLS = TABLE.find("n_v");
  private static final int PARTITION = TABLE.find("partition_key");

  private static final Comparator<Row> ORDER =
      Comparator.comparing((Row row) -> text(row, 0))
          .thenComparing(row -> text(row, 1))
          .thenComparing((one, other) -> Long.compare(cells(other), cells(one)))
          .thenComparing(row -> text(row, PARTITION));

  private static long cells(Row row) {
    return (Long) Objects.requireNonNull(row.value(CELLS));
  }

  @Override
  public Table table() {
    return TABLE;
  }

  @Override
  public boolean isOrdered() {
    return false;
  }

  @Override
  public RowCursor open(RowScan scan, RequestPrincipal asker) {
    List<Row> rows = new ArrayList<>();
    long left = READ_MOST;
    try (TableView view = store.view()) {
      for (CqlKeyspace keyspace : schema.get().keyspaces()) {
        for (Table table : keyspace.tables()) {
          if (isAsked(table, scan.conditions())) {
            Widest widest = widest(table, view, left);
            left -= widest.read();
            asker.memory().accept(BYTES_OF_ROW * widest.partitions().size());
            rows.addAll(rows(table, widest));
          }
        }
      }
    }
    rows.removeIf(row -> !scan.conditions().stream().allMatch(each -> each.test(row)));
    rows.sort(ORDER);
    if (scan.descending()) {
      Collections.reverse(rows);
    }
    return new RowList(rows, scan.after());
  }

  private static String text(Row row, int column) {
    return (String) Objects.requireNonNull(row.value(column));
  }

  /// False when no row about a table meets the conditions.
  private static boolean isAsked(Table table, List<RowCondition> conditions) {
    ValueRow names = new ValueRow(TYPES.subList(0, OF_TABLE), table.keyspace(), table.name());
    return conditions.stream()
        .filter(each -> each.index() < OF_TABLE)
        .allMatch(each -> each.test(names));
  }

  private Widest widest(Table table, TableView view, long read) {
    byte[] number = ByteBuffer.allocate(Integer.BYTES).putInt(table.number()).array();
    boolean isView = table.view() != null;
    return view.widest(number, isView, PARTITIONS, read, clock.instant().getEpochSecond());
  }

  private static List<Row> rows(Table table, Widest widest) {
    TableKeys keys = TableKeys.of(table);
    int columns = table.columns().size();
    int ofKey = (int) table.columns().stream().filter(Column::isKey).count();
    int statics = table.of(Kind.STATIC).size();
    List<Row> rows = new ArrayList<>();
    for (WidePartition each : widest.partitions()) {
      ByteBuffer key = ByteBuffer.wrap(TableKeys.header(each.key()));
      rows.add(
          new ValueRow(
              TYPES,
              table.keyspace(),
              table.name(),
              each.rows() * (columns - ofKey - statics) + statics,
              text(table, keys.read(key).partition()),
              each.bytes(),
              each.isExact(),
              columns,
              ofKey,
              each.rows(),
              statics));
    }
    return rows;
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
