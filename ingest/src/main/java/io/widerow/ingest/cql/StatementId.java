package io.widerow.ingest.cql;

import io.widerow.cql.plan.Variable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The ids of statements and of the columns of answers: MD5, as drivers know it of Cassandra. They
/// tell apart and guard nothing.
final class StatementId {
  private StatementId() {}

  /// @param keyspace in use; null for none
  static byte[] of(String statement, @Nullable String keyspace) {
    return md5((keyspace == null ? "" : keyspace) + statement);
  }

  static byte[] ofColumns(List<Variable> columns) {
    StringBuilder text = new StringBuilder();
    for (Variable column : columns) {
      text.append(column.name()).append('\0').append(column.type().cql()).append('\0');
    }
    return md5(text.toString());
  }

  static String hex(byte[] id) {
    return HexFormat.of().formatHex(id);
  }

  private static byte[] md5(String text) {
    return digest().digest(text.getBytes(StandardCharsets.UTF_8));
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
