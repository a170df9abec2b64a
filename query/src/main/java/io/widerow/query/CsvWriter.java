package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Comma-separated values as RFC 4180 has them, with a header and CRLF. The columns are `id`, `ts`,
/// `type` and the fields asked for; without fields, `body` and a column `attributes` that holds the
/// others as a JSON object.
///
/// - Formula guard: a text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return gets a
///   single quote in front, so that no spreadsheet runs it. Numbers are not touched.
/// - A failure is a last line `error,<why>`. Threads: one.
public final class CsvWriter implements EventWriter {
  private final Rfc3339 times;
  private final @Nullable List<AttributeName> fields;
  private final AttributeValue value = new AttributeValue();
  private final ByteSink cell = new ByteSink(1 << 8);
  private int shown;

  public CsvWriter(ZoneId zone, @Nullable List<AttributeName> fields) {
    this.times = new Rfc3339(zone);
    this.fields = fields;
  }

  @Override
  public void begin(ByteSink out) {
    out.put("id,ts,type");
    List<AttributeName> columns = fields;
    if (columns == null) {
      out.put(",body,attributes");
    } else {
      for (AttributeName field : columns) {
        out.put(',');
        text(JsonLinesWriter.shownName(field.toString()), out);
      }
    }
    out.put("\r\n");
  }

  @Override
  public void event(EventView event, ByteSink out) {
    out.put(event.id().toString());
    out.put(',');
    times.put(event.timeNanos(), out);
    out.put(',');
    text(event.type(), out);
    List<AttributeName> columns = fields;
    if (columns == null) {
      column(event, AttributeName.BODY, out);
      out.put(',');
      attributes(event);
      quoted(out);
    } else {
      for (AttributeName field : columns) {
        column(event, field, out);
      }
    }
    out.put("\r\n");
  }

  private void column(EventView event, AttributeName name, ByteSink out) {
    out.put(',');
    if (!event.find(name, value)) {
      return;
    }
    switch (value.kind()) {
      case STRING -> text(value.toString(), out);
      case BYTES -> out.put(Base64.getEncoder().encode(value.toBytes()));
      case LONG, DOUBLE, BOOLEAN -> out.put(value.toString());
    }
  }

  private void attributes(EventView event) {
    cell.clear();
    cell.put('{');
    shown = 0;
    event.forEach(
        value,
        (name, each) -> {
          if (!name.equals(AttributeName.BODY)) {
            cell.put(shown++ == 0 ? "\"" : ",\"");
            cell.putJson(name.toString());
            cell.put("\":");
            JsonLinesWriter.value(each, cell);
          }
        });
    cell.put('}');
  }

  static void text(String text, ByteSink out) {
    boolean formula = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0;
    boolean quotes = false;
    for (int i = 0; i < text.length(); i++) {
      char here = text.charAt(i);
      quotes |= here == ',' || here == '"' || here == '\n' || here == '\r';
    }
    String guarded = formula ? "'" + text : text;
    out.put(quotes ? '"' + guarded.replace("\"", "\"\"") + '"' : guarded);
  }

  private void quoted(ByteSink out) {
    String text = new String(cell.bytes(), 0, cell.length(), StandardCharsets.UTF_8);
    out.put('"' + text.replace("\"", "\"\"") + '"');
  }

  @Override
  public void failure(String why, ByteSink out) {
    out.put("error,");
    text(why, out);
    out.put("\r\n");
  }
}
