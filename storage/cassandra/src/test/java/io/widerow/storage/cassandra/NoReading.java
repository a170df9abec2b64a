package io.widerow.storage.cassandra;

import io.widerow.storage.StoreView;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The read side of a store from which nobody reads.
final class NoReading implements CassandraStore.Reading {
  @Override
  public StoreView view() {
    throw new AssertionError("nobody reads");
  }

  @Override
  public StoreView viewWithin(long nanos) {
    throw new AssertionError("nobody reads");
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    throw new AssertionError("nobody asks for it");
  }

  @Override
  public void maintain() {}

  @Override
  public void close() {}
}
