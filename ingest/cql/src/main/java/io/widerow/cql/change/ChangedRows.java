package io.widerow.cql.change;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.type.WireCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Rows that a group changes, of tables that have materialized views or indexes.
///
/// - Threads: one.
final class ChangedRows {
  private static final int DELETED_MAX = 100_000;

  private final WrittenSchema schema;
  private final TreeMap<Integer, OfTable> tables = new TreeMap<>(); // by their numbers

  ChangedRows(WrittenSchema schema) {
    this.schema = schema;
  }

  /// Those of one table.
  private static final class OfTable {
    private final Table table;
    private final List<RowDerivation> derivations;
    private final SortedSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    private final List<Span> deleted = new ArrayList<>();

    OfTable(Table table, List<RowDerivation> derivations) {
      this.table = table;
      this.derivations = derivations;
    }
  }

  private @Nullable OfTable of(Table table) {
    OfTable found = tables.get(table.number());
    if (found == null) {
      List<RowDerivation> derivations = schema.derivations(table);
      if (derivations.isEmpty()) {
        return null;
      }
      found = new OfTable(table, derivations);
      tables.put(table.number(), found);
    }
    return found;
  }

  void row(Table table, byte[] key) {
    OfTable of = of(table);
    if (of != null) {
      var _ = of.keys.add(key);
    }
  }

  /// The static columns of a partition change.
  void header(Table table, byte[] partition) {
    OfTable of = of(table);
    if (of != null && of.derivations.stream().anyMatch(RowDerivation::takesHeaders)) {
      var _ = of.keys.add(TableKeys.header(partition));
    }
  }

  /// A range of rows is deleted.
  void range(Table table, Span keys) {
    OfTable of = of(table);
    if (of != null) {
      of.deleted.add(keys);
    }
  }

  /// All rows of a partition are deleted.
  void partition(Table table, byte[] partition) {
    header(table, partition);
    byte[] rows = TableKeys.of(table).prefix(partition, List.of());
    range(table, new Span(rows, TableKeys.after(rows)));
  }

  boolean isEmpty() {
    return tables.isEmpty();
  }

  /// Writes to views and indexes what has become of the rows.
  void write(TableView before, TableView after, Mutations out) {
    @Nullable Long time = null;
    for (OfTable of : tables.values()) {
      for (Span span : of.deleted) {
        addKeys(span, before, of.keys);
      }
      for (byte[] key : of.keys) {
        StoredRow was = StoredRow.find(of.table, before, key);
        StoredRow is = StoredRow.find(of.table, after, key);
        if (isSame(was, is)) {
          continue;
        }
        if (time == null) {
          time = schema.viewTime(before, out);
        }
        for (RowDerivation derivation : of.derivations) {
          derivation.write(was, is, out, Objects.requireNonNull(time));
        }
      }
    }
  }

  private static boolean isSame(@Nullable StoredRow one, @Nullable StoredRow other) {
    if (one == null) {
      return other == null;
    }
    return other != null && one.isSame(other);
  }

  /// The rows there are in a range that is deleted.
  private static void addKeys(Span span, TableView before, SortedSet<byte[]> keys) {
    try (TableCursor rows =
        before.scan(span.from(), span.until(), false, StoredRow.NOTHING_EXPIRED)) {
      while (rows.next()) {
        if (keys.size() >= DELETED_MAX) {
          throw CqlException.invalid(
              ("a deletion takes at most %d rows of a table with materialized views or indexes"
                      + " along; delete smaller ranges one after the other")
                  .formatted(DELETED_MAX));
        }
        var _ = keys.add(WireCodec.bytes(rows.key()));
      }
    }
  }
}
