package io.widerow.cql.define;

import io.widerow.cql.change.TableWriter;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.schema.Keyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.table.Mutations;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The schema of all tables of users. It changes on the thread that writes rows, so every row is
/// written before or after a change.
///
/// - Threads: any.
public final class TableSchema {
  private final TableWriter writer;
  private final List<Consumer<SchemaChange>> listeners = new CopyOnWriteArrayList<>();
  private volatile State shown; // what clients see: it is durable
  private volatile State written; // what the next write finds; changed by writes alone

  /// A schema, and how many came before it.
  private record State(Schema schema, int nextTable, DroppedNumbers dropped, long version) {}

  /// Reads the schema that the store has.
  public TableSchema(TableWriter writer) {
    this.writer = writer;
    StoredSchema.Kept kept = StoredSchema.read(writer.store());
    writer.startAfter(kept.timestamp());
    shown = new State(kept.schema(), kept.nextTable(), kept.dropped(), 0);
    written = shown;
    if (!kept.dropped().isEmpty()) {
      writer.store().forget(kept.dropped().spans());
    }
  }

  public Schema schema() {
    return shown.schema;
  }

  /// Calls a listener after each change, on the thread that has asked for it.
  public void onChange(Consumer<SchemaChange> listener) {
    listeners.add(listener);
  }

  /// True when a table is in the schema that the running write finds.
  public boolean isThere(Table table) {
    Keyspace keyspace = written.schema.find(table.keyspace());
    Table found = keyspace == null ? null : keyspace.find(table.name());
    return found != null && found.number() == table.number();
  }

  /// A change that was written, and what it has made.
  private record Written(SchemaChange change, State state) {}

  /// Makes a change, durable when it returns.
  ///
  /// @param inUse the keyspace of names without one; null for none
  /// @return null when nothing had to change
  public @Nullable SchemaChange change(Definition definition, @Nullable String inUse) {
    List<Written> made = writer.write((_, out) -> run(definition, inUse, out));
    if (made.isEmpty()) {
      return null;
    }
    Written last = made.getFirst();
    show(last.state);
    listeners.forEach(listener -> listener.accept(last.change));
    return last.change;
  }

  private List<Written> run(Definition definition, @Nullable String inUse, Mutations out) {
    State before = written;
    SchemaEditor editor = new SchemaEditor(before.schema, inUse, before.nextTable);
    SchemaEditor.Edit edit = editor.apply(definition);
    if (edit == null) {
      return List.of();
    }
    String keyspace = edit.change().keyspace();
    Set<Integer> gone = numbers(before.schema);
    gone.removeAll(numbers(edit.schema()));
    DroppedNumbers dropped = before.dropped.with(gone);
    StoredSchema.write(
        keyspace, edit.schema().find(keyspace), edit.nextTable(), dropped, out, writer.timestamp());
    State after = new State(edit.schema(), edit.nextTable(), dropped, before.version + 1);
    written = after;
    return List.of(new Written(edit.change(), after));
  }

  private static Set<Integer> numbers(Schema schema) {
    Set<Integer> numbers = new HashSet<>();
    for (Keyspace keyspace : schema.keyspaces()) {
      keyspace.tables().forEach(table -> numbers.add(table.number()));
    }
    return numbers;
  }

  private synchronized void show(State state) {
    if (state.version > shown.version) {
      if (!state.dropped.equals(shown.dropped)) {
        writer.store().forget(state.dropped.spans());
      }
      shown = state;
    }
  }
}
