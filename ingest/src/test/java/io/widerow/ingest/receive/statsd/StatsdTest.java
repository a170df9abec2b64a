package io.widerow.ingest.receive.statsd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.IncomingBatch;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: each sample, event and service check becomes the event that it describes. Method: messages
/// of the documentations of Etsy and Datadog and of captured clients through the decoder, and a
/// daemon with real sockets.
@Timeout(300)
class StatsdTest {
  private static final DaemonConfig STATSD =
      DaemonConfig.of(Map.of("http", "127.0.0.1:0", "statsd", "127.0.0.1:0", "lanes", "1"));

  private static Decoding.Result decode(String lines) {
    return Decoding.of(lines, StatsdTest::decode);
  }

  private static void decode(byte[] body, int limit, IncomingBatch batch) {
    new StatsdDecoder().decode(body, 0, limit, batch);
  }

  private static String shown(String line) {
    Decoding.Result result = decode(line);
    assertEquals(0, result.refused().count(), line);
    return String.join(
        " ", result.stored().stream().map(event -> event.type() + event.attributes()).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "page.views:1|c ! page.views{kind=counter, value=1}",
        "js.hits:2|c|#env:test,path:/p0 ! js.hits{env=test, kind=counter, path=/p0, value=2}",
        "fuel.level:0.5|g ! fuel.level{kind=gauge, value=0.5}",
        "py.temp:-4|g ! py.temp{kind=gauge, relative=true, value=-4}",
        "py.temp:+4.25|g ! py.temp{kind=gauge, relative=true, value=4.25}",
        "py.hits:-1|c ! py.hits{kind=counter, value=-1}",
        "py.wait:0.250000|ms ! py.wait{kind=timer, value=0.25}",
        "song.length:240|h|@0.5 ! song.length{kind=histogram, rate=0.5, value=240}",
        "x:1.5e3|d ! x{kind=distribution, value=1500.0}",
        "users.uniques:a:b|s ! users.uniques{kind=set, member=a:b}",
        "users.uniques:1234|s ! users.uniques{kind=set, member=1234}",
        "m:9007199254740993|g ! m{kind=gauge, value=9007199254740993}",
        "m:18446744073709551616|g ! m{kind=gauge, value=1.8446744073709552E19}",
        "m:.5|g ! m{kind=gauge, value=0.5}",
        "a b/c,d;e:1|c ! a b/c,d;e{kind=counter, value=1}",
        "m:1|c|#a,b:,c:d:e,,f ! m{a=, b=, c=d:e, f=, kind=counter, value=1}",
        "m:1|c|#:v ! m{:v=, kind=counter, value=1}",
        "m:1|c|#a:1|#b:2 ! m{a=1, b=2, kind=counter, value=1}",
        "m:1|c||x:y|# ! m{kind=counter, value=1}",
        "m:1|g|#k:v|@1|c:ci-f00|e:it-false,cn-x|card:low"
            + " ! m{cardinality=low, container=ci-f00, external=it-false,cn-x, k=v, kind=gauge,"
            + " rate=1.0, value=1}",
        "m:1|c|#\u00fc:\u00e9 ! m{kind=counter, value=1, \u00fc=\u00e9}"
      })
  void metric(String line, String expected) {
    assertEquals(expected, shown(line));
  }

  @Test
  void severalValuesAreSeveralEvents() {
    assertEquals(
        "x{a=b, kind=histogram, value=1} x{a=b, kind=histogram, value=2.5}"
            + " x{a=b, kind=histogram, value=-3}",
        shown("x:1:2.5:-3|h|#a:b"));
    assertEquals( // of StatsD itself
        "x{kind=counter, rate=0.1, value=1} x{kind=timer, value=320} x{kind=timer, value=4}",
        shown("x:1|c|@0.1:320|ms:4|ms"));
    Decoding.Result some = decode("x:1:y:3|h");
    assertEquals(2, some.stored().size());
    assertEquals("value at byte 4: must be a number, got 'y'", some.refused().reason(0));
    assertEquals(1, some.refused().index(0));
  }

  @Test
  void theTimeIsThatOfTheSender() {
    assertEquals(
        1_656_581_400_000_000_000L,
        decode("page.views:15|c|#env:dev|T1656581400").stored().getFirst().timeNanos());
    assertEquals(
        1_656_581_400_250_000_000L, decode("x:1|c|T1656581400.25").stored().getFirst().timeNanos());
    assertEquals(Decoding.ARRIVAL_NANOS, decode("x:1|c|T0").stored().getFirst().timeNanos());
    assertEquals(Decoding.ARRIVAL_NANOS, decode("x:1|c").stored().getFirst().timeNanos());
    assertEquals(5_000_000_000L, decode("_sc|x|0|d:5").stored().getFirst().timeNanos());
  }

