package io.widerow.cql.table;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.KeyLimits.TokenCondition;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The rows of a table of users, each page from a view of its own.
///
/// - Order: by the token of the partition key, then in clustering order.
///
/// @param clock by which rows expire
/// @param built whether the index of a number has all rows
public record TableSource(Table table, TableStore store, InstantSource clock, IntPredicate built)
    implements RowSource {
  /// A table without indexes.
  public TableSource(Table table, TableStore store, InstantSource clock) {
    this(table, store, clock, _ -> false);
  }

  @Override
  public boolean isOrdered() {
    return false;
  }

  @Override
  public boolean takesLimits() {
    return true;
  }

  @Override
  public RowCursor open(RowScan scan, RequestPrincipal asker) {
    TableView view = store.view();
    try {
      return open(scan, asker, view);
    } catch (RuntimeException refused) {
      view.close();
      throw refused;
    }
  }

  private RowCursor open(RowScan scan, RequestPrincipal asker, TableView view) {
    long nowSeconds = clock.instant().getEpochSecond();
    RowReader reader = new RowReader(table, view, nowSeconds);
    KeySpans spans =
        new KeySpans(table, reader.keys(), scan.conditions(), scan.limits(), asker.memory());
    List<byte[]> partitions = spans.partitions();
    asker.memory().accept(partitions == null ? 0 : KeySpans.KEY_BYTES * partitions.size());
    RowFilter filter = new RowFilter(scan, spans, asker);
    Position after = Position.read(scan.after());
    asker.trace(() ->
        "Reading %s of %s"
            .formatted(
                partitions == null ? "all partitions" : partitions.size() + " partitions",
                table.qualified()));
    if (!table.indexes().isEmpty()) {
      IndexChoice choice = new IndexChoice(table, scan.conditions(), built);
      IndexChoice.Part part = choice.choose(view, partitions != null, nowSeconds);
      if (part != null) {
        filter.hold(part.isRange() ? IndexedRows.BUFFER_BYTES : 0);
        reader.readBy(part, filter::requireGoingOn);
        asker.trace(() -> "Reading by the index " + part.name());
      }
    }
    if (partitions == null) {
      return new TableRows(view, reader, range(reader.keys(), scan.limits()), filter, after);
    }
    List<byte[]> wanted =
        partitions.stream().filter(each -> isWanted(each, scan.limits())).toList();
    if (scan.limits().merged() && wanted.size() > 1) {
      return new CqlMergedRows(view, reader, wanted, filter, after);
    }
    return new PartitionRows(view, reader, wanted, filter, after);
  }

  private static boolean isWanted(byte[] partition, KeyLimits limits) {
    long token = ByteBuffer.wrap(partition).getLong(Integer.BYTES) ^ Long.MIN_VALUE;
    return limits.tokens().stream().allMatch(each -> each.test(token));
  }

  /// The keys of the table, cut by the conditions on tokens. [Long#MIN_VALUE] is before all tokens,
  /// and as an upper bound it is the end.
  private static KeySpans.Span range(TableKeys keys, KeyLimits limits) {
    byte[] from = keys.fromToken(Long.MIN_VALUE);
    byte[] until = keys.end();
    for (TokenCondition each : limits.tokens()) {
      long token = each.token();
      byte[] at = keys.fromToken(token);
      byte[] behind = token == Long.MAX_VALUE ? keys.end() : keys.fromToken(token + 1);
      switch (each.operator()) {
        case GT -> from = behind;
        case GTE -> from = at;
        case LT -> until = token == Long.MIN_VALUE ? until : at;
        case LTE -> until = token == Long.MIN_VALUE ? until : behind;
        default -> {
          boolean all = token == Long.MIN_VALUE; // from the least token around to itself
          from = all ? from : at;
          until = all ? until : behind;
        }
      }
    }
    return new KeySpans.Span(from, until);
  }

  /// Where a page has ended: the key of its last row, and how many rows of its partition there were
  /// so far.
  static final class Position {
    private final byte[] key;
    private final int count;

    Position(byte[] key, int count) {
      this.key = key;
      this.count = count;
    }

    byte[] key() {
      return key;
    }

    int count() {
      return count;
    }

    static @Nullable Position read(@Nullable ByteBuffer bytes) {
      if (bytes == null) {
        return null;
      }
      if (bytes.remaining() <= 2 * Integer.BYTES) {
        throw CqlException.protocol("Invalid value for the paging state");
      }
      ByteBuffer rest = bytes.duplicate();
      int count = rest.getInt();
      byte[] key = new byte[rest.remaining()];
      rest.get(key);
      return new Position(key, count);
    }

    static ByteBuffer write(byte[] key, int count) {
      return ByteBuffer.allocate(Integer.BYTES + key.length).putInt(count).put(key).flip();
    }

    /// True when it is in a partition.
    boolean isIn(byte[] partition) {
      return key.length > partition.length && Arrays.mismatch(key, partition) == partition.length;
    }
  }
}
