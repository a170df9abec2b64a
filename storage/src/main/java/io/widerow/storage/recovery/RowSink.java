package io.widerow.storage.recovery;

import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.rows.OpenRows;

/// The source of rows for a replay, and their destination.
///
/// - Threads: the one that opens the store.
public interface RowSink extends AutoCloseable {
  /// Opens rows to fill. There is always memory for them.
  OpenRows openRows(int lane);

  /// Takes rows, oldest first within a lane. Their published events are sealed.
  ///
  /// @param whole false when these rows and the next rows hold one group, and are sealed together
  void seal(SealJob job, boolean whole);

  /// Returns when all rows taken are where they belong.
  void finish();

  /// Ends what a failure left unfinished.
  @Override
  void close();
}
