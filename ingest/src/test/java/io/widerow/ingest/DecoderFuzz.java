package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.event.RecordCheck;
import io.widerow.event.RecordView;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.receive.fluent.FluentDecoding;
import io.widerow.ingest.receive.influx.LineProtocolDecoder;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.json.JsonNames;
import io.widerow.ingest.receive.json.TextLinesDecoder;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import io.widerow.ingest.receive.syslog.SyslogFramer;
import io.widerow.ingest.series.SeriesCache;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryParameters;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Fuzz targets of the event decoders.
final class DecoderFuzz {
  private static final long ARRIVAL_NANOS = Decoding.ARRIVAL_NANOS;
  private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

  private DecoderFuzz() {}

  static List<byte[]> seeds(String corpus, String... good) {
    List<byte[]> seeds = new ArrayList<>();
    for (String text : good) {
      seeds.add(text.getBytes(StandardCharsets.UTF_8));
    }
    for (String bad : MalformedTest.corpus(corpus)) {
      byte[] expanded = MalformedTest.expand(bad).getBytes(StandardCharsets.ISO_8859_1);
      if (expanded.length < 4_096) {
        seeds.add(expanded);
      }
    }
    return seeds;
  }

  /// Decodes, and reads back the decoded events.
  ///
  /// @return the events as text, one line each
  static byte[] decode(byte[] input, Decoding.Decoder decoder) {
    byte[] slack = Arrays.copyOf(input, input.length + Swar.SLACK_BYTES);
    Arrays.fill(slack, input.length, slack.length, (byte) '"'); // must not be read as content
    try (EventBatch events = new EventBatch(1 << 10, 16 << 20)) {
      IncomingBatch batch = new IncomingBatch(events, ARRIVAL_NANOS);
      decoder.decode(slack, input.length, batch);
      if (batch.decoded() != events.count() + batch.refused.count()) {
        throw new AssertionError("an event is neither stored nor refused");
      }
      return written(events);
    }
  }

  private static byte[] written(EventBatch events) {
    RecordCheck check = new RecordCheck();
    RecordView view = new RecordView();
    EventWriter writer = QueryParameters.parse(Map.of(), ARRIVAL_NANOS).writer();
    OutputBuffer out = new OutputBuffer(1 << 12);
    var records = events.memory().asSlice(0, events.bytes());
    int seen = 0;
    for (long at = 0; at < events.bytes(); seen++) {
      view.show(records, at);
      if (view.length() < 1 || !check.isRecord(records, at)) {
        throw new AssertionError("event %d is no record".formatted(seen));
      }
      writer.event(view, out);
      at += io.widerow.event.EventLayout.alignedLength(view.length());
    }
    if (seen != events.count()) {
      throw new AssertionError("%d of %d events".formatted(seen, events.count()));
    }
    return Arrays.copyOf(out.bytes(), out.length());
  }

  static List<byte[]> jsonSeeds() {
    return seeds(
        "malformed.ndjson",
        "{\"ts\":1,\"type\":\"t\",\"body\":\"good\"}\n",
        "{\"a\":{\"b\":[1,-2.5e3,\"x\\u00e9\\n\"],\"c\":{\"d\":null}},\"type\":\"é\"}\n",
        "{\"ts\":\"2026-11-20T19:15:00.5+01:00\",\"type\":\"t\",\"n\":18446744073709551616}",
        "{\"_id\":\"b12ef090-0d11-11ec-8100-000000000001\",\"type\":\"t\",\"ok\""
            + ":true,\"no\":false}",
        "[{\"time\":\"2026-11-20 19:15:00,5\",\"msg\":\"a\",\"message\":\"b\"},"
            + "\n{\"log\":\"\\n\"}]",
        "{\"Records\":[{\"@t\":1.7e9,\"time\":1,\"a\":\"\\ud800\",\"a\":2},{\n}]}",
        """
        {"ts":1,"type":"t","n":1,"o":{"a":"x"}}
        {"ts":2,"type":"u","n":-2.5,"o":{"a":null}}
        {"ts":3,"type":"t","n":[],"o":{"b":"\\n"}}
        """,
        "{\"ts\":1700000000123,\"type\":\"t\",\"\\ud83d\\ude00\":\"\\\\\\\"/\\b\\f\"}");
  }

