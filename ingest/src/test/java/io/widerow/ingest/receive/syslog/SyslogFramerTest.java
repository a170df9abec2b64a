package io.widerow.ingest.receive.syslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.socket.StreamDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: no line ends a connection or takes the messages after it. Method: streams that mix counts,
/// lines and lines that look like counts, cut at every byte.
class SyslogFramerTest {
  private static final int FRAME_BYTES_MAX = 1 << 10;

  /// The messages of a stream whose first `cut` bytes arrive before the others. The rest at the end
  /// is the last.
  private static List<String> messages(String stream, int cut) {
    byte[] bytes = Arrays.copyOf(stream.getBytes(ISO_8859_1), stream.length() + Swar.SLACK_BYTES);
    SyslogFramer framer = new SyslogFramer(FRAME_BYTES_MAX);
    List<String> messages = new ArrayList<>();
    int at = 0;
    for (int end : new int[] {cut, stream.length()}) {
      int next = framer.next(bytes, at, end);
      while (next >= 0) {
        messages.add(new String(bytes, framer.offset, framer.limit - framer.offset, ISO_8859_1));
        at = next;
        next = framer.next(bytes, at, end);
      }
      if (next == StreamDecoder.BROKEN) {
        messages.add("BROKEN");
        return messages;
      }
    }
    if (at < stream.length()) {
      messages.add(stream.substring(at));
    }
    return messages;
  }

  private static void assertMessages(String stream, String... expected) {
    for (int cut = 0; cut <= stream.length(); cut++) {
      assertEquals(List.of(expected), messages(stream, cut), stream + " cut at " + cut);
    }
  }

  @Test
  void aLineMayBeginWithDigits() {
    assertMessages("120 requests served\n<34>1 - a\n", "120 requests served", "<34>1 - a");
    assertMessages(
        "2026-11-20T19:00:01Z no priority\n5 <34>x\n<1>b\n",
        "2026-11-20T19:00:01Z no priority",
        "<34>x",
        "",
        "<1>b");
    assertMessages("12\n7  <34>x\n3<34>\n", "12", "7  <34>x", "3<34>");
    assertMessages("12345678 <34>x\n<1>b\n", "12345678 <34>x", "<1>b");
    assertMessages("0 <34>x\r\n05 <34>x\n", "0 <34>x", "05 <34>x");
    assertMessages("7", "7");
    assertMessages("7 ", "7 ");
    assertMessages("1234567", "1234567");
    assertMessages("12345678", "12345678");
  }

  @Test
  void countedFramesAndLinesMayBeMixed() {
    assertMessages("6 <34>a\n5 <34>b<34>c\n5 <34>d", "<34>a\n", "<34>b", "<34>c", "<34>d");
    assertMessages("9 <34>1 1 <", "<34>1 1 <");
    assertMessages("9 <34>", "9 <34>"); // the connection ended
  }

  @Test
  void aFrameThatIsTooLongIsNone() {
    assertMessages("1024 <" + "x".repeat(1023) + "<1>b\n", "<" + "x".repeat(1023), "<1>b");
    assertMessages("1025 <34>x\n", "BROKEN");
    assertMessages("9999999 <34>x\n", "BROKEN");
  }
}
