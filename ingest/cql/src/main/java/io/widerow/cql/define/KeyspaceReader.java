package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Definition.ColumnName;
import io.widerow.cql.parse.Parser;
import io.widerow.cql.parse.Statement.TableName;
import io.widerow.cql.parse.TypeName;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.DroppedColumn;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.UnreadableStatement;
import io.widerow.cql.schema.ViewConditions;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads the stored statements of one keyspace. What cannot be read is collected, so that one
/// statement does not hide the next one.
///
/// - Threads: one.
final class KeyspaceReader implements TypeName.Users {
  private final String name;
  private final List<SchemaEntry> entries;
  private final List<UnreadableStatement> unreadable = new ArrayList<>();
  private final Map<String, SchemaEntry> typesLeft = new HashMap<>();
  private final Map<String, CqlType.UserType> types = new HashMap<>();
  private final Set<String> typesBegun = new HashSet<>();

  /// A statement that depends on one that cannot be read; the error names the latter.
  private static final class Blocked extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// @param entries of the keyspace
  KeyspaceReader(String name, List<SchemaEntry> entries) {
    this.name = name;
    this.entries = List.copyOf(entries);
  }

  /// The statements that cannot be read, after [#read].
  List<UnreadableStatement> unreadable() {
    return List.copyOf(unreadable);
  }

  /// @return null when a statement cannot be read
  @Nullable CqlKeyspace read() {
    CqlKeyspace empty = keyspace();
    for (SchemaEntry entry : of(SchemaEntry.TYPE)) {
      typesLeft.put(entry.name(), entry);
    }
    for (String type : List.copyOf(typesLeft.keySet())) {
      try {
        CqlType.UserType _ = find(null, type);
      } catch (Blocked _) {
        // The statement that blocks it is among the unreadable ones.
      }
    }
    List<Table> tables = new ArrayList<>();
    Map<String, Table> bases = new HashMap<>();
    List<SchemaEntry> views = new ArrayList<>();
    for (SchemaEntry entry : of(SchemaEntry.TABLE)) {
      Table table =
          attempt(
              entry,
              () -> {
                Definition definition = definition(entry);
                if (definition instanceof Definition.CreateView) {
                  views.add(entry);
                  return null;
                }
                return table(entry, cast(definition, Definition.CreateTable.class));
              });
      if (table != null) {
        tables.add(table);
        bases.put(table.name(), table);
      }
    }
    for (SchemaEntry entry : of(SchemaEntry.INDEX)) {
      Table indexed = attempt(entry, () -> indexed(entry, bases));
      if (indexed != null) {
        tables.replaceAll(table -> table.name().equals(indexed.name()) ? indexed : table);
        bases.put(indexed.name(), indexed);
      }
    }
    for (SchemaEntry entry : views) {
      Table view = attempt(entry, () -> view(entry, bases, views));
      if (view != null) {
        tables.add(view);
      }
    }
    if (empty == null || !unreadable.isEmpty()) {
      return null;
    }
    tables.sort(Comparator.comparing(Table::name));
    return empty.withTypes(List.copyOf(types.values())).withTables(tables);
  }

  private List<SchemaEntry> of(String kind) {
    return entries.stream().filter(entry -> entry.kind().equals(kind)).toList();
  }

  private <T> @Nullable T attempt(SchemaEntry entry, Supplier<@Nullable T> reading) {
    try {
      return reading.get();
    } catch (Blocked _) { // the blocking statement is among the unreadable ones
      return null;
    } catch (CqlException wrong) {
      unreadable.add(entry.unreadable(wrong.sentence()));
      return null;
    } catch (RuntimeException fault) { // of ours: it must not keep others from being read
      unreadable.add(entry.unreadable(fault.toString()));
      return null;
    }
  }

  private @Nullable CqlKeyspace keyspace() {
    List<SchemaEntry> own = of(SchemaEntry.KEYSPACE);
    if (own.isEmpty()) {
      unreadable.add(
          new SchemaEntry(name, SchemaEntry.KEYSPACE, "", "")
              .unreadable("there are types or tables of the keyspace, and no such statement"));
      return null;
    }
    SchemaEntry entry = own.getFirst();
    return attempt(
        entry,
        () -> {
          Definition.CreateKeyspace create =
              cast(definition(entry), Definition.CreateKeyspace.class);
          requireName(entry, new TableName(create.name(), ""));
          OptionValidator.OfKeyspace options =
              OptionValidator.keyspace(name, create.options(), Map.of(), true);
          return new CqlKeyspace(
              name, false, options.replication(), options.durableWrites(), List.of(), List.of());
        });
  }

  private static Definition definition(SchemaEntry entry) {
    String fault = entry.fault();
    if (fault != null) {
      throw CqlException.invalid(fault);
    }
    return cast(Parser.parseStored(required(entry.definition(), "text")), Definition.class);
  }

  private static <T> T required(@Nullable T value, String what) {
    if (value == null) {
      throw CqlException.invalid("its %s is not stored".formatted(what));
    }
    return value;
  }