  /// Stored events, written as JSON lines and decoded again, are written the same.
  static void json(byte[] input) {
    Decoding.Decoder decoder =
        (body, limit, batch) -> new JsonLinesDecoder("t").decode(body, 0, limit, batch);
    Decoding.Decoder reader = // of what a query shows
        (body, limit, batch) ->
            new JsonLinesDecoder("t", JsonNames.of("", "", "", "id", ""), false)
                .decode(body, 0, limit, batch);
    Decoding.Decoder documents =
        (body, limit, batch) ->
            new JsonLinesDecoder("t", JsonNames.KNOWN, true).decode(body, 0, limit, batch);
    decode(input, documents);
    byte[] first = decode(input, decoder);
    lasting(input);
    String text = new String(first, StandardCharsets.UTF_8);
    boolean exact =
        Arrays.equals(text.getBytes(StandardCharsets.UTF_8), first)
            && text.indexOf('\ufffd') < 0 // invalid UTF-8 is shown as this
            && !text.contains("\"attributes."); // names that are shown differently
    if (exact) {
      byte[] again = decode(first, reader);
      byte[] third = decode(again, reader);
      if (!withoutIds(again).equals(withoutIds(first)) || !Arrays.equals(again, third)) {
        throw new AssertionError(text + " becomes " + new String(again, StandardCharsets.UTF_8));
      }
    }
  }

  /// Lines become the same events by a decoder that has read such lines before as each line alone.
  private static void lasting(byte[] input) {
    ByteArrayOutputStream alone = new ByteArrayOutputStream();
    byte[] lines = Arrays.copyOf(input, input.length + Swar.SLACK_BYTES);
    for (int at = 0; at < input.length; ) {
      int next = Swar.newline(lines, at, input.length);
      int before = Math.max(0, at - 1); // the newline: only the first line may have two marks
      JsonLinesDecoder fresh = new JsonLinesDecoder("t");
      alone.writeBytes(
          decode(
              Arrays.copyOfRange(input, before, next),
              (body, limit, batch) -> fresh.decode(body, 0, limit, batch)));
      at = next + 1;
    }
    JsonLinesDecoder lasting = new JsonLinesDecoder("t");
    for (int i = 0; i < 3; i++) {
      byte[] known = decode(input, (body, limit, batch) -> lasting.decode(body, 0, limit, batch));
      if (!Arrays.equals(alone.toByteArray(), known)) {
        throw new AssertionError("a line of a known shape became another event");
      }
    }
  }

  /// Leaves out ids: the store has not assigned any to the events of a batch yet.
  private static String withoutIds(byte[] lines) {
    return new String(lines, StandardCharsets.UTF_8)
        .replaceAll("(?m)^\\{\"id\":\"[-0-9a-f]{36}\",\"ts\":\"[^\"]*\",", "{");
  }

  static List<byte[]> textSeeds() {
    return seeds(
        "malformed.txt",
        "\u0000a\nb\n\nc",
        "\u00011970-01-01T00:00:01Z good\n2026-01-01 00:00:00.5+01:00 x\n",
        "\u000210.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n",
        "\u0003[2016-12-19 16:31:47,999] INFO x\n\tat y\n[2016-12-19 16:31:48.000] z\n",
        "\u00041700000000.5 a\n1700000000123 b\n",
        "\u0006x\r\n[10.30 16:49:06] a\r\n\tb\r\n\r\n17/06/09 20:10:40 c\r\n");
  }

  /// The first byte selects the pattern, and what starts a record.
  static void text(byte[] input) {
    if (input.length == 0) {
      return;
    }
    List<String> names =
        List.of("arrival", "rfc3339", "clf", "log4j", "epoch", "yyyy-MM-dd HH:mm:ss", "auto");
    TimePattern pattern = TimePattern.of(names.get((input[0] & 7) % names.size()), 1, ZONE);
    TextLinesDecoder.Start start =
        switch (input[0] >>> 3 & 3) {
          case 0 -> new TextLinesDecoder.Start.Time();
          case 1 -> TextLinesDecoder.Start.of("^\\[?\\d");
          default -> new TextLinesDecoder.Start.EveryLine();
        };
    byte[] lines = Arrays.copyOfRange(input, 1, input.length);
    decode(
        lines,
        (body, limit, batch) ->
            new TextLinesDecoder("t", pattern, start).decode(body, 0, limit, batch));
  }

  static List<byte[]> patternSeeds() {
    return List.of(
        "yyyy-MM-dd HH:mm:ss\n2026-11-20 19:15:00 x".getBytes(StandardCharsets.US_ASCII),
        "EEE, d MMM yyyy HH:mm:ss Z\nFri, 20 Nov 2026 19:15:00 +0100"
            .getBytes(StandardCharsets.US_ASCII),
        "uuuu-MM-dd'T'HH:mm:ss[.SSS][XXX]['['VV']']\n2026-11-20T19:15:00.123+01:00[Europe/Paris]"
            .getBytes(StandardCharsets.US_ASCII),
        "dd/MM/yy hh:mm a\n20/11/26 07:15 PM".getBytes(StandardCharsets.US_ASCII),
        "ppppHH G Q w e B\n  19 AD 4 47 6".getBytes(StandardCharsets.US_ASCII));
  }

