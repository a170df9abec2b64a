package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.define.SchemaChange.How;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Definition.IndexTarget;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.SecondaryIndex.Target;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// CREATE and DROP INDEX.
record IndexEditor(SchemaEditor editor) {
  private static final String LOCAL = "legacy_local_table";
  private static final String SASI = "org.apache.cassandra.index.sasi.SASIIndex";

  /// The names of storage-attached indexes, in lower case.
  private static final Set<String> ATTACHED =
      Set.of("sai", "storageattachedindex", "org.apache.cassandra.index.sai.storageattachedindex");

  /// Analysis of texts: only its absence is supported.
  private static final Map<String, String> ANALYSIS =
      Map.of("case_sensitive", "true", "normalize", "false", "ascii", "false");

  private static final Pattern NAME = Pattern.compile("\\w+");
  private static final Pattern NO_NAME = Pattern.compile("\\W");

  Schema create(Definition.CreateIndex create, Predicate<SchemaChange> tell) {
    if (isLocal(create) && create.options() != null && !create.options().isEmpty()) {
      throw CqlException.invalid("Cannot specify options for a non-CUSTOM index");
    }
    requireOptions(create);
    if (editor.isOfEvents(create.table())) {
      throw CqlException.invalid(
          "widerow.events needs no index: queries find types, times and attributes without one;"
              + " leave CREATE INDEX out");
    }
    CqlKeyspace keyspace = editor.keyspace(create.table());
    Table table = keyspace.find(create.table().table());
    if (table == null) {
      throw CqlException.invalid("Table '%s' doesn't exist".formatted(create.table().table()));
    }
    String name = create.index();
    if (name != null && keyspace.indexed(name) != null) {
      return editor.missing(create.unlessThere(), "Index '%s' already exists".formatted(name));
    }
    if (table.isCounter()) {
      throw CqlException.invalid("Secondary indexes on counter tables aren't supported");
    }
    if (table.view() != null) {
      throw CqlException.invalid("Secondary indexes on materialized views aren't supported");
    }
    SecondaryIndex index = kept(create, keyspace, table, 0);
    Column column = table.columns().get(table.find(index.column()));
    for (SecondaryIndex other : table.indexes()) {
      if (other.isDuplicate(index)) {
        return editor.missing(
            create.unlessThere(),
            "Index %s is a duplicate of existing index %s".formatted(index.name(), other.name()));
      }
    }
    requireAttachable(table, column, index);
    if (!NAME.matcher(index.name()).matches()) {
      throw new CqlException(Code.CONFIGURATION, "Illegal index name " + index.name());
    }
    List<SecondaryIndex> all = new ArrayList<>(table.indexes());
    all.add(index.withNumber(editor.newNumber()));
    boolean _ = tell.test(SchemaChange.table(How.UPDATED, keyspace.name(), table.name()));
    return editor.schema().with(keyspace.with(table.withIndexes(all)));
  }

  /// The index that a statement makes.
  ///
  /// @param keyspace whose names are taken
  static SecondaryIndex kept(
      Definition.CreateIndex create, CqlKeyspace keyspace, Table table, int number) {
    boolean local = isLocal(create);
    IndexTarget target = target(create, local);
    Column column = requireColumn(table, target);
    String name = create.index();
    SecondaryIndex index =
        new SecondaryIndex(
            name == null ? freeName(keyspace, table, column) : name,
            column.name(),
            part(column, target),
            local && !create.custom() ? "" : requireClass(create.using()),
            create.options() == null ? Map.of() : create.options(),
            number);
    requireTarget(table, column, index);
    return index;
  }

  private static boolean isLocal(Definition.CreateIndex create) {
    String given = create.using();
    return given == null || (!create.custom() && given.equalsIgnoreCase(LOCAL));
  }

  private static void requireOptions(Definition.CreateIndex create) {
    Map<String, String> options = create.options();
    if (options == null) {
      return;
    }
    for (String reserved : List.of("class_name", "target")) {
      if (options.containsKey(reserved)) {
        throw CqlException.invalid("Cannot specify %s as a CUSTOM option".formatted(reserved));
      }
    }
  }

  private static IndexTarget target(Definition.CreateIndex create, boolean local) {
    List<IndexTarget> targets = create.targets();
    if (targets.size() == 1) {
      return targets.getFirst();
    }
    if (targets.isEmpty()) {
      throw CqlException.invalid(
          local
              ? "Only CUSTOM indexes can be created without specifying a target column"
              : "Failed to retrieve target column for: ");
    }
    throw CqlException.invalid(
        local
            ? "Only CUSTOM indexes support multiple columns"
            : "A storage-attached index cannot be created over multiple columns: "
                + String.join(", ", targets.stream().map(IndexTarget::column).toList()));
  }

  private static Column requireColumn(Table table, IndexTarget target) {
    int found = table.find(target.column());
    if (found < 0) {
      throw CqlException.invalid(
          "Undefined column name %s in table %s".formatted(target.column(), table.qualified()));
    }
    return table.columns().get(found);
  }

  /// A column that is a collection, without a part of it, stands for its values.
  private static Target part(Column column, IndexTarget target) {
    if (target.part().isEmpty()) {
      return column.type().isCollection() ? Target.VALUES : Target.SIMPLE;
    }
    return Target.valueOf(target.part().toUpperCase(Locale.ROOT));
  }

