package io.widerow.query.output;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.TimeUuid;
import io.widerow.query.LateEvent;
import io.widerow.query.NameText;
import io.widerow.query.Token;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One JSON object per line (NDJSON):
///
/// ```
/// {"id":"<uuid>","ts":"<RFC 3339, 9 digits>","type":"...","body":"...",<attributes by name>}
/// {"token":"w1...."}
/// ```
///
/// - Bytes are a base64 string. Doubles have their shortest form. NaN and the infinities, which
///   JSON lacks, are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. Those of [#exact] are
///   written by [ExactValue], so that each line has the complete event.
/// - An attribute named `id`, `ts` or `type` gets the prefix `attributes.`. A name that already is
///   one of these with prefixes gets one more, so names stay distinct.
/// - With levels, an event that has one ends with `"widerow.level":"error"`, see [Level].
/// - A late event has its flag, whatever attributes are wanted.
/// - The last line is the token of the last event; after a failure it is `{"error":"..."}`. In a
///   tail, `{"gap":"<token>","reason":"..."}` reports that events before the token are missing.
/// - Threads: one. Allocates only for bytes and for doubles with a fraction.
public final class JsonLinesWriter implements EventWriter {
  public static final String PREFIX = NameText.PREFIX;
  private static final int UUID_BYTES = 36;
  private static final byte[] START = ascii("{\"id\":\"");
  private static final byte[] TIME = ascii("\",\"ts\":\"");
  private static final byte[] TYPE = ascii("\",\"type\":\"");
  private static final byte[] BODY = ascii("\"body\"");
  private static final byte[] LEVEL = ascii(",\"widerow.level\":\"");
  private static final byte[] LATE = ascii(",\"" + LateEvent.FLAG + "\":true");

  private final Rfc3339 times;
  private final @Nullable Set<AttributeName> fields;
  private final boolean exact;
  private final boolean levels;
  private final AttributeValue value = new AttributeValue();
  private final NameBytes keys = new NameBytes(this::key);
  private final OutputBuffer keySink = new OutputBuffer(64);
  private String typeLast = "";
  private byte[] typeJson = new byte[0];
  private OutputBuffer sink = keySink; // output of the current event
  private final EventView.AttributeVisitor rest = this::attribute;

  /// Writes every attribute.
  public JsonLinesWriter(ZoneId zone) {
    this(zone, null);
  }

  /// @param fields attributes to write; null for all. A scan may return more than it was asked for
  public JsonLinesWriter(ZoneId zone, @Nullable List<AttributeName> fields) {
    this(zone, fields, false, false);
  }

  private JsonLinesWriter(
      ZoneId zone, @Nullable List<AttributeName> fields, boolean exact, boolean levels) {
    this.times = new Rfc3339(zone);
    this.fields = fields == null ? null : Set.copyOf(fields);
    this.exact = exact;
    this.levels = levels;
  }

  /// Writes every attribute with its kind, in UTC, for an export.
  public static JsonLinesWriter exact() {
    return new JsonLinesWriter(ZoneOffset.UTC, null, true, false);
  }

  /// Writes every attribute, and the level.
  public static JsonLinesWriter withLevels(ZoneId zone) {
    return new JsonLinesWriter(zone, null, false, true);
  }

  private boolean wants(AttributeName name) {
    return fields == null || fields.contains(name);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    out.put(START);
    int id = out.claim(UUID_BYTES);
    TimeUuid.print(event.idTime(), event.idTail(), out.bytes(), id);
    out.put(TIME);
    times.put(event.timeNanos(), out);
    out.put(TYPE);
    out.put(typeJson(event.type()));
    out.put('"');
    if (wants(AttributeName.BODY) && event.find(AttributeName.BODY, value)) {
      out.put(',');
      out.put(BODY);
      out.put(':');
      value(value, exact, out);
    }
    sink = out;
    event.forEach(value, rest);
    Level level = levels ? Level.of(event, value) : null;
    if (level != null) {
      out.put(LEVEL);
      out.put(level.word());
      out.put('"');
    }
    if (event instanceof LateEvent && !wants(LateEvent.FLAG)) {
      out.put(LATE);
    }
    out.put('}');
    out.put('\n');
  }

  @SuppressWarnings("ReferenceEquality") // a cursor hands out the same string again and again
  private byte[] typeJson(String type) {
    if (type != typeLast) {
      keySink.clear();
      keySink.putJson(type);
      typeJson = Arrays.copyOf(keySink.bytes(), keySink.length());
      typeLast = type;
    }
    return typeJson;
  }

  private void attribute(AttributeName name, AttributeValue shown) {
    byte[] key = keys.of(name);
    if (key.length > 0) {
      sink.put(key);
      value(shown, exact, sink);
    }
  }

  /// `,"name":`; empty for unwanted attributes and for the body, which is written separately.
  private byte[] key(AttributeName name) {
    keySink.clear();
    if (!name.equals(AttributeName.BODY) && wants(name)) {
      keySink.put(',');
      keySink.put('"');
      keySink.putJson(shownName(name.toString()));
      keySink.put('"');
      keySink.put(':');
    }
    return Arrays.copyOf(keySink.bytes(), keySink.length());
  }

  public static String shownName(String name) {
    return NameText.shown(name);
  }

  /// @param exact whether the value is written exactly, see [ExactValue]
  static void value(AttributeValue shown, boolean exact, OutputBuffer out) {
    if (exact && ExactValue.needsObject(shown)) {
      ExactValue.put(shown, out);
      return;
    }
    value(shown, out);
  }

  private static void value(AttributeValue shown, OutputBuffer out) {
    switch (shown.kind()) {
      case STRING -> {
        out.put('"');
        out.putJson(shown);
        out.put('"');
      }
      case BYTES -> {
        out.put('"');
        out.put(Base64.getEncoder().encode(shown.toBytes()));
        out.put('"');
      }
      case LONG -> out.putLong(shown.bits());
      case DOUBLE -> number(shown.asDouble(), out);
      case BOOLEAN -> out.put(shown.bits() != 0 ? "true" : "false");
    }
  }

  private static void number(double number, OutputBuffer out) {
    if (Double.isFinite(number)) {
      out.putDouble(number);
    } else {
      out.put('"');
      out.put(Double.toString(number));
      out.put('"');
    }
  }

  @Override
  public void end(@Nullable Token token, OutputBuffer out) {
    if (token != null) {
      line("token", token.toString(), out);
    }
  }

  @Override
  public void failure(String why, OutputBuffer out) {
    line("error", why, out);
  }

  @Override
  public void gap(Token first, String why, OutputBuffer out) {
    out.put("{\"gap\":\"" + first + "\",\"reason\":\"");
    out.putJson(why);
    out.put("\"}\n");
  }

  private static void line(String name, String text, OutputBuffer out) {
    out.put("{\"" + name + "\":\"");
    out.putJson(text);
    out.put("\"}\n");
  }
}
