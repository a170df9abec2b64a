package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: when the lanes take nothing more, TCP connections are not read, and all that was sent is
/// stored once there is room; datagrams are dropped and counted. Method: a store whose commits are
/// held back and a ring of two slots, for each protocol with a socket of its own.
@Timeout(300)
class FullRingTest {
  private static final int CONNECTIONS = 6;
  private static final int STALL_LOOKS = 50;
  private static final long LOOK_NANOS = 10_000_000;
  private static final long SENT_BYTES_MAX = 256L << 20; // far more than all buffers on the way
  private static final String FILL = "x".repeat(4_000);

  private final MemoryStore store = new MemoryStore(1);

  /// Holds back all commits until it is closed.
  private record HeldCommits(MemoryStore store) implements AutoCloseable {
    HeldCommits {
      int _ = store.commits.drainPermits();
    }

    void letGo() {
      store.commits.release(1_000_000);
    }

    @Override
    public void close() {
      letGo();
    }
  }

  private static Daemon start(MemoryStore store, String protocol) {
    return Daemon.start(
        TunedConfig.of(
            Map.of(
                "http", "127.0.0.1:0", protocol, "127.0.0.1:0", "lanes", "1", "lane-slots", "2")),
        store);
  }

  private static InetSocketAddress address(Daemon daemon, String protocol) {
    InetSocketAddress address = daemon.socketAddress(protocol);
    assertNotNull(address);
    return address;
  }

  /// One event of 4 KB.
  private static byte[] message(String protocol) {
    return switch (protocol) {
      case "syslog" -> ascii("<34>1 2003-10-11T22:14:15.003Z h a 1 - - " + FILL + "\n");
      case "statsd" -> ascii("m:1|c|#t:" + FILL + "\n");
      case "graphite" -> ascii("m;t=" + FILL + " 1 1700000000\n");
      case "gelf" -> ascii("{\"host\":\"h\",\"short_message\":\"" + FILL + "\"}\0");
      case "fluent" -> {
        byte[] head = HexFormat.of().parseHex("93a174ce6553f10081a36d7367da0fa0");
        byte[] whole = new byte[head.length + FILL.length()];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(ascii(FILL), 0, whole, head.length, FILL.length());
        yield whole;
      }
      default -> throw new IllegalArgumentException(protocol);
    };
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Writes whole messages until the other side has read from no connection for half a second.
  ///
  /// @param rests of each connection the message that is being written
  /// @return messages written, with those that are left in `rests`, whole or in part
  private static int writeUntilStalled(List<SocketChannel> channels, List<ByteBuffer> rests)
      throws IOException {
    int messages = channels.size();
    int looks = 0;
    while (looks < STALL_LOOKS) {
      long written = 0;
      for (int i = 0; i < channels.size(); i++) {
        ByteBuffer message = rests.get(i);
        if (!message.hasRemaining()) {
          message.rewind();
          messages++;
        }
        written += channels.get(i).write(message);
      }
      looks = written > 0 ? 0 : looks + 1;
      if (written == 0) {
        Await.pauseNanos(LOOK_NANOS);
      }
      long sent = (long) messages * rests.getFirst().limit();
      assertTrue(sent < SENT_BYTES_MAX, "it is read without an end");
    }
    return messages;
  }

  @ParameterizedTest
  @ValueSource(strings = {"syslog", "statsd", "graphite", "gelf", "fluent"})
  void overTcpNothingIsReadAndNothingLost(String protocol)
      throws IOException, InterruptedException {
    try (Daemon daemon = start(store, protocol);
        Http http = new Http(daemon);
        HeldCommits held = new HeldCommits(store)) {
      List<SocketChannel> channels = new ArrayList<>();
      List<ByteBuffer> rests = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        SocketChannel channel = SocketChannel.open(address(daemon, protocol));
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
        channel.configureBlocking(false);
        channels.add(channel);
        rests.add(ByteBuffer.wrap(message(protocol)));
      }
      int messages = writeUntilStalled(channels, rests);
      String metrics = http.get("/metrics").body();
      assertTrue(metrics.contains("widerow_lane_ring_used{lane=\"0\"} 2"), metrics);
      assertEquals(0, store.committed.size());
      held.letGo();
      for (int i = 0; i < CONNECTIONS; i++) {
        channels.get(i).configureBlocking(true);
        while (rests.get(i).hasRemaining()) {
          int _ = channels.get(i).write(rests.get(i));
        }
        channels.get(i).close();
      }
      int sent = messages;
      Await.until(() -> store.committed.size() >= sent, "all messages are stored");
      assertEquals(messages, store.committed.size());
      String counted = http.get("/metrics").body();
      assertTrue(counted.contains("widerow_%s_dropped_total 0.0".formatted(protocol)), counted);
    }
    assertEquals(messages(), store.committed.size());
  }

  private long messages() {
    return store.committed.stream().filter(event -> event.toString().contains(FILL)).count();
  }

  private static double metric(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not in\n" + metrics));
  }

  @ParameterizedTest
  @ValueSource(strings = {"syslog", "statsd", "graphite", "gelf"})
  void datagramsAreDroppedAndCounted(String protocol) throws IOException, InterruptedException {
    try (Daemon daemon = start(store, protocol);
        Http http = new Http(daemon);
        DatagramSocket socket = new DatagramSocket();
        HeldCommits held = new HeldCommits(store)) {
      byte[] message = message(protocol);
      byte last = message[message.length - 1];
      int length = message.length - (last == 0 ? 1 : 0); // GELF has no NUL in datagrams
      String name = "widerow_" + protocol;
      int sent = 0;
      String metrics = http.get("/metrics").body();
      while (metric(metrics, name + "_dropped_total") < 10) {
        for (int i = 0; i < 10; i++) {
          socket.send(new DatagramPacket(message, length, address(daemon, protocol)));
          sent++;
        }
        metrics = http.get("/metrics").body();
      }
      String senders = http.get("/v1/senders").body();
      assertTrue(senders.contains("dropped: the rings of the lanes are full"), senders);
      held.letGo();
      while (metric(metrics, name + "_messages_total")
              + metric(metrics, name + "_dropped_kernel_total")
          < sent) {
        metrics = http.get("/metrics").body();
      }
      double dropped = metric(metrics, name + "_dropped_total");
      double kernel = metric(metrics, name + "_dropped_kernel_total");
      assertEquals(sent, store.committed.size() + dropped + kernel);
      assertTrue(store.committed.size() > 0, "the first were stored");
    }
  }
}
