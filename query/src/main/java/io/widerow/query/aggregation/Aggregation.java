package io.widerow.query.aggregation;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Aggregation of events, grouped by attributes and time steps: `--stats count,p99(ms) --by status
/// --every 5m`. The name `type` groups by the event's type.
///
/// - Memory: at most [#GROUPS_MAX] groups and [#DISTINCT_BYTES_MAX] bytes of distinct values; more
///   ends the query.
/// - Order of the result: by the order of [StatsQuery.Rows], then by time, then by the attributes.
public final class Aggregation {
  static final int GROUPS_MAX = 100_000;
  static final AttributeName TYPE = AttributeName.of("type");

  /// For the values of all groups of a query.
  static final long DISTINCT_BYTES_MAX = 64L << 20;

  /// The first value of the row of all groups beyond the limit.
  private static final String OTHER = "other";

  // Estimated heap bytes, including the row of texts that a group becomes in the end.
  private static final long GROUP_BYTES = 384;
  private static final long TALLY_BYTES = 256;
  private static final long TEXT_BYTES = 64;
  private static final long CHAR_BYTES = 4;

  private final StatsQuery asked;
  private final List<Field> by;
  private final LongConsumer memory;
  private final TreeMap<Group, Accumulator[]> groups = new TreeMap<>();
  private final GroupCache<Accumulator[]> met; // no lists: iterators would be garbage of each event
  private final AttributeValue scratch = new AttributeValue();
  private long distinctBytes;

  /// The key of a group: the start of its time step, and a value for each attribute.
  private record Group(long stepNanos, List<Cell> values) implements Comparable<Group> {
    @Override
    public int compareTo(Group other) {
      int order = Long.compare(stepNanos, other.stepNanos);
      for (int i = 0; i < values.size() && order == 0; i++) {
        order = values.get(i).compareTo(other.values.get(i));
      }
      return order;
    }
  }

  /// @param memory receives the number of bytes newly allocated; it may refuse them by throwing
  public Aggregation(StatsQuery asked, LongConsumer memory) {
    this.asked = asked;
    this.memory = memory;
    this.by = asked.by().stream().map(Field::group).toList();
    this.met = new GroupCache<>(by, memory);
  }

  public void add(EventView event) {
    long time = event.timeNanos();
    long every = asked.everyNanos();
    long step = every == 0 ? 0 : time - Math.floorMod(time, every);
    Accumulator[] tallies = met.find(step, event, scratch);
    if (tallies == null) {
      tallies = tallies(step, event);
      met.put(tallies);
    }
    for (Accumulator tally : tallies) {
      tally.add(event, scratch);
      long more = tally.grown();
      if (more > 0) {
        hold(tally, more);
      }
    }
  }

  private void hold(Accumulator tally, long bytesMore) {
    memory.accept(bytesMore);
    distinctBytes += tally.isDistinct() ? bytesMore : 0;
    if (distinctBytes > DISTINCT_BYTES_MAX) {
      throw new QueryException.OverBudget(
          "bytes of distinct values",
          DISTINCT_BYTES_MAX,
          distinctBytes,
          "count distinct values of fewer groups or of a shorter range");
    }
  }

  private Accumulator[] tallies(long step, EventView event) {
    List<Cell> values = new ArrayList<>(by.size());
    for (Field field : by) {
      values.add(field.find(event, scratch) ? Cell.of(scratch) : Cell.MISSING);
    }
    Group group = new Group(step, values);
    Accumulator[] tallies = groups.get(group);
    if (tallies == null) {
      if (groups.size() == GROUPS_MAX) {
        throw new QueryException.OverBudget(
            "groups", GROUPS_MAX, GROUPS_MAX + 1L, "group by less or in longer steps");
      }
      memory.accept(
          GROUP_BYTES
              + TALLY_BYTES * asked.measures().size()
              + TEXT_BYTES * values.size()
              + CHAR_BYTES * values.stream().mapToLong(value -> value.text().length()).sum());
      tallies = newTallies();
      groups.put(group, tallies);
    }
    return tallies;
  }

