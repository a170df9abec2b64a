package io.widerow.query.figures;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/// Aggregation of events, grouped by attributes and time steps: `--stats count,p99(ms) --by status
/// --every 5m`. The name `type` groups by the event's type.
///
/// - Memory: at most [#GROUPS_MAX] groups; one more ends the query.
/// - Order of the result: by time, then by the texts of the attributes.
public final class Aggregation {
  static final int GROUPS_MAX = 100_000;
  static final AttributeName TYPE = AttributeName.of("type");

  // Estimated heap bytes, including the row of texts that a group becomes in the end.
  private static final long GROUP_BYTES = 384;
  private static final long TALLY_BYTES = 256;
  private static final long TEXT_BYTES = 64;
  private static final long CHAR_BYTES = 4;

  private final StatsQuery asked;
  private final LongConsumer memory;
  private final TreeMap<Group, List<Accumulator>> groups = new TreeMap<>();
  private final GroupCache<List<Accumulator>> met;
  private final AttributeValue scratch = new AttributeValue();

  /// The key of a group: the start of its time step, and a text for each attribute.
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

  /// @param memory receives the number of bytes newly allocated; it may refuse them by throwing
  public Aggregation(StatsQuery asked, LongConsumer memory) {
    this.asked = asked;
    this.memory = memory;
    this.met = new GroupCache<>(asked.by());
  }

  public void add(EventView event) {
    long time = event.timeNanos();
    long every = asked.everyNanos();
    long step = every == 0 ? 0 : time - Math.floorMod(time, every);
    List<Accumulator> tallies = met.find(step, event, scratch);
    if (tallies == null) {
      tallies = tallies(step, event);
      met.put(tallies);
    }
    for (Accumulator tally : tallies) {
      tally.add(event, scratch);
      long more = tally.grown();
      if (more > 0) {
        memory.accept(more);
      }
    }
  }

  private List<Accumulator> tallies(long step, EventView event) {
    List<String> texts = new ArrayList<>(asked.by().size());
    for (AttributeName name : asked.by()) {
      texts.add(text(event, name));
    }
    Group group = new Group(step, texts);
    List<Accumulator> tallies = groups.get(group);
    if (tallies == null) {
      if (groups.size() == GROUPS_MAX) {
        throw new QueryException.OverBudget(
            "groups", GROUPS_MAX, GROUPS_MAX + 1L, "group by less or in longer steps");
      }
      tallies = asked.measures().stream().map(Accumulator::new).toList();
      groups.put(group, tallies);
      memory.accept(
          GROUP_BYTES
              + TALLY_BYTES * tallies.size()
              + TEXT_BYTES * texts.size()
              + CHAR_BYTES * texts.stream().mapToInt(String::length).sum());
    }
    return tallies;
  }

  private String text(EventView event, AttributeName name) {
    if (event.find(name, scratch)) {
      return scratch.toString();
    }
    return name.equals(TYPE) ? event.type() : "";
  }

  /// One row of texts for each group, in order.
  public List<List<String>> rows(ZoneId zone) {
    Rfc3339 times = new Rfc3339(zone);
    OutputBuffer time = new OutputBuffer(64);
    List<List<String>> rows = new ArrayList<>();
    groups.forEach((group, tallies) -> {
      List<String> row = new ArrayList<>();
      if (asked.everyNanos() != 0) {
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
