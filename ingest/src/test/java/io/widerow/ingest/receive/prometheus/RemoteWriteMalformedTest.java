package io.widerow.ingest.receive.prometheus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufBytes;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.series.SeriesCache;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a bad series is refused with its field and where that is, and its neighbours are stored; a
/// message that does not hold together is refused as a whole. Method: a corpus of bad series, each
/// between two good ones, with and without a series cache that knows the good ones; and of bad
/// messages.
class RemoteWriteMalformedTest {
  private static final Messages.Symbols SYMBOLS = new Messages.Symbols();
  private static final List<RemoteWriteCases.Case> OF_TWO = RemoteWriteCases.ofTwo(SYMBOLS);

  static List<RemoteWriteCases.Case> one() {
    return RemoteWriteCases.ofOne();
  }

  static List<RemoteWriteCases.Case> two() {
    return OF_TWO;
  }

  static List<RemoteWriteCases.Case> wholeOne() {
    return RemoteWriteCases.whole(false);
  }

  static List<RemoteWriteCases.Case> wholeTwo() {
    return RemoteWriteCases.whole(true);
  }

  @Test
  void thereAreEnough() {
    assertTrue(one().size() >= 50, "1.0: " + one().size());
    assertTrue(two().size() + wholeTwo().size() >= 50, "2.0: " + two().size());
  }

  @ParameterizedTest
  @MethodSource("one")
  void badSeriesOfOneCostsItselfOnly(RemoteWriteCases.Case bad) {
    byte[] good = Messages.series(Messages.labels("__name__", "good"), Messages.sample(1, 1_000));
    assertRefused(false, ProtobufBytes.join(good, Messages.series(bad.content()), good));
  }

  @ParameterizedTest
  @MethodSource("two")
  void badSeriesOfTwoCostsItselfOnly(RemoteWriteCases.Case bad) {
    byte[] good = Messages.seriesTwo(SYMBOLS.labels("__name__", "good"), Messages.sample(1, 1_000));
    byte[] series = ProtobufBytes.join(good, Messages.seriesTwo(bad.content()), good);
    assertRefused(true, ProtobufBytes.join(SYMBOLS.table(), series));
    assertRefused(true, ProtobufBytes.join(series, SYMBOLS.table()));
  }

  static List<RemoteWriteCases.Case> badlyDescribed() {
    return RemoteWriteCases.badlyDescribed(SYMBOLS);
  }

  @ParameterizedTest
  @MethodSource("badlyDescribed")
  void aBadDescriptionCostsNoSample(RemoteWriteCases.Case bad) {
    byte[] body = ProtobufBytes.join(SYMBOLS.table(), Messages.seriesTwo(bad.content()));
    Decoding.Result result =
        Decoding.of(body, (in, limit, batch) -> decode(true, in, limit, batch, null));
    assertEquals(0, result.refused().count());
    assertEquals("good", result.stored().getFirst().type());
    assertEquals("{value=1.0}", result.stored().getFirst().attributes().toString());
  }

  private static void assertRefused(boolean two, byte[] body) {
    SeriesCache cache = new SeriesCache();
    assertRefused(Decoding.of(body, (in, limit, to) -> decode(two, in, limit, to, null)));
    for (int i = 0; i < 2; i++) {
      assertRefused(Decoding.of(body, (in, limit, to) -> decode(two, in, limit, to, cache)));
    }
  }

  private static void decode(
      boolean two, byte[] body, int limit, IncomingBatch batch, @Nullable SeriesCache cache) {
    RemoteWriteFuzz.decode(two, body, limit, batch, cache);
  }

  private static void assertRefused(Decoding.Result result) {
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    for (MemoryStore.Stored stored : result.stored()) {
      assertEquals("good", stored.type());
      assertEquals(1_000_000_000L, stored.timeNanos());
      assertEquals("{value=1.0}", stored.attributes().toString());
    }
    assertEquals(1, result.refused().count());
    assertEquals(1, result.refused().index(0));
    String reason = result.refused().reason(0);
    assertTrue(reason.matches("field \\d+(: .+,)? at byte \\d+"), reason);
    assertTrue(reason.length() < 255, reason);
  }

  @ParameterizedTest
  @MethodSource("wholeOne")
  void badMessageOfOneIsRefusedAsAWhole(RemoteWriteCases.Case bad) {
    assertWhole(MessageVersion.ONE, bad.content());
  }

  @ParameterizedTest
  @MethodSource("wholeTwo")
  void badMessageOfTwoIsRefusedAsAWhole(RemoteWriteCases.Case bad) {
    assertWhole(MessageVersion.TWO, bad.content());
  }

  private static void assertWhole(MessageVersion version, byte[] message) {
    RemoteWriteDecoder decoder =
        new RemoteWriteDecoder(version, null, new MetadataTable(Path.of("absent")));
    byte[] body = Arrays.copyOf(message, message.length + Swar.SLACK_BYTES);
    try (EventBatch events = new EventBatch(1 << 10, 1 << 20)) {
      IncomingBatch batch = new IncomingBatch(events, 1);
      RequestRefused refused =
          assertThrows(
              RequestRefused.class, () -> decoder.decode(body, message.length, batch, null));
      assertEquals(400, refused.status().code());
      assertTrue(
          refused.reason().matches("the body is no \\S+: field \\d+(: .+,)? at byte \\d+"),
          refused.reason());
    }
  }
}