  private Accumulator[] newTallies() {
    return asked.measures().stream().map(Accumulator::new).toArray(Accumulator[]::new);
  }

  /// One row for each group, in order, as many as are asked for. Without grouping there is one row,
  /// also when there was no event.
  public List<List<Cell>> rows(ZoneId zone) {
    if (groups.isEmpty() && by.isEmpty() && asked.everyNanos() == 0) {
      groups.put(new Group(0, List.of()), newTallies());
    }
    StatsQuery.Rows shown = asked.rows();
    Set<List<Cell>> first = shown.others() ? firstGroups(shown) : Set.of();
    Rfc3339 times = new Rfc3339(zone);
    OutputBuffer time = new OutputBuffer(64);
    List<List<Cell>> rows = new ArrayList<>();
    TreeMap<Long, Accumulator[]> rest = new TreeMap<>(); // by step
    groups.forEach((group, tallies) -> {
      List<Cell> results = results(tallies);
      if (!Having.keeps(shown.having(), results)) {
        return;
      }
      if (shown.others() && !first.contains(group.values())) {
        addAll(rest.computeIfAbsent(group.stepNanos(), _ -> newTallies()), tallies);
      } else {
        rows.add(row(group, results, times, time));
      }
    });
    if (!shown.order().isEmpty()) {
      rows.sort(RowOrder.comparator(shown.order())); // stable: equal rows stay in order
    }
    List<List<Cell>> most =
        shown.others() || rows.size() <= shown.limit()
            ? rows
            : rows.subList(0, (int) shown.limit());
    rest.forEach((step, tallies) -> {
      List<Cell> values = new ArrayList<>(Collections.nCopies(by.size(), Cell.MISSING));
      values.set(0, Cell.of(OTHER));
      most.add(row(new Group(step, values), results(tallies), times, time));
    });
    return most;
  }

  private List<Cell> row(Group group, List<Cell> results, Rfc3339 times, OutputBuffer time) {
    List<Cell> row = new ArrayList<>();
    if (asked.everyNanos() != 0) {
      time.clear();
      times.put(group.stepNanos(), time);
      row.add(Cell.ofTime(group.stepNanos(), time.toString()));
    }
    row.addAll(group.values());
    for (StatsColumn column : asked.rows().columns()) {
      row.add(StatsExpression.value(column.value(), results));
    }
    return row;
  }

  private static List<Cell> results(Accumulator[] tallies) {
    return Stream.of(tallies).map(Accumulator::result).toList();
  }

  private static void addAll(Accumulator[] to, Accumulator[] from) {
    for (int i = 0; i < to.length; i++) {
      to[i].add(from[i]);
    }
  }

  /// The values of the groups that come first over all steps of time.
  private Set<List<Cell>> firstGroups(StatsQuery.Rows shown) {
    TreeMap<Group, Accumulator[]> whole = new TreeMap<>();
    groups.forEach((group, tallies) -> {
      if (Having.keeps(shown.having(), results(tallies))) {
        Group all = new Group(0, group.values());
        addAll(whole.computeIfAbsent(all, _ -> newTallies()), tallies);
      }
    });
    Rfc3339 times = new Rfc3339(ZoneOffset.UTC);
    OutputBuffer time = new OutputBuffer(64);
    List<Map.Entry<List<Cell>, List<Cell>>> rows = new ArrayList<>(); // row, values
    whole.forEach((group, tallies) ->
        rows.add(Map.entry(row(group, results(tallies), times, time), group.values())));
    if (!shown.order().isEmpty()) {
      Comparator<List<Cell>> order = RowOrder.comparator(shown.order());
      rows.sort((a, b) -> order.compare(a.getKey(), b.getKey()));
    }
    return rows.stream().limit(shown.limit()).map(Map.Entry::getValue).collect(Collectors.toSet());
  }
}
