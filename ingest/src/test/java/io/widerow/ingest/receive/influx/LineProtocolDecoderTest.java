package io.widerow.ingest.receive.influx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.series.SeriesCache;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a line is decoded as InfluxDB documents it, after any other lines. Method: examples from
/// the documentation; random similar lines, decoded together and each alone.
class LineProtocolDecoderTest {
  private static List<MemoryStore.Stored> decode(String lines) {
    return decode(lines, null);
  }

  private static List<MemoryStore.Stored> decode(String lines, @Nullable SeriesCache series) {
    return of(lines, series).stored();
  }

  private static Decoding.Result of(String lines, @Nullable SeriesCache series) {
    return Decoding.of(
        lines,
        (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch, series));
  }

  @Test
  void kindsAndEscapes() {
    assertEquals(
        "[Stored[type=cpu, timeNanos=1434055562000000000, ownId=null, attributes={count=3,"
            + " host=a b, note=a \"b\" \\ \\n, ok=true, usage=0.5, widerow.labels=host}]]",
        decode(
                "cpu,host=a\\ b usage=0.5,count=3i,note=\"a \\\"b\\\" \\\\ \\n\",ok=t"
                    + " 1434055562000000000\n")
            .toString());
  }

  /// Telegraf drops a batch of which a line is refused.
  @Test
  void aTagAndAFieldOfOneNameAreBothKept() {
    String lines = "m,a=x,host=h a=1,b=2 1\nm,a=y,host=h a=2,b=3 2\nm,a=y host=1,b=3 3\n";
    for (SeriesCache series : new SeriesCache[] {null, new SeriesCache()}) {
      for (int again = 0; again < 2; again++) {
        Decoding.Result result = of(lines, series);
        assertEquals(0, result.refused().count());
        assertEquals(
            List.of(
                "{a=1.0, b=2.0, host=h, tag.a=x, widerow.labels=*}",
                "{a=2.0, b=3.0, host=h, tag.a=y, widerow.labels=*}",
                "{a=y, b=3.0, host=1.0, widerow.labels=*}"),
            result.stored().stream().map(event -> event.attributes().toString()).toList());
      }
    }
    assertEquals(
        "{f=1.0, f.2=2.0, id=t, widerow.labels=*}",
        decode("m,id=t f=1,f=2 1").get(0).attributes().toString());
    assertEquals(
        "{a=1, tag.a=2, type=q, v=1.0, widerow.labels=*}",
        decode("m,a=1,a=2,type=q v=1 1").get(0).attributes().toString());
  }

  @Test
  void namesWithEscapes() {
    assertEquals(
        "{a,b=1.0, k=e=x y, widerow.labels=*}",
        decode("my\\,type,k\\=e=x\\ y a\\,b=1 5").get(0).attributes().toString());
    assertEquals("my,type", decode("my\\,type,k\\=e=x\\ y a\\,b=1 5").get(0).type());
  }

  @Test
  void stringsMayHoldNewlines() {
    assertEquals(
        "{s=a\nb, widerow.labels=}", decode("m s=\"a\nb\" 5\n").get(0).attributes().toString());
  }

  /// All texts are tags, unless a field is a text.
  @Test
  void theTagsAreNamed() {
    assertEquals(
        List.of("*", "b,a", "*", "", "*"),
        decode("m,b=1,a=2 v=1 1\nm,b=1,a=2 v=1,s=\"x\" 1\nm,b=1,a=2 v=1 2\nm s=\"x\" 1\nm v=1 1")
            .stream()
            .map(event -> String.valueOf(event.attributes().get("widerow.labels")))
            .toList());
  }

  @Test
  void numbers() {
    assertEquals(
        "{a=1.0, b=-1.5, c=1000.0, d=0.5, e=-9223372036854775808, f=9223372036854775807, g=7,"
            + " widerow.labels=*}",
        decode("m a=1,b=-1.5,c=1e3,d=.5,e=-9223372036854775808i,f=9223372036854775807i,g=7u 1")
            .get(0)
            .attributes()
            .toString());
  }

  /// What no double holds is kept as its digits.
  @Test
  void numbersOutOfRange() {
    assertEquals(
        "{a=1e-400, b=-1e999, c=0.0, d=-0.0, e=1.0E-300, f=0.%s1, widerow.labels=}"
            .formatted("0".repeat(330)),
        decode(
                "m a=1e-400,b=-1e999,c=0e-400,d=-0.0e9,e=1e-300,f=0.%s1 1"
                    .formatted("0".repeat(330)))
            .get(0)
            .attributes()
            .toString());
  }

