package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.define.SchemaChange.How;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Definition.Alteration;
import io.widerow.cql.parse.Statement.TableName;
import io.widerow.cql.parse.TypeName;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Applies a statement to the schema of tables.
///
/// - Threads: one.
final class SchemaEditor {
  private static final Pattern NAME = Pattern.compile("\\w{1,48}");
  private static final Set<String> OWN =
      Set.of(
          "system",
          "system_schema",
          "system_virtual_schema",
          "system_auth",
          "system_distributed",
          "system_traces",
          "system_views",
          "widerow");

  private final Schema schema;
  private final @Nullable String inUse;
  private final int nextTable;
  private final long micros;
  private int usedNumbers;

  /// The outcome.
  ///
  /// @param schema that is true from now on
  /// @param nextTable the number of the next table
  record Edit(Schema schema, SchemaChange change, int nextTable) {}

  /// @param inUse the keyspace of names without one; null for none
  /// @param nextTable the number of the next table
  /// @param micros the time of the change
  SchemaEditor(Schema schema, @Nullable String inUse, int nextTable, long micros) {
    this.micros = micros;
    this.schema = schema;
    this.inUse = inUse;
    this.nextTable = nextTable;
  }

  /// @return null when nothing changes
  @Nullable Edit apply(Definition definition) {
    SchemaChange[] change = new SchemaChange[1];
    Schema next =
        apply(
            definition,
            each -> {
              change[0] = each;
              return true;
            });
    return change[0] == null ? null : new Edit(next, change[0], nextTable + usedNumbers);
  }

  private Schema apply(Definition definition, Predicate<SchemaChange> tell) {
    return switch (definition) {
      case Definition.CreateKeyspace create -> createKeyspace(create, tell);
      case Definition.AlterKeyspace alter -> alterKeyspace(alter, tell);
      case Definition.DropKeyspace drop -> dropKeyspace(drop, tell);
      case Definition.CreateTable create -> createTable(create, tell);
      case Definition.CreateView create -> new ViewEditor(this).create(create, tell);
      case Definition.AlterView alter -> new ViewEditor(this).alter(alter, tell);
      case Definition.CreateIndex create -> new IndexEditor(this).create(create, tell);
      case Definition.DropIndex drop -> new IndexEditor(this).drop(drop, tell);
      case Definition.AlterTable alter -> alterTable(alter, tell);
      case Definition.DropTable drop -> dropTable(drop, tell);
      case Definition.Truncate(TableName name) -> truncate(name, tell);
      case Definition.CreateType create -> createType(create, tell);
      case Definition.AlterType alter -> new TypeEditor(this).alter(alter, tell);
      case Definition.DropType drop -> dropType(drop, tell);
    };
  }

  Schema schema() {
    return schema;
  }

  static void requireName(String kind, String name) {
    if (!NAME.matcher(name).matches()) {
      throw CqlException.invalid(
          ("%s name must not be empty or not contain non-alphanumeric-underscore characters, and"
                  + " has at most 48 (got \"%s\")")
              .formatted(kind, name));
    }
  }

  private static void requireUsers(String keyspace) {
    if (OWN.contains(keyspace)) {
      throw new CqlException(
          Code.UNAUTHORIZED, "%s keyspace is not user-modifiable.".formatted(keyspace));
    }
  }

  /// The keyspace of an object that is changed or dropped if it exists; null when there is no such
  /// keyspace.
  ///
  /// @param missing why the statement is refused otherwise, with the name in it
  @Nullable CqlKeyspace keyspace(TableName name, boolean ifThere, String missing) {
    String of = name.keyspace();
    if (of == null || OWN.contains(of) || schema.find(of) != null) {
      return keyspace(name);
    }
    Schema _ = missing(ifThere, missing.formatted(of + "." + name.table()));
    return null;
  }

  /// The keyspace of a name, which users may change.
  CqlKeyspace keyspace(TableName name) {
    CqlKeyspace found = keyspaceOrNull(name);
    if (found == null) {
      String of = name.keyspace() == null ? inUse : name.keyspace();
      throw CqlException.invalid("Keyspace '%s' doesn't exist".formatted(of));
    }
    return found;
  }

  /// The same; null when there is none.
  @Nullable CqlKeyspace keyspaceOrNull(TableName name) {
    String of = name.keyspace() == null ? inUse : name.keyspace();
    if (of == null) {
      throw CqlException.invalid(
          "No keyspace has been specified. USE a keyspace, or explicitly specify"
              + " keyspace.tablename");
    }
    if (isOfEvents(name)) {
      throw CqlException.invalid(
          "widerow.events is not emptied, changed or dropped by statements: retention decides how"
              + " long events are kept");
    }
    requireUsers(of);
    return schema.find(of);
  }

