package io.widerow.ingest.receive.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.receive.prometheus.Messages.fraction;
import static io.widerow.ingest.receive.prometheus.Messages.fractions;
import static io.widerow.ingest.receive.prometheus.Messages.labels;
import static io.widerow.ingest.receive.prometheus.Messages.sample;
import static io.widerow.ingest.receive.prometheus.Messages.series;
import static io.widerow.ingest.receive.prometheus.Messages.seriesTwo;
import static io.widerow.ingest.receive.prometheus.Messages.span;
import static io.widerow.ingest.receive.prometheus.Messages.zigzag;
import static io.widerow.ingest.receive.prometheus.Messages.zigzags;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.series.SeriesCache;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: samples and histograms of both versions are stored by the mapping, and a series that was
/// seen before gives the same events. Method: messages written field by field; random requests,
/// decoded with a cache and without, in both versions.
class RemoteWriteTest {
  private static Decoding.Result one(byte[]... parts) {
    return of(false, join(parts), null);
  }

  private static Decoding.Result of(boolean two, byte[] body, @Nullable SeriesCache cache) {
    return Decoding.of(
        body, (in, limit, batch) -> RemoteWriteFuzz.decode(two, in, limit, batch, cache));
  }

  /// The only event.
  private static String only(Decoding.Result result) {
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    assertEquals(1, result.stored().size());
    return all(result).getFirst();
  }

  private static List<String> all(Decoding.Result result) {
    return result.stored().stream()
        .map(event -> event.type() + " " + event.timeNanos() + " " + event.attributes())
        .toList();
  }

  static byte[] wholeHistogram(int field) {
    return message(
        field,
        number(1, 12),
        fraction(3, 18.4),
        zigzag(4, 1),
        fraction(5, 0.001),
        number(6, 2),
        span(8, 0, 1),
        zigzags(9, 3),
        span(11, -1, 2),
        span(11, 1, 2),
        zigzags(12, 1, 1, -1, 0),
        number(14, 2),
        number(15, 1_000));
  }

  static byte[] fractionalHistogram(int field) {
    return message(
        field,
        fraction(2, 12.5),
        fraction(3, Double.POSITIVE_INFINITY),
        zigzag(4, -53),
        fraction(7, 0.5),
        span(11, 0, 2),
        fraction(13, 1.25), // not packed
        fractions(13, 2),
        fractions(16, 0.5, 1, 2.5),
        number(15, 1_000),
        number(17, 400));
  }

