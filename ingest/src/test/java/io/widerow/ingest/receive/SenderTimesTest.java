package io.widerow.ingest.receive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.Decoding.Decoder;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufBytes;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.elastic.BulkDecoder;
import io.widerow.ingest.receive.fluent.FluentDecoding;
import io.widerow.ingest.receive.gelf.GelfDecoder;
import io.widerow.ingest.receive.graphite.GraphiteDecoder;
import io.widerow.ingest.receive.graphite.PickleDecoder;
import io.widerow.ingest.receive.influx.LineProtocolDecoder;
import io.widerow.ingest.receive.journald.JournalFuzz;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.json.JsonNames;
import io.widerow.ingest.receive.json.TextLinesDecoder;
import io.widerow.ingest.receive.loki.LokiFuzz;
import io.widerow.ingest.receive.otlp.OtlpFuzz;
import io.widerow.ingest.receive.prometheus.Messages;
import io.widerow.ingest.receive.prometheus.RemoteWriteFuzz;
import io.widerow.ingest.receive.splunk.HecDecoder;
import io.widerow.ingest.receive.statsd.StatsdDecoder;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a time means the same at every entrance. One that is not understood, or that no event may
/// have, costs neither the event nor the value. Method: the times of `times.txt`, each sent to each
/// entrance that can carry it; the values of binary protocols one by one.
class SenderTimesTest {
  private static final long SECOND = 1_000_000_000;
  private static final long LATEST = Decoding.ARRIVAL_NANOS + 600 * SECOND;

  /// A time, and what becomes of it: an instant, `kept` in `sender_time`, or `absent`.
  ///
  /// @param json as a value of JSON
  record Row(String json, String expected) {
    boolean isText() {
      return json.startsWith("\"");
    }

    boolean isNumber() {
      return json.matches("-?\\d.*");
    }

    /// The text or the digits.
    String value() {
      return isText() ? json.substring(1, json.length() - 1) : json;
    }

    /// Whether the value is a number, also in quotes.
    boolean isEpoch() {
      return value().strip().matches("-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");
    }

    boolean isWord() {
      return (isText() || isNumber()) && value().matches("[^ |]+");
    }
  }

  private static List<Row> rows() throws IOException {
    try (InputStream in = SenderTimesTest.class.getResourceAsStream("times.txt")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
      return text.lines()
          .map(line -> {
            int end = line.lastIndexOf(" = ");
            return new Row(line.substring(0, end), line.substring(end + 3));
          })
          .toList();
    }
  }

  /// Which times an entrance can carry.
  enum Carries {
    JSON,
    /// Numbers have the unit of the protocol.
    JSON_DATES,
    /// Words without spaces.
    WORDS,
    /// As these, but numbers have the unit of the protocol.
    WORD_DATES,
    TEXTS;

    boolean fits(Row row) {
      return switch (this) {
        case JSON -> true;
        case JSON_DATES -> !row.isEpoch();
        case WORDS -> row.isWord();
        case WORD_DATES -> row.isWord() && !row.isEpoch();
        case TEXTS -> row.isText() && !row.isEpoch();
      };
    }
  }

