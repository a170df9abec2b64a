package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a line means what InfluxDB's documentation says it means, whatever lines came before it.
/// Method: examples from there; random lines that are alike, together and each alone.
class LineProtocolDecoderTest {
  private static List<MemoryStore.Stored> decode(String lines) {
    return Decoding.of(
            lines, (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch))
        .stored();
  }

  @Test
  void kindsAndEscapes() {
    assertEquals(
        "[Stored[type=cpu, timeNanos=1434055562000000000, ownId=null, attributes={count=3,"
            + " host=a b, note=a \"b\" \\ \\n, ok=true, usage=0.5}]]",
        decode(
                "cpu,host=a\\ b usage=0.5,count=3i,note=\"a \\\"b\\\" \\\\ \\n\",ok=t"
                    + " 1434055562000000000\n")
            .toString());
  }

  @Test
  void namesWithEscapes() {
    assertEquals(
        "{a,b=1.0, k=e=x y}",
        decode("my\\,type,k\\=e=x\\ y a\\,b=1 5").get(0).attributes().toString());
    assertEquals("my,type", decode("my\\,type,k\\=e=x\\ y a\\,b=1 5").get(0).type());
  }

  @Test
  void stringsMayHoldNewlines() {
    assertEquals("{s=a\nb}", decode("m s=\"a\nb\" 5\n").get(0).attributes().toString());
  }

  @Test
  void numbers() {
    assertEquals(
        "{a=1.0, b=-1.5, c=1000.0, d=0.5, e=-9223372036854775808, f=9223372036854775807, g=7}",
        decode("m a=1,b=-1.5,c=1e3,d=.5,e=-9223372036854775808i,f=9223372036854775807i,g=7u 1")
            .get(0)
            .attributes()
            .toString());
  }

  @Test
  void aQuoteThatNeverEndsCostsItsLineOnly() {
    Decoding.Result result =
        Decoding.of(
            "a s=\"x 1\nb v=2 2\n# c\n\nc v=3 3",
            (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch));
    assertEquals(2, result.stored().size());
    assertEquals(1, result.refused().count());
    assertNotNull(result.refused().reason(0));
  }

  @Test
  void aNameAsLongAsABodyIsNotCopied() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int length = 16 << 20;
    long[] taken = new long[1];
    Decoding.Result result =
        Decoding.of(
            "m a=1 1\nm " + "n".repeat(length) + "=1 2\nm a=2 3\n",
            (body, limit, batch) -> {
              long before = threads.getCurrentThreadAllocatedBytes();
              new LineProtocolDecoder(1).decode(body, 0, limit, batch);
              taken[0] = threads.getCurrentThreadAllocatedBytes() - before;
            });
    assertEquals(2, result.stored().size());
    assertEquals(1, result.refused().count());
    assertTrue(taken[0] < length, taken[0] + " bytes");
  }

  /// A line that is not as the one before, or only looks so, means what it means alone.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void linesMeanWhatTheyMeanAlone(long seed) {
    var random = new Random(seed);
    List<String> words =
        List.of("a", "ab", "b", "a\\=b", "a=b", "a\\ b", "b\\,a", "b,a", "usage_guest", "a\\", "");
    List<String> values = List.of("1", "2i", "t", "\"x y\"", "\"\u00ff\"", "7.25", "", "x=1", "-");
    StringBuilder body = new StringBuilder();
    List<MemoryStore.Stored> alone = new ArrayList<>();
    List<Integer> picks = new ArrayList<>();
    for (int line = 0; line < 500; line++) {
      if (picks.isEmpty() || random.nextInt(4) == 0) {
        picks.clear();
        for (int left = 1 + random.nextInt(5); left > 0; left--) {
          picks.add(random.nextInt(random.nextInt(6) == 0 ? words.size() : 4));
        }
      }
      StringBuilder text = new StringBuilder("m");
      int tags = random.nextInt(picks.size());
      for (int i = 0; i < picks.size(); i++) {
        String word = words.get(picks.get(i));
        text.append(i == tags ? ' ' : ',').append(word).append('=');
        int value = random.nextInt(random.nextInt(6) == 0 ? values.size() : 4);
        text.append(i < tags ? "v" + line % 7 : values.get(value));
      }
      text.append(' ').append(line).append('\n');
      body.append(text);
      alone.addAll(decode(text.toString()));
    }
    assertTrue(alone.size() > 100 && alone.size() < 500, alone.size() + " are taken");
    assertEquals(alone, decode(body.toString()));
  }
}
