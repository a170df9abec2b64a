package io.widerow.cql.store;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Goes over rows that were merged before.
final class ModelCursor implements TableCursor {
  private final Iterator<Map.Entry<byte[], ModelRow>> rows;
  private Iterator<Map.Entry<ModelCell.Name, ModelCell>> cells = Collections.emptyIterator();
  private Map.@Nullable Entry<byte[], ModelRow> row;
  private Map.@Nullable Entry<ModelCell.Name, ModelCell> cell;

  ModelCursor(Map<byte[], ModelRow> rows) {
    this.rows = rows.entrySet().iterator();
  }

  @Override
  public boolean next() {
    cell = null;
    if (!rows.hasNext()) {
      row = null;
      return false;
    }
    Map.Entry<byte[], ModelRow> next = rows.next();
    row = next;
    cells = next.getValue().cells().entrySet().iterator();
    return true;
  }

  @Override
  public ByteBuffer key() {
    return ByteBuffer.wrap(Objects.requireNonNull(row).getKey());
  }

  @Override
  public boolean isLive() {
    return Objects.requireNonNull(row).getValue().isLive();
  }

  @Override
  public long liveExpiry() {
    return Objects.requireNonNull(row).getValue().liveExpiry();
  }

  @Override
  public boolean nextCell() {
    Objects.requireNonNull(row);
    cell = cells.hasNext() ? cells.next() : null;
    return cell != null;
  }

  private ModelCell now() {
    return Objects.requireNonNull(cell).getValue();
  }

  @Override
  public int column() {
    return Objects.requireNonNull(cell).getKey().column;
  }

  @Override
  public @Nullable ByteBuffer path() {
    byte[] path = Objects.requireNonNull(cell).getKey().path;
    return path == null ? null : ByteBuffer.wrap(path);
  }

  @Override
  public ByteBuffer value() {
    return ByteBuffer.wrap(Objects.requireNonNull(now().value));
  }

  @Override
  public long timestamp() {
    return now().timestamp;
  }

  @Override
  public int ttl() {
    return now().ttl;
  }

  @Override
  public long expiry() {
    return now().expiry;
  }

  @Override
  public void close() {
    row = null;
  }
}
