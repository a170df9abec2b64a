package io.widerow.ingest.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.faults.Await;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.ClosedBuckets;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchPool;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.SpinThenParkWaitStrategy;
import io.widerow.storage.Durability;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a protocol with sockets of its own brings its decoders and nothing else. Method: a
/// protocol of one digit and a dot for each event, over TCP and over UDP, on real sockets and lanes
/// over a store in memory.
@Timeout(300)
class SocketReceiverTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NAME = "n".getBytes(StandardCharsets.US_ASCII);
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final MemoryStore store = new MemoryStore(1);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /// A digit and a dot; the last dot may be missing.
  private static final class Dots implements StreamDecoder {
    @Override
    public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      if (offset < limit && !TimeParser.isDigit(bytes[offset])) {
        return BROKEN;
      }
      if (limit - offset < 2) {
        return MORE;
      }
      event(bytes[offset], batch);
      return offset + 2;
    }

    @Override
    public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      if (TimeParser.isDigit(bytes[offset])) {
        event(bytes[offset], batch);
      }
    }
  }

  /// `k5.`, a key and a digit: stored once for each key, and answered with the key. `!` is answered
  /// and holds no event. What begins with a digit is as of [Dots].
  private static final class Keys implements StreamDecoder {
    private final Dots dots = new Dots();
    private @Nullable Receipt receipt;

    @Override
    public byte[] greeting() {
      return ascii("hello ");
    }

    @Override
    public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      receipt = null;
      if (offset < limit && bytes[offset] == '!') {
        receipt = Receipt.ofAnswer(ascii("!"));
        return offset + 1;
      }
      if (offset == limit || bytes[offset] < 'a') {
        return dots.decode(bytes, offset, limit, batch);
      }
      if (limit - offset < 3) {
        return MORE;
      }
      if (batch.decoded() > 0) {
        return OWN_BATCH;
      }
      event(bytes[offset + 1], batch);
      String key = String.valueOf((char) bytes[offset]);
      receipt = new Receipt(BatchKey.ofName("", "dots", key), null, ascii(key));
      return offset + 3;
    }

    @Override
    public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      dots.decodeLast(bytes, offset, limit, batch);
    }

    @Override
    public @Nullable Receipt receipt() {
      return receipt;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void event(byte digit, IncomingBatch batch) {
    batch.events.begin(TYPE, 0, 1, 1_000);
    batch.events.putLong(NAME, 0, 1, digit - '0');
    batch.end();
  }

  /// Uses the receiver of a protocol, which has been stopped and closed when this returns.
  private void receive(SocketProtocol protocol, Sender sender) throws IOException {
    Lanes lanes =
        new Lanes(
            store,
            new Lanes.Settings(64, 1_000, 1 << 20, 900),
            () -> new SpinThenParkWaitStrategy(10_000),
            new BatchPool(1 << 20, 1 << 16, 64),
            registry,
            () -> 1_000);
    ByteCredit credit = new ByteCredit(1 << 20);
    Intake intake =
        new Intake(
            lanes,
            credit,
            new Intake.Limits(1 << 16, 100, 1),
            new ClosedBuckets(1_000_000_000, 0),
            new BodyDigest(store.secret()),
            () -> null,
            () -> 1_000);
    lanes.start();
    SocketReceiver receiver =
        new SocketReceiver(
            protocol,
            ANY_PORT,
            new SocketReceiver.Terms(Durability.DISK, null, 10),
            intake,
            registry);
    try (receiver;
        lanes) {
      sender.send(receiver.address());
      receiver.stop();
    }
    assertEquals(0, credit.bytesUsed());
  }

  /// Sends to a receiver.
  @FunctionalInterface
  private interface Sender {
    void send(InetSocketAddress address) throws IOException;
  }

  private void awaitCommitted(int count) {
    Await.until(() -> store.committed.size() >= count, count + " events are stored");
  }

  private String numbers() {
    return store.committed.stream().map(event -> event.attributes().get("n")).toList().toString();
  }

  @Test
  void tcpAlone() throws IOException {
    SocketProtocol dots = new SocketProtocol("dots", Dots::new, null);
    assertEquals("TCP", dots.transports());
    receive(
        dots,
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write("1.2.3".getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            awaitCommitted(3);
          }
        });
    assertEquals("[1, 2, 3]", numbers());
    assertEquals(List.of(Durability.DISK), store.levels.stream().distinct().toList());
    assertEquals(3, registry.get("widerow.dots.messages").counter().count());
    assertNull(registry.find("widerow.dots.dropped.kernel").meter());
  }

  @Test
  void aBrokenFrameEndsTheConnectionAfterTheGoodOnes() throws IOException {
    receive(
        new SocketProtocol("dots", Dots::new, null),
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write("4.x".getBytes(StandardCharsets.US_ASCII));
            assertEquals(-1, socket.getInputStream().read());
          }
        });
    assertEquals("[4]", numbers());
  }

  private static final SocketProtocol KEYS = new SocketProtocol("dots", Keys::new, null);

  private static String read(Socket socket, int count) throws IOException {
    return new String(socket.getInputStream().readNBytes(count), StandardCharsets.US_ASCII);
  }

  @Test
  void answersComeInOrderWhenAllIsDurable() throws IOException {
    receive(
        KEYS,
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            assertEquals("hello ", read(socket, 6));
            store.commits.drainPermits();
            socket.getOutputStream().write(ascii("1.2.a3.!b4.5.c6.7."));
            store.commits.release(1_000);
            assertEquals("a!bc", read(socket, 4));
            assertEquals(7, store.committed.size());
          }
        });
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), sortedNumbers());
    assertEquals(7, registry.get("widerow.dots.messages").counter().count());
  }

  @Test
  void aFrameThatComesAgainIsStoredOnceAndAnsweredAgain() throws IOException {
    receive(
        KEYS,
        address -> {
          for (int connection = 0; connection < 3; connection++) {
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
              socket.getOutputStream().write(ascii("a1.a1.b2."));
              assertEquals("hello aab", read(socket, 9));
            }
          }
        });
    assertEquals(List.of(1L, 2L), sortedNumbers());
    assertEquals(2, registry.get("widerow.dots.messages").counter().count());
  }

  @Test
  void withoutRoomNothingIsAnsweredAndNothingStoredTwice() throws IOException {
    receive(
        KEYS,
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            assertEquals("hello ", read(socket, 6));
            store.full = true;
            socket.getOutputStream().write(ascii("1.2.a3.4.5"));
            Await.until(() -> store.refusedForRoom.get() >= 6, "six are refused for room");
            assertEquals(0, socket.getInputStream().available());
            socket.getOutputStream().write(ascii(".b6."));
            store.full = false;
            assertEquals("ab", read(socket, 2));
            awaitCommitted(6);
          }
        });
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), sortedNumbers());
  }

  @Test
  void aFailedStoreClosesWithoutAnAnswer() throws IOException {
    store.failure = "EIO";
    receive(
        KEYS,
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(ascii("a1."));
            assertEquals("hello ", read(socket, 7));
          }
        });
    assertEquals(List.of(), sortedNumbers());
  }

  @Test
  void manyAnswersAndABrokenFrame() throws IOException {
    receive(
        KEYS,
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(ascii("!".repeat(100) + "a1." + "!".repeat(900) + "?"));
            String answers = read(socket, 2_000); // until it is closed
            assertEquals("hello " + "!".repeat(100) + "a" + "!".repeat(900), answers);
          }
        });
  }

  /// A group ends exactly where the bytes end: what comes later is still read.
  @ParameterizedTest
  @ValueSource(ints = {255, 256, 257, 512})
  void asManyAnswersAsAGroupHolds(int count) throws IOException {
    receive(
        KEYS,
        address -> {
          try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            assertEquals("hello ", read(socket, 6));
            for (int time = 0; time < 3; time++) {
              socket.getOutputStream().write(ascii("!".repeat(count)));
              assertEquals("!".repeat(count), read(socket, count));
            }
          }
        });
  }

  private List<Long> sortedNumbers() {
    return store.committed.stream()
        .map(event -> (Long) Objects.requireNonNull(event.attributes().get("n")))
        .sorted()
        .toList();
  }

  /// A length of seven digits, and so many bytes, which are one event.
  private static final class Counted implements StreamDecoder {
    @Override
    public int decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
      if (limit - offset < 7) {
        return MORE;
      }
      int length = Integer.parseInt(new String(bytes, offset, 7, StandardCharsets.US_ASCII));
      if (limit - offset - 7 < length) {
        return MORE;
      }
      event((byte) '1', batch);
      return offset + 7 + length;
    }

    @Override
    public void decodeLast(byte[] bytes, int offset, int limit, IncomingBatch batch) {}
  }

  private static int send(InetSocketAddress address, byte[] frame) throws IOException {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.getOutputStream().write(frame);
      socket.shutdownOutput();
      return socket.getInputStream().read();
    }
  }

  /// The credit is 1 MiB, and the frames of six connections are 3 MiB: all become whole.
  @Test
  void unfinishedFramesShareTheCreditAndNoneStopsTheOthers() throws IOException {
    receive(
        new SocketProtocol("dots", Counted::new, null),
        address -> {
          byte[] frame = new byte[7 + 500_000];
          System.arraycopy(ascii("0500000"), 0, frame, 0, 7);
          List<Future<Integer>> ends = new ArrayList<>();
          try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 6; i++) {
              ends.add(senders.submit(() -> send(address, frame)));
            }
          }
          for (Future<Integer> end : ends) {
            assertEquals(-1, end.resultNow());
          }
          awaitCommitted(6);
        });
    assertEquals(6, store.committed.size());
  }

  @Test
  void udpAlone() throws IOException {
    SocketProtocol dots =
        new SocketProtocol("dots", null, () -> (bytes, length, batch) -> event(bytes[0], batch));
    assertEquals("UDP", dots.transports());
    receive(
        dots,
        address -> {
          assertTrue(address.getPort() > 0);
          try (DatagramSocket socket = new DatagramSocket()) {
            byte[] seven = "7.".getBytes(StandardCharsets.US_ASCII);
            socket.send(new DatagramPacket(seven, seven.length, address));
            awaitCommitted(1);
          }
        });
    assertEquals("[7]", numbers());
    assertEquals(1, registry.get("widerow.dots.messages").counter().count());
    assertEquals(0, registry.get("widerow.dots.dropped.kernel").functionCounter().count());
  }

  @Test
  void neitherIsRefused() {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> new SocketProtocol("dots", null, null));
    assertEquals("dots is spoken neither over TCP nor over UDP", refused.getMessage());
  }
}
