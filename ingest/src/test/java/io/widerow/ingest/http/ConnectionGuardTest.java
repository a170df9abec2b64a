package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.widerow.ingest.TunedConfig;
import io.widerow.ingest.config.FixedLimits;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: [ConnectionGuard] lets through what it must, and nothing else. Method: embedded channels
/// instead of connections, with a clock that the test sets.
class ConnectionGuardTest {
  private static final FixedLimits LIMITS =
      TunedConfig.of(Map.of("header-seconds", "10", "http2-frames-max", "50")).limits();

  /// A connection from an address.
  private static EmbeddedChannel connect(ConnectionGuard guard, String address) {
    ChannelInitializer<Channel> initializer =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            guard.guard(channel.pipeline());
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(initializer) {
          @Override
          protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(address, 4_711);
          }
        };
    channel.freezeTime();
    return channel;
  }

  private static void send(EmbeddedChannel channel, String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
  }

  private static String told(EmbeddedChannel channel) {
    ByteBuf bytes = channel.readOutbound();
    assertTrue(bytes != null, "no answer");
    String text = bytes.toString(StandardCharsets.US_ASCII);
    bytes.release();
    return text;
  }

  private static void pass(EmbeddedChannel channel, int seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void connectionsOfOneAddressAreLimited() {
    ConnectionGuard guard = new ConnectionGuard(LIMITS, 2, 100, false);
    EmbeddedChannel first = connect(guard, "192.0.2.1");
    assertTrue(first.isOpen() && connect(guard, "192.0.2.1").isOpen());
    assertFalse(connect(guard, "192.0.2.1").isOpen());
    assertTrue(connect(guard, "192.0.2.2").isOpen());
    assertEquals(1, guard.refused());
    first.close().syncUninterruptibly();
    assertTrue(connect(guard, "192.0.2.1").isOpen(), "one has ended, so there is room for another");
    assertEquals(2, guard.addresses());
  }

  @Test
  void anIpv6NetworkIsOneAddressAndLoopbackIsNotCounted() {
    ConnectionGuard guard = new ConnectionGuard(LIMITS, 2, 100, false);
    assertTrue(connect(guard, "2001:db8::1").isOpen());
    assertTrue(connect(guard, "2001:db8::2").isOpen());
    assertFalse(connect(guard, "2001:db8::3").isOpen());
    assertTrue(connect(guard, "2001:db8:0:1::1").isOpen());
    for (int i = 0; i < 10; i++) {
      assertTrue(connect(guard, "127.0.0.1").isOpen());
    }
  }

  @Test
  void headersMustArriveInTime() {
    ConnectionGuard guard = new ConnectionGuard(LIMITS, 2, 100, false);
    EmbeddedChannel channel = connect(guard, "127.0.0.1");
    pass(channel, 100);
    assertTrue(channel.isOpen(), "the guard does not time a silent connection");
    send(channel, "GET / HT");
    pass(channel, 9);
    send(channel, "TP/1.1");
    assertTrue(channel.isOpen());
    pass(channel, 1);
    assertTrue(told(channel).startsWith("HTTP/1.1 408 "));
    assertFalse(channel.isOpen());
    assertEquals(1, guard.slow());
  }

  @Test
  void whatIsAnsweredIsNotTimed() {
    ConnectionGuard guard = new ConnectionGuard(LIMITS, 2, 100, false);
    EmbeddedChannel channel = connect(guard, "127.0.0.1");
    send(channel, "GET / HTTP/1.1\r\n\r\n");
    channel.writeOutbound(Unpooled.copiedBuffer("answer", StandardCharsets.US_ASCII));
    assertEquals("answer", told(channel));
    pass(channel, 100);
    assertTrue(channel.isOpen());
    assertEquals(0, guard.slow());
  }

  @Test
  void plainHttpOnATlsPortGetsAnExplanation() {
    ConnectionGuard guard = new ConnectionGuard(LIMITS, 2, 100, true);
    EmbeddedChannel plain = connect(guard, "127.0.0.1");
    send(plain, "GET / HTTP/1.1\r\n\r\n");
    assertTrue(told(plain).contains("TLS is spoken here"));
    assertFalse(plain.isOpen());
    assertNull(plain.readInbound());
    EmbeddedChannel secret = connect(guard, "127.0.0.1");
    send(secret, "\u0016\u0003\u0001");
    assertTrue(secret.isOpen());
    pass(secret, 10);
    assertFalse(secret.isOpen(), "a handshake must finish in time");
  }

  @Test
  void pausedConnectionsResumeInTheOrderOfRefusal() {
    ConnectionGuard guard = new ConnectionGuard(LIMITS, 2, 100, false);
    EmbeddedChannel first = connect(guard, "127.0.0.1");
    EmbeddedChannel gone = connect(guard, "127.0.0.1");
    EmbeddedChannel second = connect(guard, "127.0.0.1");
    EmbeddedChannel third = connect(guard, "127.0.0.1");
    for (EmbeddedChannel channel : List.of(first, gone, second, third)) {
      ConnectionGuard.pause(channel, 1_000, 100);
      assertFalse(channel.config().isAutoRead());
    }
    gone.close().syncUninterruptibly();
    guard.roomAgain(299);
    for (EmbeddedChannel channel : List.of(first, second, third)) {
      channel.runPendingTasks();
    }
    assertTrue(first.config().isAutoRead() && second.config().isAutoRead());
    assertFalse(third.config().isAutoRead());
    guard.roomAgain(299);
    third.runPendingTasks();
    assertFalse(third.config().isAutoRead(), "the other two have not claimed their 200 yet");
    pass(third, 1);
    assertTrue(third.config().isAutoRead(), "the pause lasts a second at most");
    ConnectionGuard.pause(third, 1_000, 100);
    pass(first, 1);
    pass(second, 1);
    guard.roomAgain(299);
    third.runPendingTasks();
    assertTrue(
        third.config().isAutoRead(), "a resumed sender that claims nothing is not waited for");
  }
}
