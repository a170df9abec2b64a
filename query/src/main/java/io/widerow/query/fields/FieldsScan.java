package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.NameText;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.EvenScan;
import io.widerow.query.survey.Json;
import io.widerow.query.survey.Survey;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.StoreView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Counts the fields of the events of one or two ranges within a budget of time, see [EvenScan]:
/// first those that are picked, for half of the budget, and then the rest.
///
/// - Threads: one; any thread may call [#cancel].
/// - Memory: the values of at most [#FIELDS_MAX] fields, counted in [QueryMemory] until [#close].
final class FieldsScan implements Survey {
  static final int FIELDS_MAX = 1_000;

  private final EvenScan scan;
  private final List<Part> parts;
  private final boolean allFields;
  private final long budgetNanos;
  private final BiConsumer<Counted, OutputBuffer> answer;
  private final QueryMemory memory;
  private final Map<AttributeName, FieldCounts> fields = new HashMap<>();
  private final FieldCounts types = new FieldCounts();
  private final AttributeValue scratch = new AttributeValue();
  private final EventView.AttributeVisitor visitor = this::attribute;
  private final @Nullable AttributeName only;
  private final long[] events = new long[2];
  private int column; // of the events that are being read
  private boolean more; // fields than are counted
  private long held;

  /// Some of the events.
  ///
  /// @param query where they lie
  /// @param column in which they are counted
  /// @param without events that are left out; null for none
  record Part(RangeQuery query, int column, FieldsQuestion.@Nullable Pick without) {}

  /// @param view remains the caller's
  /// @param field the only field wanted, as answers show it; null for all
  /// @param answer writes what was counted
  FieldsScan(
      StoreView view,
      List<Part> parts,
      @Nullable String field,
      long budgetNanos,
      QueryMemory memory,
      BiConsumer<Counted, OutputBuffer> answer) {
    this.answer = answer;
    this.scan = new EvenScan(view, memory);
    this.parts = parts;
    this.allFields = field == null;
    this.budgetNanos = budgetNanos;
    this.memory = memory;
    this.only =
        field == null || NameText.isOwn(field) ? null : AttributeName.of(NameText.stored(field));
  }

  /// What was counted.
  ///
  /// @param rest events that were not picked
  /// @param picked events that were
  /// @param read how much of the range was read, 0 to 1; 1 when all was
  /// @param more whether there are more fields than are counted
  record Counted(
      Map<AttributeName, FieldCounts> fields,
      FieldCounts types,
      long rest,
      long picked,
      double read,
      boolean more) {
    /// Writes how much of the events and of their fields was counted.
    void putHowMuch(OutputBuffer out) {
      out.put(Json.exact(read));
      if (more) {
        out.put(",\"fieldsMax\":" + FIELDS_MAX);
      }
    }
  }

  @Override
  public void cancel() {
    scan.cancel();
  }

  @Override
  public void write(OutputBuffer out) {
    answer.accept(run(), out);
  }

  private Counted run() {
    long start = System.nanoTime();
    double read = 1;
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      column = part.column;
      FieldsQuestion.Pick without = part.without;
      double done =
          scan.read(
              part.query,
              start + budgetNanos * (i + 1) / parts.size(),
              without == null ? this::add : event -> addRest(event, without));
      read = Math.min(read, done);
    }
    return new Counted(
        fields, types, events[ValueCounts.REST], events[ValueCounts.PICKED], read, more);
  }

  private void addRest(EventView event, FieldsQuestion.Pick pick) {
    if (!pick.mayHold(event) || !FilterEvaluation.keeps(pick.filter(), event, scratch)) {
      add(event);
    }
  }

  private void add(EventView event) {
    events[column]++;
    AttributeName wanted = only;
    if (wanted != null) {
      if (event.find(wanted, scratch)) {
        count(wanted, scratch);
      }
      return;
    }
    event.readType(scratch);
    types.add(scratch, column);
    hold(types.grown());
    if (allFields) {
      event.forEach(scratch, visitor);
    }
  }

  private void attribute(AttributeName name, AttributeValue value) {
    if (!name.equals(AttributeName.BODY)) { // texts, each its own
      count(name, value);
    }
  }

  private void count(AttributeName name, AttributeValue value) {
    FieldCounts counts = fields.get(name);
    if (counts == null) {
      if (fields.size() == FIELDS_MAX) {
        more = true;
        return;
      }
      counts = new FieldCounts();
      fields.put(name, counts);
    }
    counts.add(value, column);
    hold(counts.grown());
  }

  private void hold(long bytesMore) {
    if (bytesMore != 0) {
      held += bytesMore; // first, because refused bytes are counted too
      memory.hold(bytesMore);
    }
  }

  @Override
  public void close() {
    memory.hold(-held);
    held = 0;
  }
}
