package io.widerow.ingest.receive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.Decoding.Decoder;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.fluent.FluentDecoding;
import io.widerow.ingest.receive.gelf.GelfDecoder;
import io.widerow.ingest.receive.graphite.GraphiteDecoder;
import io.widerow.ingest.receive.journald.JournalFuzz;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.splunk.HecDecoder;
import io.widerow.ingest.receive.statsd.StatsdDecoder;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a sender whose clock is ahead loses no event, where no response can report a refusal, or
/// drops refused events. Method: one event in each such protocol, at the last time that the store
/// takes, one second later, and before 1970; a daemon.
@Timeout(300)
class SenderTimeTest {
  private static final long SECOND = 1_000_000_000;
  private static final long LATEST = Decoding.ARRIVAL_NANOS + 600 * SECOND;

  /// An event in each protocol.
  @SuppressWarnings("ImmutableEnumChecker") // lambdas
  enum Protocol {
    SYSLOG_5424(
        (body, limit, batch) -> new SyslogDecoder(ZoneOffset.UTC).decode(body, 0, limit, batch),
        time -> "<34>1 " + Instant.ofEpochSecond(time) + " h a - - - x"),
    SYSLOG_3164(SYSLOG_5424.decoder, time -> "<34>" + Instant.ofEpochSecond(time) + " h a: x"),
    GELF(
        (body, limit, batch) -> new GelfDecoder(null).decode(body, 0, limit, batch),
        "{\"short_message\":\"x\",\"timestamp\":%d}"::formatted),
    STATSD(
        (body, limit, batch) -> new StatsdDecoder().decode(body, 0, limit, batch),
        "x:1|c|#sender_time:tag|T%d"::formatted),
    GRAPHITE(
        (body, limit, batch) -> new GraphiteDecoder().decode(body, 0, limit, batch),
        "x;a=b 1 %d"::formatted),
    FLUENT(
        FluentDecoding::decode,
        time -> {
          byte[] seconds = ByteBuffer.allocate(4).putInt((int) time).array();
          return "\u0093\u00a1t\u00ce"
              + new String(seconds, ISO_8859_1)
              + "\u0081\u00a1k\u00a1v\u00c0";
        }),
    DATADOG(DatadogFuzz::decode, "[{\"message\":\"x\",\"timestamp\":%d000}]"::formatted),
    HEC(
        (body, limit, batch) -> new HecDecoder(null).decode(body, 0, limit, batch),
        "{\"event\":\"x\",\"time\":%d}"::formatted),
    JOURNAL(
        JournalFuzz::decode, "__CURSOR=c\n__REALTIME_TIMESTAMP=%d000000\nMESSAGE=x\n\n"::formatted);

    private final Decoder decoder;
    private final LongFunction<String> text;

    Protocol(Decoder decoder, LongFunction<String> text) {
      this.decoder = decoder;
      this.text = text;
    }

    byte[] event(long seconds) {
      return text.apply(seconds).getBytes(ISO_8859_1);
    }

    /// The time, as the event has it.
    String given(long seconds) {
      return switch (this) {
        case SYSLOG_5424, SYSLOG_3164 -> Instant.ofEpochSecond(seconds).toString();
        case DATADOG -> seconds + "000";
        case JOURNAL -> seconds + "000000";
        default -> Long.toString(seconds);
      };
    }

