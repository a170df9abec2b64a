package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Waits for statements. Statements end by themselves: the connections give each a time-out.
final class Waits {
  private Waits() {}

  /// The response of a statement.
  ///
  /// @throws KeyspaceException when it failed
  /// @throws PolicyException when its response cannot be understood
  static <T extends @Nullable Object> T of(CompletableFuture<T> statement) {
    try {
      return statement.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof KeyspaceException known) {
        throw known;
      }
      if (failed.getCause() instanceof PolicyException unreadable) {
        throw unreadable;
      }
      throw failed;
    }
  }
}
