package io.widerow.query.answer;

import io.widerow.event.EventView;
import io.widerow.query.QueryMemory;
import io.widerow.query.Token;
import io.widerow.query.figures.FiguresQuery;
import io.widerow.query.figures.FiguresWriter;
import io.widerow.query.figures.Statistics;
import io.widerow.query.output.ByteSink;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputFormat;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/// Answers with aggregates instead of events: writes nothing until the last event, then one line
/// for each group.
///
/// - Threads: one.
/// - Memory: counts the bytes of its groups in [QueryMemory]; [#close] gives them back.
final class FiguresAnswer implements EventWriter {
  private final FiguresQuery asked;
  private final Statistics figures;
  private final OutputFormat format;
  private final ZoneId zone;
  private final EventWriter failures;
  private final QueryMemory memory;
  private long held;

  /// @param failures writes the error line of a failed query
  FiguresAnswer(
      FiguresQuery asked,
      OutputFormat format,
      ZoneId zone,
      EventWriter failures,
      QueryMemory memory) {
    this.asked = asked;
    this.figures = new Statistics(asked, this::hold);
    this.format = format;
    this.zone = zone;
    this.failures = failures;
    this.memory = memory;
  }

  private void hold(long bytesMore) {
    held += bytesMore; // first, because refused bytes are counted too
    memory.hold(bytesMore);
  }

  @Override
  public void event(EventView event, ByteSink out) {
    figures.add(event);
  }

  @Override
  public void end(@Nullable Token token, ByteSink out) {
    new FiguresWriter(format).write(asked.heads(), asked.textColumns(), figures.rows(zone), out);
  }

  @Override
  public void failure(String why, ByteSink out) {
    failures.failure(why, out);
  }

  @Override
  public void close() {
    memory.hold(-held);
    held = 0;
  }
}
