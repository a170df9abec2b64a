package io.widerow.cql.server;

import io.widerow.cql.plan.Variable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The id of a statement, or of the columns of a response: MD5, as drivers know it of Cassandra. It
/// distinguishes them and protects nothing.
///
/// @param hex its bytes
record StatementId(String hex) {
  static StatementId of(byte[] bytes) {
    return new StatementId(HexFormat.of().formatHex(bytes));
  }

  /// @param keyspace in use; null for none
  static StatementId of(String statement, @Nullable String keyspace) {
    return ofText((keyspace == null ? "" : keyspace) + statement);
  }

  /// Of a batch.
  ///
  /// @param kind of the batch
  /// @param parts ids of its statements
  static StatementId ofBatch(String kind, List<StatementId> parts) {
    StringBuilder text = new StringBuilder("BATCH ").append(kind);
    parts.forEach(part -> text.append(' ').append(part.hex));
    return ofText(text.toString());
  }

  static StatementId of(List<Variable> columns) {
    StringBuilder text = new StringBuilder();
    for (Variable column : columns) {
      text.append(column.name()).append('\0').append(column.type().cql()).append('\0');
    }
    return ofText(text.toString());
  }

  private static StatementId ofText(String text) {
    return of(digest().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }
}
