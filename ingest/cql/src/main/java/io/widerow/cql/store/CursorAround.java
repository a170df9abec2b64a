package io.widerow.cql.store;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A cursor that shows the row and the cell at which another one stands.
///
/// - Threads: one.
public abstract class CursorAround implements TableCursor {
  /// The other cursor. It stands at the present row.
  protected abstract TableCursor row();

  @Override
  public ByteBuffer key() {
    return row().key();
  }

  @Override
  public boolean isLive() {
    return row().isLive();
  }

  @Override
  public long liveExpiry() {
    return row().liveExpiry();
  }

  @Override
  public boolean nextCell() {
    return row().nextCell();
  }

  @Override
  public int column() {
    return row().column();
  }

  @Override
  public @Nullable ByteBuffer path() {
    return row().path();
  }

  @Override
  public ByteBuffer value() {
    return row().value();
  }

  @Override
  public long timestamp() {
    return row().timestamp();
  }

  @Override
  public int ttl() {
    return row().ttl();
  }

  @Override
  public long expiry() {
    return row().expiry();
  }
}