  /// An entrance, and an event with a time in it.
  @SuppressWarnings("ImmutableEnumChecker") // decoders
  enum Entrance {
    JSON_LINES(
        Carries.JSON,
        "{\"ts\":%s}",
        (body, limit, batch) -> new JsonLinesDecoder("t").decode(body, 0, limit, batch)),
    JSON_ARRAY(
        Carries.JSON,
        "[{\"ts\":%s}]",
        (body, limit, batch) ->
            new JsonLinesDecoder("t", JsonNames.KNOWN, true).decode(body, 0, limit, batch)),
    NAMED_FIELD(
        Carries.JSON,
        "{\"when\":%s}",
        (body, limit, batch) ->
            new JsonLinesDecoder("t", JsonNames.of("", "when", "", "", ""), false)
                .decode(body, 0, limit, batch)),
    GELF(
        Carries.JSON,
        "{\"short_message\":\"x\",\"timestamp\":%s}",
        (body, limit, batch) -> new GelfDecoder(null).decode(body, 0, limit, batch)),
    HEC(
        Carries.JSON,
        "{\"event\":\"x\",\"time\":%s}",
        (body, limit, batch) -> new HecDecoder(null).decode(body, 0, limit, batch)),
    DATADOG(Carries.JSON, "[{\"message\":\"x\",\"timestamp\":%s}]", DatadogFuzz::decode),
    DATADOG_DATE(Carries.JSON, "[{\"message\":\"x\",\"date\":%s}]", DatadogFuzz::decode),
    BULK(
        Carries.JSON,
        "{\"index\":{}}\n{\"@timestamp\":%s}\n",
        (body, limit, batch) -> bulk(body, limit, batch)),
    LOKI(
        Carries.JSON_DATES,
        "{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[[%s,\"x\"]]}]}",
        LokiFuzz::json),
    OTLP_LOGS(
        Carries.JSON_DATES,
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":%s}]}]}]}",
        (body, limit, batch) -> OtlpFuzz.LOGS.decode(true, body, limit, batch)),
    OTLP_METRICS(
        Carries.JSON_DATES,
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"m\",\"gauge\":"
            + "{\"dataPoints\":[{\"timeUnixNano\":%s,\"asInt\":1}]}}]}]}]}",
        (body, limit, batch) -> OtlpFuzz.METRICS.decode(true, body, limit, batch)),
    OTLP_SPANS(
        Carries.JSON_DATES,
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"s\","
            + "\"startTimeUnixNano\":%s}]}]}]}",
        (body, limit, batch) -> OtlpFuzz.TRACES.decode(true, body, limit, batch)),
    STATSD(
        Carries.WORDS,
        "x:1|c|T%s",
        (body, limit, batch) -> new StatsdDecoder().decode(body, 0, limit, batch)),
    DOGSTATSD(
        Carries.WORDS,
        "_e{1,1}:a|b|d:%s",
        (body, limit, batch) -> new StatsdDecoder().decode(body, 0, limit, batch)),
    GRAPHITE(
        Carries.WORDS,
        "x;a=b 1 %s",
        (body, limit, batch) -> new GraphiteDecoder().decode(body, 0, limit, batch)),
    INFLUX(
        Carries.WORD_DATES,
        "m,a=b v=1 %s",
        (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch, null)),
    SYSLOG(
        Carries.WORDS,
        "<34>1 %s h a - - - x",
        (body, limit, batch) -> new SyslogDecoder(ZoneOffset.UTC).decode(body, 0, limit, batch)),
    JOURNAL(
        Carries.TEXTS, "__CURSOR=c\n__REALTIME_TIMESTAMP=%s\nMESSAGE=x\n\n", JournalFuzz::decode),
    FLUENT(Carries.TEXTS, "", FluentDecoding::decode) {
      @Override
      byte[] event(Row row) {
        byte[] list = {(byte) 0x92, (byte) 0xa1, 't', (byte) 0x91, (byte) 0x92};
        byte[] record = {(byte) 0x81, (byte) 0xa1, 'k', (byte) 0xa1, 'v'};
        return join(list, text(row.value()), record);
      }
    },
    PICKLE(Carries.TEXTS, "", SenderTimesTest::pickle) {
      @Override
      byte[] event(Row row) {
        byte[] time = row.value().getBytes(UTF_8);
        return pickled(join("X".getBytes(UTF_8), littleEndian(time.length), time));
      }
    };

    final Carries carries;
    final String form;
    final Decoder decoder;

    Entrance(Carries carries, String form, Decoder decoder) {
      this.carries = carries;
      this.form = form;
      this.decoder = decoder;
    }

    /// The ids of entries of a journal have their times to 100 ns.
    String ofId(String expected) {
      boolean fine = this == JOURNAL && expected.matches(".*\\.\\d{9}Z");
      return fine ? expected.substring(0, expected.length() - 3) + "00Z" : expected;
    }