  private static <T> T cast(Object statement, Class<T> wanted) {
    if (!wanted.isInstance(statement)) {
      throw CqlException.invalid(
          "it is no %s, but a %s"
              .formatted(wanted.getSimpleName(), statement.getClass().getSimpleName()));
    }
    return wanted.cast(statement);
  }

  private void requireName(SchemaEntry entry, TableName made) {
    if (!name.equals(made.keyspace()) || !entry.name().equals(made.table())) {
      throw CqlException.invalid("it makes %s.%s".formatted(made.keyspace(), made.table()));
    }
  }

  /// A type, which is read now when it was not before: one may stand in another one that was made
  /// earlier.
  @Override
  public CqlType.@Nullable UserType find(@Nullable String keyspace, String type) {
    if (keyspace != null && !keyspace.equals(name)) {
      throw CqlException.invalid(
          ("Statement on keyspace %s cannot refer to a user type in keyspace %s; user types can"
                  + " only be used in the keyspace they are defined in")
              .formatted(name, keyspace));
    }
    CqlType.UserType found = types.get(type);
    if (found != null) {
      return found;
    }
    SchemaEntry entry = typesLeft.get(type);
    if (entry == null) {
      if (typesBegun.contains(type)) { // and it, or what it needs, cannot be read
        throw new Blocked();
      }
      return null;
    }
    if (!typesBegun.add(type)) {
      throw CqlException.invalid("types in a circle, with %s".formatted(type));
    }
    CqlType.UserType made = attempt(entry, () -> type(entry));
    SchemaEntry _ = typesLeft.remove(type);
    if (made == null) {
      throw new Blocked();
    }
    types.put(type, made);
    return made;
  }

  private CqlType.UserType type(SchemaEntry entry) {
    Definition.CreateType create = cast(definition(entry), Definition.CreateType.class);
    requireName(entry, create.type());
    List<CqlType.Field> fields = new ArrayList<>();
    for (ColumnName field : create.fields()) {
      TypeEditor.add(fields, field, this);
    }
    return new CqlType.UserType(name, entry.name(), fields, false);
  }

  private Table table(SchemaEntry entry, Definition.CreateTable create) {
    requireName(entry, create.table());
    Map<String, Integer> numbers = required(entry.columns(), "columns");
    Set<String> named = new HashSet<>();
    create.columns().forEach(column -> named.add(column.name()));
    if (!named.equals(numbers.keySet())) {
      throw CqlException.invalid(
          "its columns are %s, and the stored ones %s"
              .formatted(List.copyOf(named), numbers.keySet()));
    }
    return TableValidator.table(
        create,
        name,
        this,
        column -> required(numbers.get(column), "number of a column"),
        stored(entry));
  }

  /// The table of an index, with it.
  private Table indexed(SchemaEntry entry, Map<String, Table> tables) {
    Definition.CreateIndex create = cast(definition(entry), Definition.CreateIndex.class);
    String named = required(create.index(), "name");
    requireName(entry, new TableName(create.table().keyspace(), named));
    String of = create.table().table();
    Table table = tables.get(of);
    if (table == null) {
      if (of(SchemaEntry.TABLE).stream().anyMatch(each -> each.name().equals(of))) {
        throw new Blocked();
      }
      throw CqlException.invalid("there is no table %s, which it indexes".formatted(of));
    }
    List<SecondaryIndex> all = new ArrayList<>(table.indexes());
    CqlKeyspace read = CqlKeyspace.own(name, false, List.copyOf(tables.values()));
    all.add(IndexEditor.kept(create, read, table, required(entry.number(), "number")));
    return table.withIndexes(all);
  }

  private Table view(SchemaEntry entry, Map<String, Table> bases, List<SchemaEntry> views) {
    Definition.CreateView create = cast(definition(entry), Definition.CreateView.class);
    requireName(entry, create.view());
    String of = create.base().table();
    Table base = bases.get(of);
    if (base == null) {
      if (views.stream().anyMatch(each -> each.name().equals(of))) {
        throw CqlException.invalid("%s, which it shows, is a view".formatted(of));
      }
      if (of(SchemaEntry.TABLE).stream().anyMatch(each -> each.name().equals(of))) {
        throw new Blocked();
      }
      throw CqlException.invalid("there is no table %s, which it shows".formatted(of));
    }
    Table view = ViewValidator.kept(create, base, stored(entry));
    ViewConditions _ = ViewConditions.of(base, view.view() == null ? List.of() : create.where());
    return view;
  }

  private static List<DroppedColumn> dropped(SchemaEntry entry) {
    Map<String, String> dropped = entry.dropped();
    return dropped == null
        ? List.of()
        : dropped.entrySet().stream()
            .map(each -> DroppedColumn.read(each.getKey(), each.getValue()))
            .toList();
  }

  private static Table.Stored stored(SchemaEntry entry) {
    return new Table.Stored(
        required(entry.number(), "number"),
        required(entry.id(), "id"),
        required(entry.next(), "next number of a column"),
        dropped(entry));
  }
}
