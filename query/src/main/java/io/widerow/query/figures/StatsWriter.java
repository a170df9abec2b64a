package io.widerow.query.figures;

import io.widerow.query.output.CsvWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.TextWriter;
import java.util.List;

/// Writes the rows of [Aggregation] as a table with aligned columns, as JSON lines or as CSV.
/// Values are numbers; a missing value is null or empty.
public final class StatsWriter {
  private final OutputFormat format;
  private final boolean safe;

  public StatsWriter(OutputFormat format) {
    this(format, false);
  }

  /// @param safe whether CSV guards formulas, as [CsvWriter] does
  public StatsWriter(OutputFormat format, boolean safe) {
    this.format = format;
    this.safe = safe;
  }

  public void write(
      List<String> heads, int textColumns, List<List<String>> rows, OutputBuffer out) {
    switch (format) {
      case json -> rows.forEach(row -> json(heads, textColumns, row, out));
      case csv -> {
        csv(heads, heads.size(), out);
        rows.forEach(row -> csv(row, textColumns, out));
      }
      case table, raw, logfmt -> table(heads, rows, out);
    }
  }

  private static void json(
      List<String> heads, int textColumns, List<String> row, OutputBuffer out) {
    for (int i = 0; i < row.size(); i++) {
      out.put(i == 0 ? "{\"" : ",\"");
      out.putJson(heads.get(i));
      out.put("\":");
      String cell = row.get(i);
      if (i < textColumns || cell.endsWith("y") || cell.equals("NaN")) {
        out.put('"');
        out.putJson(cell);
        out.put('"');
      } else {
        out.put(cell.isEmpty() ? "null" : cell);
      }
    }
    out.put("}\n");
  }

  private void csv(List<String> row, int textColumns, OutputBuffer out) {
    for (int i = 0; i < row.size(); i++) {
      if (i > 0) {
        out.put(',');
      }
      if (i < textColumns) {
        CsvWriter.text(row.get(i), safe, out);
      } else {
        out.put(row.get(i));
      }
    }
    out.put("\r\n");
  }

  private static void table(List<String> heads, List<List<String>> rows, OutputBuffer out) {
    int[] widths = new int[heads.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = heads.get(i).length();
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], TextWriter.escaped(row.get(i)).length());
      }
    }
    line(heads, widths, out);
    rows.forEach(row -> line(row, widths, out));
  }

  private static void line(List<String> row, int[] widths, OutputBuffer out) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = TextWriter.escaped(row.get(i));
      line.append(cell).append(" ".repeat(widths[i] - cell.length() + 2));
    }
    out.put(line.toString().stripTrailing() + "\n");
  }
}