    MemoryStore.Stored stored(long seconds) {
      Decoding.Result result = Decoding.until(LATEST, event(seconds), decoder);
      assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
      assertEquals(1, result.stored().size());
      boolean own = result.stored().getFirst().timeNanos() == seconds * SECOND;
      assertEquals(own, result.ownTimes());
      return result.stored().getFirst();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTimeThatTheStoreRefusesIsAnAttribute(Protocol protocol) {
    long last = LATEST / SECOND;
    boolean tagged = protocol == Protocol.STATSD; // a tag of that name
    MemoryStore.Stored kept = protocol.stored(last);
    assertEquals(LATEST, kept.timeNanos());
    assertEquals(tagged ? "tag" : null, kept.attributes().get("sender_time"));
    assertEquals(200_000_000 * SECOND, protocol.stored(200_000_000).timeNanos()); // late
    MemoryStore.Stored ahead = protocol.stored(last + 1);
    assertEquals(Decoding.ARRIVAL_NANOS, ahead.timeNanos());
    assertEquals(protocol.given(last + 1), ahead.attributes().get("sender_time"));
    assertEquals(tagged ? "tag" : null, ahead.attributes().get("tag.sender_time"));
  }

  @Test
  void timesOutsideTheRangeOfIdsAreAttributes() {
    MemoryStore.Stored before = Protocol.SYSLOG_5424.stored(-1);
    assertEquals(Decoding.ARRIVAL_NANOS, before.timeNanos());
    assertEquals("1969-12-31T23:59:59Z", before.attributes().get("sender_time"));
    byte[] after = Protocol.GELF.event(7_258_118_400L);
    Decoding.Result result = Decoding.until(Long.MAX_VALUE, after, Protocol.GELF.decoder);
    assertEquals("7258118400", result.stored().getFirst().attributes().get("sender_time"));
  }

  @Test
  void howFarASenderIsAheadIsNotHidden() {
    try (EventBatch events = new EventBatch(1 << 10, 1 << 20)) {
      IncomingBatch batch =
          new IncomingBatch(events, 100 * SECOND, 700 * SECOND, () -> 101 * SECOND);
      AttributeTape tape = new AttributeTape();
      put(batch, tape, 100 * SECOND);
      long second = events.bytes();
      put(batch, tape, 3_700 * SECOND);
      assertEquals(-3_600 * SECOND, BatchSample.at(batch, second, 0).leastNanos());
      long third = events.bytes();
      put(batch, tape, 100 * SECOND);
      assertEquals(TimeParser.NONE, batch.replacedNanos(third));
      assertTrue(!batch.ownTimes() && !batch.knownByContent());
    }
  }

  /// A value that is read as a time, and is none, is counted once.
  @Test
  void escapesInAnObjectThatIsNoTimeAreCountedOnce() {
    byte[] line = "{\"timestamp\":{\"\\ud800\":\"\\ud801\"}}".getBytes(UTF_8);
    Decoding.Result result =
        Decoding.of(
            line, (body, limit, batch) -> new JsonLinesDecoder("t").decode(body, 0, limit, batch));
    assertEquals(
        "{timestamp.\\ud800=\\ud801, widerow.escaped=2}",
        result.stored().getFirst().attributes().toString());
  }

  @Test
  void pointsWithoutAKnownTimeAreNoRepeat() {
    try (EventBatch events = new EventBatch(1 << 10, 1 << 20)) {
      IncomingBatch batch =
          new IncomingBatch(events, 100 * SECOND, 700 * SECOND, () -> 101 * SECOND);
      batch.equalBodiesAreRetries();
      AttributeTape tape = new AttributeTape();
      put(batch, tape, 100 * SECOND);
      put(batch, tape, 3_700 * SECOND);
      assertTrue(batch.knownByContent());
      put(batch, tape, -1);
      assertFalse(batch.knownByContent());
    }
  }

  private static void put(IncomingBatch batch, AttributeTape tape, long nanos) {
    tape.begin(new byte[0]);
    SenderTime time = new SenderTime();
    time.whole(nanos, 1);
    long taken = time.take(batch, tape);
    batch.events.begin(new byte[] {'t'}, 0, 1, taken);
    tape.writeTo(batch.events);
    assertNull(batch.tryEnd());
  }

  @Test
  void rightTimesStayWhileTheClockIsSetBack() throws IOException {
    MemoryStore store = new MemoryStore(1);
    store.setBackNanos = Duration.ofHours(1).toNanos();
    DaemonConfig config =
        DaemonConfig.of(Map.of("http", "127.0.0.1:0", "syslog", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store);
        DatagramSocket udp = new DatagramSocket()) {
      InetSocketAddress address = daemon.socketAddress("syslog");
      assertNotNull(address);
      long right = Math.floorDiv(store.latestNanos(), SECOND);
      byte[] event = Protocol.SYSLOG_5424.event(right);
      udp.send(new DatagramPacket(event, event.length, address));
      Await.until(() -> !store.committed.isEmpty(), "the event is stored");
      assertEquals(right * SECOND, store.committed.getFirst().timeNanos());
      assertNull(store.committed.getFirst().attributes().get("sender_time"));
    }
  }

  @Test
  void aDaemonStoresWhatIsAheadOfItsClock() throws IOException {
    MemoryStore store = new MemoryStore(1);
    DaemonConfig config =
        DaemonConfig.of(Map.of("http", "127.0.0.1:0", "syslog", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store);
        DatagramSocket udp = new DatagramSocket()) {
      InetSocketAddress address = daemon.socketAddress("syslog");
      assertNotNull(address);
      long now = Math.floorDiv(store.nowNanos(), SECOND);
      store.rejectFromNanos = store.nowNanos() + Duration.ofMinutes(20).toNanos();
      byte[] ahead = Protocol.SYSLOG_5424.event(now + 3_600);
      udp.send(new DatagramPacket(ahead, ahead.length, address));
      byte[] near = Protocol.SYSLOG_5424.event(now + 300);
      udp.send(new DatagramPacket(near, near.length, address));
      Await.until(() -> store.committed.size() >= 2, "both events are stored");
      assertEquals(
          Instant.ofEpochSecond(now + 3_600).toString(),
          store.committed.getFirst().attributes().get("sender_time"));
      assertEquals((now + 300) * SECOND, store.committed.getLast().timeNanos());
    }
  }
}
