package io.widerow.cql.schema;

import io.widerow.cql.type.Identifiers;

/// A stored statement of the schema that cannot be read. Its keyspace cannot be used; the rows of
/// its tables stay as they are.
///
/// @param keyspace empty when no statement of any keyspace can be read
/// @param kind `keyspace`, `type`, `index` or `table`, which a materialized view is too
/// @param name of the type, the table or the index; empty for a keyspace
/// @param text of the statement; empty when there is none
/// @param error why it cannot be read, in one sentence
public record UnreadableStatement(
    String keyspace, String kind, String name, String text, String error) {
  /// The object that the statement creates, such as `table r.mail`.
  public String place() {
    if (keyspace.isEmpty()) {
      return "schema of tables";
    }
    String in = kind + " " + Identifiers.quoted(keyspace);
    return name.isEmpty() ? in : in + "." + Identifiers.quoted(name);
  }

  /// Place and error in one sentence.
  public String sentence() {
    String what = keyspace.isEmpty() ? "the " : "the stored statement of ";
    return "%s%s cannot be read: %s".formatted(what, place(), error);
  }
}
