package io.widerow.cli;

import io.widerow.event.EventView;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import org.jspecify.annotations.Nullable;

/// Writes events to standard output: a header if the format has one, then only events, so that the
/// reader of a pipe can count them. Tokens, gaps and failures go to standard error. On request,
/// tokens and gaps are lines of the output, too.
///
/// @param token whether tokens and gaps are written
record EventOutput(EventWriter events, boolean token, OutputFormat format) implements EventWriter {
  @Override
  public void begin(OutputBuffer out) {
    events.begin(out);
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    events.event(event, out);
  }

  /// Writes the token: an object in JSON, alone on its line in the other formats.
  @Override
  public void end(@Nullable Token last, OutputBuffer out) {
    if (token && last != null) {
      if (format == OutputFormat.json) {
        events.end(last, out);
      } else {
        out.put(last + "\n");
      }
    }
  }

  @Override
  public void gap(Token first, String why, OutputBuffer out) {
    if (token) {
      events.gap(first, why, out);
    }
  }

  @Override
  public void close() {
    events.close();
  }
}
