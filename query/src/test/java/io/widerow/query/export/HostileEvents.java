package io.widerow.query.export;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.query.output.ExactValue;
import io.widerow.query.remote.LineEvent;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Events with values of every kind that writers and readers of text get wrong, and the exact text
/// of an event, to compare two.
public final class HostileEvents {
  private static final long START = 1_795_158_000_123_456_700L; // 2026-11-20T07:00:00.1234567Z

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "plain",
          "a,b",
          "\"",
          "\"\"quoted\"\", and more",
          "line\nfeed",
          "carriage\rreturn",
          "both\r\n",
          "\r",
          "tab\there",
          "nul\0inside",
          "\0",
          "\u0001\u001b[31m\u007f\u0085",
          "back\\slash \\n \\u0041",
          "= 1 + 1",
          "null",
          "NULL",
          "NaN",
          "true",
          "0500",
          "1e999",
          "ünïcödé ß 漢字 🦆 \u202e",
          "\u2028\u2029\ufeff\uffff",
          "{\"$bytes\":\"aGk=\"}",
          "'single'; drop table",
          "x".repeat(70_000));

  private static final List<String> NAMES =
      List.of(
          "body",
          "id",
          "ts",
          "type",
          "attributes.id",
          "attributes.attributes.ts",
          "_id",
          "_key",
          "message",
          "time",
          "timestamp",
          "log",
          "a.b",
          "a",
          "$bytes",
          "$double",
          "with space",
          "comma,quote\"",
          "new\nline",
          "nul\0",
          "漢字",
          "widerow.late",
          "Records",
          "records");

  private static final List<Long> LONGS =
      List.of(0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, (1L << 53) + 1, 1_795_676_400L);

  private static final List<Double> DOUBLES =
      List.of(
          0.0,
          -0.0,
          0.1,
          1.0,
          -1.5e300,
          Double.MIN_VALUE,
          Double.MAX_VALUE,
          1e7,
          123456789.0,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY,
          Double.longBitsToDouble(0x7ff0_0000_0000_0002L), // Prometheus' stale marker
          Double.longBitsToDouble(0xfff8_0000_0000_0001L));

  private HostileEvents() {}

  /// Each value once under a usual name, each name once, an event without anything, and `more`
  /// random ones; in the order of events, with ids of senders.
  public static List<LineEvent> of(long seed, int more) {
    SplittableRandom random = new SplittableRandom(seed);
    List<SortedMap<AttributeName, Object>> all = new ArrayList<>();
    all.add(new TreeMap<>());
    for (Object value : values()) {
      all.add(with("body", value));
      all.add(with("field", value));
    }
    for (String name : NAMES) {
      all.add(with(name, "text"));
      all.add(with(name, 7L));
    }
    while (all.size() < values().size() * 2 + NAMES.size() * 2 + 1 + more) {
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      for (int i = random.nextInt(8); i > 0; i--) {
        List<Object> values = values();
        attributes.put(
            AttributeName.of(NAMES.get(random.nextInt(NAMES.size()))),
            values.get(
                random.nextInt(values.size() - 1))); // not the long text, so that it is quick
      }
      all.add(attributes);
    }
    List<LineEvent> events = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      long nanos = START + i * 37L * TimeUuid.NANOS_PER_TICK * (i % 5);
      EventId least = EventId.leastOf(nanos);
      EventId id = new EventId(least.time(), least.tail() + i);
      events.add(new LineEvent(id, nanos, i % 3 == 0 ? "app" : "web.\"x\" ü", all.get(i)));
    }
    events.sort((one, other) -> {
      int byId = one.id().compareTo(other.id());
      return byId != 0 ? byId : one.type().compareTo(other.type());
    });
    return events;
  }

  private static SortedMap<AttributeName, Object> with(String name, Object value) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    attributes.put(AttributeName.of(name), value);
    return attributes;
  }

  private static List<Object> values() {
    List<Object> values = new ArrayList<>(LONGS);
    values.addAll(DOUBLES);
    values.add(true);
    values.add(false);
    values.add(new byte[0]);
    values.add(new byte[] {0, -1, 10, 13, 34, 44, -128, 127});
    values.addAll(TEXTS);
    return values;
  }

  /// All of an event: its id, time, type and each attribute with its kind and bits.
  public static String text(EventView event) {
    StringBuilder text = new StringBuilder();
    text.append(event.id()).append(' ').append(event.timeNanos()).append(' ').append(event.type());
    event.forEach(
        new AttributeValue(),
        (name, value) -> text.append(' ').append(name).append('=').append(text(value)));
    return text.toString();
  }

  private static String text(AttributeValue value) {
    return value.kind()
        + ":"
        + switch (value.kind()) {
          case STRING, BYTES -> HexFormat.of().formatHex(value.toBytes());
          case DOUBLE -> ExactValue.text(value.bits());
          case LONG, BOOLEAN -> Long.toString(value.bits());
        };
  }
}
