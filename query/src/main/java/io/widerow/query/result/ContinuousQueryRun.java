package io.widerow.query.result;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.Token;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.Rfc3339;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Filters;
import io.widerow.storage.StoreView;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One result of a continuous query: the aggregates of each time step that has ended since the
/// position, and again the aggregates of earlier steps that have changed since.
///
/// ```
///   shown again, with a flag, where       shown once                 not yet
///   events came since `arrived`
///  ------|-----|-----|-----|-----|-----|-----|-----|--------------->
///                                    after       watermark = now - lag, at the end of a step
/// ```
///
/// The whole result comes from one view of the store and has the position of that view. So over all
/// results each step is shown when it has passed, and again whenever it has changed. A step that is
/// shown again is shown whole: its rows replace all earlier rows of the step. When no event is left
/// of it, one row reports that. Nothing is kept between results: a reader with the position
/// continues where it was, also after a restart of the reader or the daemon.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: the groups of at most [#STEPS_MAX] steps, and a number for each changed step, both
///   counted in [QueryMemory].
public final class ContinuousQueryRun implements AutoCloseable {
  /// Steps that are computed together; also the most new ones of a result.
  static final int STEPS_MAX = 1_000;

  private static final long CHANGED_BYTES = 64; // of a step in the set of changed ones

  private final StoreView view;
  private final ContinuousQuery question;
  private final QueryBudget budget;
  private final QueryMemory memory;
  private final StatsWriter writer = new StatsWriter(OutputFormat.json);
  private final List<String> heads;
  private final List<String> revisedHeads;
  private final HeldMemory held;
  private volatile boolean cancelled;
  private volatile @Nullable RangeReader reading;

  /// Takes the result piece by piece.
  @FunctionalInterface
  public interface Output {
    /// Writes the sink's bytes and clears it, or leaves them for the next time.
    ///
    /// @return false when the reader has gone
    boolean write(OutputBuffer sink);
  }

  /// @param view remains the caller's, who closes it after this
  /// @param memory the budget that it shares with other queries
  public ContinuousQueryRun(
      StoreView view, ContinuousQuery question, QueryBudget budget, QueryMemory memory) {
    this.view = view;
    this.question = question;
    this.budget = budget;
    this.memory = memory;
    this.held = new HeldMemory(memory);
    this.heads = question.figures().heads();
    this.revisedHeads = new ArrayList<>(heads);
    revisedHeads.add(StatsWriter.REVISION);
  }

  /// Writes the rows as JSON lines, and the position as the last one:
  ///
  /// ```
  /// {"ts":"2026-11-20T19:15:00Z","status":500,"count":3,"widerow.revision":true}
  /// {"ts":"2026-11-20T19:17:00Z","status":200,"count":9}
  /// {"token":"w1...","arrived":"a1...","more":false}
  /// ```
  ///
  /// `more` means that further steps have ended already.
  ///
  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  /// @throws io.widerow.query.QueryException when it cannot be completed
  public void write(long nowNanos, OutputBuffer sink, Output out) {
    long every = question.figures().everyNanos();
    long passed = startOf(nowNanos - question.lagNanos());
    Token after = question.after();
    long from = after == null ? passed : startOf(after.tickNanos());
    long until = Math.max(from, Math.min(passed, from + STEPS_MAX * every));
    if (!writeChanged(from, sink, out)) {
      return;
    }
    writer.write(heads, rows(from, until), sink);
    sink.put("{\"token\":\"" + Token.before(until) + "\",\"arrived\":\"" + view.arrivals());
    sink.put("\",\"more\":" + (until < passed) + "}\n");
    boolean _ = out.write(sink);
  }

  private long startOf(long nanos) {
    return nanos - Math.floorMod(nanos, question.figures().everyNanos());
  }

  /// Shows the steps again that events before `until` have changed.
  private boolean writeChanged(long until, OutputBuffer sink, Output out) {
    long every = question.figures().everyNanos();
    NavigableSet<Long> changed = changed(until);
    while (!changed.isEmpty()) {
      long first = changed.first();
      long end = first;
      while (end < first + STEPS_MAX * every && changed.remove(end)) {
        end += every;
      }
      writer.write(revisedHeads, revised(first, end), sink);
      if (!out.write(sink)) {
        return false;
      }
    }
    return true;
  }

