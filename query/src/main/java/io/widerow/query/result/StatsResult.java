package io.widerow.query.result;

import io.widerow.event.EventView;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryMemory;
import io.widerow.query.Token;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.aggregation.UnreadText;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.ScanWatch.Unread;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A result of aggregates instead of events: writes nothing until the last event, then one line for
/// each group.
///
/// - Threads: one.
/// - Memory: counts the bytes of its groups in [QueryMemory]; [#close] gives them back.
final class StatsResult implements EventWriter {
  private final StatsQuery asked;
  private final Aggregation figures;
  private final StatsWriter writer;
  private final ZoneId zone;
  private final EventWriter failures;
  private final HeldMemory held;
  private final Supplier<List<Unread>> unread;
  private final boolean json;
  private final @Nullable FieldCheck check;

  /// @param failures writes the error line of a failed query
  /// @param unread lists at the end the damaged parts that the aggregates lack
  /// @param json whether lines of JSON list these; else the caller reports them
  /// @param check warns of fields that no event has, in JSON; null for no warnings
  StatsResult(
      StatsQuery asked,
      StatsWriter writer,
      ZoneId zone,
      EventWriter failures,
      QueryMemory memory,
      Supplier<List<Unread>> unread,
      boolean json,
      @Nullable FieldCheck check) {
    this.check = check;
    this.unread = unread;
    this.json = json;
    this.asked = asked;
    this.held = new HeldMemory(memory);
    this.figures = new Aggregation(asked, held);
    this.writer = writer;
    this.zone = zone;
    this.failures = failures;
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    figures.add(event);
  }

  @Override
  public void end(@Nullable Token token, OutputBuffer out) {
    List<Unread> without = unread.get();
    List<List<Cell>> rows = figures.rows(zone);
    writer.write(asked, rows, without, out);
    if (json) {
      if (check != null) {
        FieldCheck.putLine(check.ofRows(asked, rows), out);
      }
      UnreadText.lines(without, out);
    }
  }

  @Override
  public void failure(String why, OutputBuffer out) {
    failures.failure(why, out);
  }

  @Override
  public void close() {
    held.close();
  }
}
