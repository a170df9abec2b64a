package io.widerow.cql.schema;

import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A keyspace with its tables and types.
///
/// @param virtual whether its tables are shown as virtual ones: not stored, and not replicated
/// @param replication as it was given; it is shown and has no effect
/// @param types of users, each after the types of its fields, else by name
public record CqlKeyspace(
    String name,
    boolean virtual,
    Map<String, String> replication,
    boolean durableWrites,
    List<CqlType.UserType> types,
    List<Table> tables) {
  private static final Map<String, String> SIMPLE =
      Map.of("class", "org.apache.cassandra.locator.SimpleStrategy", "replication_factor", "1");

  public CqlKeyspace {
    replication = Map.copyOf(replication);
    types = ordered(types);
    tables = List.copyOf(tables);
  }

  /// The order of [#types], which does not depend on that in which they were made.
  private static List<CqlType.UserType> ordered(List<CqlType.UserType> types) {
    Map<String, CqlType.UserType> left = new TreeMap<>();
    types.forEach(type -> left.put(type.name(), type));
    List<CqlType.UserType> ordered = new ArrayList<>();
    for (String name : List.copyOf(left.keySet())) {
      take(name, left, ordered);
    }
    return List.copyOf(ordered);
  }

  private static void take(
      String name, Map<String, CqlType.UserType> left, List<CqlType.UserType> ordered) {
    CqlType.UserType type = left.remove(name);
    if (type != null) { // else it was taken before
      type.types().forEach(field -> takeParts(field, left, ordered));
      ordered.add(type);
    }
  }

  private static void takeParts(
      CqlType type, Map<String, CqlType.UserType> left, List<CqlType.UserType> ordered) {
    if (type instanceof CqlType.UserType user) {
      take(user.name(), left, ordered);
    } else {
      type.parts().forEach(part -> takeParts(part, left, ordered));
    }
  }

  /// A keyspace of the server's own.
  public static CqlKeyspace own(String name, boolean virtual, List<Table> tables) {
    return new CqlKeyspace(name, virtual, SIMPLE, true, List.of(), tables);
  }

  /// True for a keyspace of the server's own.
  public boolean isOwn() {
    return tables.stream().anyMatch(table -> table.stored() == null);
  }

  /// The table of a name; null when there is none.
  public @Nullable Table find(String table) {
    for (Table each : tables) {
      if (each.name().equals(table)) {
        return each;
      }
    }
    return null;
  }

  /// The materialized views of a table, by their names.
  public List<Table> views(String base) {
    return tables.stream()
        .filter(each -> each.view() != null && each.view().base().equals(base))
        .toList();
  }

  /// The table that has the index of a name; null when there is none.
  public @Nullable Table indexed(String index) {
    for (Table each : tables) {
      if (each.indexes().stream().anyMatch(of -> of.name().equals(index))) {
        return each;
      }
    }
    return null;
  }

  /// The type of a name, which is not frozen; null when there is none.
  public CqlType.@Nullable UserType type(String type) {
    for (CqlType.UserType each : types) {
      if (each.name().equals(type)) {
        return each;
      }
    }
    return null;
  }

  /// The same with other tables.
  public CqlKeyspace withTables(List<Table> newTables) {
    return new CqlKeyspace(name, virtual, replication, durableWrites, types, newTables);
  }

  /// The same with a table in place of that of its name, or added.
  public CqlKeyspace with(Table table) {
    List<Table> all = new ArrayList<>(tables);
    all.removeIf(each -> each.name().equals(table.name()));
    all.add(table);
    all.sort(Comparator.comparing(Table::name));
    return withTables(all);
  }

  /// The same with other types.
  public CqlKeyspace withTypes(List<CqlType.UserType> newTypes) {
    return new CqlKeyspace(name, virtual, replication, durableWrites, newTypes, tables);
  }
}
