package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.change.IndexWriter;
import io.widerow.cql.change.RowDerivation;
import io.widerow.cql.change.TableWriter;
import io.widerow.cql.change.ViewFill;
import io.widerow.cql.change.ViewWriter;
import io.widerow.cql.change.WrittenSchema;
import io.widerow.cql.define.SchemaChange.How;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The schema of all tables of users. It changes on the thread that writes rows, so every row is
/// written before or after a change.
///
/// A materialized view is filled before it is in the schema: writes know it from the start, and
/// clients when it has all rows. When that does not come to its end, nothing is left of the view
/// but rows of a number that no other table gets.
///
/// - Threads: any; one change at a time.
public final class TableSchema implements WrittenSchema {
  private static final long WAIT_SECONDS = 5;
  private static final long KEPT_MICROS = TimeUnit.SECONDS.toMicros(10);

  private final TableWriter writer;
  private final List<Consumer<SchemaChange>> listeners = new CopyOnWriteArrayList<>();
  private final ReentrantLock changing = new ReentrantLock();
  private final IndexBuilds builds;
  private volatile State shown; // visible to clients: it is durable
  private volatile State written; // base of the next write; changed by the holder of the lock
  private long viewTime; // of the last write to views; of the thread that writes, as is the next
  private long viewTimeKept; // a restart continues after it

  /// A schema.
  ///
  /// @param filling a view that has not all rows yet; null for none
  /// @param derivations views and indexes of each table, by its number
  private record State(
      Schema schema,
      int nextTable,
      DroppedNumbers dropped,
      @Nullable Table filling,
      Map<Integer, List<RowDerivation>> derivations) {
    State {
      derivations = Map.copyOf(derivations);
    }

    static State of(Schema schema, int nextTable, DroppedNumbers dropped, @Nullable Table filling) {
      Map<Integer, List<RowDerivation>> derivations = new HashMap<>();
      for (CqlKeyspace keyspace : schema.keyspaces()) {
        for (Table table : keyspace.tables()) {
          add(table, keyspace, derivations);
        }
      }
      if (filling != null) {
        add(filling, schema.keyspace(filling.keyspace()), derivations);
      }
      return new State(schema, nextTable, dropped, filling, derivations);
    }

    private static void add(
        Table table, CqlKeyspace keyspace, Map<Integer, List<RowDerivation>> derivations) {
      Table.ViewOf view = table.view();
      if (view != null) {
        Table base = Objects.requireNonNull(keyspace.find(view.base()));
        derivations
            .computeIfAbsent(base.number(), _ -> new ArrayList<>())
            .add(new ViewWriter(base, table));
      }
      for (SecondaryIndex index : table.indexes()) {
        derivations
            .computeIfAbsent(table.number(), _ -> new ArrayList<>())
            .add(new IndexWriter(table, index));
      }
    }
  }

  /// Reads the schema that the store has. What cannot be read is in [Schema#unreadable].
  public TableSchema(TableWriter writer) {
    this.writer = writer;
    StoredSchema.Kept kept = StoredSchema.readable(writer.store());
    writer.startAfter(kept.timestamp());
    viewTime = kept.viewTime();
    viewTimeKept = kept.viewTime();
    shown = State.of(kept.schema(), kept.nextTable(), kept.dropped(), null);
    written = shown;
    builds = new IndexBuilds(writer, this, kept.builds());
    if (!kept.dropped().isEmpty()) {
      writer.store().forget(kept.dropped().spans());
    }
  }

  public Schema schema() {
    return shown.schema;
  }

  IndexBuilds builds() {
    return builds;
  }

  /// A table with one of its indexes.
  record Indexed(Table table, SecondaryIndex index) {}

  /// The index of a number, as the next write finds it; null when there is none.
  @Nullable Indexed indexed(int number) {
    for (CqlKeyspace keyspace : written.schema.keyspaces()) {
      for (Table table : keyspace.tables()) {
        for (SecondaryIndex index : table.indexes()) {
          if (index.number() == number) {
            return new Indexed(table, index);
          }
        }
      }
    }
    return null;
  }

  /// Calls a listener after each change, on the thread that has asked for it.
  public void onChange(Consumer<SchemaChange> listener) {
    listeners.add(listener);
  }

  @Override
  public boolean isThere(Table table) {
    CqlKeyspace keyspace = written.schema.find(table.keyspace());
    Table found = keyspace == null ? null : keyspace.find(table.name());
    return found != null && found.number() == table.number();
  }

  @Override
  public List<RowDerivation> derivations(Table table) {
    return written.derivations.getOrDefault(table.number(), List.of());
  }

  @Override
  public long viewTime(TableView before, Mutations out) {
    long next = Math.max(viewTime + 2, micros());
    viewTime = next;
    if (next >= viewTimeKept) {
      viewTimeKept = StoredSchema.viewTime(before); // and not what a failed write was to keep
      if (next >= viewTimeKept) {
        StoredSchema.writeViewTime(out, next + KEPT_MICROS);
      }
    }
    return next;
  }

  private long micros() {
    Instant now = writer.clock().instant();
    return TimeUnit.SECONDS.toMicros(now.getEpochSecond())
        + TimeUnit.NANOSECONDS.toMicros(now.getNano());
  }