  /// The steps before `until` that are not what they were at the position of arrival. An event with
  /// its sender's id may have replaced one that the filter kept, so that it counts also when the
  /// filter does not keep it.
  private NavigableSet<Long> changed(long until) {
    NavigableSet<Long> changed = new TreeSet<>();
    if (question.arrived() == null) {
      return changed;
    }
    Filter filter = question.query().filter();
    Set<AttributeName> columns = new HashSet<>();
    Filters.addColumns(filter, columns);
    columns.add(AttributeName.of("type")); // no column would mean all
    RangeQuery late =
        RangeQuery.ALL
            .withTypes(question.query().types())
            .withRange(RangeQuery.ALL.fromNanos(), until)
            .withAfter(Token.before(until))
            .withSince(question.arrived())
            .withFields(List.copyOf(columns));
    AttributeValue scratch = new AttributeValue();
    try (RangeReader reader = open(late, ReadMode.IN_ORDER)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        EventView event = reader.event();
        boolean counts =
            event.version() != EventLayout.VERSION_ASSIGNED
                || FilterEvaluation.keeps(filter, event, scratch);
        if (counts && changed.add(startOf(event.timeNanos()))) {
          held.accept(CHANGED_BYTES);
        }
      }
    }
    return changed;
  }

  /// Returns the rows of steps that are shown again, with the flag.
  private List<List<Cell>> revised(long from, long until) {
    List<List<Cell>> rows = new ArrayList<>();
    long next = from;
    for (List<Cell> row : rows(from, until)) {
      addEmpty(next, row.getFirst().whole(), rows);
      next = row.getFirst().whole() + question.figures().everyNanos();
      List<Cell> flagged = new ArrayList<>(row);
      flagged.add(Cell.of(true));
      rows.add(flagged);
    }
    addEmpty(next, until, rows);
    return rows;
  }

  /// Adds a row for each step of which no event is left.
  private void addEmpty(long from, long until, List<List<Cell>> rows) {
    StatsQuery asked = question.figures();
    for (long step = from; step < until; step += asked.everyNanos()) {
      OutputBuffer time = new OutputBuffer(64);
      new Rfc3339(ZoneOffset.UTC).put(step, time);
      List<Cell> row = new ArrayList<>();
      row.add(Cell.ofTime(step, time.toString()));
      row.addAll(Collections.nCopies(asked.by().size(), Cell.MISSING));
      row.addAll(new Aggregation(asked.ungrouped(), _ -> {}).rows(ZoneOffset.UTC).getFirst());
      row.add(Cell.of(true));
      rows.add(row);
    }
  }

  /// One row for each group of each step of a range, in order.
  private List<List<Cell>> rows(long from, long until) {
    RangeQuery query = question.query();
    long first = Math.max(from, query.fromNanos());
    long limit = Math.min(until, query.untilNanos());
    if (first >= limit) {
      return List.of();
    }
    long before = held.bytes();
    Aggregation figures = new Aggregation(question.figures(), held);
    ReadMode mode = ReadMode.grouped(question.figures().fold(query));
    try (RangeReader reader = open(query.withRange(first, limit), mode)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        figures.add(reader.event());
      }
      return figures.rows(ZoneOffset.UTC);
    } finally {
      held.accept(before - held.bytes());
    }
  }

  private RangeReader open(RangeQuery query, ReadMode mode) {
    RangeReader reader = RangeReader.open(view, query, mode, budget, memory);
    reading = reader;
    if (cancelled) {
      reader.cancel();
    }
    return reader;
  }

  /// Ends the result soon, with an exception.
  public void cancel() {
    cancelled = true;
    RangeReader reader = reading;
    if (reader != null) {
      reader.cancel();
    }
  }

  @Override
  public void close() {
    held.close();
  }
}
