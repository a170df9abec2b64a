package io.widerow.ingest.receive.fluent;

import static io.widerow.ingest.receive.fluent.FluentMessages.gzip;
import static io.widerow.ingest.receive.fluent.FluentMessages.join;
import static io.widerow.ingest.receive.fluent.FluentMessages.pack;
import static io.widerow.ingest.receive.fluent.FluentMessages.utf8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TunedConfig;
import io.widerow.ingest.receive.fluent.FluentMessages.Time;
import io.widerow.storage.Durability;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.komamitsu.fluency.EventTime;
import org.komamitsu.fluency.Fluency;
import org.komamitsu.fluency.fluentd.FluencyBuilderForFluentd;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/// Goal: each form of a message becomes its events, and is acknowledged when and only when these
/// are stored. Method: messages packed by msgpack's own library, and the client Fluency, over real
/// sockets to a daemon on a store in memory.
@Timeout(300)
class FluentTest {
  private final MemoryStore store = new MemoryStore(2);

  @TempDir private Path directory = Path.of(".");

  private static Daemon start(MemoryStore store, String... more) {
    Map<String, String> keys =
        new HashMap<>(Map.of("http", "127.0.0.1:0", "fluent", "127.0.0.1:0", "lanes", "2"));
    for (int i = 0; i < more.length; i += 2) {
      keys.put(more[i], more[i + 1]);
    }
    return Daemon.start(TunedConfig.of(keys), store);
  }

  private static Socket connect(Daemon daemon) throws IOException {
    InetSocketAddress address = daemon.socketAddress("fluent");
    assertNotNull(address);
    return new Socket(address.getAddress(), address.getPort());
  }