  /// True for the table of events, which statements do not change.
  boolean isOfEvents(TableName name) {
    String of = name.keyspace() == null ? inUse : name.keyspace();
    return "widerow".equals(of) && name.table().equals("events");
  }

  private Schema createKeyspace(Definition.CreateKeyspace create, Predicate<SchemaChange> tell) {
    requireUsers(create.name());
    requireName("Keyspace", create.name());
    OptionValidator.OfKeyspace options =
        OptionValidator.keyspace(create.name(), create.options(), Map.of(), true);
    if (schema.find(create.name()) != null) {
      if (create.unlessThere()) {
        return schema;
      }
      throw CqlException.alreadyExists(create.name(), "");
    }
    boolean _ = tell.test(SchemaChange.keyspace(How.CREATED, create.name()));
    return schema.with(
        new CqlKeyspace(
            create.name(),
            false,
            options.replication(),
            options.durableWrites(),
            List.of(),
            List.of()));
  }

  private Schema alterKeyspace(Definition.AlterKeyspace alter, Predicate<SchemaChange> tell) {
    requireUsers(alter.name());
    CqlKeyspace found = schema.find(alter.name());
    if (found == null) {
      return missing(alter.ifThere(), "Keyspace '%s' doesn't exist".formatted(alter.name()));
    }
    OptionValidator.OfKeyspace options =
        OptionValidator.keyspace(
            alter.name(), alter.options(), found.replication(), found.durableWrites());
    boolean _ = tell.test(SchemaChange.keyspace(How.UPDATED, found.name()));
    return schema.with(
        new CqlKeyspace(
            found.name(),
            false,
            options.replication(),
            options.durableWrites(),
            found.types(),
            found.tables()));
  }

  Schema missing(boolean allowed, String why) {
    if (!allowed) {
      throw CqlException.invalid(why);
    }
    return schema;
  }

  private Schema dropKeyspace(Definition.DropKeyspace drop, Predicate<SchemaChange> tell) {
    requireUsers(drop.name());
    if (schema.find(drop.name()) == null) {
      return missing(drop.ifThere(), "Keyspace '%s' doesn't exist".formatted(drop.name()));
    }
    boolean _ = tell.test(SchemaChange.keyspace(How.DROPPED, drop.name()));
    return schema.without(drop.name());
  }

  /// Where types of users are found, for a table of a keyspace.
  TypeName.Users users(CqlKeyspace keyspace) {
    return (of, name) -> {
      if (of != null && !of.equals(keyspace.name())) {
        throw CqlException.invalid(
            ("Statement on keyspace %s cannot refer to a user type in keyspace %s; user types can"
                    + " only be used in the keyspace they are defined in")
                .formatted(keyspace.name(), of));
      }
      return keyspace.type(name);
    };
  }

  private Schema createTable(Definition.CreateTable create, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = keyspace(create.table());
    String name = create.table().table();
    requireName("Table", name);
    if (keyspace.find(name) != null) {
      if (create.unlessThere()) {
        return schema;
      }
      throw CqlException.alreadyExists(keyspace.name(), name);
    }
    AtomicInteger next = new AtomicInteger(1);
    Table.Stored stored = newNumber(UUID.randomUUID(), create.columns().size() + 1);
    Table table =
        TableValidator.table(
            create, keyspace.name(), users(keyspace), _ -> next.getAndIncrement(), stored);
    boolean _ = tell.test(SchemaChange.table(How.CREATED, keyspace.name(), name));
    return schema.with(keyspace.with(table));
  }

  Table.Stored newNumber(UUID id, int nextColumn) {
    return new Table.Stored(newNumber(), id, nextColumn);
  }

  /// A number that no table and no index has.
  int newNumber() {
    return nextTable + usedNumbers++;
  }

  private @Nullable Table find(CqlKeyspace keyspace, TableName name, boolean ifThere) {
    Table table = keyspace.find(name.table());
    if (table == null) {
      Schema _ = missing(ifThere, "Table '%s' doesn't exist".formatted(qualified(keyspace, name)));
    }
    return table;
  }

  private static String qualified(CqlKeyspace keyspace, TableName name) {
    return keyspace.name() + "." + name.table();
  }

