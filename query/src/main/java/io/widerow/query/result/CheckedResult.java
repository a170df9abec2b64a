package io.widerow.query.result;

import io.widerow.event.EventView;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import org.jspecify.annotations.Nullable;

/// Passes the events of a result to a [FieldCheck]. In JSON it adds a line of warnings before the
/// last line.
///
/// - Threads: one.
final class CheckedResult implements EventWriter {
  private final EventWriter events;
  private final FieldCheck check;
  private final boolean json;

  /// @param json whether warnings are a line of the result
  CheckedResult(EventWriter events, FieldCheck check, boolean json) {
    this.events = events;
    this.check = check;
    this.json = json;
  }

  @Override
  public void begin(OutputBuffer out) {
    events.begin(out);
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    check.event(event);
    events.event(event, out);
  }

  @Override
  public void end(@Nullable Token token, OutputBuffer out) {
    if (json) {
      FieldCheck.putLine(check.ofEvents(), out);
    }
    events.end(token, out);
  }

  @Override
  public void failure(String why, OutputBuffer out) {
    events.failure(why, out);
  }

  @Override
  public void gap(Token first, String why, OutputBuffer out) {
    events.gap(first, why, out);
  }

  @Override
  public void close() {
    events.close();
  }
}
