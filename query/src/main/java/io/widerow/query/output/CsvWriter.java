package io.widerow.query.output;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Comma-separated values (RFC 4180) with a header and CRLF. The columns are `id`, `ts`, `type` and
/// the fields of the query; without fields, `body` and a column `attributes` that holds the other
/// attributes as a JSON object.
///
/// - Values are exact: a CSV parser gets back the stored value.
/// - Formula guard, when asked for: a text that starts with `=`, `+`, `-`, `@`, a tab or a carriage
///   return gets a single quote in front, so that no spreadsheet runs it. Numbers are unchanged.
/// - Of an export ([#exact]), `body` has a string that is not empty, and any other body is among
///   the attributes, whose values are those of [ExactValue]. Any CSV parser gets back every kind.
/// - A failed query ends with a line `error,<why>`.
/// - Threads: one.
public final class CsvWriter implements EventWriter {
  private static final int UUID_BYTES = 36;
  private static final byte[] BODY = "\"body\":".getBytes(StandardCharsets.US_ASCII);

  private final Rfc3339 times;
  private final AttributeName @Nullable [] fields;
  private final boolean safe;
  private final boolean exact;
  private final AttributeValue value = new AttributeValue();
  private final OutputBuffer cell = new OutputBuffer(1 << 8);
  private final NameBytes keys = new NameBytes(CsvWriter::key);
  private final EventView.AttributeVisitor member = this::member;
  private String typeLast = "";
  private byte[] typeCell = new byte[0];

  /// Writes exact values.
  public CsvWriter(ZoneId zone, @Nullable List<AttributeName> fields) {
    this(zone, fields, false);
  }

  /// @param safe whether formulas are guarded
  public CsvWriter(ZoneId zone, @Nullable List<AttributeName> fields, boolean safe) {
    this(zone, fields, safe, false);
  }

  private CsvWriter(
      ZoneId zone, @Nullable List<AttributeName> fields, boolean safe, boolean exact) {
    this.times = new Rfc3339(zone);
    this.safe = safe;
    this.exact = exact;
    this.fields = fields == null ? null : fields.toArray(AttributeName[]::new);
  }

  /// Writes every attribute with its kind, in UTC, for an export.
  public static CsvWriter exact() {
    return new CsvWriter(ZoneOffset.UTC, null, false, true);
  }

  @Override
  public void begin(OutputBuffer out) {
    out.put("id,ts,type");
    AttributeName[] columns = fields;
    if (columns == null) {
      out.put(",body,attributes");
    } else {
      for (AttributeName field : columns) {
        out.put(',');
        text(JsonLinesWriter.shownName(field.toString()), safe, out);
      }
    }
    out.put("\r\n");
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    int id = out.claim(UUID_BYTES + 1);
    TimeUuid.print(event.idTime(), event.idTail(), out.bytes(), id);
    out.bytes()[id + UUID_BYTES] = ',';
    times.put(event.timeNanos(), out);
    out.put(typeCell(event.type()));
    AttributeName[] columns = fields;
    if (columns == null) {
      body(event, out);
      out.put(',');
      attributes(event);
      out.putCsvQuoted(cell);
    } else {
      for (AttributeName field : columns) {
        column(event, field, out);
      }
    }
    out.put('\r', '\n');
  }

  /// A comma and the type.
  @SuppressWarnings("ReferenceEquality") // a cursor hands out the same string again and again
  private byte[] typeCell(String type) {
    if (type != typeLast) {
      cell.clear();
      cell.put(',');
      text(type, safe, cell);
      typeCell = Arrays.copyOf(cell.bytes(), cell.length());
      typeLast = type;
    }
    return typeCell;
  }

  private void body(EventView event, OutputBuffer out) {
    if (!exact) {
      column(event, AttributeName.BODY, out);
      return;
    }
    out.put(',');
    if (event.find(AttributeName.BODY, value) && isText(value)) {
      out.putCsv(value, safe);
    }
  }

  /// True for a body that its column holds without a doubt about its kind.
  private static boolean isText(AttributeValue body) {
    return body.kind() == AttributeKind.STRING && body.length() > 0;
  }

  private void column(EventView event, AttributeName name, OutputBuffer out) {
    out.put(',');
    if (!event.find(name, value)) {
      return;
    }
    switch (value.kind()) {
      case STRING -> out.putCsv(value, safe);
      case BYTES -> out.put(Base64.getEncoder().encode(value.toBytes()));
      case LONG -> out.putLong(value.bits());
      case DOUBLE, BOOLEAN -> out.put(value.toString());
    }
  }

  private void attributes(EventView event) {
    cell.clear();
    cell.put('{');
    event.forEach(value, member);
    cell.put('}');
  }

  private void member(AttributeName name, AttributeValue each) {
    byte[] key = exact && name.equals(AttributeName.BODY) && !isText(each) ? BODY : keys.of(name);
    if (key.length > 0) {
      if (cell.length() > 1) {
        cell.put(',');
      }
      cell.put(key);
      JsonLinesWriter.value(each, exact, cell);
    }
  }

  /// `"name":`; empty for the body, which has its own column.
  private static byte[] key(AttributeName name) {
    OutputBuffer sink = new OutputBuffer(64);
    if (!name.equals(AttributeName.BODY)) {
      sink.put('"');
      sink.putJson(name.toString());
      sink.put('"');
      sink.put(':');
    }
    return Arrays.copyOf(sink.bytes(), sink.length());
  }

  /// @param safe whether a formula gets a quote in front
  public static void text(String text, boolean safe, OutputBuffer out) {
    out.putCsv(text.getBytes(StandardCharsets.UTF_8), safe);
  }

  @Override
  public void failure(String why, OutputBuffer out) {
    out.put("error,");
    text(why, safe, out);
    out.put("\r\n");
  }
}
