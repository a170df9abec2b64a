package io.widerow.query.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.RecordView;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the bytes of every output format stay as documented. Method: one event with a value of
/// every kind and every character that must be escaped, against text written by hand.
class OutputGoldenTest {
  private static final long TIME = 1_763_666_100_000_000_001L; // 2025-11-20T19:15:00.000000001Z
  private static final String BODY =
      "say \"hi\"\\ \u001b[31m\u007f\u0085 grüße 🙂 0123456789\t\r\n";

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static EventBatch batch() {
    var batch = new EventBatch(1 << 10, 1 << 20);
    batch.begin(utf8("app"), 0, 3, TIME);
    batch.putString(utf8("body"), 0, 4, utf8(BODY));
    batch.putString(utf8("id"), 0, 2, utf8("=1+1"));
    batch.putLong(utf8("long"), 0, 4, Long.MIN_VALUE);
    batch.putDouble(utf8("double"), 0, 6, 0.1);
    batch.putDouble(utf8("whole"), 0, 5, -200);
    batch.putDouble(utf8("nan"), 0, 3, Double.NaN);
    batch.putBoolean(utf8("truth"), 0, 5, true);
    batch.putBytes(utf8("bytes"), 0, 5, new byte[] {-1, 0, 1}, 0, 3);
    assertEquals(null, batch.end());
    return batch;
  }

  private static String write(EventWriter writer) {
    try (EventBatch batch = batch()) {
      var sink = new OutputBuffer(8);
      writer.begin(sink);
      writer.event(new RecordView().show(batch.memory(), 0), sink);
      return sink.toString();
    }
  }

  private static String id() {
    return EventId.leastOf(TIME).toString();
  }

  @Test
  void jsonLine() {
    String line = write(new JsonLinesWriter(ZoneOffset.UTC));
    assertEquals(
        "{\"id\":\""
            + line.substring(7, 43)
            + "\",\"ts\":\"2025-11-20T19:15:00.000000001Z\",\"type\":\"app\",\"body\":\"say"
            + " \\\"hi\\\"\\\\ \\u001b[31m\\u007f\\u0085 grüße 🙂 0123456789\\t\\r\\n\","
            + "\"bytes\":\"/wAB\",\"double\":0.1,\"attributes.id\":\"=1+1\","
            + "\"long\":-9223372036854775808,\"nan\":\"NaN\",\"truth\":true,\"whole\":-200.0}\n",
        line);
    assertEquals(id().substring(0, 18), line.substring(7, 25));
    var read = new LineEvent(JsonLine.parse(line.strip()));
    var again = new OutputBuffer(8);
    new JsonLinesWriter(ZoneOffset.UTC).event(read, again);
    assertEquals(line, again.toString(), "a client that parses a line writes the same line");
  }

  @Test
  void zoneGivesItsOffset() {
    String line = write(new JsonLinesWriter(ZoneId.of("Asia/Kolkata")));
    assertEquals("2025-11-21T00:45:00.000000001+05:30", line.substring(51, 86));
  }

  @Test
  void csvQuotesAndGuardsFormulas() {
    var fields = List.of(AttributeName.of("id"), AttributeName.BODY, AttributeName.of("whole"));
    String[] parts = write(new CsvWriter(ZoneOffset.UTC, fields, true)).split("\r\n", 2);
    assertEquals("id,ts,type,attributes.id,body,whole", parts[0]);
    assertEquals(
        "2025-11-20T19:15:00.000000001Z,app,'=1+1,\""
            + BODY.replace("\"", "\"\"")
            + "\",-200.0\r\n",
        parts[1].substring(37));
    assertEquals(
        parts[1].replace("'=1+1", "=1+1"),
        write(new CsvWriter(ZoneOffset.UTC, fields)).split("\r\n", 2)[1],
        "exact unless it is for a spreadsheet");
  }

  @Test
  void rawIsByteExactInPipesAndEscapedOnTerminals() {
    var pipe = new TextWriter(TextWriter.Style.RAW, ZoneOffset.UTC, null, false, false);
    assertEquals(BODY + "\n", write(pipe));
    for (TextWriter.Style style : TextWriter.Style.values()) {
      String shown = write(new TextWriter(style, ZoneOffset.UTC, null, true, false));
      assertFalse(shown.strip().chars().anyMatch(Character::isISOControl), shown);
    }
  }

  @Test
  void logfmtAndTable() {
    var fields = List.of(AttributeName.of("id"), AttributeName.of("long"));
    assertEquals(
        "ts=2025-11-20T19:15:00.000000001Z type=app id=\"=1+1\" long=-9223372036854775808\n",
        write(new TextWriter(TextWriter.Style.LOGFMT, ZoneOffset.UTC, fields, false, false)));
    assertEquals(
        "2025-11-20T19:15:00.000000001Z app            id=\"=1+1\" long=-9223372036854775808\n",
        write(new TextWriter(TextWriter.Style.TABLE, ZoneOffset.UTC, fields, true, false)));
  }
}
