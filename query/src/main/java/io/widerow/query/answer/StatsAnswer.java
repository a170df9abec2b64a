package io.widerow.query.answer;

import io.widerow.event.EventView;
import io.widerow.query.QueryMemory;
import io.widerow.query.Token;
import io.widerow.query.figures.Aggregation;
import io.widerow.query.figures.StatsQuery;
import io.widerow.query.figures.StatsWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/// Answers with aggregates instead of events: writes nothing until the last event, then one line
/// for each group.
///
/// - Threads: one.
/// - Memory: counts the bytes of its groups in [QueryMemory]; [#close] gives them back.
final class StatsAnswer implements EventWriter {
  private final StatsQuery asked;
  private final Aggregation figures;
  private final StatsWriter writer;
  private final ZoneId zone;
  private final EventWriter failures;
  private final QueryMemory memory;
  private long held;

  /// @param failures writes the error line of a failed query
  StatsAnswer(
      StatsQuery asked, StatsWriter writer, ZoneId zone, EventWriter failures, QueryMemory memory) {
    this.asked = asked;
    this.figures = new Aggregation(asked, this::hold);
    this.writer = writer;
    this.zone = zone;
    this.failures = failures;
    this.memory = memory;
  }

  private void hold(long bytesMore) {
    held += bytesMore; // first, because refused bytes are counted too
    memory.hold(bytesMore);
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    figures.add(event);
  }

  @Override
  public void end(@Nullable Token token, OutputBuffer out) {
    writer.write(asked.heads(), figures.rows(zone), out);
  }

  @Override
  public void failure(String why, OutputBuffer out) {
    failures.failure(why, out);
  }

  @Override
  public void close() {
    memory.hold(-held);
    held = 0;
  }
}
