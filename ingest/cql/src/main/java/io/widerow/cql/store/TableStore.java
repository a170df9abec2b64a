package io.widerow.cql.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Rows of tables, in the order of their keys.
///
/// One thread writes, so a write sees everything that came before it and nothing that came after.
/// Readers take a [TableView] and are never waited for.
///
/// - Threads: any.
public interface TableStore {
  /// A view of all writes so far. The caller closes it.
  TableView view();

  /// Makes one group of mutations: all of it is there after a crash, or nothing.
  ///
  /// @return the response of the write, once its group is as durable as the store promises; or ends
  ///   with the exception of the write, which then has changed nothing, or with a
  ///   [io.widerow.storage.StorageException]
  <T> CompletableFuture<T> write(TableWrite<T> write);

  /// Sets the keys that are obsolete: they are neither read nor written any more. Their rows are
  /// dropped when files are written, and a file of which they are a large part is written soon.
  /// Before that everything that was written so far is forced to disk: what made them needless
  /// cannot be lost without them.
  ///
  /// A store does not keep it: the owner sets it again after each opening.
  ///
  /// @param spans all of them, including earlier ones; none overlaps another
  void forget(List<KeySpan> spans);
}
