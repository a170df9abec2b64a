package io.widerow.cql.events;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowCursor;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.query.result.ReadCost;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.StoreView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The events of a range as rows.
///
/// ```
///   position   | idTime 8 | idTail 8 | type, the rest |
/// ```
///
/// - Threads: one.
/// - Memory: owns the reader and the view.
final class EventCursorRows implements RowCursor {
  private static final int ID_BYTES = 2 * Long.BYTES;

  private final StoreView view;
  private final RangeReader reader;
  private final List<RowCondition> rest;
  private final RequestPrincipal asker;
  private final long begun = System.nanoTime();
  private final CqlEventRow row = new CqlEventRow();

  EventCursorRows(
      StoreView view, RangeReader reader, List<RowCondition> rest, RequestPrincipal asker) {
    this.asker = asker;
    this.view = view;
    this.reader = reader;
    this.rest = List.copyOf(rest);
  }

  @Override
  public boolean next() {
    while (reader.nextWhenReady() == Step.EVENT) {
      row.show(reader.event());
      if (meetsAll()) {
        return true;
      }
    }
    return false;
  }

  private boolean meetsAll() {
    for (RowCondition condition : rest) {
      if (!condition.test(row)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Row row() {
    return row;
  }

  @Override
  public ByteBuffer position() {
    EventView event = reader.event();
    byte[] type = event.type().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(ID_BYTES + type.length)
        .putLong(event.idTime())
        .putLong(event.idTail())
        .put(type)
        .flip();
  }

  /// @throws CqlException when it is not a position of this table
  static Token token(ByteBuffer position) {
    if (position.remaining() <= ID_BYTES) {
      throw CqlException.protocol("Invalid value for the paging state");
    }
    ByteBuffer bytes = position.duplicate();
    EventId id = new EventId(bytes.getLong(), bytes.getLong());
    return new Token(id, StandardCharsets.UTF_8.decode(bytes).toString());
  }

  /// Records what a reader has read.
  ///
  /// @param begun by the clock of [System#nanoTime]
  static void trace(RequestPrincipal asker, RangeReader reader, long begun) {
    if (asker.trace() != null) {
      ReadCost.of(reader, System.nanoTime() - begun)
          .text()
          .lines()
          .forEach(line -> asker.trace(() -> line));
    }
  }

  @Override
  public void close() {
    trace(asker, reader, begun);
    reader.close();
    view.close();
  }
}
