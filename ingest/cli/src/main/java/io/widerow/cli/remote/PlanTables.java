package io.widerow.cli.remote;

import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.sizing.Load;
import io.widerow.query.sizing.PlannedForm;
import io.widerow.query.sizing.RowSize;
import io.widerow.query.sizing.Weight;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/// Prints the plan for a described row, or for a rate.
final class PlanTables {
  private static final List<String> ROW_HEADS =
      List.of("cells", "rows", "bytes", "verdict", "partitions");
  private static final List<String> LOAD_HEADS =
      RemoteTable.heads(
          "type eventsPerHour bytesPerHour weightPerHour width shards"
              + " partitionsPerDay bytesPerDay cellsPerPartition");
  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");
  private static final int UNIT = 1_024;
  private static final double WHOLE_MIN = 100; // from here on without a decimal

  private PlanTables() {}

  static void write(RowSize size, OutputFormat format, OutputBuffer out) {
    Long bytes = size.bytes();
    boolean fits = size.verdict() == RowSize.Verdict.OK;
    switch (format) {
      case json -> {
        StringBuilder json = new StringBuilder("{\"cells\":").append(size.cells());
        json.append(",\"rows\":").append(size.rows()).append(",\"bytes\":").append(bytes);
        json.append(",\"verdict\":\"").append(size.verdict().text).append('"');
        json.append(fits ? "" : ",\"partitions\":" + size.partitions());
        json.append(",\"limits\":{\"cells\":").append(RowSize.CELLS_MAX);
        json.append(",\"rows\":").append(Weight.EVENTS);
        json.append(bytes == null ? "" : ",\"bytes\":" + Weight.BYTES);
        out.put(json.append("}}\n").toString());
      }
      case csv, table, raw, logfmt -> {
        List<Cell> row =
            List.of(
                Cell.ofNumber(Long.toString(size.cells())),
                Cell.ofNumber(Long.toString(size.rows())),
                bytes == null ? Cell.MISSING : Cell.ofNumber(bytes.toString()),
                Cell.ofText(size.verdict().text),
                Cell.ofNumber(Long.toString(size.partitions())));
        new StatsWriter(format).write(ROW_HEADS, List.of(row), out);
        if (!fits && format != OutputFormat.csv) {
          out.put(
              "%s: divide it into %d partitions, by time or by a hash in the key%n"
                  .formatted(size.verdict().text, size.partitions()));
        }
      }
    }
  }

  static void write(Load load, OutputFormat format, OutputBuffer out) {
    PlannedForm form = load.form();
    Double cells = load.cellsPerPartition();
    switch (format) {
      case json, csv -> {
        List<Cell> row =
            List.of(
                Cell.ofText("-"),
                number(load.eventsPerHour(), 0),
                number(load.bytesPerHour(), 0),
                number(load.weightPerHour(), 3),
                number(form.widthMinutes(), 0),
                number(form.shards(), 0),
                number((double) form.partitionsPerDay(), 0),
                number(load.bytesPerDay(), 0),
                cells == null ? Cell.MISSING : number(cells, 0));
        new StatsWriter(format).write(LOAD_HEADS, List.of(row), out);
      }
      case table, raw, logfmt -> {
        line(
            out,
            "type",
            "events/h",
            "bytes/h",
            "weight/h",
            "width",
            "shards",
            "partitions/day",
            "at rest/day");
        line(
            out,
            "-",
            grouped(load.eventsPerHour()),
            bytes(load.bytesPerHour()),
            String.format(Locale.ROOT, "%.1f", load.weightPerHour()),
            form.widthMinutes() + "m",
            Integer.toString(form.shards()),
            grouped((double) form.partitionsPerDay()),
            bytes(load.bytesPerDay()));
      }
    }
  }

  private static void line(OutputBuffer out, Object... cells) {
    out.put("%-4s %15s %10s %10s    %-7s %-8s %-16s %s".formatted(cells).stripTrailing() + "\n");
  }

  private static Cell number(double value, int digits) {
    String text =
        BigDecimal.valueOf(value)
            .setScale(digits, RoundingMode.HALF_EVEN)
            .stripTrailingZeros()
            .toPlainString();
    return Cell.ofNumber(text);
  }

  private static String grouped(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String bytes(double value) {
    double left = value;
    int unit = 0;
    while (left >= UNIT && unit < UNITS.size() - 1) {
      left /= UNIT;
      unit++;
    }
    String form = unit == 0 || left >= WHOLE_MIN ? "%.0f %s" : "%.1f %s";
    return String.format(Locale.ROOT, form, left, UNITS.get(unit));
  }
}
