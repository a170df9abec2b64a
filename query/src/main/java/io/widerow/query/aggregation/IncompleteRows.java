package io.widerow.query.aggregation;

import io.widerow.event.PartitionKey;
import io.widerow.storage.ScanWatch.Unread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Marks rows of aggregates that may lack events of damaged parts: rows whose step overlaps the
/// times of a part (of the same type, when rows are by type). Without steps that is every row.
///
/// - Memory: the spans of time of the parts, joined where they overlap.
final class IncompleteRows {
  private static final String EVERY_TYPE = "";

  private final StatsQuery asked;
  private final int typeColumn; // negative when rows are not by type
  private final Map<String, TreeMap<Long, Long>> spans = new HashMap<>(); // of a type: first, last

  IncompleteRows(StatsQuery asked, List<Unread> parts) {
    this.asked = asked;
    int byType = 0;
    while (byType < asked.by().size() && !Field.of(asked.by().get(byType)).isType()) {
      byType++;
    }
    int before = asked.groupColumns() - asked.by().size();
    this.typeColumn = byType == asked.by().size() ? -1 : before + byType;
    for (Unread part : parts) {
      PartitionKey partition = part.partition();
      String type = partition == null || typeColumn < 0 ? EVERY_TYPE : partition.type();
      add(type, part.firstNanos(), part.lastNanos());
    }
  }

  private void add(String type, long firstNanos, long lastNanos) {
    TreeMap<Long, Long> of = spans.computeIfAbsent(type, _ -> new TreeMap<>());
    long first = firstNanos;
    long last = lastNanos;
    Map.Entry<Long, Long> before = of.floorEntry(last);
    while (before != null && before.getValue() >= first) {
      of.remove(before.getKey());
      first = Math.min(first, before.getKey());
      last = Math.max(last, before.getValue());
      before = of.floorEntry(last);
    }
    of.put(first, last);
  }

  /// The rows with one more cell, the flag: true or missing.
  List<List<Cell>> marked(List<List<Cell>> rows) {
    List<List<Cell>> marked = new ArrayList<>(rows.size());
    for (List<Cell> row : rows) {
      List<Cell> more = new ArrayList<>(row);
      more.add(isIncomplete(row) ? Cell.of(true) : Cell.MISSING);
      marked.add(more);
    }
    return marked;
  }

  private boolean isIncomplete(List<Cell> row) {
    return isIn(EVERY_TYPE, row) || (typeColumn >= 0 && isIn(row.get(typeColumn).text(), row));
  }

  private boolean isIn(String type, List<Cell> row) {
    TreeMap<Long, Long> of = spans.get(type);
    if (of == null || asked.everyNanos() == 0) {
      return of != null;
    }
    long step = row.getFirst().whole();
    long last = step > Long.MAX_VALUE - asked.everyNanos() ? Long.MAX_VALUE : lastOf(step);
    Map.Entry<Long, Long> span = of.floorEntry(last);
    return span != null && span.getValue() >= step;
  }

  private long lastOf(long step) {
    return step + asked.everyNanos() - 1;
  }
}
