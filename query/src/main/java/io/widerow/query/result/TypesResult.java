package io.widerow.query.result;

import io.widerow.event.TimeUuid;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.Rfc3339;
import io.widerow.storage.TypeInfo;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.AbstractList;
import java.util.List;

/// The types of a store as rows: name, times of the first and the last event (to 100 ns, rounded
/// down), number of events where it is known, bytes on disk.
public final class TypesResult {
  private static final List<String> HEADS = List.of("type", "first", "last", "events", "bytes");

  private TypesResult() {}

  /// Writes the rows with times in UTC, as HTTP answers them.
  public static void write(List<TypeInfo> types, QueryParameters.Format format, OutputBuffer out) {
    OutputFormat form = format == QueryParameters.Format.CSV ? OutputFormat.csv : OutputFormat.json;
    write(types, form, ZoneOffset.UTC, out);
  }

  /// Writes the rows with times of a zone.
  public static void write(
      List<TypeInfo> types, OutputFormat format, ZoneId zone, OutputBuffer out) {
    new StatsWriter(format).write(HEADS, new Rows(types, zone), out);
  }

  /// Rows that are made when they are asked for: there may be a hundred thousand.
  private static final class Rows extends AbstractList<List<Cell>> {
    private final List<TypeInfo> types;
    private final ZoneId zone;

    Rows(List<TypeInfo> types, ZoneId zone) {
      this.types = types;
      this.zone = zone;
    }

    @Override
    public List<Cell> get(int index) {
      TypeInfo type = types.get(index);
      return List.of(
          Cell.ofText(type.type()),
          Cell.ofText(time(type.timeFirstNanos(), zone)),
          Cell.ofText(time(type.timeLastNanos(), zone)),
          type.isCounted() ? Cell.ofNumber(Long.toString(type.events())) : Cell.MISSING,
          Cell.ofNumber(Long.toString(type.bytes())));
    }

    @Override
    public int size() {
      return types.size();
    }
  }

  /// A bound of event times as text, rounded down to the ticks of ids.
  public static String time(long nanos, ZoneId zone) {
    OutputBuffer text = new OutputBuffer(64);
    long ticks = Math.floorDiv(nanos, TimeUuid.NANOS_PER_TICK);
    new Rfc3339(zone).put(ticks * TimeUuid.NANOS_PER_TICK, text);
    return text.toString();
  }
}
