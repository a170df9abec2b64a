package io.widerow.query.result;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.query.LateEvent;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventCursor;
import io.widerow.storage.StorageException;
import org.jspecify.annotations.Nullable;

/// The result of a query, pulled into a buffer event by event:
///
/// ```
/// while (answer.writeNext(sink)) {
///   if (sink.length() >= CHUNK) { send(sink); sink.clear(); }  // waits when the reader is slow
/// }
/// ```
///
/// - Threads: one.
/// - Memory: owns the cursor, and closes it at the end of the result or in [#close].
public final class QueryResult implements AutoCloseable {
  private enum State {
    NEW,
    RUNNING,
    DONE
  }

  private final EventCursor cursor;
  private final EventWriter writer;
  private State state = State.NEW;
  private final @Nullable Token after;
  private long events;
  private boolean moved;
  private @Nullable RuntimeException failure;
  private long idTimeLast;
  private long idTailLast;
  private String typeLast = "";

  /// @param after the query's start position; it remains the token when the result has no event
  public QueryResult(EventCursor cursor, EventWriter writer, @Nullable Token after) {
    this.cursor = cursor;
    this.writer = writer;
    this.after = after;
  }

  /// Writes the next event, with the format's header before the first, or its last line after the
  /// last event. A failed query ends with an error line; [#failure] keeps the cause.
  ///
  /// @return false when the result is complete
  public boolean writeNext(OutputBuffer out) {
    if (state == State.DONE) {
      return false;
    }
    if (state == State.NEW) {
      writer.begin(out);
      state = State.RUNNING;
    }
    int lengthBefore = out.length();
    try {
      if (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        write(cursor.event(), out);
        return true;
      }
      writer.end(token(), out);
    } catch (StorageException | QueryException failed) {
      failure = failed;
      out.truncate(lengthBefore); // never half an event
      writer.failure(String.valueOf(failed.getMessage()), out);
    }
    close();
    return false;
  }

  private void write(EventView event, OutputBuffer out) {
    writer.event(event, out);
    events++;
    if (event instanceof LateEvent) {
      return; // at or before the start position
    }
    moved = true;
    idTimeLast = event.idTime();
    idTailLast = event.idTail();
    typeLast = event.type();
  }

  /// Position of the last event written, except late ones. Without such an event, the query's start
  /// position, which may be null.
  public @Nullable Token token() {
    return moved ? new Token(new EventId(idTimeLast, idTailLast), typeLast) : after;
  }

  /// Events written so far.
  public long events() {
    return events;
  }

  /// Throws why the result is incomplete; does nothing when it is whole.
  public void requireWhole() {
    RuntimeException why = failure;
    if (why != null) {
      throw why;
    }
  }

  /// Why the result is incomplete; null if nothing failed.
  public @Nullable RuntimeException failure() {
    return failure;
  }

  @Override
  public void close() {
    state = State.DONE;
    writer.close();
    cursor.close();
  }
}
