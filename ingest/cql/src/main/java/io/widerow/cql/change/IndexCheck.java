package io.widerow.cql.change;

import io.widerow.cql.key.IndexKeys;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.VisibleCells;
import io.widerow.cql.type.WireCodec;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// Checks that indexes have exactly the entries that the rows of their tables mean. It does not
/// repair them: DROP INDEX and CREATE INDEX do.
///
/// - Threads: one.
public final class IndexCheck {
  /// The number of findings that are kept; further ones are counted.
  private static final int KEPT = 100;

  private final long nowSeconds;
  private final List<String> found = new ArrayList<>();
  private long entries;
  private long bad;

  /// @param nowSeconds Unix time by which cells have expired
  public IndexCheck(long nowSeconds) {
    this.nowSeconds = nowSeconds;
  }

  /// Compares an index that is built with its table.
  public void check(Table table, SecondaryIndex index, TableView view) {
    IndexWriter writer = new IndexWriter(table, index);
    requireEntries(table, index, writer, view);
    requireRows(table, index, writer, view);
  }

  /// Each value of a row has its entry.
  private void requireEntries(
      Table table, SecondaryIndex index, IndexWriter writer, TableView view) {
    TableKeys keys = TableKeys.of(table);
    byte[] from = keys.fromToken(Long.MIN_VALUE);
    TableCursor all = view.scan(from, keys.end(), false, StoredRow.NOTHING_EXPIRED);
    try (TableCursor rows = VisibleCells.of(table, all)) {
      while (rows.next()) {
        boolean isHeader = keys.read(rows.key()).clustering() == null;
        if (isHeader && !writer.takesHeaders()) {
          continue;
        }
        StoredRow row = StoredRow.of(rows);
        for (Map.Entry<byte[], Long> wanted : writer.expiries(row).entrySet()) {
          if (wanted.getValue() > nowSeconds && !isThere(view, wanted)) {
            add(table, index, row.key(), "has no entry");
          }
        }
      }
    }
  }

  private static boolean isThere(TableView view, Map.Entry<byte[], Long> wanted) {
    byte[] key = wanted.getKey();
    try (TableCursor entry =
        view.scan(key, TableKeys.next(key), false, StoredRow.NOTHING_EXPIRED)) {
      return entry.next() && entry.liveExpiry() == wanted.getValue();
    }
  }

  /// Each entry has a row with its value.
  private void requireRows(Table table, SecondaryIndex index, IndexWriter writer, TableView view) {
    IndexKeys keys = IndexKeys.of(table, index);
    try (TableCursor all = view.scan(keys.start(), keys.end(), false, nowSeconds)) {
      while (all.next()) {
        entries++;
        byte[] entry = WireCodec.bytes(all.key());
        byte[] key = keys.row(entry);
        StoredRow row = StoredRow.find(table, view, key);
        Long expiry = row == null ? null : writer.expiries(row).get(entry);
        if (expiry == null || expiry != all.liveExpiry()) {
          add(table, index, key, "has an entry, and not its value");
        }
      }
    }
  }

  private void add(Table table, SecondaryIndex index, byte[] key, String wrong) {
    bad++;
    if (found.size() < KEPT) {
      found.add(
          "%s: index %s: row with the key %s %s"
              .formatted(table.qualified(), index.name(), HexFormat.of().formatHex(key), wrong));
    }
  }

  /// The findings, a sentence a row; at most 100.
  public List<String> found() {
    return List.copyOf(found);
  }

  /// Rows whose entries are wrong.
  public long bad() {
    return bad;
  }

  /// Entries that were read.
  public long entries() {
    return entries;
  }
}
