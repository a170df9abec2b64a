package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.receive.graphite.GraphiteDecoder;
import io.widerow.ingest.receive.statsd.StatsdDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a bad line of metrics is refused with its field and where that is, and its neighbours are
/// stored. Method: a corpus of bad lines, each between two good ones, as [MalformedTest] has them.
class MalformedMetricsTest {
  private static final Set<String> OF_THE_BATCH =
      Stream.of(Rejection.values()).map(Rejection::reason).collect(Collectors.toSet());

  static List<String> badStatsd() {
    return MalformedTest.corpus("malformed.statsd");
  }

  static List<String> badGraphite() {
    return MalformedTest.corpus("malformed.graphite");
  }

  private static void statsd(byte[] body, int limit, IncomingBatch batch) {
    new StatsdDecoder().decode(body, 0, limit, batch);
  }

  private static void graphite(byte[] body, int limit, IncomingBatch batch) {
    new GraphiteDecoder().decode(body, 0, limit, batch);
  }

  @ParameterizedTest
  @MethodSource("badStatsd")
  void badStatsdCostsItsLineOnly(String bad) {
    for (String good : List.of("good:1|c|T1", "_e{4,1}:good|x|d:1", "_sc|good|0|d:1")) {
      assertRefused(good, bad, MalformedMetricsTest::statsd);
    }
  }

  @ParameterizedTest
  @MethodSource("badGraphite")
  void badGraphiteCostsItsLineOnly(String bad) {
    for (String good : List.of("good 1 1", "m;a=good 1 1")) {
      assertRefused(good, bad, MalformedMetricsTest::graphite);
    }
  }

  private static void assertRefused(String good, String bad, Decoding.Decoder decoder) {
    byte[] body =
        (good + "\n" + MalformedTest.expand(bad) + "\n" + good + "\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    Decoding.Result result = Decoding.of(body, decoder);
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    for (MemoryStore.Stored stored : result.stored()) {
      assertEquals(1_000_000_000L, stored.timeNanos());
      assertTrue(stored.toString().contains("good"), stored::toString);
    }
    assertEquals(1, result.refused().count());
    assertEquals(1, result.refused().index(0));
    String reason = result.refused().reason(0);
    assertTrue(
        reason.matches("(?s)[a-z ]+ at byte \\d+: .+") || OF_THE_BATCH.contains(reason), reason);
    assertTrue(reason.length() < 255, reason);
  }
}
