package io.widerow.query.output;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.time.ZoneId;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Events as lines for people: the formats table, raw and logfmt.
///
/// - Table: time, type, body, then the other attributes as `name=value`; with fields, only those.
/// - Raw: the body as it was sent and a line feed. A pipe gets it byte for byte.
/// - Logfmt: `ts=... type=... name=value`, with quotes where a value has a space, quote or `=`.
/// - Control characters of stored data (C0, DEL and C1) are escaped as `\x1b`, except in raw output
///   that does not go to a terminal.
/// - Threads: one.
public final class TextWriter implements EventWriter {
  private static final int TYPE_COLUMNS = 14;

  private final Style style;
  private final @Nullable List<AttributeName> fields;
  private final boolean escapes;
  private final boolean colour;
  private final Rfc3339 times;
  private final AttributeValue value = new AttributeValue();

  /// The three formats.
  public enum Style {
    TABLE,
    RAW,
    LOGFMT
  }

  /// @param toTerminal true when the output is a terminal, so that raw output is escaped too
  public TextWriter(
      Style style,
      ZoneId zone,
      @Nullable List<AttributeName> fields,
      boolean toTerminal,
      boolean colour) {
    this.style = style;
    this.fields = fields;
    this.escapes = toTerminal || style != Style.RAW;
    this.colour = colour;
    this.times = new Rfc3339(zone);
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    switch (style) {
      case TABLE -> table(event, out);
      case RAW -> raw(event, out);
      case LOGFMT -> logfmt(event, out);
    }
    out.put('\n');
  }

  private void table(EventView event, OutputBuffer out) {
    paint("\u001b[2m", out);
    times.put(event.timeNanos(), out);
    paint("\u001b[0m", out);
    out.put(' ');
    paint("\u001b[36m", out);
    text(event.type(), out);
    for (int i = event.type().length(); i < TYPE_COLUMNS; i++) {
      out.put(' ');
    }
    paint("\u001b[0m", out);
    if (fields == null && event.find(AttributeName.BODY, value)) {
      out.put(' ');
      text(shown(value), out);
    }
    pairs(event, fields == null ? Set.of(AttributeName.BODY) : Set.of(), out);
  }

  private void paint(String code, OutputBuffer out) {
    if (colour) {
      out.put(code);
    }
  }

  private void raw(EventView event, OutputBuffer out) {
    if (!event.find(AttributeName.BODY, value)) {
      return;
    }
    if (escapes) {
      text(value.toString(), out);
    } else if (value.kind().isText()) {
      out.put(value);
    } else {
      out.put(value.toString());
    }
  }

  private void logfmt(EventView event, OutputBuffer out) {
    out.put("ts=");
    times.put(event.timeNanos(), out);
    out.put(" type=");
    quoted(event.type(), out);
    pairs(event, Set.of(), out);
  }

  private void pairs(EventView event, Set<AttributeName> but, OutputBuffer out) {
    List<AttributeName> names = fields;
    if (names == null) {
      event.forEach(
          value,
          (name, each) -> {
            if (!but.contains(name)) {
              pair(name, each, out);
            }
          });
      return;
    }
    for (AttributeName name : names) {
      if (event.find(name, value)) {
        pair(name, value, out);
      }
    }
  }

  private void pair(AttributeName name, AttributeValue shown, OutputBuffer out) {
    out.put(' ');
    text(name.toString().replace(' ', '_'), out);
    out.put('=');
    quoted(shown(shown), out);
  }

  private static String shown(AttributeValue value) {
    return value.kind() == AttributeKind.BYTES
        ? Base64.getEncoder().encodeToString(value.toBytes())
        : value.toString();
  }

  private void quoted(String plain, OutputBuffer out) {
    boolean quotes = plain.isEmpty();
    for (int i = 0; i < plain.length() && !quotes; i++) {
      quotes = plain.charAt(i) <= ' ' || "\"=\\".indexOf(plain.charAt(i)) >= 0;
    }
    text(quotes ? '"' + plain.replace("\\", "\\\\").replace("\"", "\\\"") + '"' : plain, out);
  }

  private void text(String plain, OutputBuffer out) {
    out.put(escapes ? escaped(plain) : plain);
  }

  public static String escaped(String plain) {
    StringBuilder out = new StringBuilder(plain.length());
    for (int i = 0; i < plain.length(); i++) {
      char here = plain.charAt(i);
      if (here < 0x20 || (here >= 0x7f && here < 0xa0)) {
        out.append("\\x%02x".formatted((int) here));
      } else {
        out.append(here);
      }
    }
    return out.toString();
  }
}