  @Test
  void aTagNeverReplacesWhatTheEventHas() {
    assertEquals(
        "x{kind=counter, tag.id=7, tag.kind=k, tag.ts=1, tag.type=t, tag.value=v, value=1}",
        shown("x:1|c|#kind:k,value:v,type:t,id:7,ts:1"));
    assertEquals(
        "x{kind=counter, role=a, tag.kind=k, tag.kind.2=l, tag.role=b, tag.role.2=c, value=1}",
        shown("x:1|c|#role:a,role:b,role:c,kind:k,kind:l"));
    assertEquals(1, decode("x:1|c|#" + tags(1_001)).stored().size());
    assertEquals(
        "the event has more attributes than the limit",
        decode("x:1|c|#" + tags(5_000)).refused().reason(0));
  }

  private static String tags(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append('t').append(i).append(',');
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "_e{8,9}:deployed|version 2|t:warning|#env:test"
            + " ! dogstatsd.event{alert_type=warning, body=version 2, env=test, title=deployed}",
        "_e{2,2}:\u00fc|\u00e9 ! dogstatsd.event{body=\u00e9, title=\u00fc}",
        "_e{3,5}:a|b|c|d|e|d:1700000000|h:web|k:key|p:low|s:src|t:info|c:id|#a"
            + " ! dogstatsd.event{a=, aggregation_key=key, alert_type=info, body=c|d|e,"
            + " container=id, host=web, priority=low, source_type_name=src, title=a|b}",
        "_e{1,0}:a| ! dogstatsd.event{body=, title=a}",
        "_sc|db|2|#env:test|m:down" + " ! dogstatsd.check{body=down, env=test, name=db, status=2}",
        "_sc|a b|0 ! dogstatsd.check{name=a b, status=0}",
        "_sc|db|1|d:1|h:h|c:id|#name:n|m:m"
            + " ! dogstatsd.check{body=m, container=id, host=h, name=db, status=1, tag.name=n}"
      })
  void eventOrServiceCheck(String line, String expected) {
    assertEquals(expected, shown(line));
  }

  @Test
  void newlinesOfTextsAreEscaped() {
    assertEquals("a\nb", decode("_e{1,4}:t|a\\nb").stored().getFirst().body());
    assertEquals("c\nd", decode("_sc|x|0|m:c\\nd").stored().getFirst().body());
  }

  @Test
  void bytesThatAreNotUtf8AreEscaped() {
    Decoding.Result result =
        Decoding.of(
            """
            a:1|c
            b\u00e9:1|c|#k:\u00ff
            _e{2,3}:\u00e9t|x\u00e9y|#k:\u00e9
            _sc|\u00e9|0
            a:1|c
            """,
            (body, limit, batch) -> {
              byte[] latin =
                  new String(body, 0, limit, StandardCharsets.UTF_8)
                      .concat("--------")
                      .getBytes(StandardCharsets.ISO_8859_1);
              decode(latin, latin.length - 8, batch);
            });
    assertEquals(0, result.refused().count());
    assertEquals(
        List.of(
            "a{kind=counter, value=1}",
            "b\\xE9{k=\\xFF, kind=counter, value=1, widerow.escaped=2}",
            "dogstatsd.event{body=x\\xE9y, k=\\xE9, title=\\xE9t, widerow.escaped=3}",
            "dogstatsd.check{name=\\xE9, status=0, widerow.escaped=1}",
            "a{kind=counter, value=1}"),
        result.stored().stream().map(event -> event.type() + event.attributes()).toList());
  }

  @Test
  void aShortLineDoesNotBecomeAnyNumberOfBytes() {
    String line = "x:" + "1:".repeat(20_000) + "1|h|#k:" + "v".repeat(20_000);
    Decoding.Result result = decode(line + "\ny:1|c\n");
    assertEquals("y", result.stored().getLast().type());
    assertTrue(result.stored().size() < 300, () -> "stored " + result.stored().size());
    assertTrue(result.refused().reason(0).contains("need 4 MiB"), result.refused().reason(0));
  }

  @Test
  void bothSockets() throws IOException {
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = Daemon.start(STATSD, store)) {
      InetSocketAddress address = daemon.socketAddress("statsd");
      assertNotNull(address);
      try (Socket tcp = new Socket(address.getAddress(), address.getPort());
          DatagramSocket udp = new DatagramSocket()) {
        OutputStream out = tcp.getOutputStream();
        for (byte b : "a:1|c\r\nbad\nb:2:3|h\nc:4|g".getBytes(StandardCharsets.US_ASCII)) {
          out.write(b);
          out.flush();
        }
        tcp.shutdownOutput();
        byte[] datagram = "d:5|c\nbad\ne:6|c".getBytes(StandardCharsets.US_ASCII);
        udp.send(new DatagramPacket(datagram, datagram.length, address));
        Await.until(() -> store.committed.size() >= 6, "all six are stored");
      }
    }
    assertEquals(
        "[a=1, b=2, b=3, c=4, d=5, e=6]",
        store.committed.stream()
            .map(event -> event.type() + "=" + event.attributes().get("value"))
            .sorted()
            .toList()
            .toString());
  }
}
