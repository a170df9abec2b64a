package io.widerow.cql.table;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/// `system.size_estimates` and `system.table_estimates`, from which tools such as the connector for
/// Spark learn into how many parts to split a table: the number of its partitions and their mean
/// size in table files. One server has all tokens, which are two ranges.
///
/// Tokens are hashes, so they are as far apart at the beginning of a range as in all of it: more
/// than [#COUNTED_MAX] partitions are estimated by the distance that so many tokens span, with a
/// standard error of some 3 %.
public final class SizeEstimates extends RowsOfTables {
  private static final int COUNTED_MAX = 1_024;
  private static final long OWN_TOKEN = 0; // that of `system.local`
  private static final double TOKENS = 0x1p64;

  private final List<String> kinds;

  private SizeEstimates(
      Table table,
      List<String> kinds,
      Supplier<Schema> schema,
      TableStore store,
      InstantSource clock) {
    super(table, schema, store, clock);
    this.kinds = kinds;
  }

  /// `system.size_estimates`.
  ///
  /// @param schema that users have now
  /// @param clock by which rows expire
  public static SizeEstimates primary(
      Supplier<Schema> schema, TableStore store, InstantSource clock) {
    Table table =
        ranges(named("system", "size_estimates")).build("per-table primary range size estimates");
    return new SizeEstimates(table, List.of(), schema, store, clock);
  }

  /// `system.table_estimates`, with the ranges of each kind that Cassandra has.
  ///
  /// @param schema that users have now
  /// @param clock by which rows expire
  public static SizeEstimates all(Supplier<Schema> schema, TableStore store, InstantSource clock) {
    Table.Builder named =
        named("system", "table_estimates").clustering("range_type", NativeType.TEXT);
    Table table = ranges(named).build("per-table range size estimates");
    return new SizeEstimates(table, List.of("primary", "local_primary"), schema, store, clock);
  }

  private static Table.Builder ranges(Table.Builder table) {
    return table
        .clustering("range_start", NativeType.TEXT)
        .clustering("range_end", NativeType.TEXT)
        .column("mean_partition_size", NativeType.BIGINT)
        .column("partitions_count", NativeType.BIGINT);
  }

  @Override
  void add(List<Table> tables, Reading reading) {
    for (Table table : tables) {
      add(table, Long.MIN_VALUE, OWN_TOKEN, reading);
      add(table, OWN_TOKEN, Long.MIN_VALUE, reading);
    }
  }

  /// @param start token before the range
  /// @param end its last token; [Long#MIN_VALUE] for the greatest one
  private void add(Table table, long start, long end, Reading reading) {
    TableKeys keys = TableKeys.of(table);
    byte[] from = keys.fromToken(start);
    byte[] until = end == Long.MIN_VALUE ? keys.end() : keys.fromToken(end + 1);
    double share = (end == Long.MIN_VALUE ? 0x1p63 - start : (double) end - start) / TOKENS;
    long partitions = partitions(keys, from, until, share, reading);
    long mean = partitions == 0 ? 0 : reading.view().fileBytes(from, until) / partitions;
    String first = Long.toString(start);
    String last = Long.toString(end);
    if (kinds.isEmpty()) {
      reading.add(table.keyspace(), table.name(), first, last, mean, partitions);
    }
    for (String kind : kinds) {
      reading.add(table.keyspace(), table.name(), kind, first, last, mean, partitions);
    }
  }

  /// @param share of the tokens of the range in all tokens
  private static long partitions(
      TableKeys keys, byte[] from, byte[] until, double share, Reading reading) {
    TableView view = reading.view();
    byte[] next = from;
    int count = 0;
    while (Arrays.compareUnsigned(next, until) < 0) {
      try (TableCursor cursor = view.scan(next, until, false, reading.nowSeconds())) {
        if (!cursor.next()) {
          return count;
        }
        byte[] key = WireCodec.bytes(cursor.key());
        count++;
        if (count == COUNTED_MAX) {
          double spanned = (token(key) - token(from)) / TOKENS;
          return Math.round(count * share / spanned);
        }
        int prefix = keys.read(ByteBuffer.wrap(key)).prefix();
        next = TableKeys.behind(Arrays.copyOf(key, prefix));
      }
    }
    return count;
  }

  /// The token of a key as a number from 0.
  private static double token(byte[] key) {
    long token = ByteBuffer.wrap(key).getLong(Integer.BYTES);
    return (token >>> 1) * 2.0 + (token & 1);
  }
}
