package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what clients of StatsD, Graphite and GELF send is stored once and unchanged. Method:
/// clients for Node and Python, and collectd, against a daemon.
@Tag("process")
class SocketClientsTest extends ClientDaemon {
  private static final List<Integer> HUNDRED = IntStream.range(0, 100).boxed().toList();

  private String only(String type) throws IOException, InterruptedException {
    List<String> lines = awaitStored(1, "type=" + type);
    assertEquals(1, lines.size(), type);
    return without(lines.getFirst(), "id", "ts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  void hotShots(String transport) throws IOException, InterruptedException {
    String port = Integer.toString(port("statsd"));
    assertEquals("sent\n", node("hot-shots.mjs", transport, port));
    assertEquals(HUNDRED, numbers(awaitStored(100, "type=shop.sent")));
    String env = "\"env\":\"test\",\"kind\":";
    assertEquals(
        List.of(
            "{\"type\":\"shop.orders\"," + env + "\"counter\",\"value\":1}",
            "{\"type\":\"shop.orders\",\"canary\":\"\","
                + env
                + "\"counter\",\"rate\":0.999999,\"value\":-2}"),
        awaitStored(2, "type=shop.orders").stream()
            .map(line -> without(line, "id", "ts"))
            .toList());
    assertEquals(
        "{\"type\":\"shop.checkout\"," + env + "\"timer\",\"value\":12.5}", only("shop.checkout"));
    assertEquals(
        "{\"type\":\"shop.size\"," + env + "\"histogram\",\"value\":512}", only("shop.size"));
    assertEquals(
        "{\"type\":\"shop.rtt\"," + env + "\"distribution\",\"region\":\"eu\",\"value\":0.5}",
        only("shop.rtt"));
    assertEquals(
        "{\"type\":\"shop.users\"," + env + "\"set\",\"member\":\"u7\"}", only("shop.users"));
    assertEquals(
        "{\"type\":\"shop.load\"," + env + "\"gauge\",\"relative\":true,\"value\":-4}",
        only("shop.load"));
    assertEquals(
        "{\"type\":\"dogstatsd.event\",\"body\":\"version 1.2\\nis out\",\"alert_type\":\"info\","
            + "\"env\":\"test\",\"priority\":\"low\",\"source_type_name\":\"ci\","
            + "\"title\":\"shop.deploy\"}",
        only("dogstatsd.event"));
    assertEquals(
        "{\"type\":\"dogstatsd.check\",\"body\":\"slow\",\"env\":\"test\",\"host\":\"h1\","
            + "\"name\":\"shop.db\",\"status\":1}",
        only("dogstatsd.check"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"StatsClient", "TCPStatsClient"})
  void statsdForPython(String client) throws IOException, InterruptedException {
    String _ =
        python(
            "statsd",
            """
            import statsd
            client = statsd.%s('127.0.0.1', %d, prefix='shop')
            for n in range(100):
                client.gauge('sent', n)
            client.incr('orders', 7)
            client.timing('checkout', 12.5)
            client.gauge('load', -4, delta=True)
            client.set('users', 'u7')
            with client.pipeline() as pipe:
                pipe.incr('piped')
                pipe.timing('piped', 3)
            client.close()
            """
                .formatted(client, port("statsd")));
    List<Integer> sent =
        awaitStored(100, "type=shop.sent").stream()
            .map(line -> Integer.valueOf(line.replaceAll(".*\"value\":(\\d+).*", "$1")))
            .sorted()
            .toList();
    assertEquals(HUNDRED, sent);
    assertEquals(
        "{\"type\":\"shop.orders\",\"kind\":\"counter\",\"value\":7}", only("shop.orders"));
    assertEquals(
        "{\"type\":\"shop.checkout\",\"kind\":\"timer\",\"value\":12.5}", only("shop.checkout"));
    assertEquals(
        "{\"type\":\"shop.load\",\"kind\":\"gauge\",\"relative\":true,\"value\":-4}",
        only("shop.load"));
    assertEquals(
        "{\"type\":\"shop.users\",\"kind\":\"set\",\"member\":\"u7\"}", only("shop.users"));
    assertEquals(2, awaitStored(2, "type=shop.piped").size());
  }

  @Test
  void collectd() throws IOException, InterruptedException {
    requireProgram("collectd", "collectd-core");
    Path socket = directory.resolve("socket");
    Path config = directory.resolve("collectd.conf");
    Files.writeString(
        config,
        """
        Hostname "web1"
        FQDNLookup false
        BaseDir "%1$s"
        PIDFile "%1$s/collectd.pid"
        TypesDB "/usr/share/collectd/types.db"
        LoadPlugin unixsock
        LoadPlugin write_graphite
        <Plugin unixsock>
          SocketFile "%2$s"
        </Plugin>
        <Plugin write_graphite>
          <Node "widerow">
            Host "127.0.0.1"
            Port "%3$d"
            Protocol "tcp"
            Prefix "collectd."
          </Node>
        </Plugin>
        """
            .formatted(directory, socket, port("graphite")));
    try (var _ = started("collectd", "-f", "-C", config.toString())) {
      Await.until(() -> Files.exists(socket), "the socket is there");
      try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        boolean _ = channel.connect(UnixDomainSocketAddress.of(socket));
        for (int n = 0; n < 100; n++) {
          String name = "web1/app/gauge-q" + n;
          tell(channel, "PUTVAL \"%s\" interval=10 1767323045:%s\n".formatted(name, n / 4.0));
        }
        tell(channel, "FLUSH\n");
      }
      List<String> lines = awaitStored(100, "type=graphite");
      assertEquals(100, lines.size());
      String queue =
          lines.stream().filter(line -> line.contains("gauge-q7\"")).findFirst().orElseThrow();
      assertEquals(
          "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\"graphite\","
              + "\"path\":\"collectd.web1.app.gauge-q7\",\"value\":1.75}",
          without(queue, "id"));
    }
  }

  /// Sends a line to collectd and reads its answer.
  private static void tell(SocketChannel channel, String line) throws IOException {
    int _ = channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    ByteBuffer answer = ByteBuffer.allocate(1_000);
    int read = channel.read(answer);
    String told = new String(answer.array(), 0, Math.max(0, read), StandardCharsets.UTF_8);
    assertTrue(told.startsWith("0 "), told);
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  void gelfPro(String transport) throws IOException, InterruptedException {
    String large = node("gelf-pro.mjs", transport, Integer.toString(port("gelf"))).strip();
    List<String> lines = awaitStored(51, "type=gelf");
    assertEquals(IntStream.range(0, 51).boxed().toList(), numbers(lines));
    String first = lines.stream().filter(line -> line.contains("\"n\":0,")).findFirst().orElse("");
    assertEquals(
        "{\"type\":\"gelf\",\"body\":\"message 0\",\"facility\":\"shop\",\"n\":0,"
            + "\"owner\":\"Tom\",\"ratio\":0.25,\"severity\":4,\"user_id\":7"
            + ",\"user_name\":\"a b\"}",
        without(first, "id", "ts", "host"));
    assertTrue(lines.stream().anyMatch(line -> line.contains("\"body\":\"" + large + "\"")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GELFUDPHandler", "GELFTCPHandler", "GELFHTTPHandler"})
  void graypy(String handler) throws IOException, InterruptedException {
    int port = handler.contains("HTTP") ? httpPort() : port("gelf");
    String _ =
        python(
            "graypy",
            """
            import graypy, logging
            logger = logging.getLogger('shop')
            handler = graypy.%s('127.0.0.1', port=%d)
            logger.addHandler(handler)
            for n in range(30):
                logger.warning('message %%d', n, extra={'n': n})
            logger.warning('x' * 20000, extra={'n': 30})
            try:
                1 / 0
            except ZeroDivisionError:
                logger.exception('failed', extra={'n': 31})
            handler.close()
            """
                .formatted(handler, port));
    List<String> lines = awaitStored(32, "type=gelf");
    assertEquals(IntStream.range(0, 32).boxed().toList(), numbers(lines));
    String all = String.join("\n", lines);
    assertTrue(all.contains("\"body\":\"" + "x".repeat(20_000) + "\""));
    assertTrue(all.contains("ZeroDivisionError: division by zero"), lines.getLast());
    assertTrue(all.contains("\"body\":\"message 0\",\"facility\":\"shop\","), lines.getFirst());
  }
}