  /// Input is a pattern, a newline, and lines that may match it.
  static void pattern(byte[] input) {
    int newline = Swar.newline(Arrays.copyOf(input, input.length + 64), 0, input.length);
    String name = new String(input, 0, Math.min(newline, 200), StandardCharsets.UTF_8);
    byte[] line = Arrays.copyOfRange(input, Math.min(newline + 1, input.length), input.length);
    TimePattern pattern;
    try {
      pattern = TimePattern.of(name, -1, ZONE);
    } catch (IllegalArgumentException refused) {
      return; // the documented refusal
    }
    pattern.nanos(line, 0, line.length, ARRIVAL_NANOS);
  }

  static List<byte[]> lineSeeds() {
    return seeds(
        "malformed.lp",
        "t body=\"good\" 1\n",
        "a,b=c\\ d e=1i,f=t,g=\"q\\\"\",h=1.5e3,i=18446744073709551615u 77\n# comment\n",
        "cpu,host=a\\,b\\=c usage=0.5,count=-3i,ok=true 1434055562000000000\n");
  }

  /// Decodes each line alone, and then as a line of a known series.
  static void line(byte[] input) {
    byte[] alone = lines(input, null);
    SeriesCache series = new SeriesCache();
    for (int i = 0; i < 2; i++) {
      if (!Arrays.equals(alone, lines(input, series))) {
        throw new AssertionError("a line of a known series became another event");
      }
    }
  }

  private static byte[] lines(byte[] input, @Nullable SeriesCache series) {
    return decode(
        input,
        (body, limit, batch) ->
            new LineProtocolDecoder(1_000).decode(body, 0, limit, batch, series));
  }

  static List<byte[]> syslogSeeds() {
    return seeds(
        "malformed.syslog",
        "<34>1 2003-10-11T22:14:15.003Z h a 1 - - good\n",
        "<34>1 2003-10-11T22:14:15.003Z h a - - [e@1 k=\"v\\\"\"][f@2 l=\"m\"] x\n",
        "15 <3>Oct 11 22:1\n<3>Oct 11 22:14:15 host su[230]: text\n",
        "<3>Feb 29 22:14:15 text\n<13>2026-11-20T19:15:00+01:00 host app: x\n");
  }

  static void syslog(byte[] input) {
    decode(
        input,
        (body, limit, batch) -> {
          SyslogDecoder decoder = new SyslogDecoder(ZONE);
          SyslogFramer framer = new SyslogFramer(1 << 14);
          int at = 0;
          while (true) {
            int next = framer.next(body, at, limit);
            if (next < 0) {
              break;
            }
            if (next <= at || framer.offset < at || framer.limit > next) {
              throw new AssertionError("a frame of [%d, %d)".formatted(at, next));
            }
            decoder.decode(body, framer.offset, framer.limit, batch);
            at = next;
          }
          decoder.decode(body, at, limit, batch); // as a datagram
        });
  }

  static void fluent(byte[] input) {
    byte[] _ = decode(input, FluentDecoding::decode);
  }

  static List<byte[]> timeSeeds() {
    return List.of(
        "2026-11-20T19:15:00.123456789+01:00".getBytes(StandardCharsets.US_ASCII),
        "2024-02-29t00:00:60z".getBytes(StandardCharsets.US_ASCII),
        "17/May/2015:10:05:03 +0000".getBytes(StandardCharsets.US_ASCII),
        "1700000000.123".getBytes(StandardCharsets.US_ASCII),
        "9999-12-31T23:59:59.999999999-23:59".getBytes(StandardCharsets.US_ASCII));
  }

  /// No time parser reads past its end, and its result equals the JDK's.
  static void times(byte[] input) {
    byte[] padded = Arrays.copyOf(input, input.length + 8);
    Arrays.fill(padded, input.length, padded.length, (byte) '9');
    Map<String, Long> found = new TreeMap<>();
    for (byte[] bytes : List.of(input, padded)) {
      check(found, "rfc3339", TimeParser.rfc3339(bytes, 0, input.length));
      check(found, "clf", TimeParser.clf(bytes, 0, input.length));
      check(found, "epoch", EpochText.nanos(bytes, 0, input.length, EpochText.AUTO));
      check(found, "dateTime", TimeParser.dateTime(bytes, 0, input.length, ','));
    }
    long nanos = found.getOrDefault("rfc3339", TimeParser.NONE);
    if (nanos >= 0) {
      Instant instant = Instant.EPOCH.plusNanos(nanos);
      byte[] text = instant.atOffset(ZoneOffset.UTC).toString().getBytes(StandardCharsets.US_ASCII);
      if (text.length > 20 && TimeParser.rfc3339(text, 0, text.length) != nanos) {
        throw new AssertionError(instant + " is not " + nanos);
      }
    }
  }

  private static void check(Map<String, Long> found, String reader, long nanos) {
    Long before = found.put(reader, nanos);
    if (before != null && before != nanos) {
      throw new AssertionError("%s gives %d and %d".formatted(reader, before, nanos));
    }
  }
}
