package io.widerow.query.cli;

import io.widerow.query.figures.StatsWriter;
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
  private static final int TEXT_COLUMNS = 7;

  private final Rfc3339 times = new Rfc3339(ZoneOffset.UTC);
  private final List<List<String>> rows = new ArrayList<>();

  /// @param state for the first column, such as `damaged` or `lost`
  void add(String state, List<Damage> damage) {
    for (Damage one : damage) {
      if (one.partitions().isEmpty()) {
        rows.add(row(state, one, "unknown", "", "", ""));
      }
      for (PartitionInfo info : one.partitions()) {
        String from = time(info.timeFirstNanos());
        String to = time(info.timeLastNanos());
        rows.add(row(state, one, info.key().toString(), from, to, "" + info.events()));
      }
    }
  }

  private String time(long nanos) {
    OutputBuffer text = new OutputBuffer(64);
    times.put(nanos, text);
    return text.toString();
  }

  private static List<String> row(
      String state, Damage damage, String partition, String from, String to, String events) {
    return List.of(
        state,
        damage.kind().name().toLowerCase(Locale.ROOT),
        partition,
        from,
        to,
        damage.file().toString(),
        damage.found(),
        "" + damage.offset(),
        events);
  }

  /// Writes the rows. Writes nothing when there are none.
  void write(Format format, OutputBuffer out) {
    if (!rows.isEmpty()) {
      OutputFormat form = format == Format.json ? OutputFormat.json : OutputFormat.table;
      new StatsWriter(form).write(HEADS, TEXT_COLUMNS, rows, out);
    }
  }
}