  private Schema alterTable(Definition.AlterTable alter, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = keyspace(alter.table(), alter.ifThere(), "Table '%s' doesn't exist");
    Table table = keyspace == null ? null : find(keyspace, alter.table(), alter.ifThere());
    if (keyspace == null || table == null) {
      return schema;
    }
    if (table.view() != null) {
      throw CqlException.invalid(
          "Cannot use ALTER TABLE on a materialized view; use ALTER MATERIALIZED VIEW instead");
    }
    TableEditor editor = new TableEditor(table, users(keyspace), micros);
    Table altered =
        switch (alter.alteration()) {
          case Alteration.Add add -> {
            ViewEditor.requireNoStatics(keyspace, table, add);
            yield editor.add(add);
          }
          case Alteration.Drop drop -> {
            Table rest = editor.drop(drop);
            if (!rest.equals(table) && !keyspace.views(table.name()).isEmpty()) {
              throw CqlException.invalid(
                  "Cannot drop column %s on base table %s with materialized views"
                      .formatted(drop.columns().getFirst(), table.name()));
            }
            yield rest;
          }
          case Alteration.Rename rename -> editor.rename(rename);
          case Alteration.Unmask unmask -> editor.unmask(unmask);
          case Alteration.With(Definition.Options options) ->
              table.withOptions(OptionValidator.table(table.options(), options));
        };
    if (altered.equals(table)) {
      return schema;
    }
    boolean _ = tell.test(SchemaChange.table(How.UPDATED, keyspace.name(), table.name()));
    return schema.with(ViewEditor.followed(keyspace, table, altered));
  }

  private Schema dropTable(Definition.DropTable drop, Predicate<SchemaChange> tell) {
    if (drop.isView()) {
      return new ViewEditor(this).drop(drop, tell);
    }
    CqlKeyspace keyspace = keyspace(drop.table(), drop.ifThere(), "Table '%s' doesn't exist");
    Table table = keyspace == null ? null : find(keyspace, drop.table(), drop.ifThere());
    if (keyspace == null || table == null) {
      return schema;
    }
    if (table.view() != null) {
      throw CqlException.invalid(
          "Cannot use DROP TABLE on a materialized view. Please use DROP MATERIALIZED VIEW"
              + " instead.");
    }
    ViewEditor.requireNone(keyspace, table);
    boolean _ = tell.test(SchemaChange.table(How.DROPPED, keyspace.name(), table.name()));
    return schema.with(ViewEditor.without(keyspace, table));
  }

  /// The rows of the old numbers, of the table and its views, are no rows of any table from now on.
  private Schema truncate(TableName name, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = keyspace(name);
    Table table = keyspace.find(name.table());
    if (table == null) {
      throw CqlException.invalid("table %s does not exist".formatted(name.table()));
    }
    if (table.view() != null) {
      throw CqlException.invalid(
          "Cannot TRUNCATE materialized view directly; must truncate base table instead");
    }
    CqlKeyspace emptied = keyspace.with(emptied(table));
    for (Table view : keyspace.views(table.name())) {
      emptied = emptied.with(emptied(view));
    }
    boolean _ = tell.test(SchemaChange.table(How.UPDATED, keyspace.name(), table.name()));
    return schema.with(emptied);
  }

  private Table emptied(Table table) {
    Table.Stored before = Objects.requireNonNull(table.stored());
    Table.Stored stored = newNumber(before.id(), before.nextColumn());
    return table
        .withColumns(
            table.columns(),
            new Table.Stored(stored.number(), stored.id(), stored.nextColumn(), before.dropped()))
        .withIndexes(table.indexes().stream().map(index -> index.withNumber(newNumber())).toList());
  }

  private Schema createType(Definition.CreateType create, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = keyspace(create.type());
    String name = create.type().table();
    requireName("Type", name);
    if (keyspace.type(name) != null) {
      return missing(
          create.unlessThere(), "A user type with name '%s' already exists".formatted(name));
    }
    List<CqlType.Field> fields = new ArrayList<>();
    create.fields().forEach(field -> TypeEditor.add(fields, field, users(keyspace)));
    List<CqlType.UserType> types = new ArrayList<>(keyspace.types());
    CqlType.UserType type = new CqlType.UserType(keyspace.name(), name, fields, false);
    TypeSizes.require("type " + name, type);
    types.add(type);
    boolean _ = tell.test(SchemaChange.type(How.CREATED, keyspace.name(), name));
    return schema.with(keyspace.withTypes(types));
  }

  private Schema dropType(Definition.DropType drop, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = keyspace(drop.type(), drop.ifThere(), "Type '%s' doesn't exist");
    if (keyspace == null) {
      return schema;
    }
    CqlType.UserType type = keyspace.type(drop.type().table());
    if (type == null) {
      return missing(
          drop.ifThere(),
          "Type '%s.%s' doesn't exist".formatted(keyspace.name(), drop.type().table()));
    }
    TypeEditor.requireUnused(keyspace, type);
    List<CqlType.UserType> types = new ArrayList<>(keyspace.types());
    boolean _ = types.remove(type);
    boolean _ = tell.test(SchemaChange.type(How.DROPPED, keyspace.name(), type.name()));
    return schema.with(keyspace.withTypes(types));
  }
}
