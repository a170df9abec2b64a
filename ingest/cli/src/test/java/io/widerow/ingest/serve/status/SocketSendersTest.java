package io.widerow.ingest.serve.status;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: an operator sees for senders without HTTP, too, what they send and the outcome of it.
/// Method: senders at several loopback addresses, over each protocol, with good and bad events that
/// are counted by hand.
@Timeout(300)
class SocketSendersTest {
  private static final Pattern REFUSED = Pattern.compile("\"rejected\":(\\d+),\"refused\":(\\d+)");
  private static final List<String> PROTOCOLS =
      List.of("syslog", "fluent", "statsd", "graphite", "gelf");

  @AutoClose
  private final MemoryDaemon it =
      new MemoryDaemon(
          1, PROTOCOLS.stream().collect(Collectors.toMap(each -> each, _ -> "127.0.0.1:0")));

  private final MemoryStore store = it.store;
  private final Http http = it.http;

  private InetSocketAddress address(String protocol) {
    InetSocketAddress address = it.daemon.socketAddress(protocol);
    assertNotNull(address);
    return address;
  }

  private static InetAddress loopback(int third, int fourth) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, (byte) third, (byte) fourth});
  }

  private void sendTcp(String protocol, int host, String text) throws IOException {
    InetSocketAddress to = address(protocol);
    try (Socket socket = new Socket(to.getAddress(), to.getPort(), loopback(0, host), 0)) {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      byte[] _ = socket.getInputStream().readAllBytes(); // all of it was taken
    }
  }

  private String senders() throws IOException, InterruptedException {
    return http.get("/v1/senders").body();
  }

  /// The line of a sender, once it has this member.
  private String awaitSender(String protocol, String sender, String member)
      throws IOException, InterruptedException {
    String begin = "{\"protocol\":\"%s\",\"sender\":\"%s\",".formatted(protocol, sender);
    Predicate<String> wanted = line -> line.startsWith(begin) && line.contains(member);
    AtomicReference<String> found = new AtomicReference<>("");
    Await.until(
        () -> {
          found.set(senders().lines().filter(wanted).findFirst().orElse(""));
          return !found.get().isEmpty();
        },
        begin + " with " + member);
    return found.get();
  }

  private void assertMetric(String line) throws IOException, InterruptedException {
    String metrics = http.get("/metrics").body();
    assertTrue(metrics.lines().anyMatch(line::equals), () -> line + "\n" + metrics);
  }

  /// Two good events and one that is refused, over TCP.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "statsd | a:1%7cc\\na\\nb:2%7cc\\n | a | after the name",
        "graphite | a.b 1 1767323045\\na.b x 1\\na.b 2 1767323045\\n | graphite | a number",
        "gelf | {\"short_message\":\"m\"}\\0{\"no\\0{\"short_message\":\"n\"}\\0 | gelf | byte"
      })
  void tcp(String protocol, String written, String type, String reason)
      throws IOException, InterruptedException {
    String text = written.replace("%7c", "|").replace("\\n", "\n").replace("\\0", "\0");
    sendTcp(protocol, 7, text);
    String line = awaitSender(protocol, "127.0.0.7", "\"accepted\":2,");
    assertTrue(line.contains("\"type\":\"" + type + "\""), line);
    assertTrue(line.contains("\"duplicate\":0,\"rejected\":1,\"refused\":0,"), line);
    assertTrue(line.substring(line.indexOf("\"refusal\":")).contains(reason), line);
    assertTrue(
        http.get("/v1/status")
            .body()
            .contains(
                "{\"protocol\":\"%s\",\"accepted\":2,\"duplicate\":0,\"rejected\":1,\"refused\":0}"
                    .formatted(protocol)));
    assertMetric(
        "widerow_protocol_events_total{protocol=\"%s\",outcome=\"rejected\"} 1"
            .formatted(protocol));
    assertMetric(
        "widerow_sender_events_total{protocol=\"%s\",sender=\"127.0.0.7\",outcome=\"accepted\"} 2"
            .formatted(protocol));
  }

  @Test
  void syslogSaysItsHostAndHowLateItIs() throws IOException, InterruptedException {
    Instant hourAgo = Instant.now().minus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
    sendTcp("syslog", 8, "<34>1 %s web-3 a 1 - - one\n".formatted(hourAgo));
    String line = awaitSender("syslog", "127.0.0.8", "\"accepted\":1,");
    assertTrue(line.contains("\"agent\":\"web-3\",\"type\":\"syslog\","), line);
    Matcher late = Pattern.compile("\"lateSeconds\":36(\\d\\d)\\.").matcher(line);
    assertTrue(late.find(), line);
    assertTrue(line.contains("\"refusal\":null"), line);
  }

  @Test
  void aChunkOfFluentThatComesAgainIsADuplicate() throws IOException, InterruptedException {
    String message = "93a1749192ce6553f10081a36d7367a16181a56368756e6ba163"; // one entry, a chunk
    String twice = new String(HexFormat.of().parseHex(message + message), ISO_8859_1);
    sendTcp("fluent", 9, twice);
    String line = awaitSender("fluent", "127.0.0.9", "\"accepted\":1,\"duplicate\":1,");
    assertTrue(line.contains("\"type\":\"t\""), line);
    sendTcp("fluent", 9, "no message");
    String bad = awaitSender("fluent", "127.0.0.9", "\"rejected\":1,");
    assertTrue(bad.contains("no message of Fluent Forward"), bad);
  }

  /// Senders whose datagrams come mixed are counted each for itself.
  @Test
  void datagramsOfSeveralSenders() throws IOException, InterruptedException {
    InetSocketAddress to = address("statsd");
    byte[] two = "a:1|c\nb:2|c".getBytes(UTF_8);
    byte[] bad = "nothing".getBytes(UTF_8);
    try (DatagramSocket first = new DatagramSocket(0, loopback(0, 1));
        DatagramSocket second = new DatagramSocket(0, loopback(0, 2))) {
      int stored = 0;
      for (int i = 0; i < 300; i++) {
        stored += i % 3 == 0 ? 2 : 4;
        int wanted = stored - 100;
        Await.until(() -> store.committed.size() >= wanted, "most datagrams are stored");
        first.send(new DatagramPacket(two, two.length, to));
        second.send(new DatagramPacket(i % 3 == 0 ? bad : two, i % 3 == 0 ? 7 : two.length, to));
      }
    }
    String one = awaitSender("statsd", "127.0.0.1", "\"accepted\":600,");
    assertTrue(one.contains("\"rejected\":0,\"refused\":0,"), one);
    String other = awaitSender("statsd", "127.0.0.2", "\"accepted\":400,");
    assertTrue(other.contains("\"rejected\":100,\"refused\":0,"), other);
    assertTrue(other.contains("\"type\":\"a\""), other);
    assertTrue(other.contains("\"perSecond\":"), other);
  }

  @Test
  void manySendersOfDatagramsAreBounded() throws IOException, InterruptedException {
    InetSocketAddress to = address("graphite");
    byte[] line = "a.b 1 1767323045".getBytes(UTF_8);
    for (int i = 0; i < 1_200; i++) {
      try (DatagramSocket socket = new DatagramSocket(0, loopback(1 + i / 200, 1 + i % 200))) {
        socket.send(new DatagramPacket(line, line.length, to));
      }
      int wanted = i - 100;
      Await.until(() -> store.committed.size() > wanted, "most datagrams are stored");
    }
    String _ = awaitSender("graphite", "127.0.6.200", "\"accepted\":1,");
    Await.until(() -> store.committed.size() >= 1_200, "all datagrams are stored");
    assertEquals(1_000, senders().lines().count());
    assertMetric("widerow_protocol_events_total{protocol=\"graphite\",outcome=\"accepted\"} 1200");
  }

  @Test
  void whatIsDroppedIsRefused() throws IOException, InterruptedException {
    store.full = true;
    byte[] line = "<34>Oct 11 22:14:15 h a: text".getBytes(UTF_8);
    try (DatagramSocket socket = new DatagramSocket(0, loopback(0, 5))) {
      socket.send(new DatagramPacket(line, line.length, address("syslog")));
    }
    String sender = awaitSender("syslog", "127.0.0.5", "\"refused\":1,");
    Matcher refused = REFUSED.matcher(sender);
    assertTrue(refused.find() && refused.group(1).equals("0"), sender);
    assertTrue(sender.contains("dropped: "), sender);
    assertMetric("widerow_protocol_refused_total{protocol=\"syslog\"} 1");
    assertMetric("widerow_syslog_dropped_total 1.0");
  }

  @Test
  void theCommandShowsThem() throws IOException, InterruptedException {
    sendTcp("gelf", 4, "{\"host\":\"db-1\",\"short_message\":\"m\"}\0");
    String _ = awaitSender("gelf", "127.0.0.4", "\"accepted\":1,");
    Map<String, String> environment = Map.of("WIDEROW_URL", "localhost:" + it.port());
    CommandDaemon.Ran table = CommandDaemon.run(environment, "check senders", "--output", "table");
    assertEquals(0, table.code(), table.err());
    List<String> lines = table.out().lines().toList();
    assertTrue(lines.get(1).matches("gelf +127\\.0\\.0\\.4 +db-1 +gelf .* 1 .*"), lines::toString);
  }
}
