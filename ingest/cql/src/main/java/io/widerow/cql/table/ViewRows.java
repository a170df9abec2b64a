package io.widerow.cql.table;

import io.widerow.cql.store.TableCursor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The live rows of a materialized view. A row expires with the cells that its key is made of, also
/// when its other cells last longer.
///
/// - Threads: one.
///
/// @param all which it closes
record ViewRows(TableCursor all) implements TableCursor {
  @Override
  public boolean next() {
    while (all.next()) {
      if (all.isLive()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public ByteBuffer key() {
    return all.key();
  }

  @Override
  public boolean isLive() {
    return all.isLive();
  }

  @Override
  public long liveExpiry() {
    return all.liveExpiry();
  }

  @Override
  public boolean nextCell() {
    return all.nextCell();
  }

  @Override
  public int column() {
    return all.column();
  }

  @Override
  public @Nullable ByteBuffer path() {
    return all.path();
  }

  @Override
  public ByteBuffer value() {
    return all.value();
  }

  @Override
  public long timestamp() {
    return all.timestamp();
  }

  @Override
  public int ttl() {
    return all.ttl();
  }

  @Override
  public long expiry() {
    return all.expiry();
  }

  @Override
  public void close() {
    all.close();
  }
}
