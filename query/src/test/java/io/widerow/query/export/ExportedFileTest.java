package io.widerow.query.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.query.QueryException;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import io.widerow.questions.HostileEvents;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: the text formats have all of an event, and a file of another program is refused. Method:
/// events with every kind of value, written and read back; small files by hand.
class ExportedFileTest {
  private static final String EVENT =
      "{\"id\":\"b12ef090-0d11-11ec-8100-000000000001\",\"ts\":\"2021-09-03T21:49:13.113100000Z\","
          + "\"type\":\"t\"}\n";

  private static ExportedFile open(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ExportedFile.text("f", new BufferedInputStream(new ByteArrayInputStream(bytes)));
  }

  /// Returns the findings: events in the form that is compared, or the number of a line and why it
  /// is not an event.
  private static List<String> read(String text) throws IOException {
    List<String> found = new ArrayList<>();
    OutputBuffer line = new OutputBuffer(1 << 10);
    try (ExportedFile file = open(text)) {
      while (true) {
        line.clear();
        switch (file.next(line)) {
          case END -> {
            return found;
          }
          case BAD -> found.add(file.number() + ": " + file.reason());
          case EVENT -> {
            var event = new LineEvent(JsonLine.parse(line.toString().strip()));
            found.add(HostileEvents.text(event));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"csv", "ndjson"})
  void fileHasAllOfItsEvents(ExportFormat format) throws IOException {
    List<LineEvent> events = HostileEvents.of(9, 500);
    OutputBuffer out = new OutputBuffer(1 << 16);
    try (EventWriter writer = format.writer()) {
      writer.begin(out);
      events.forEach(event -> writer.event(event, out));
    }
    assertEquals(events.stream().map(HostileEvents::text).toList(), read(out.toString()));
  }

  @Test
  void endOfAnAnswerIsNoEvent() throws IOException {
    assertEquals(1, read(EVENT + "\n{\"token\":\"w1.x\"}\n").size());
    assertEquals(
        "2: the export ended here with an error: {\"error\":\"why\"}",
        read(EVENT + "{\"error\":\"why\"}\n").getLast());
    assertEquals(
        List.of("2: the export ended here with an error: why"),
        read("id,ts,type,body,attributes\r\nerror,why\r\n"));
    assertEquals(List.of(), read(""));
  }

  @Test
  void fileOfAnotherProgramIsRefused() {
    for (String other : List.of("id,ts,type,body\n", "{\"a\":1}\n", "x", "{\n", "\0\0\0\0")) {
      assertThrows(QueryException.Refused.class, () -> read(other), other);
    }
  }
}
