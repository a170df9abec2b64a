package io.widerow.ingest.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Times;
import io.widerow.ingest.intake.BodyDigest;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.intake.Intake;
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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a protocol with sockets of its own brings its decoders and nothing else. Method: a
/// protocol of one digit and a dot for each event, over TCP and over UDP, on real sockets and lanes
/// over a store in memory.
@Timeout(30)
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
      if (offset < limit && !Times.isDigit(bytes[offset])) {
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
      if (Times.isDigit(bytes[offset])) {
        event(bytes[offset], batch);
      }
    }
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
            new Lanes.Settings(64, 1_000, 900),
            () -> new SpinThenParkWaitStrategy(10_000),
            new BatchPool(1 << 20, 1 << 16),
            registry,
            () -> 1_000);
    ByteCredit credit = new ByteCredit(1 << 20);
    Intake intake =
        new Intake(
            lanes,
            credit,
            new Intake.Limits(1 << 16, 100, 1),
            BodyDigest.forThisMachine(store.secret()),
            () -> null,
            () -> 1_000);
    lanes.start();
    SocketReceiver receiver =
        new SocketReceiver(protocol, ANY_PORT, intake, Durability.DISK, registry);
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
    while (store.committed.size() < count) {
      Thread.onSpinWait();
    }
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
