package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: each message of a batch is a datagram of its own, without the length that TCP needs.
class DatagramConnectionTest {
  @Test
  void framesBecomeDatagrams() throws IOException {
    try (DatagramChannel server = DatagramChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (Connection connection =
          new DatagramConnection((InetSocketAddress) server.getLocalAddress())) {
        ByteBuffer batch =
            ByteBuffer.wrap("5 hello12 world 2 ends".getBytes(StandardCharsets.UTF_8));
        Reply reply = connection.exchange(ByteBuffer.allocate(0), batch, 2);
        assertEquals(2, reply.accepted());
        // A batch is sent more than once.
        assertEquals(2, connection.exchange(ByteBuffer.allocate(0), batch, 2).accepted());
      }
      List<String> messages = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        ByteBuffer datagram = ByteBuffer.allocate(100);
        server.receive(datagram);
        messages.add(new String(datagram.array(), 0, datagram.position(), StandardCharsets.UTF_8));
      }
      assertEquals(List.of("hello", "world 2 ends", "hello", "world 2 ends"), messages);
    }
  }
}