  /// Makes a change, durable when it returns. A new materialized view has all rows then.
  ///
  /// @param inUse the keyspace of names without one; null for none
  /// @param cancelled whether no client waits for it any more; then a view is not filled further
  /// @return null when nothing had to change
  public @Nullable SchemaChange change(
      Definition definition, @Nullable String inUse, BooleanSupplier cancelled) {
    lock();
    try {
      Schema before = written.schema;
      SchemaEditor.Edit edit = make(definition, inUse, cancelled);
      if (edit == null) {
        return null;
      }
      show();
      for (SchemaChange change : changes(before, edit)) {
        listeners.forEach(listener -> listener.accept(change));
      }
      return edit.change();
    } finally {
      changing.unlock();
    }
  }

  /// The change of an edit, and then the tables and views that have other columns by it: views of
  /// an altered table, and tables of an altered type.
  private static List<SchemaChange> changes(Schema before, SchemaEditor.Edit edit) {
    List<SchemaChange> changes = new ArrayList<>(List.of(edit.change()));
    String name = edit.change().keyspace();
    CqlKeyspace earlier = before.find(name);
    CqlKeyspace now = edit.schema().find(name);
    if (earlier != null && now != null) {
      for (Table table : now.tables()) {
        Table was = earlier.find(table.name());
        SchemaChange follows = SchemaChange.table(How.UPDATED, name, table.name());
        if (was != null && !was.columns().equals(table.columns()) && !changes.contains(follows)) {
          changes.add(follows);
        }
      }
    }
    return changes;
  }

  private SchemaEditor.@Nullable Edit make(
      Definition definition, @Nullable String inUse, BooleanSupplier cancelled) {
    State before = written;
    try {
      return definition instanceof Definition.CreateView
          ? createView(definition, inUse, cancelled)
          : apply(definition, inUse);
    } catch (Throwable failed) { // numbers that it took are not given again
      Table filling = written.filling;
      DroppedNumbers dropped =
          filling == null ? before.dropped : before.dropped.with(List.of(filling.number()));
      written = State.of(before.schema, written.nextTable, dropped, null);
      throw failed;
    }
  }

  private void show() {
    State now = written;
    if (!now.dropped.equals(shown.dropped)) {
      writer.store().forget(now.dropped.spans());
    }
    shown = now;
  }

  private void lock() {
    try {
      if (changing.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException wait) {
      Thread.currentThread().interrupt();
    }
    Table filling = written.filling;
    throw new CqlException(
        Code.OVERLOADED,
        filling == null
            ? "the schema is being changed; try it again"
            : "the schema cannot be changed while materialized view %s is being filled"
                .formatted(filling.qualified()));
  }

  private SchemaEditor.@Nullable Edit edit(Definition definition, @Nullable String inUse) {
    SchemaEditor.Edit edit =
        new SchemaEditor(written.schema, inUse, written.nextTable, micros()).apply(definition);
    CqlKeyspace after = edit == null ? null : edit.schema().find(edit.change().keyspace());
    if (after != null) {
      StoredSchema.requireReadable(after);
    }
    return edit;
  }

  private SchemaEditor.@Nullable Edit apply(Definition definition, @Nullable String inUse) {
    List<SchemaEditor.Edit> made =
        writer.write((_, out) -> {
          SchemaEditor.Edit edit = edit(definition, inUse);
          if (edit == null) {
            return List.of();
          }
          if (definition instanceof Definition.CreateIndex) {
            Set<Integer> added = numbers(edit.schema());
            added.removeAll(numbers(written.schema));
            for (int number : added) {
              builds.add(number);
              StoredSchema.writeBuild(number, new byte[0], out, writer.timestamp());
            }
          }
          write(edit, out);
          return List.of(edit);
        });
    return made.isEmpty() ? null : made.getFirst();
  }

  private void write(SchemaEditor.Edit edit, Mutations out) {
    String keyspace = edit.change().keyspace();
    Set<Integer> gone = numbers(written.schema);
    gone.removeAll(numbers(edit.schema()));
    DroppedNumbers dropped = written.dropped.with(gone);
    StoredSchema.write(
        keyspace, edit.schema().find(keyspace), edit.nextTable(), dropped, out, writer.timestamp());
    written = State.of(edit.schema(), edit.nextTable(), dropped, null);
  }

  private static Set<Integer> numbers(Schema schema) {
    Set<Integer> numbers = new HashSet<>();
    for (CqlKeyspace keyspace : schema.keyspaces()) {
      for (Table table : keyspace.tables()) {
        numbers.add(table.number());
        table.indexes().forEach(index -> numbers.add(index.number()));
      }
    }
    return numbers;
  }

  private SchemaEditor.@Nullable Edit createView(
      Definition definition, @Nullable String inUse, BooleanSupplier cancelled) {
    SchemaEditor.Edit edit = edit(definition, inUse);
    if (edit == null) {
      return null;
    }
    CqlKeyspace keyspace = edit.schema().keyspace(edit.change().keyspace());
    Table view =
        Objects.requireNonNull(keyspace.find(Objects.requireNonNull(edit.change().name())));
    Table base = Objects.requireNonNull(keyspace.find(Objects.requireNonNull(view.view()).base()));
    boolean _ =
        writer.write((_, out) -> { // a restart before the end takes the number for a dropped one
          State before = written;
          StoredSchema.writeNumbers(
              edit.nextTable(),
              before.dropped.with(List.of(view.number())),
              out,
              writer.timestamp());
          written = State.of(before.schema, edit.nextTable(), before.dropped, view);
          return true;
        });
    new ViewFill(writer, this, base, new ViewWriter(base, view)).run(cancelled);
    boolean _ =
        writer.write((_, out) -> {
          write(edit, out);
          return true;
        });
    return edit;
  }
}
