package io.widerow.cql.define;

import org.jspecify.annotations.Nullable;

/// The change of a statement, as clients are notified of it.
///
/// @param name of the table or the type; null for a keyspace
public record SchemaChange(How how, Target target, String keyspace, @Nullable String name) {
  /// The kind of change.
  public enum How {
    CREATED,
    UPDATED,
    DROPPED
  }

  /// To what.
  public enum Target {
    KEYSPACE,
    TABLE,
    TYPE
  }

  static SchemaChange keyspace(How how, String keyspace) {
    return new SchemaChange(how, Target.KEYSPACE, keyspace, null);
  }

  static SchemaChange table(How how, String keyspace, String name) {
    return new SchemaChange(how, Target.TABLE, keyspace, name);
  }

  static SchemaChange type(How how, String keyspace, String name) {
    return new SchemaChange(how, Target.TYPE, keyspace, name);
  }
}
