package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Figures of many events, in groups by attributes and by steps of time: `--stats count,p99(ms)
/// --by status --every 5m`. `type` is a name to group by like any attribute.
///
/// - Memory: at most [#GROUPS_MAX] groups; one more ends the query.
/// - Order of the result: by time, then by the texts of the attributes.
final class Statistics {
  static final int GROUPS_MAX = 10_000;
  private static final AttributeName TYPE = AttributeName.of("type");

  private final List<Measure> measures;
  private final List<AttributeName> by;
  private final long everyNanos;
  private final TreeMap<Group, List<Tally>> groups = new TreeMap<>();
  private final AttributeValue scratch = new AttributeValue();

  /// Which group: the start of its step, and a text for each attribute.
  private record Group(long stepNanos, List<String> texts) implements Comparable<Group> {
    @Override
    public int compareTo(Group other) {
      int order = Long.compare(stepNanos, other.stepNanos);
      for (int i = 0; i < texts.size() && order == 0; i++) {
        order = texts.get(i).compareTo(other.texts.get(i));
      }
      return order;
    }
  }

  /// @param everyNanos width of a step of time; 0 for one step of all time
  Statistics(List<Measure> measures, List<AttributeName> by, long everyNanos) {
    this.measures = List.copyOf(measures);
    this.by = List.copyOf(by);
    this.everyNanos = everyNanos;
  }

  void add(EventView event) {
    long time = event.timeNanos();
    long step = everyNanos == 0 ? 0 : time - Math.floorMod(time, everyNanos);
    List<String> texts = new ArrayList<>(by.size());
    for (AttributeName name : by) {
      texts.add(text(event, name));
    }
    Group group = new Group(step, texts);
    List<Tally> tallies = groups.get(group);
    if (tallies == null) {
      if (groups.size() == GROUPS_MAX) {
        throw new QueryException.OverBudget(
            "groups", GROUPS_MAX, GROUPS_MAX + 1L, "group by less or in longer steps");
      }
      tallies = measures.stream().map(Tally::new).toList();
      groups.put(group, tallies);
    }
    for (Tally tally : tallies) {
      tally.add(event, scratch);
    }
  }

  private String text(EventView event, AttributeName name) {
    if (event.find(name, scratch)) {
      return scratch.toString();
    }
    return name.equals(TYPE) ? event.type() : "";
  }

  /// The heads of the columns: `ts` when there are steps, the attributes, the measures.
  List<String> heads() {
    List<String> heads = new ArrayList<>();
    if (everyNanos != 0) {
      heads.add("ts");
    }
    by.forEach(name -> heads.add(name.toString()));
    measures.forEach(measure -> heads.add(measure.toString()));
    return heads;
  }

  /// How many columns from the left are texts; the others are numbers or empty.
  int textColumns() {
    return by.size() + (everyNanos == 0 ? 0 : 1);
  }

  /// A list of texts for each group, in order.
  List<List<String>> rows(ZoneId zone) {
    Rfc3339 times = new Rfc3339(zone);
    ByteSink time = new ByteSink(64);
    List<List<String>> rows = new ArrayList<>();
    groups.forEach((group, tallies) -> {
      List<String> row = new ArrayList<>();
      if (everyNanos != 0) {
        time.clear();
        times.put(group.stepNanos(), time);
        row.add(time.toString());
      }
      row.addAll(group.texts());
      tallies.forEach(tally -> row.add(tally.result()));
      rows.add(row);
    });
    return rows;
  }
}
