package io.widerow.cql.tablestats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/// Counts the rows of partitions, which come in the order of their keys, and keeps the widest of
/// each table.
///
/// - Threads: one.
/// - Memory: as many partitions as are kept, of each table.
public final class WidthCounter {
  private final List<Widths.OfTable> tables = new ArrayList<>();
  private final PriorityQueue<Partition> widest = new PriorityQueue<>(Partition.NARROWEST);
  private byte[] table = new byte[0];
  private boolean begun;
  private long tableRows;
  private long rest;
  private byte[] key = new byte[64]; // begins with the present partition
  private int partition; // bytes of it
  private long rows;
  private long marked;
  private long expiry = Long.MAX_VALUE;

  /// Counts what a source has under a key.
  ///
  /// @param partition the number of the key's first bytes that belong to its partition
  /// @param shared how many first bytes it has in common with the key before
  /// @param isRow whether it is a row of which something is live
  /// @param isMarked whether the row is live itself
  /// @param firstExpiry Unix time in seconds from which a part of it has expired
  public void add(
      byte[] newKey, int partition, int shared, boolean isRow, boolean isMarked, long firstExpiry) {
    if (!begun || partition != this.partition || shared < partition) {
      begin(newKey, partition);
    }
    if (isRow && newKey[partition] != 0) {
      rows++;
      marked += isMarked ? 1 : 0;
      expiry = Math.min(expiry, firstExpiry);
    }
  }

  private void begin(byte[] newKey, int bytes) {
    endPartition();
    int tableBytes = Math.min(bytes, Widths.TABLE_BYTES);
    if (!begun || !Arrays.equals(table, 0, table.length, newKey, 0, tableBytes)) {
      endTable();
      table = Arrays.copyOf(newKey, tableBytes);
      begun = true;
    }
    if (key.length < bytes) {
      key = new byte[2 * bytes];
    }
    System.arraycopy(newKey, 0, key, 0, bytes);
    partition = bytes;
  }

  private void endPartition() {
    if (rows == 0) {
      return;
    }
    tableRows += rows;
    Partition narrowest = widest.size() < Widths.LISTED ? null : widest.peek();
    if (narrowest != null) {
      rest = Math.max(rest, Math.min(rows, narrowest.rows()));
    }
    if (narrowest == null || rows > narrowest.rows()) {
      if (narrowest != null) {
        widest.remove();
      }
      widest.add(new Partition(Arrays.copyOf(key, partition), rows, marked, expiry));
    }
    rows = 0;
    marked = 0;
    expiry = Long.MAX_VALUE;
  }

  private void endTable() {
    if (begun) {
      tables.add(new Widths.OfTable(table, tableRows, rest, List.copyOf(widest)));
    }
    widest.clear();
    tableRows = 0;
    rest = 0;
  }

  /// Ends the count and returns its result.
  public Widths end() {
    endPartition();
    endTable();
    begun = false;
    return new Widths(tables);
  }
}
