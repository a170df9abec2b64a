package io.widerow.ingest.receive.gelf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a GELF message becomes the event that it describes, however it travels. Method: messages
/// through the decoder; chunks in any order, twice, too late and too many; a daemon with real
/// sockets and HTTP.
@Timeout(300)
class GelfTest {
  private static final InetSocketAddress ONE =
      new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1);
  private static final InetSocketAddress OTHER =
      new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 1);

  private static Decoding.Result decode(String message) {
    return Decoding.of(
        message, (body, limit, batch) -> new GelfDecoder(null).decode(body, 0, limit, batch));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"hi\",\"full_message\":\"hi x\","
            + "\"timestamp\":1385053862.3072,\"level\":1,\"_user_id\":9001,\"_info\":\"x\","
            + "\"_f\":0.5,\"_ok\":true,\"_no\":null}`"
            + "|gelf{body=hi, f=0.5, full_message=hi x, host=h, info=x, ok=true, severity=1,"
            + " user_id=9001} 1385053862307200000",
        "{\"short_message\":\"\",\"level\":\"3\",\"timestamp\":\"5.25\"}"
            + "|gelf{severity=3} 5250000000",
        "{\"level\":\"warn\",\"facility\":\"f\",\"file\":\"a.c\",\"line\":7,\"timestamp\":1e3}"
            + "|gelf{facility=f, file=a.c, level=warn, line=7} 1000000000000",
        "{\"host\":\"h\",\"_host\":\"i\",\"_id\":\"j\",\"_type\":\"k\",\"_body\":\"b\","
            + "\"short_message\":\"m\",\"timestamp\":1}"
            + "|gelf{_body=b, _host=i, _id=j, _type=k, body=m, host=h} 1000000000",
        "{\"_a\":{\"b\":[1],\"c\":2},\"__d\":1,\"_\":2,\"timestamp\":0}"
            + "|gelf{_=2, _d=1, a.b=[1], a.c=2} 1700000000000000000",
        "{}|gelf{} 1700000000000000000"
      })
  void message(String message, String expected) {
    Decoding.Result result = decode(message);
    assertEquals(0, result.refused().count(), () -> result.refused().reason(0));
    MemoryStore.Stored event = result.stored().getFirst();
    assertEquals(expected, event.type() + event.attributes() + " " + event.timeNanos());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "[]",
        "1",
        "\"a\"",
        "null",
        "true",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":+1}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{\"a\":tru}",
        "{\"a\":nul}",
        "{\"a\":\"x}",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\t\"}",
        "{\"a\":[1}",
        "{\"a\":[1,]}",
        "{\"a\":[,1]}",
        "{\"a\":{}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{}{}",
        "{} x",
        "{}]",
        "{},",
        "{\"level\":tru}",
        "{\"level\":}",
        "{\"version\":}",
        "{\"version\":x}",
        "{\"short_message\":}",
        "{\"short_message\":\"x}",
        "{\"_a\":}",
        "<34>1 - - - - - -",
        "a 1 1",
        "a:1|c",
        "GET / HTTP/1.1",
        "\u001f",
        "{\"a\":1}\u0001"
      })
  void aBadMessageIsRefusedAlone(String bad) {
    String good = "{\"short_message\":\"good\",\"timestamp\":1}";
    Decoding.Result result =
        Decoding.of(
            good + "\0" + bad + "\0\n" + good,
            (body, limit, batch) -> {
              GelfStream stream = new GelfStream();
              int at = 0;
              for (int next = 0; next >= 0; next = stream.decode(body, at, limit, batch)) {
                at = next;
              }
              stream.decodeLast(body, at, limit, batch);
            });
    assertEquals(
        List.of("good", "good"), result.stored().stream().map(MemoryStore.Stored::body).toList());
    assertEquals(1, result.refused().count());
    String reason = result.refused().reason(0);
    assertTrue(
        reason.matches("message at byte \\d+: .*")
            || reason.startsWith("the time must be in")
            || reason.startsWith("an attribute name must"),
        reason);
  }

  @Test
  void bytesThatAreNotUtf8AreEscaped() {
    byte[] latin =
        "{\"short_message\":\"caf\u00e9\",\"_k\":\"\\ud800\"}"
            .getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(
        "{body=caf\\xE9, k=\\ud800, widerow.escaped=2}",
        Decoding.of(
                latin, (body, limit, batch) -> new GelfDecoder(null).decode(body, 0, limit, batch))
            .stored()
            .getFirst()
            .attributes()
            .toString());
  }

  private static List<byte[]> chunks(byte[] message, long id, int count) {
    List<byte[]> chunks = new ArrayList<>();
    int size = message.length / count + 1;
    for (int i = 0; i < count; i++) {
      int from = Math.min(i * size, message.length);
      int until = Math.min(from + size, message.length);
      byte[] chunk = new byte[GelfChunks.HEADER_BYTES + until - from];
      chunk[0] = 0x1e;
      chunk[1] = 0x0f;
      for (int b = 0; b < 8; b++) {
        chunk[2 + b] = (byte) (id >>> (56 - 8 * b));
      }
      chunk[10] = (byte) i;
      chunk[11] = (byte) count;
      System.arraycopy(message, from, chunk, 12, until - from);
      chunks.add(chunk);
    }
    return chunks;
  }

  private static byte[] message(String text) {
    return "{\"short_message\":\"%s\",\"timestamp\":1}"
        .formatted(text)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] packed(byte[] message, boolean gzip) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream packing = gzip ? new GZIPOutputStream(out) : new DeflaterOutputStream(out)) {
      packing.write(message);
    }
    return out.toByteArray();
  }

  private static void receive(
      GelfDatagrams datagrams, byte[] datagram, InetSocketAddress sender, IncomingBatch batch) {
    byte[] slack = Arrays.copyOf(datagram, datagram.length + Swar.SLACK_BYTES);
    datagrams.decode(slack, datagram.length, sender, batch);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void chunksComeInAnyOrderAndTwice(long seed) {
    Decoding.Result result =
        Decoding.of(
            "",
            (_, _, batch) -> {
              GelfDatagrams datagrams = new GelfDatagrams(() -> 0);
              List<byte[]> all = new ArrayList<>();
              for (int id = 0; id < 20; id++) {
                byte[] message = message("m" + id + "x".repeat(100));
                try {
                  byte[] sent = id % 3 == 0 ? message : packed(message, id % 3 == 1);
                  all.addAll(chunks(sent, id, 1 + id * 6));
                } catch (IOException never) {
                  throw new AssertionError(never);
                }
              }
              all.addAll(List.copyOf(all));
              Collections.shuffle(all, new Random(seed));
              all.forEach(chunk -> receive(datagrams, chunk, ONE, batch));
            });
    assertEquals(0, result.refused().count());
    assertEquals(20, result.stored().stream().map(MemoryStore.Stored::body).distinct().count());
    assertEquals(20, result.stored().size());
  }

  @Test
  void chunksOfTwoSendersAreNotMixedAndLateOnesAreRefused() {
    long[] now = {0};
    Decoding.Result result =
        Decoding.of(
            "",
            (_, _, batch) -> {
              GelfDatagrams datagrams = new GelfDatagrams(() -> now[0]);
              List<byte[]> a = chunks(message("a"), 7, 2);
              List<byte[]> b = chunks(message("b"), 7, 2);
              receive(datagrams, a.get(0), ONE, batch);
              receive(datagrams, b.get(1), OTHER, batch);
              receive(datagrams, a.get(1), ONE, batch);
              now[0] = GelfChunks.WHOLE_NANOS;
              receive(datagrams, message("c"), OTHER, batch);
              receive(datagrams, chunks(message("d"), 8, 1).getFirst(), ONE, batch);
            });
    assertEquals(
        List.of("a", "c", "d"), result.stored().stream().map(MemoryStore.Stored::body).toList());
    assertEquals(1, result.refused().count());
    assertEquals("chunks: 1 of 2 arrived within 5 s", result.refused().reason(0));
  }

  @Test
  void whatWaitsIsBounded() {
    Decoding.Result result =
        Decoding.of(
            "",
            (_, _, batch) -> {
              GelfChunks chunks = new GelfChunks(() -> 0);
              byte[] big = new byte[60_000];
              for (int id = 0; id < 1_000; id++) {
                byte[] chunk = chunks(big, id, 2).getFirst();
                InetAddress sender = InetAddress.ofLiteral("127.0.0." + (1 + id % 6));
                assertEquals(null, chunks.take(chunk, chunk.length, sender, batch));
                assertTrue(chunks.bytes() <= GelfChunks.BYTES_MAX);
              }
            });
    assertTrue(result.refused().count() > 400, () -> "refused " + result.refused().count());
  }

  @Test
  void badChunksAreRefused() {
    byte[] good = chunks(message("x"), 1, 1).getFirst();
    byte[] many = good.clone();
    many[11] = (byte) 129;
    byte[] none = good.clone();
    none[11] = 0;
    byte[] beyond = good.clone();
    beyond[10] = 1;
    Decoding.Result result =
        Decoding.of(
            "",
            (_, _, batch) -> {
              GelfDatagrams datagrams = new GelfDatagrams(() -> 0);
              for (byte[] bad :
                  List.of(many, none, beyond, Arrays.copyOf(good, 11), Arrays.copyOf(good, 2))) {
                receive(datagrams, bad, ONE, batch);
              }
              receive(datagrams, new byte[] {0x1f, (byte) 0x8b, 8, 0}, ONE, batch);
              receive(datagrams, good, ONE, batch);
            });
    assertEquals(6, result.refused().count());
    assertEquals(1, result.stored().size());
    assertEquals(
        "chunk at byte 10: number 0 of 129, at most 128 are allowed", result.refused().reason(0));
    assertEquals("message at byte 0: the body is not valid gzip", result.refused().reason(5));
  }

  @Test
  void everyTransport() throws IOException, InterruptedException {
    MemoryStore store = new MemoryStore(1);
    DaemonConfig config =
        DaemonConfig.of(Map.of("http", "127.0.0.1:0", "gelf", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store);
        HttpClient http = HttpClient.newHttpClient()) {
      InetSocketAddress address = daemon.socketAddress("gelf");
      assertNotNull(address);
      try (Socket tcp = new Socket(address.getAddress(), address.getPort());
          DatagramSocket udp = new DatagramSocket()) {
        OutputStream out = tcp.getOutputStream();
        for (byte[] part : List.of(message("a"), new byte[] {0, '\n'}, message("b"))) {
          out.write(part);
          out.flush();
        }
        tcp.shutdownOutput();
        List<byte[]> datagrams = new ArrayList<>(chunks(packed(message("c"), true), 5, 3));
        datagrams.add(packed(message("d"), false));
        for (byte[] datagram : datagrams) {
          udp.send(new DatagramPacket(datagram, datagram.length, address));
        }
        URI uri = URI.create("http://127.0.0.1:" + daemon.httpAddress().getPort() + "/gelf");
        assertEquals("202 ", post(http, uri, message("e")));
        assertEquals("202 ", post(http, uri, packed(message("f"), false))); // as graypy does
        assertTrue(post(http, uri, "{".getBytes(StandardCharsets.UTF_8)).startsWith("400 message"));
        byte[] fine =
            "{\"short_message\":\"g\",\"timestamp\":1.0000001}".getBytes(StandardCharsets.UTF_8);
        assertEquals("202 ", post(http, uri, fine));
        assertEquals("202 ", post(http, uri, fine)); // a repeat
        Await.until(() -> store.committed.size() >= 7, "all seven are stored");
      }
    }
    assertEquals(
        List.of("a", "b", "c", "d", "e", "f", "g"),
        store.committed.stream().map(MemoryStore.Stored::body).sorted().toList());
  }

  private static String post(HttpClient http, URI uri, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("content-encoding", "gzip,deflate")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"2026-11-20T19:00:01.5Z\"|1795201201500000000",
        "\"2026-11-20T20:00:01.5+01:00\"|1795201201500000000",
        "\"2026-11-20 19:00:01\"|1795201201000000000",
        "1795201201500|1795201201500000000",
        "\"1795201201500\"|1795201201500000000",
        "1795201201500.25|1795201201500250000",
        "1.7952012015E12|1795201201500000000",
        "1.7952012015E9|1795201201500000000"
      })
  void timesOfOtherForms(String timestamp, long nanos) {
    Decoding.Result result = decode("{\"short_message\":\"m\",\"timestamp\":" + timestamp + "}");
    assertEquals(
        "[Stored[type=gelf, timeNanos=" + nanos + ", ownId=null, attributes={body=m}]]",
        result.stored().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "", "2026-13-01T00:00:00Z", "-1", "99999999999", "1e99"})
  void aTimestampThatIsNoTimeIsAnAttribute(String text) {
    Decoding.Result result = decode("{\"short_message\":\"m\",\"timestamp\":\"" + text + "\"}");
    assertEquals(0, result.refused().count());
    assertEquals(Decoding.ARRIVAL_NANOS, result.stored().getFirst().timeNanos());
    assertEquals(text, result.stored().getFirst().attributes().get("sender_time"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "[1]", "{}", "{\"a\":1}", "-1", "99999999999", "1e30"})
  void norDoesAnyOtherValueCostTheMessage(String value) {
    Decoding.Result result = decode("{\"short_message\":\"m\",\"timestamp\":" + value + "}");
    assertEquals(0, result.refused().count());
    assertEquals("m", result.stored().getFirst().body());
    assertEquals(Decoding.ARRIVAL_NANOS, result.stored().getFirst().timeNanos());
  }
}
