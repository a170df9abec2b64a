package io.widerow.query.aggregation;

import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import java.util.List;

/// Writes rows that arrive piece by piece: the header once, and then rows as [StatsWriter] writes
/// them. In a table, columns grow with their contents; in JSON lines, a flag that is missing is
/// left out.
///
/// - Threads: one.
public final class StatsStream {
  private final StatsWriter writer;
  private final OutputFormat format;
  private final List<String> heads;
  private final int[] widths;
  private boolean begun;

  /// @param heads names of the columns; the last one is that of a flag
  /// @param safe whether CSV guards formulas
  public StatsStream(OutputFormat format, boolean safe, List<String> heads) {
    this.writer = new StatsWriter(format, safe);
    this.format = format;
    this.heads = List.copyOf(heads);
    this.widths = new int[heads.size()];
  }

  public void write(List<List<Cell>> rows, OutputBuffer out) {
    switch (format) {
      case json -> {
        List<String> without = heads.subList(0, heads.size() - 1);
        for (List<Cell> row : rows) {
          boolean flagged = row.getLast().kind() != Cell.Kind.MISSING;
          writer.write(
              flagged ? heads : without,
              List.of(flagged ? row : row.subList(0, without.size())),
              out);
        }
      }
      case csv -> {
        if (!begun) {
          writer.write(heads, List.of(), out);
        }
        writer.csvRows(rows, out);
      }
      case table, raw, logfmt -> StatsWriter.table(heads, rows, widths, !begun, out);
    }
    begun = true;
  }
}