  private static String requireClass(@Nullable String given) {
    String name = given == null ? LOCAL : given;
    if (name.equals(SASI)) {
      throw CqlException.invalid("SASI indexes are disabled. Enable in cassandra.yaml to use.");
    }
    if (!ATTACHED.contains(name.toLowerCase(Locale.ROOT))) {
      throw new CqlException(
          Code.CONFIGURATION, "Unable to find custom indexer class '%s'".formatted(name));
    }
    return name;
  }

  /// The name that an index without one gets.
  private static String freeName(CqlKeyspace keyspace, Table table, Column column) {
    String base = NO_NAME.matcher(table.name() + "_" + column.name() + "_idx").replaceAll("");
    String name = base;
    for (int i = 1; keyspace.indexed(name) != null; i++) {
      name = base + "_" + i;
    }
    return name;
  }

  private static void requireTarget(Table table, Column column, SecondaryIndex index) {
    CqlType type = column.type();
    String part = index.target().cql();
    if (type.contains(NativeType.DURATION)) {
      throw CqlException.invalid(
          "Secondary indexes are not supported on "
              + switch (type) {
                case NativeType _ -> "duration columns";
                case CqlType.TupleOf _ -> "tuples containing durations";
                case CqlType.UserType _ -> "UDTs containing durations";
                default -> "collections containing durations";
              });
    }
    require(
        column.kind() != Kind.PARTITION_KEY || table.of(Kind.PARTITION_KEY).size() > 1,
        "Cannot create secondary index on the only partition key column %s",
        column.name());
    boolean frozen = type.isCollection() && !type.isMultiCell();
    require(
        !frozen || index.target() == Target.FULL,
        "Cannot create %s() index on frozen column %s. Frozen collections are immutable and must be"
            + " fully indexed by using the 'full(%s)' modifier",
        part,
        column.name(),
        column.name());
    require(
        frozen || index.target() != Target.FULL,
        "full() indexes can only be created on frozen collections");
    require(
        type.isCollection() || index.target() == Target.SIMPLE,
        "Cannot create %s() index on %s. Non-collection columns only support simple indexes",
        part,
        column.name());
    require(
        type instanceof CqlType.MapOf
            || (index.target() != Target.KEYS && index.target() != Target.ENTRIES),
        "Cannot create index on %s of column %s with non-map type",
        part,
        column.name());
    require(
        !(type instanceof CqlType.UserType && type.isMultiCell()),
        "Cannot create index on non-frozen UDT column %s",
        column.name());
  }

  @SuppressWarnings("AnnotateFormatMethod") // all calls are in this class
  private static void require(boolean met, String otherwise, Object... of) {
    if (!met) {
      throw CqlException.invalid(otherwise.formatted(of));
    }
  }

  /// The rules of storage-attached indexes.
  private static void requireAttachable(Table table, Column column, SecondaryIndex index) {
    if (!index.isCustom()) {
      return;
    }
    Set<String> unknown = new TreeSet<>(index.options().keySet());
    unknown.removeAll(ANALYSIS.keySet());
    if (!unknown.isEmpty()) {
      throw new CqlException(
          Code.CONFIGURATION,
          "Properties specified %s are not understood by StorageAttachedIndex".formatted(unknown));
    }
    boolean isText =
        (column.type() instanceof NativeType type && type.isText())
            || column.type().parts().stream()
                .anyMatch(part -> part instanceof NativeType type && type.isText());
    require(
        isText || index.options().isEmpty(),
        "CQL type %s cannot be analyzed.",
        column.type().cql());
    index
        .options()
        .forEach((option, value) -> {
          if (!value.equalsIgnoreCase(ANALYSIS.get(option))) {
            throw CqlException.invalid(
                "%s: texts are compared as they are, got '%s'; leave the option out"
                    .formatted(option, value));
          }
        });
    boolean other =
        table.indexes(column.name()).stream()
            .anyMatch(each -> each.isCustom() && each.target() == index.target());
    require(
        !other,
        "Cannot create more than one storage-attached index on the same column: %s",
        column.name());
    List<CqlType> indexed =
        column.type().isMultiCell() ? column.type().parts() : List.of(column.type());
    for (CqlType type : indexed) {
      require(type != NativeType.BLOB, "Unsupported type: %s", type.cql());
    }
  }

  Schema drop(Definition.DropIndex drop, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = editor.keyspaceOrNull(drop.index());
    String name = drop.index().table();
    Table table = keyspace == null ? null : keyspace.indexed(name);
    if (keyspace == null || table == null) {
      String in = keyspace == null ? String.valueOf(drop.index().keyspace()) : keyspace.name();
      return editor.missing(drop.ifThere(), "Index '%s.%s' doesn't exist'".formatted(in, name));
    }
    List<SecondaryIndex> rest =
        table.indexes().stream().filter(index -> !index.name().equals(name)).toList();
    boolean _ = tell.test(SchemaChange.table(How.UPDATED, keyspace.name(), table.name()));
    return editor.schema().with(keyspace.with(table.withIndexes(rest)));
  }

  /// @param act the refused act: `Cannot drop` or `Can't rename`
  /// @throws CqlException when a column has indexes
  static void requireNone(Table table, String column, String act) {
    List<String> names = table.indexes(column).stream().map(SecondaryIndex::name).toList();
    if (!names.isEmpty()) {
      throw CqlException.invalid(
          "%s column %s because it has dependent secondary indexes (%s)"
              .formatted(act, column, String.join(", ", names)));
    }
  }
}
