package io.widerow.cql.change;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.TableWrite;
import io.widerow.cql.table.KeySpans;
import io.widerow.cql.table.KeySpans.Span;
import io.widerow.cql.table.RowReader;
import io.widerow.cql.table.TableRow;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Changes that are made together or not at all.
///
/// - Threads: made by any, run by the store.
public final class ChangeGroup implements TableWrite<ChangeGroup.Outcome> {
  private final TableWriter writer;
  private final List<RowChange> changes;
  private final WrittenSchema schema;
  private final ChangedRows changed;
  private final @Nullable Once once;

  /// The steps that build a group.
  ///
  /// @param answer makes the response to keep for retries
  public record Once(RequestKey request, Function<Outcome, StoredResponse> answer) {}

  /// Whether the changes were made.
  ///
  /// @param found when they were not made: for each change with a guard the row that it found, or
  ///   null
  /// @param kept the response to the same request before, when this one is a retry; else null
  public record Outcome(boolean applied, List<Found> found, @Nullable StoredResponse kept) {
    Outcome(boolean applied, List<Found> found) {
      this(applied, found, null);
    }

    /// The rows to return, each once: rows that conditions on rows have found, or where there is
    /// none the static columns.
    public List<Found> shown() {
      boolean some = found.stream().anyMatch(each -> each.row != null && !each.isOfStatics());
      Set<TableKeys.Parts> seen = new HashSet<>();
      return found.stream()
          .filter(each -> each.row != null && some != each.isOfStatics())
          .filter(each -> seen.add(Objects.requireNonNull(each.row).key()))
          .toList();
    }
  }

  /// The row to return for a guard: the row of its key; or the static columns of its partition,
  /// where there is no row or the change is of static columns only; or null.
  public record Found(RowChange change, @Nullable TableRow row) {
    /// True when there is no row, but static columns.
    public boolean isOfStatics() {
      return row != null && row.isHeader();
    }
  }

  /// @param schema that the group finds when it is written
  /// @param once null for changes that are made each time
  public ChangeGroup(
      TableWriter writer, List<RowChange> changes, WrittenSchema schema, @Nullable Once once) {
    this.writer = writer;
    this.changes = List.copyOf(changes);
    this.schema = schema;
    this.changed = new ChangedRows(schema);
    this.once = once;
  }

  @Override
  public Outcome run(TableView before, Mutations out) {
    Instant now = writer.clock().instant();
    Once one = once;
    if (one == null) {
      return make(before, out, now, writer.timestamp());
    }
    StoredResponse kept = RequestLedger.find(before, one.request, now.getEpochSecond());
    if (kept != null) {
      return new Outcome(true, List.of(), kept);
    }
    long timestamp = writer.timestamp();
    Outcome outcome = make(before, out, now, timestamp);
    StoredResponse answer = one.answer.apply(outcome);
    RequestLedger.write(one.request, answer, out, timestamp, now.getEpochSecond());
    return outcome;
  }

  private Outcome make(TableView before, Mutations out, Instant now, long timestamp) {
    Map<Integer, RowReader> readers = new HashMap<>();
    for (RowChange change : changes) {
      Table table = change.table();
      if (!schema.isThere(table)) {
        throw CqlException.invalid("table %s does not exist".formatted(table.name()));
      }
      readers.computeIfAbsent(
          table.number(), _ -> new RowReader(table, before, now.getEpochSecond()));
    }
    requireOnePartition(readers);
    List<Found> found = new ArrayList<>();
    boolean ofRows = changes.stream().anyMatch(ChangeGroup::isOfRow);
    boolean applied = true;
    for (RowChange change : changes) {
      WriteCondition guard = change.guard();
      if (guard != null) {
        RowReader reader = reader(readers, change);
        TableRow row = row(change, reader);
        TableRow seen = seen(change, guard, row, reader);
        found.add(new Found(change, isOfRow(change) || !ofRows ? seen : header(change, reader)));
        applied &= guard.isMet(row, seen);
      }
    }
    if (!applied) {
      return new Outcome(false, found);
    }
    CellWriter cells = new CellWriter(out, now.getEpochSecond(), timestamp);
    for (RowChange change : changes) {
      Long own = change.timestamp();
      write(change, reader(readers, change), cells, out, own == null ? timestamp : own);
    }
    return new Outcome(true, List.of());
  }