  @Test
  void aSampleIsAnEvent() {
    byte[] labels = labels("__name__", "up", "instance", "a:1", "job", "x y");
    String wanted = "up 1767323045123000000 {instance=a:1, job=x y, value=";
    assertEquals(wanted + "1.5}", only(one(series(labels, sample(1.5, 1_767_323_045_123L)))));
    assertEquals(wanted + "0.0}", only(one(series(labels, sample(0, 1_767_323_045_123L)))));
    assertEquals(wanted + "-0.0}", only(one(series(labels, sample(-0.0, 1_767_323_045_123L)))));
    for (double value : List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)) {
      byte[] body = series(labels, sample(value, 1_767_323_045_123L));
      assertEquals(wanted + value + "}", only(one(body)));
    }
    byte[] stale = series(labels, sample(Messages.STALE, 1_767_323_045_123L));
    assertEquals("up 1767323045123000000 {instance=a:1, job=x y, stale=true}", only(one(stale)));
  }

  @Test
  void symbolsMayFollowTheSeries() {
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] series =
        seriesTwo(
            symbols.labels("__name__", "up", "instance", "a:1"),
            message(2, fraction(1, 2), number(2, 1_000), number(3, 400)));
    for (byte[] body : List.of(join(symbols.table(), series), join(series, symbols.table()))) {
      assertEquals(
          "up 1000000000 {instance=a:1, start=400000000, value=2.0}", only(of(true, body, null)));
    }
    byte[] older = // Prometheus up to 3.7
        seriesTwo(symbols.labels("__name__", "up"), number(6, 400), sample(2, 1_000));
    assertEquals(
        "up 1000000000 {start=400000000, value=2.0}",
        only(of(true, join(symbols.table(), older), null)));
  }

  @Test
  void histogramsKeepWhatWasSent() {
    byte[] name = labels("__name__", "h");
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] nameTwo = symbols.labels("__name__", "h");
    String whole =
        "h 1000000000 {count=12, negative=[3], negative_spans=[[0,1]], positive=[1,1,-1,0],"
            + " positive_spans=[[-1,2],[1,2]], reset_hint=2, schema=1, sum=18.4, zero_count=2,"
            + " zero_threshold=0.001}";
    assertEquals(whole, only(one(series(name, wholeHistogram(4)))));
    byte[] two = join(seriesTwo(nameTwo, wholeHistogram(3)), symbols.table());
    assertEquals(whole, only(of(true, two, null)));
    String fractional =
        "h 1000000000 {count=12.5, custom_values=[0.5,1,2.5], positive_counts=[1.25,2],"
            + " positive_spans=[[0,2]], schema=-53, start=400000000, sum=Infinity,"
            + " zero_count=0.5, zero_threshold=0.0}";
    two = join(seriesTwo(nameTwo, fractionalHistogram(3)), symbols.table());
    assertEquals(fractional, only(of(true, two, null)));
    assertEquals(fractional, only(one(series(fractionalHistogram(4), name))));
    byte[] stale = message(4, fraction(3, Messages.STALE), number(15, 1_000));
    assertEquals("h 1000000000 {stale=true}", only(one(series(name, stale))));
    byte[] large = message(4, number(1, -1), number(15, 1_000));
    assertTrue(only(one(series(name, large))).contains("count=18446744073709551615,"));
  }

  @Test
  void aNameThatIsTakenGetsThePrefixOfLabels() {
    byte[] taken =
        labels("__name__", "m", "count", "c", "id", "i", "stale", "s", "ts", "t", "type", "u");
    assertEquals(
        "m 1000000000 {count=c, label.id=i, label.ts=t, label.type=u, label.value=v, stale=s,"
            + " value=1.0}",
        only(one(series(taken, labels("value", "v"), sample(1, 1_000)))));
    assertEquals(
        "m 1000000000 {count=c, label.id=i, label.stale=s, label.ts=t, label.type=u, stale=true}",
        only(one(series(taken, sample(Messages.STALE, 1_000)))));
  }

  /// A sample has a time, and proto3 omits zeros.
  @Test
  void aTimeThatIsAbsentIs1970() {
    byte[] body = series(labels("__name__", "m"), sample(1, 0), sample(2, 0), sample(3, 1));
    Decoding.Result result = of(false, body, new SeriesCache());
    assertEquals(
        List.of("m 0 {value=1.0}", "m 0 {value=2.0}", "m 1000000 {value=3.0}"), all(result));
    assertTrue(result.ownTimes());
  }

  @Test
  void labelsMayStandAnywhere() {
    byte[] body =
        series(labels("b", "2"), sample(1, 1_000), labels("__name__", "m"), labels("a", "1"));
    SeriesCache cache = new SeriesCache();
    for (int i = 0; i < 3; i++) {
      assertEquals("m 1000000000 {a=1, b=2, value=1.0}", only(of(false, body, cache)));
    }
  }

  @Test
  void exemplarsAreEventsOfTheirSeries() {
    byte[] name = labels("__name__", "m", "job", "a");
    byte[] exemplar = message(3, labels("trace_id", "t"), fraction(2, 1.5), number(3, 7));
    Decoding.Result result = one(series(name, exemplar, sample(1, 9)), series(name), new byte[0]);
    assertEquals(0, result.refused().count());
    assertEquals(
        List.of(
            "m 9000000 {job=a, value=1.0}", "m 7000000 {exemplar=1.5, exemplar.trace_id=t, job=a}"),
        all(result));
    Decoding.Result bad = one(series(name, message(3, number(1, 1)), sample(1, 9)));
    assertEquals(List.of("m 9000000 {job=a, value=1.0}"), all(bad));
    assertEquals(0, bad.refused().count());
  }

  @Test
  void aRequestThatRepeatsALargeSymbolCannotGrow() {
    Messages.Symbols symbols = new Messages.Symbols();
    List<byte[]> parts = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      parts.add(
          seriesTwo(
              symbols.labels("__name__", "m", "a", "v".repeat(500_000)),
              sample(1, 1_000),
              sample(1, 2_000)));
    }
    parts.add(symbols.table());
    Decoding.Result result = of(true, join(parts.toArray(byte[][]::new)), null);
    assertEquals(2_000, result.stored().size() + result.refused().count());
    assertTrue(result.stored().size() < 150, "in 64 MiB: " + result.stored().size());
    assertTrue(result.refused().lastReason().contains("in the request so far"));
  }

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  /// One request of both versions.
  private static final class Both {
    final byte[] one;
    final byte[] two;

    Both(byte[] one, byte[] two) {
      this.one = one;
      this.two = two;
    }

    static Both random(SplittableRandom random) {
      List<byte[]> ones = new ArrayList<>();
      List<byte[]> twos = new ArrayList<>();
      Messages.Symbols symbols = new Messages.Symbols();
      int count = random.nextInt(1, 30);
      for (int i = 0; i < count; i++) {
        String[] labels = new String[2 + 2 * random.nextInt(4)];
        labels[0] = "__name__";
        labels[1] = "m" + random.nextInt(4);
        for (int at = 2; at < labels.length; at += 2) {
          labels[at] = List.of("a", "b", "type", "value").get(random.nextInt(4));
          labels[at + 1] = "v".repeat(random.nextInt(12));
        }
        byte[] itemsOne = new byte[0];
        byte[] itemsTwo = new byte[0];
        for (int item = random.nextInt(3); item >= 0; item--) {
          boolean histogram = random.nextInt(8) == 0;
          byte[] sample =
              sample(random.nextInt(8) == 0 ? Messages.STALE : i, random.nextLong(-10, 10_000));
          itemsOne = join(itemsOne, histogram ? wholeHistogram(4) : sample);
          itemsTwo = join(itemsTwo, histogram ? wholeHistogram(3) : sample);
        }
        ones.add(series(labels(labels), itemsOne));
        twos.add(seriesTwo(symbols.labels(labels), itemsTwo));
      }
      twos.add(random.nextInt(twos.size()), symbols.table());
      return new Both(join(ones.toArray(byte[][]::new)), join(twos.toArray(byte[][]::new)));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aKnownSeriesAndTheOtherVersionGiveTheSameEvents(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SeriesCache cacheOfOne = new SeriesCache();
    SeriesCache cacheOfTwo = new SeriesCache();
    for (int request = 0; request < 50; request++) {
      Both both = Both.random(random);
      Decoding.Result plain = of(false, both.one, null);
      assertAlike(plain, of(false, both.one, cacheOfOne));
      assertAlike(plain, of(true, both.two, null));
      assertAlike(plain, of(true, both.two, cacheOfTwo));
    }
    assertTrue(cacheOfOne.heldBytes() > 0 && cacheOfTwo.heldBytes() > 0);
  }

  private static void assertAlike(Decoding.Result a, Decoding.Result b) {
    assertEquals(a.stored().toString(), b.stored().toString());
    assertEquals(a.refused().count(), b.refused().count());
    for (int i = 0; i < a.refused().count(); i++) {
      assertEquals(a.refused().index(i), b.refused().index(i));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void descriptionsAreCollectedOnce(boolean known) {
    MetadataTable table = new MetadataTable(Path.of("absent"));
    Descriptions descriptions = new Descriptions(table);
    byte[] text =
        "latency_bucketseconds of a call\0\0\0\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 2; i++) {
      descriptions.begin(text);
      for (int repeat = 0; repeat < 2; repeat++) {
        descriptions.clear();
        descriptions.name(0, 14);
        descriptions.unit(14, 7);
        descriptions.help(14, 17);
        assertEquals("", descriptions.end(3, known));
      }
      assertEquals(1, descriptions.unknown().size());
      assertEquals(
          known ? "latency" : "latency_bucket", descriptions.unknown().iterator().next().name());
    }
  }
}