  @Test
  void aQuoteThatNeverEndsCostsItsLineOnly() {
    Decoding.Result result =
        Decoding.of(
            "a s=\"x 1\nb v=2 2\n# c\n\nc v=3 3",
            (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch, null));
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
              new LineProtocolDecoder(1).decode(body, 0, limit, batch, null);
              taken[0] = threads.getCurrentThreadAllocatedBytes() - before;
            });
    assertEquals(2, result.stored().size());
    assertEquals(1, result.refused().count());
    assertTrue(taken[0] < length, taken[0] + " bytes");
  }

  /// A line that differs from the previous one, or only resembles it, means the same as alone.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void linesMeanTheSameTogetherAndAlone(long seed) {
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
    assertTrue(alone.size() > 100 && alone.size() < 500, alone.size() + " lines are good");
    assertEquals(alone, decode(body.toString()));
    SeriesCache series = new SeriesCache();
    assertEquals(alone, decode(body.toString(), series));
    assertEquals(alone, decode(body.toString(), series));
  }

  /// A line of a known series may have other fields than before, or more.
  @Test
  void aKnownSeriesMayChangeItsFields() {
    List<String> lines =
        List.of(
            "m,h=a x=1i,y=2.5,z=t 1",
            "m,h=a x=-9i,y=-0.25,z=f 2",
            "m,h=a x=1i,y=2.5,z=t", // arrives now
            "m,h=a  x=3i,y=4,z=true \t 3\r",
            "m,h=a y=2.5,x=1i,z=t 4",
            "m,h=a x=1i,y=2.5 5",
            "m,h=a x=1i,y=2.5,z=t,zz=1i 6",
            "m,h=a x=1.5,y=2.5,z=t 7",
            "m,h=a x=1i,y=2i,z=t 8",
            "m,h=a x=1i,y=t,z=2.5 9",
            "m,h=a x=\"1i\",y=\"\",z=\"t\" 10",
            "m,h=a x=999999999999999999i,y=1e3,z=F 11",
            "m,h=a x=9223372036854775807i,y=1e-3,z=T 12",
            "m,h=a x=-9223372036854775808i,y=.5,z=T 13",
            "m,h=a x=9223372036854775808i,y=2.5,z=t 14",
            "m,h=a x=5u,y=2.5,z=t 15",
            "m,h=a x=1i,y=1e999,z=t 16",
            "m,h=a x=1i,y=2.5,z=maybe 17",
            "m,h=a x=1i,y=2.5,z=t later",
            "m,h=a x=1i,y=2.5,z=t 99999999999999999999",
            "m,h=a x=1i,y=2.5,z=t 18 19",
            "m,h=a x=i,y=2.5,z=t 20",
            "m,h=a x=1i,y=2.5,z= 21",
            "m,h=a x=1i,y=2.5,z",
            "m,h=a x=1i,y=2.5,",
            "m,h=a x=1i",
            "m,h=a x",
            "m,h=a ",
            "m,h=a",
            "m,h=a\\ x=1i,y=2.5,z=t 22",
            "m,h=a,h=a x=1i,y=2.5,z=t 23",
            "m,h=ab x=1i,y=2.5,z=t 24",
            "m,h=a x=1i,y=2.5,z=t 25");
    for (String end : List.of("\n", "")) {
      for (String line : lines) {
        SeriesCache series = new SeriesCache();
        assertEquals(1, decode(lines.getFirst() + "\n", series).size());
        String text = line + end;
        assertEquals(reasons(text, null), reasons(text, series), text);
        assertEquals(decode(text), decode(text, series), text);
        assertEquals(decode(text), decode(text, series), text);
      }
    }
    SeriesCache series = new SeriesCache();
    String all = String.join("\n", lines);
    assertEquals(decode(all), decode(all, series));
    assertEquals(reasons(all, null), reasons(all, series));
  }

  @Test
  void moreSeriesThanThereArePlacesCostBoundedMemory() {
    SeriesCache series = new SeriesCache();
    StringBuilder few = new StringBuilder();
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 30_000; i++) {
      String tags = "m,host=h" + i + ",label=" + "x".repeat(i % 900);
      many.append(tags).append(" v=").append(i).append("i ").append(i).append('\n');
      few.append("m,host=h").append(i % 100).append(" v=2i ").append(i).append('\n');
    }
    for (int round = 0; round < 3; round++) {
      assertEquals(decode(many.toString()), decode(many.toString(), series));
      assertTrue(series.heldBytes() <= SeriesCache.BYTES_MAX, series.heldBytes() + " bytes");
      assertEquals(decode(few.toString()), decode(few.toString(), series));
    }
    assertTrue(series.heldBytes() > SeriesCache.BYTES_MAX / 4, series.heldBytes() + " bytes");
  }

  private static List<String> reasons(String lines, @Nullable SeriesCache series) {
    Refusals refused = of(lines, series).refused();
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < refused.count(); i++) {
      reasons.add(refused.index(i) + " " + refused.reason(i));
    }
    return reasons;
  }
}