  @Override
  public boolean derives() {
    return !changed.isEmpty();
  }

  /// Writes to materialized views and indexes what has become of their rows.
  @Override
  public void derive(TableView before, TableView after, Mutations out) {
    changed.write(before, after, out);
  }

  /// Conditions of a batch are met or not together, so they are about one partition; those on one
  /// row must not contradict each other.
  private void requireOnePartition(Map<Integer, RowReader> readers) {
    boolean conditional = changes.stream().anyMatch(change -> change.guard() != null);
    if (!conditional || changes.size() == 1) {
      return;
    }
    byte[] first = null;
    Map<ByteBuffer, WriteCondition> rows = new HashMap<>();
    for (RowChange change : changes) {
      KeySpans spans =
          new KeySpans(
              change.table(), reader(readers, change).keys(), change.conditions(), change.limits());
      for (byte[] partition : partitions(spans)) {
        if (first != null && !Arrays.equals(first, partition)) {
          throw CqlException.invalid("Batch with conditions cannot span multiple partitions");
        }
        first = partition;
      }
      WriteCondition guard = change.guard();
      if (guard != null) {
        byte[] partition = Objects.requireNonNull(first);
        List<Span> keys = change.isOfHeader() ? List.of() : rows(spans, partition);
        byte[] row = keys.isEmpty() ? TableKeys.header(partition) : keys.getFirst().from();
        WriteCondition before = rows.putIfAbsent(ByteBuffer.wrap(row), guard);
        requireAlike(before == null ? guard : before, guard);
      }
    }
  }

  private static void requireAlike(WriteCondition one, WriteCondition other) {
    if (one.exists() == other.exists() && one.notExists() == other.notExists()) {
      return;
    }
    boolean tests = !(one.exists() || one.notExists()) || !(other.exists() || other.notExists());
    throw CqlException.invalid(
        tests
            ? "Cannot mix IF conditions and IF NOT EXISTS for the same row"
            : "Cannot mix IF EXISTS and IF NOT EXISTS conditions for the same row");
  }

  private static RowReader reader(Map<Integer, RowReader> readers, RowChange change) {
    return Objects.requireNonNull(readers.get(change.table().number()));
  }

  /// The row that a guard looks at: of a change of static columns alone these.
  private static @Nullable TableRow row(RowChange change, RowReader reader) {
    KeySpans spans =
        new KeySpans(change.table(), reader.keys(), change.conditions(), change.limits());
    byte[] partition = partitions(spans).getFirst();
    if (change.isOfHeader()) {
      return reader.header(partition);
    }
    List<Span> rows = rows(spans, partition);
    return rows.isEmpty() ? null : reader.find(partition, rows.getFirst().from());
  }

  private static boolean isOfRow(RowChange change) {
    WriteCondition guard = change.guard();
    return guard != null
        && !change.isOfHeader()
        && (guard.exists()
            || guard.notExists()
            || guard.shown().stream()
                .anyMatch(index -> change.table().columns().get(index).kind() != Kind.STATIC));
  }

  private static @Nullable TableRow header(RowChange change, RowReader reader) {
    KeySpans spans =
        new KeySpans(change.table(), reader.keys(), change.conditions(), change.limits());
    return reader.header(partitions(spans).getFirst());
  }

