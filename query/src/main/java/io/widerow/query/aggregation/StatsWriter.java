package io.widerow.query.aggregation;

import io.widerow.query.output.CsvWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.ScanWatch;
import java.util.ArrayList;
import java.util.List;

/// Writes the rows of [Aggregation] as a table with aligned columns, as JSON lines or as CSV:
///
/// | value | JSON | CSV | table |
/// |---|---|---|---|
/// | number, boolean | as it is; infinities and NaN are strings | as it is | as it is |
/// | text | a string | RFC 4180, with the guard of [CsvWriter]; `""` when empty | escaped |
/// | missing | `null` | nothing | nothing |
///
/// An empty text in a table is `""`.
public final class StatsWriter {
  /// The flag of rows that may lack events of damaged parts.
  public static final String INCOMPLETE = "widerow.incomplete";

  /// The flag of a step of a continuous query that is shown again.
  public static final String REVISION = "widerow.revision";

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

  /// Writes the rows of aggregates. When damaged parts were left out, a flag marks the rows that
  /// may lack events.
  public void write(
      StatsQuery asked, List<List<Cell>> rows, List<ScanWatch.Unread> unread, OutputBuffer out) {
    if (unread.isEmpty()) {
      write(asked.heads(), rows, out);
      return;
    }
    List<String> heads = new ArrayList<>(asked.heads());
    heads.add(INCOMPLETE);
    List<List<Cell>> marked = new IncompleteRows(asked, unread).marked(rows);
    new StatsStream(format, safe, heads).write(marked, out);
  }

  public void write(List<String> heads, List<List<Cell>> rows, OutputBuffer out) {
    switch (format) {
      case json -> rows.forEach(row -> json(heads, row, out));
      case csv -> {
        csv(heads.stream().map(Cell::ofText).toList(), out);
        csvRows(rows, out);
      }
      case table, raw, logfmt -> table(heads, rows, new int[heads.size()], true, out);
    }
  }

  /// Writes rows as CSV, without heads.
  void csvRows(List<List<Cell>> rows, OutputBuffer out) {
    rows.forEach(row -> csv(row, out));
  }

  private static void json(List<String> heads, List<Cell> row, OutputBuffer out) {
    for (int i = 0; i < row.size(); i++) {
      out.put(i == 0 ? "{\"" : ",\"");
      out.putJson(heads.get(i));
      out.put("\":");
      Cell cell = row.get(i);
      switch (cell.kind()) {
        case MISSING -> out.put("null");
        case WHOLE, BOOLEAN -> out.put(cell.text());
        case NUMBER -> {
          boolean finite = !cell.text().endsWith("y") && !cell.text().equals("NaN");
          out.put(finite ? cell.text() : '"' + cell.text() + '"');
        }
        case TEXT, TIME -> {
          out.put('"');
          out.putJson(cell.text());
          out.put('"');
        }
      }
    }
    out.put("}\n");
  }

  private void csv(List<Cell> row, OutputBuffer out) {
    for (int i = 0; i < row.size(); i++) {
      if (i > 0) {
        out.put(',');
      }
      Cell cell = row.get(i);
      if (cell.kind() != Cell.Kind.TEXT) {
        out.put(cell.text());
      } else if (cell.text().isEmpty()) {
        out.put("\"\"");
      } else {
        CsvWriter.text(cell.text(), safe, out);
      }
    }
    out.put("\r\n");
  }

  /// Writes rows with aligned columns.
  ///
  /// @param widths of the columns so far; grows with their contents
  /// @param withHeads whether the heads come first
  static void table(
      List<String> heads,
      List<List<Cell>> rows,
      int[] widths,
      boolean withHeads,
      OutputBuffer out) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], TextWriter.escaped(heads.get(i)).length());
      for (List<Cell> row : rows) {
        widths[i] = Math.max(widths[i], shown(row.get(i)).length());
      }
    }
    if (withHeads) {
      line(heads.stream().map(TextWriter::escaped).toList(), widths, out);
    }
    rows.forEach(row -> line(row.stream().map(StatsWriter::shown).toList(), widths, out));
  }

  private static String shown(Cell cell) {
    return cell.kind() == Cell.Kind.TEXT && cell.text().isEmpty()
        ? "\"\""
        : TextWriter.escaped(cell.text());
  }

  private static void line(List<String> row, int[] widths, OutputBuffer out) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.get(i);
      line.append(cell).append(" ".repeat(Math.max(0, widths[i] - cell.length()) + 2));
    }
    out.put(line.toString().stripTrailing() + "\n");
  }
}
