package io.widerow.cli.cql;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import io.widerow.cql.type.WireCodec;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsStream;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes the rows of one statement, page after page: as a table, as CSV, or as JSON lines with the
/// values that `SELECT JSON` gives. Collections are JSON in all of them. A table of statements, as
/// `DESCRIBE` gives it, is written as these statements.
///
/// - Threads: one.
final class RowsOutput {
  private static final String STATEMENT = "create_statement";

  private final OutputFormat format;
  private @Nullable StatsStream stream; // null before the first page, and for JSON

  RowsOutput(OutputFormat format) {
    this.format = format;
  }

  void write(CqlConnection.Page page, OutputBuffer out) {
    List<String> names = page.columns().stream().map(CqlConnection.Column::name).toList();
    if (format == OutputFormat.json) {
      page.rows().forEach(row -> json(page.columns(), row, out));
    } else if (format != OutputFormat.csv && names.contains(STATEMENT)) {
      int column = names.indexOf(STATEMENT);
      for (CqlConnection.Row row : page.rows()) {
        out.put(cell(page.columns().get(column).type(), row.cells().get(column)).text() + "\n\n");
      }
    } else {
      StatsStream into = stream;
      if (into == null) {
        into = new StatsStream(format, false, names);
        stream = into;
      }
      into.write(page.rows().stream().map(row -> cells(page.columns(), row)).toList(), out);
    }
  }

  private static List<Cell> cells(List<CqlConnection.Column> columns, CqlConnection.Row row) {
    List<Cell> cells = new ArrayList<>(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      cells.add(cell(columns.get(i).type(), row.cells().get(i)));
    }
    return cells;
  }

  private static Cell cell(CqlType type, @Nullable ByteBuffer bytes) {
    Object value = bytes == null ? null : WireCodec.decode(type, bytes.duplicate());
    if (value == null) {
      return Cell.MISSING;
    }
    if (!(type instanceof NativeType simple)) {
      OutputBuffer json = new OutputBuffer(64);
      Texts.json(type, value, json);
      return Cell.ofText(json.toString());
    }
    String text = Texts.of(simple, value);
    return simple.isNumber() ? Cell.ofNumber(text) : Cell.ofText(text);
  }

  private static void json(
      List<CqlConnection.Column> columns, CqlConnection.Row row, OutputBuffer out) {
    for (int i = 0; i < columns.size(); i++) {
      out.put(i == 0 ? "{" : ",");
      Texts.string(columns.get(i).name(), out);
      out.put(":");
      ByteBuffer bytes = row.cells().get(i);
      CqlType type = columns.get(i).type();
      Texts.json(type, bytes == null ? null : WireCodec.decode(type, bytes.duplicate()), out);
    }
    out.put("}\n");
  }
}