  /// The row that a guard is tested on, which is returned when it is not met: the row, or the
  /// static columns of its partition. A guard on static columns alone sees the first row of the
  /// partition: this distinguishes a partition without static columns from an absent one.
  private static @Nullable TableRow seen(
      RowChange change, WriteCondition guard, @Nullable TableRow row, RowReader reader) {
    boolean exists = guard.exists() || guard.notExists();
    boolean onlyStatics = change.isOfHeader() || (!exists && !isOfRow(change));
    if (row != null && !change.isOfHeader()) {
      return row;
    }
    KeySpans spans =
        new KeySpans(change.table(), reader.keys(), change.conditions(), change.limits());
    byte[] partition = partitions(spans).getFirst();
    TableRow first = onlyStatics ? reader.first(partition) : null;
    return first == null ? reader.header(partition) : first;
  }

  private static List<byte[]> partitions(KeySpans spans) {
    List<byte[]> partitions = spans.partitions();
    if (partitions == null) {
      throw new IllegalStateException("a change without its partition");
    }
    return partitions;
  }

  /// The keys that a change is about, one or ranges of them: a condition that they do not say is
  /// refused, for no row is tried.
  private static List<Span> ranges(KeySpans spans, byte[] partition) {
    List<Span> ranges = spans.spans(partition);
    spans.requireNothingLeft();
    return ranges;
  }

  /// The same for changes of single rows.
  private static List<Span> rows(KeySpans spans, byte[] partition) {
    List<Span> rows = ranges(spans, partition);
    if (!rows.stream().allMatch(Span::isOne)) {
      throw new IllegalStateException("a change of rows with a range of them");
    }
    return rows;
  }

  private void write(
      RowChange change, RowReader reader, CellWriter cells, Mutations out, long timestamp) {
    KeySpans spans =
        new KeySpans(change.table(), reader.keys(), change.conditions(), change.limits());
    for (byte[] partition : partitions(spans)) {
      if (change.how() == RowChange.How.DELETE) {
        delete(change.table(), spans, partition, out, timestamp);
      } else {
        put(change, spans, partition, reader, cells, out, timestamp);
      }
    }
  }

  private void delete(
      Table table, KeySpans spans, byte[] partition, Mutations out, long timestamp) {
    byte[] header = TableKeys.header(partition);
    if (!spans.isClusteringRestricted()) {
      spans.requireNothingLeft();
      changed.partition(table, partition);
      var _ = out.row(header, partition.length).deletePartition(timestamp);
      return;
    }
    for (Span span : ranges(spans, partition)) {
      if (span.isOne()) {
        changed.row(table, span.from());
        var _ = out.row(span.from(), partition.length).deleteRow(timestamp);
      } else {
        changed.range(table, span);
        var _ = out.row(header, partition.length).deleteRange(span.from(), span.until(), timestamp);
      }
    }
  }

  private void put(
      RowChange change,
      KeySpans spans,
      byte[] partition,
      RowReader reader,
      CellWriter cells,
      Mutations out,
      long timestamp) {
    List<CellChange> statics = cells(change, true);
    if (!statics.isEmpty()) {
      byte[] key = TableKeys.header(partition);
      CellWriter.Target target =
          new CellWriter.Target(change.table(), partition, key, timestamp, change.ttl());
      changed.header(change.table(), partition);
      var _ = out.row(key, partition.length);
      cells.write(statics, target, reader);
    }
    if (change.isOfHeader()) {
      spans.requireNothingLeft();
      return;
    }
    for (Span span : rows(spans, partition)) {
      CellWriter.Target target =
          new CellWriter.Target(change.table(), partition, span.from(), timestamp, change.ttl());
      changed.row(change.table(), span.from());
      var _ = out.row(span.from(), partition.length);
      if (change.how() == RowChange.How.INSERT) {
        var _ = out.live(timestamp, change.ttl(), cells.expiry(change.ttl()));
      }
      cells.write(cells(change, false), target, reader);
    }
  }

  private static List<CellChange> cells(RowChange change, boolean ofHeader) {
    return change.cells().stream()
        .filter(each -> (each.column().kind() == Kind.STATIC) == ofHeader)
        .toList();
  }
}