    byte[] event(Row row) {
      boolean json = carries == Carries.JSON || carries == Carries.JSON_DATES;
      return form.formatted(json ? row.json() : row.value()).getBytes(UTF_8);
    }
  }

  private static void bulk(byte[] body, int limit, IncomingBatch batch) {
    try {
      new BulkDecoder("i", null).decode(body, limit, batch);
    } catch (RequestRefused refused) {
      throw new AssertionError(refused);
    }
  }

  private static void pickle(byte[] body, int limit, IncomingBatch batch) {
    assertEquals(limit, new PickleDecoder().decode(body, 0, limit, batch));
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static byte[] littleEndian(int value) {
    return ByteBuffer.allocate(4).putInt(Integer.reverseBytes(value)).array();
  }

  /// A frame of one metric with this time.
  private static byte[] pickled(byte[] time) {
    byte[] point =
        join(
            "\u0080\u0002]".getBytes(ISO_8859_1),
            "X\u0001\u0000\u0000\u0000x".getBytes(UTF_8),
            time,
            "K\u0001".getBytes(UTF_8),
            new byte[] {(byte) 0x86, (byte) 0x86, 'a', '.'});
    return join(ByteBuffer.allocate(4).putInt(point.length).array(), point);
  }

  private static byte[] text(String text) {
    byte[] utf8 = text.getBytes(UTF_8);
    return join(new byte[] {(byte) 0xd9, (byte) utf8.length}, utf8);
  }

  /// A message of one event with this time.
  private static byte[] fluent(byte[] time) {
    byte[] tag = {(byte) 0x93, (byte) 0xa1, 't'};
    byte[] record = {(byte) 0x81, (byte) 0xa1, 'k', (byte) 0xa1, 'v'};
    return join(tag, time, record);
  }

  private static MemoryStore.@Nullable Stored stored(byte[] event, Decoder decoder) {
    Decoding.Result result = Decoding.until(LATEST, event, decoder);
    return result.refused().count() == 0 && result.stored().size() == 1
        ? result.stored().getFirst()
        : null;
  }

  private static String shown(MemoryStore.@Nullable Stored event, String value) {
    if (event == null) {
      return "refused";
    }
    Object sent = event.attributes().get("sender_time");
    boolean arrival = event.timeNanos() == Decoding.ARRIVAL_NANOS;
    if (sent == null) {
      return arrival ? "absent" : Instant.EPOCH.plusNanos(event.timeNanos()).toString();
    }
    return arrival && value.equals(sent)
        ? "kept"
        : "at %d with %s".formatted(event.timeNanos(), sent);
  }

  @ParameterizedTest
  @EnumSource
  void aTimeIsTheSameAtEveryEntrance(Entrance entrance) throws IOException {
    List<String> wrong = new ArrayList<>();
    List<Row> rows = rows();
    assertTrue(rows.size() >= 200, () -> "rows: " + rows.size());
    int tried = 0;
    for (Row row : rows) {
      boolean nil = entrance == Entrance.SYSLOG && row.value().equals("-");
      if (entrance.carries.fits(row) && !nil) {
        String found = shown(stored(entrance.event(row), entrance.decoder), row.value());
        if (!found.equals(entrance.ofId(row.expected()))) {
          wrong.add("%s = %s, not %s".formatted(row.json(), found, row.expected()));
        }
        tried++;
      }
    }
    assertTrue(tried >= 50, "tried " + tried);
    assertEquals(List.of(), wrong);
  }

  /// In a line of text a time is found by sight: its text is a part of the line. A line whose text
  /// has no time there gets the time of arrival.
  @Test
  void linesOfTextHaveTheSameTimes() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Row row : rows()) {
      boolean date = row.isText() && row.value().matches(".*\\d\\d:\\d\\d:\\d\\d.*");
      if (!date
          || row.value()
              .matches("(x.*|.*(points|based|and more| x|XYZ|Nowhere.?|:00,5|:00[.]| [+])$)")) {
        continue;
      }
      String line = row.value();
      MemoryStore.Stored event = stored((line + " | x").getBytes(UTF_8), lines("auto"));
      String expected = row.expected().equals("kept") ? "absent" : row.expected();
      Object sent = event == null ? null : event.attributes().get("sender_time");
      String found = sent != null && line.contains(sent.toString()) ? "absent" : shown(event, line);
      if (!found.equals(expected)) {
        wrong.add("%s = %s, not %s".formatted(line, found, expected));
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static Decoder lines(String ts) {
    return (body, limit, batch) ->
        new TextLinesDecoder(
                "t", TimePattern.of(ts, -1, ZoneOffset.UTC), new TextLinesDecoder.Start.EveryLine())
            .decode(body, 0, limit, batch);
  }

  private static void check(String expected, String value, byte[] event, Decoder decoder) {
    assertEquals(expected, shown(stored(event, decoder), value), value);
  }

  @Test
  void binaryTimesFollowTheSameRule() {
    Decoder prometheus =
        (body, limit, batch) -> RemoteWriteFuzz.decode(false, body, limit, batch, null);
    Function<Long, byte[]> sample =
        millis -> Messages.series(Messages.labels("__name__", "up"), Messages.sample(1, millis));
    check("2023-11-10T16:00:00.123Z", "", sample.apply(1_699_632_000_123L), prometheus);
    check("1970-01-01T00:00:00Z", "", sample.apply(0L), prometheus); // a sample has a time
    for (long odd : new long[] {-5, Long.MAX_VALUE, Long.MIN_VALUE, 1_700_000_600_001L}) {
      check("kept", Long.toString(odd), sample.apply(odd), prometheus);
    }
    for (long odd : new long[] {-5, Long.MAX_VALUE, LATEST + 1}) {
      byte[] record = ProtobufBytes.message(2, ProtobufBytes.fixed64(1, odd));
      byte[] logs = ProtobufBytes.message(1, ProtobufBytes.message(2, record));
      String digits = Long.toUnsignedString(odd);
      check(
          "kept",
          digits,
          logs,
          (body, limit, batch) -> OtlpFuzz.LOGS.decode(false, body, limit, batch));
      byte[] line = ("m v=1 " + odd).getBytes(UTF_8);
      check("kept", Long.toString(odd), line, Entrance.INFLUX.decoder);
    }
    byte[] eventTime =
        ByteBuffer.allocate(10).putShort((short) 0xd700).putInt(1_699_632_000).putInt(5).array();
    check("2023-11-10T16:00:00.000000005Z", "", fluent(eventTime), FluentDecoding::decode);
    eventTime[6] = 127; // nanoseconds
    check(
        "kept",
        "{\"seconds\":1699632000,\"nanos\":2130706437}",
        fluent(eventTime),
        FluentDecoding::decode);
    byte[] fraction = ByteBuffer.allocate(9).put((byte) 0xcb).putDouble(1_699_632_000.5).array();
    check("2023-11-10T16:00:00.500Z", "", fluent(fraction), FluentDecoding::decode);
    ByteBuffer.wrap(fraction).putDouble(1, Double.NaN);
    check("kept", "NaN", fluent(fraction), FluentDecoding::decode);
    ByteBuffer.wrap(fraction).putDouble(1, 1e300);
    check("kept", "1.0E300", fluent(fraction), FluentDecoding::decode);
    byte[] millis = ByteBuffer.allocate(9).put((byte) 0xcf).putLong(1_699_632_000_123L).array();
    check("2023-11-10T16:00:00.123Z", "", fluent(millis), FluentDecoding::decode);
  }

  @Test
  void anAttributeOfThatNameIsKeptToo() {
    for (String line :
        List.of(
            "{\"ts\":\"soon\",\"sender_time\":\"own\"}",
            "{\"sender_time\":\"own\",\"ts\":\"soon\"}")) {
      MemoryStore.Stored event = stored(line.getBytes(UTF_8), Entrance.JSON_LINES.decoder);
      assertEquals("own", Objects.requireNonNull(event).attributes().get("sender_time"));
      assertEquals("soon", event.attributes().get("sender_time.2"));
    }
  }
}