  private static void send(Socket socket, byte[]... messages) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(join(messages));
    out.flush();
  }

  private static byte[] ack(String chunk) {
    return pack(Map.of("ack", chunk));
  }

  private static void assertAnswer(Socket socket, byte[]... answers) throws IOException {
    byte[] expected = join(answers);
    assertArrayEquals(expected, socket.getInputStream().readNBytes(expected.length));
  }

  private void awaitStored(int count) {
    Await.until(() -> store.committed.size() >= count, count + " events are stored");
  }

  private List<String> bodies() {
    return store.committed.stream().map(MemoryStore.Stored::body).sorted().toList();
  }

  private static List<Object> entry(long seconds, String message) {
    return List.of(new Time(seconds, 5), Map.of("message", message));
  }

  /// Bytes as older clients pack them.
  private static FluentMessages.Raw asText(byte[] content) {
    byte[] head = {(byte) 0xd9, (byte) content.length};
    return FluentMessages.Raw.of(join(head, content));
  }

  @Test
  void fourFormsAreStoredAndAcknowledgedInOrder() throws IOException {
    byte[] packed = join(pack(entry(3, "c")), pack(entry(4, "d")));
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      send(
          socket,
          pack(List.of("m", new Time(1, 5), Map.of("message", "a"), Map.of("chunk", "1=="))),
          pack(List.of("f", List.of(entry(2, "b")), Map.of("size", 1, "chunk", "2=="))),
          pack(List.of("p", packed, Map.of("chunk", "3=="))),
          pack(List.of("s", asText(packed), Map.of("chunk", "4"))),
          pack(
              List.of(
                  "z",
                  gzip(packed, pack(entry(5, "e"))),
                  Map.of("compressed", "gzip", "size", 3, "chunk", "5"))));
      assertAnswer(socket, ack("1=="), ack("2=="), ack("3=="), ack("4"), ack("5"));
      assertEquals(List.of("a", "b", "c", "c", "c", "d", "d", "d", "e"), bodies());
      for (MemoryStore.Stored event : store.committed) {
        assertEquals(5, event.timeNanos() % 1_000_000_000);
        assertEquals(1, event.attributes().size());
      }
      assertEquals(
          List.of("f", "m", "p", "p", "s", "s", "z", "z", "z"),
          store.committed.stream().map(MemoryStore.Stored::type).sorted().toList());
    }
  }

  private static byte[][] each(IntFunction<byte[]> made) {
    return IntStream.range(0, 600).mapToObj(made).toArray(byte[][]::new);
  }

  private static byte[] numbered(int i) {
    Map<String, Object> option = Map.of("chunk", "chunk-" + i);
    return pack(List.of("t", 1_700_000_000, Map.of("message", "m" + i), option));
  }

  @Test
  void manyMessagesOfOneWriteAreAcknowledgedInOrder() throws IOException {
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      send(socket, each(FluentTest::numbered));
      assertAnswer(socket, each(i -> ack("chunk-" + i)));
      assertEquals(600, store.committed.size());
    }
  }

  @Test
  void bytesThatComeSinglyMakeMessages() throws IOException {
    byte[] message =
        join(
            new byte[] {(byte) 0xc0}, // a heartbeat
            pack(List.of("t", List.of(entry(1, "a"), entry(2, "b")), Map.of("chunk", "x"))),
            pack(java.util.Arrays.asList("t", 1_700_000_000.25, Map.of("log", "c"), null)));
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      socket.setTcpNoDelay(true);
      for (byte each : message) {
        socket.getOutputStream().write(each);
      }
      assertAnswer(socket, ack("x"));
      awaitStored(3);
    }
    assertEquals(List.of("a", "b", "c"), bodies());
  }

  @Test
  void aChunkThatComesAgainIsStoredOnceAndAcknowledgedAgain() throws IOException {
    byte[] message = pack(List.of("t", List.of(entry(1, "a")), Map.of("chunk", "x")));
    byte[] otherTag = pack(List.of("u", List.of(entry(1, "b")), Map.of("chunk", "x")));
    try (Daemon daemon = start(store)) {
      for (int connection = 0; connection < 3; connection++) {
        try (Socket socket = connect(daemon)) {
          send(socket, message, otherTag, message);
          assertAnswer(socket, ack("x"), ack("x"), ack("x"));
        }
      }
    }
    assertEquals(List.of("a", "b"), bodies());
  }

  @Test
  void withoutAChunkTheContentTellsARepeat() throws IOException {
    List<List<Object>> entries = IntStream.range(0, 16).mapToObj(i -> entry(i + 1, "m")).toList();
    byte[] packed = pack(entries.toArray());
    byte[] all =
        join(
            pack(List.of("t", entries)),
            pack(List.of("t", packed)),
            pack(List.of("t", gzip(packed), Map.of("compressed", "gzip"))));
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      send(socket, all, all, pack(List.of("t", 1, Map.of(), Map.of("chunk", "end"))));
      assertAnswer(socket, ack("end"));
    }
    assertEquals(33, store.committed.size()); // Forward is other bytes than PackedForward
  }

  @Test
  void badEntriesCostThemselvesOnly() throws IOException {
    List<Object> entries = List.of(entry(1, "a"), 7, List.of(1), List.of("x", "y"), entry(2, "b"));
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      send(socket, pack(List.of("t", entries, Map.of("chunk", "x"))));
      assertAnswer(socket, ack("x"));
      send(socket, pack(List.of("t", 1, "no record", Map.of("chunk", "y"))));
      assertAnswer(socket, ack("y"));
      assertEquals(List.of("a", "b"), bodies());
    }
  }

  /// Some 60 KB in entries, which a body may not have.
  private static byte[] large(String tag, boolean packed, String chunk) {
    List<Object> list = new ArrayList<>();
    List<byte[]> bytes = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) {
      List<Object> entry = entry(1_700_000_000 + i / 100, "m%04d".formatted(i));
      list.add(entry);
      bytes.add(pack(entry));
    }
    Object entries = packed ? join(bytes.toArray(byte[][]::new)) : list;
    return pack(List.of(tag, entries, Map.of("size", 1_500, "chunk", chunk)));
  }

  /// Fluentd sends unacknowledged chunks again, and nothing else before them.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aChunkThatIsTooLargeIsStoredInPiecesOnceAndAcknowledged(boolean packed) throws IOException {
    byte[] small = pack(List.of("f", List.of(entry(2, "b")), Map.of("chunk", "small")));
    byte[] large = large("t", packed, "large");
    try (Daemon daemon = start(store, "body-bytes-max", "8192")) {
      for (int time = 1; time <= 2; time++) {
        try (Socket cut = connect(daemon)) { // leaves in the middle
          send(cut, Arrays.copyOf(large, time * 10_000));
          cut.shutdownOutput();
          assertEquals(-1, cut.getInputStream().read());
        }
        try (Socket socket = connect(daemon)) {
          send(socket, small);
          for (int at = 0; at < large.length; at += 1_000 * time) {
            send(socket, Arrays.copyOfRange(large, at, Math.min(large.length, at + 1_000 * time)));
          }
          send(socket, small);
          assertAnswer(socket, ack("small"), ack("large"), ack("small"));
        }
      }
    }
    assertEquals(1_501, store.committed.size());
    assertEquals(1_501, bodies().stream().distinct().count());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aChunkInPiecesWaitsForRoom(boolean packed) throws IOException {
    try (Daemon daemon = start(store, "body-bytes-max", "8192");
        Socket socket = connect(daemon)) {
      store.full = true;
      send(socket, large("t", packed, "x"));
      Await.until(() -> store.refusedForRoom.get() >= 3, "three are refused for room");
      assertEquals(0, socket.getInputStream().available());
      store.full = false;
      assertAnswer(socket, ack("x"));
    }
    assertEquals(1_500, bodies().stream().distinct().count());
    assertEquals(1_500, store.committed.size());
  }

  /// What cannot be read costs itself: the sender would repeat it for ever.
  @Test
  void badEntriesOfAChunkInPiecesCostThemselvesOnly() throws IOException {
    byte[] head = join(pack(entry(1, "a")), new byte[] {7}, pack(entry(2, "b")));
    byte[] packed = join(head, new byte[] {(byte) 0xc1}, new byte[20_000]);
    try (Daemon daemon = start(store, "body-bytes-max", "8192");
        Socket socket = connect(daemon)) {
      send(socket, pack(List.of("t", packed, Map.of("chunk", "x"))));
      send(socket, pack(List.of("t", List.of(entry(3, "c")), Map.of("chunk", "y"))));
      assertAnswer(socket, ack("x"), ack("y"));
    }
    assertEquals(List.of("a", "b", "c"), bodies());
  }

  @Test
  void withoutRoomNothingIsAcknowledged() throws IOException {
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      store.full = true;
      send(socket, pack(List.of("t", List.of(entry(1, "a")), Map.of("chunk", "x"))));
      Await.until(() -> store.refusedForRoom.get() >= 3, "three are refused for room");
      assertEquals(0, socket.getInputStream().available());
      store.full = false;
      assertAnswer(socket, ack("x"));
    }
    assertEquals(List.of("a"), bodies());
  }

  /// Batches of more than the ring holds: none is acknowledged before all that arrived with it is
  /// stored, and none is stored twice.
  @Test
  void aFullRingAcknowledgesNothing() throws IOException {
    try (Daemon daemon = start(store, "lane-slots", "2");
        Socket socket = connect(daemon);
        HeldCommits _ = new HeldCommits(store)) {
      send(socket, each(FluentTest::numbered));
      Await.until(() -> store.commits.hasQueuedThreads(), "a commit waits");
      assertEquals(0, socket.getInputStream().available());
      assertEquals(0, store.committed.size());
      store.commits.release(1_000_000);
      assertAnswer(socket, each(i -> ack("chunk-" + i)));
      assertEquals(600, store.committed.size());
    }
  }

  /// Holds back all commits until it is closed, or the test lets them go.
  private record HeldCommits(MemoryStore store) implements AutoCloseable {
    HeldCommits {
      int _ = store.commits.drainPermits();
    }

    @Override
    public void close() {
      store.commits.release(1_000_000);
    }
  }

  @Test
  void theAcknowledgementComesAtTheLevelOfTheKey() throws IOException {
    byte[] message = pack(List.of("t", List.of(entry(1, "a")), Map.of("chunk", "x")));
    String cluster = "cassandra://127.0.0.1/widerow?dc=dc1";
    for (Durability level : Durability.values()) {
      MemoryStore own = new MemoryStore(1);
      own.applying = true;
      String key = level.name().toLowerCase(Locale.ROOT);
      String at = level == Durability.QUORUM ? cluster : "";
      try (Daemon daemon = start(own, "lanes", "1", "durability", key, "store", at);
          Socket socket = connect(daemon)) {
        send(socket, message);
        assertAnswer(socket, ack("x"));
        Await.until(() -> own.levels.contains(level), "a write at level " + level);
      }
    }
  }

  /// Node writes 0.0 as the whole number 0.
  @Test
  void oneAttributeMayBeAWholeNumberAndAFraction() throws IOException {
    List<Object> entries =
        List.of(
            List.of(new Time(1, 5), Map.of("v", 0)), List.of(new Time(2, 5), Map.of("v", 0.25)));
    try (Daemon daemon = start(store);
        Socket socket = connect(daemon)) {
      send(socket, pack(List.of("t", entries, Map.of("chunk", "x"))));
      assertAnswer(socket, ack("x"));
    }
    assertEquals(
        List.of("{v=0}", "{v=0.25}"),
        store.committed.stream().map(event -> event.attributes().toString()).toList());
  }

  @Test
  void whatIsNoMessageEndsTheConnectionAfterTheGoodOnes() throws IOException {
    byte[] good = pack(List.of("t", List.of(entry(1, "a")), Map.of("chunk", "x")));
    byte[] bomb = gzip(new byte[3 << 20]);
    List<byte[]> bad =
        List.of(
            utf8("GET / HTTP/1.1\r\n\r\n"),
            new byte[] {(byte) 0x93, (byte) 0xa1, 't', (byte) 0xc6, 127, 0, 0, 0}, // 2 GB
            new byte[] {(byte) 0x92, (byte) 0xa1, 't', (byte) 0xdd, 127, 0, 0, 0},
            new byte[] {(byte) 0x92, (byte) 0xa1, 't', (byte) 0xc1},
            pack(List.of("t", bomb, Map.of("compressed", "gzip"))),
            pack(List.of("t", utf8("no gzip"), Map.of("compressed", "gzip"))),
            pack(List.of("t", List.of(), Map.of("compressed", "lz4"))),
            pack(List.of(1, List.of())));
    try (Daemon daemon = start(store, "body-bytes-max", "2097152")) {
      for (byte[] each : bad) {
        try (Socket socket = connect(daemon)) {
          send(socket, good, each);
          assertArrayEquals(ack("x"), socket.getInputStream().readAllBytes());
        }
      }
    }
    assertEquals(List.of("a"), bodies());
  }

  private static String sha512(byte[]... parts) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(join(parts)));
  }

  private String keyFile() throws IOException {
    Path file = directory.resolve("key");
    Files.writeString(file, "s3cret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file.toString();
  }

  @Test
  void theSharedKeyLetsIn() throws IOException, NoSuchAlgorithmException {
    byte[] salt = {1, 2, (byte) 0xff};
    try (Daemon daemon = start(store, "fluent-shared-key", keyFile())) {
      for (boolean good : new boolean[] {true, false}) {
        try (Socket socket = connect(daemon);
            MessageUnpacker in = MessagePack.newDefaultUnpacker(socket.getInputStream())) {
          assertEquals(2, in.unpackArrayHeader());
          assertEquals("HELO", in.unpackString());
          assertEquals(3, in.unpackMapHeader());
          assertEquals("nonce", in.unpackString());
          byte[] nonce = utf8(in.unpackString());
          assertEquals("auth", in.unpackString());
          assertEquals("", in.unpackString());
          assertEquals("keepalive", in.unpackString());
          assertTrue(in.unpackBoolean());
          String digest = sha512(salt, utf8("me"), nonce, utf8(good ? "s3cret" : "other"));
          send(
              socket,
              pack(List.of("PING", "me", salt, digest, "", "")),
              pack(List.of("t", 1, Map.of("message", "" + good), Map.of("chunk", "x"))));
          assertEquals(5, in.unpackArrayHeader());
          assertEquals("PONG", in.unpackString());
          assertEquals(good, in.unpackBoolean());
          assertEquals(good ? "" : "shared_key mismatch", in.unpackString());
          assertEquals(good ? "widerow" : "", in.unpackString());
          assertEquals(
              good ? sha512(salt, utf8("widerow"), nonce, utf8("s3cret")) : "", in.unpackString());
          if (good) {
            assertEquals(1, in.unpackMapHeader());
            assertEquals("ack", in.unpackString());
            assertEquals("x", in.unpackString());
          }
        }
      }
      try (Socket socket = connect(daemon)) { // a sender without a key
        send(socket, pack(List.of("t", 1, Map.of("message", "?"), Map.of("chunk", "x"))));
        byte[] all = socket.getInputStream().readAllBytes();
        String answers = new String(all, StandardCharsets.ISO_8859_1);
        assertTrue(answers.contains("HELO") && answers.contains("mismatch"), answers);
      }
    }
    assertEquals(List.of("true"), bodies());
  }

  @Test
  void fluency() throws IOException {
    try (Daemon daemon = start(store)) {
      InetSocketAddress address = daemon.socketAddress("fluent");
      assertNotNull(address);
      FluencyBuilderForFluentd builder = new FluencyBuilderForFluentd();
      builder.setAckResponseMode(true);
      builder.setWaitUntilBufferFlushed(30);
      try (Fluency fluency = builder.build("127.0.0.1", address.getPort())) {
        for (int i = 0; i < 2_000; i++) {
          fluency.emit(
              "app.access",
              EventTime.fromEpoch(1_700_000_000L + i, 123_456_789),
              Map.of("message", "m" + i, "code", i, "user", Map.of("id", "u")));
        }
        fluency.flush();
        awaitStored(2_000);
      }
    }
    assertEquals(2_000, store.committed.size());
    MemoryStore.Stored first =
        store.committed.stream()
            .min(java.util.Comparator.comparingLong(MemoryStore.Stored::timeNanos))
            .orElseThrow();
    assertEquals(
        "Stored[type=app.access, timeNanos=1700000000123456789, ownId=null,"
            + " attributes={body=m0, code=0, user.id=u}]",
        first.toString());
  }
}
