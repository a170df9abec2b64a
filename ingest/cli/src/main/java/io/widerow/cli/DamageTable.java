package io.widerow.cli;

import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.Rfc3339;
import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Damage as rows of a table: one row for each damaged partition, or a single row when the
/// partitions are not known.
final class DamageTable {
  /// The formats of the table.
  enum Format {
    table,
    json
  }

  private static final List<String> HEADS =
      List.of("state", "what", "partition", "from", "to", "file", "found", "offset", "events");

  private final Rfc3339 times = new Rfc3339(ZoneOffset.UTC);
  private final List<List<Cell>> rows = new ArrayList<>();

  /// @param state for the first column, such as `damaged` or `lost`
  void add(String state, List<Damage> damage) {
    for (Damage one : damage) {
      if (one.partitions().isEmpty()) {
        Cell no = Cell.ofTime(0, "");
        rows.add(row(state, one, "unknown", no, no, Cell.MISSING));
      }
      for (PartitionInfo info : one.partitions()) {
        Cell from = time(info.timeFirstNanos());
        Cell to = time(info.timeLastNanos());
        Cell events = info.isCounted() ? Cell.ofNumber("" + info.events()) : Cell.MISSING;
        rows.add(row(state, one, info.key().toString(), from, to, events));
      }
    }
  }

  private Cell time(long nanos) {
    OutputBuffer text = new OutputBuffer(64);
    times.put(nanos, text);
    return Cell.ofTime(nanos, text.toString());
  }

  private static List<Cell> row(
      String state, Damage damage, String partition, Cell from, Cell to, Cell events) {
    return List.of(
        Cell.ofText(state),
        Cell.ofText(damage.kind().name().toLowerCase(Locale.ROOT)),
        Cell.ofText(partition),
        from,
        to,
        Cell.ofText(damage.place()),
        Cell.ofText(damage.found()),
        Cell.ofNumber("" + damage.offset()),
        events);
  }

  /// Writes the rows. Writes nothing when there are none.
  void write(Format format, OutputBuffer out) {
    if (!rows.isEmpty()) {
      OutputFormat form = format == Format.json ? OutputFormat.json : OutputFormat.table;
      new StatsWriter(form).write(HEADS, rows, out);
    }
  }
}
