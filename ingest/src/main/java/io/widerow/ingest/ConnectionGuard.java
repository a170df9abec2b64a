package io.widerow.ingest;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Stands before the HTTP server on each connection and closes those that only hold it: more from
/// one address than are allowed, and those that take too long over the headers of a request or over
/// a handshake. Who speaks plain HTTP where TLS is spoken is told so.
///
/// ```
///   quiet --first bytes--> arriving --request begins--> answering --answered--> quiet
///     ^                       |  |
///     +----written to---------+  +--header-seconds--> closed
/// ```
///
/// Addresses of this machine are not counted: what comes from them may be a proxy of many. On a
/// connection with many requests at a time (HTTP/2) headers are timed until its first request.
///
/// - Threads: each connection's handler its event loop; the counts any.
final class ConnectionGuard {
  private static final AttributeKey<Guarded> GUARDED =
      AttributeKey.valueOf(ConnectionGuard.class, "GUARDED");
  private static final int TLS_HANDSHAKE = 22;
  private static final int LINGER_SECONDS = 1;
  private static final long PAUSE_MILLIS = 250;
  private static final int IPV6_NETWORK_BYTES = 8;
  private static final String PLAIN_ON_TLS =
      String.join(
          "\r\n",
          "HTTP/1.1 400 Bad Request",
          "content-type: text/plain",
          "connection: close",
          "content-length: 33",
          "",
          "TLS is spoken here: use https://\n");
  private static final String TOO_SLOW =
      String.join(
          "\r\n", "HTTP/1.1 408 Request Timeout", "connection: close", "content-length: 0", "\r\n");

  private final LimitOptions limits;
  private final boolean tls;
  private final ConcurrentHashMap<String, Integer> byAddress = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  private final LongAdder slow = new LongAdder();

  /// @param tls whether the connections speak TLS
  ConnectionGuard(LimitOptions limits, boolean tls) {
    this.limits = limits;
    this.tls = tls;
  }

  /// Puts a guard before all other handlers of a new connection.
  void guard(ChannelPipeline pipeline) {
    Guarded guarded = new Guarded();
    pipeline.channel().attr(GUARDED).set(guarded);
    pipeline.addFirst(guarded);
  }

  /// Says that a request's headers are there.
  static void begin(ServiceRequestContext context) {
    Channel channel = context.log().partial().channel();
    Guarded guarded = channel == null ? null : channel.attr(GUARDED).get();
    if (channel != null && guarded != null) {
      guarded.begin(context.sessionProtocol().isMultiplex());
      var _ = context.log().whenComplete().thenRunAsync(guarded::end, channel.eventLoop());
    }
  }

  /// Reads nothing of a connection for a moment, when one of its requests was refused for want of
  /// room: whoever does not wait before it tries again is made to, by TCP, and takes no processor
  /// time from those who are served.
  static void pause(ServiceRequestContext context) {
    pause(context, PAUSE_MILLIS);
  }

  private static void pause(ServiceRequestContext context, long millis) {
    Channel channel = context.log().partial().channel();
    Guarded guarded = channel == null ? null : channel.attr(GUARDED).get();
    if (channel != null && guarded != null && !context.sessionProtocol().isMultiplex()) {
      channel.eventLoop().execute(() -> guarded.pause(channel, millis));
    }
  }

  /// Ends a connection on which more of a body is on its way that nobody wants, soon after the
  /// answer: at once, and a sender that is still sending would not see the answer. Nothing more is
  /// read of it.
  static void leave(ServiceRequestContext context) {
    Channel channel = context.log().partial().channel();
    if (channel != null && !context.sessionProtocol().isMultiplex()) {
      pause(context, 2 * SECONDS.toMillis(LINGER_SECONDS));
      var _ = context.initiateConnectionShutdown(Duration.ofSeconds(LINGER_SECONDS));
      var _ = context.log().whenComplete().thenRun(() -> closeSoon(channel));
    }
  }

  private static void closeSoon(Channel channel) {
    Runnable close =
        () -> {
          var _ = channel.close();
        };
    var _ = channel.eventLoop().schedule(close, LINGER_SECONDS, SECONDS);
  }

  /// Connections that were one too many from their address.
  long refused() {
    return refused.sum();
  }

  /// Connections that were closed because they took too long.
  long slow() {
    return slow.sum();
  }

  /// Addresses that have connections now.
  int addresses() {
    return byAddress.size();
  }

  private @Nullable String counted(SocketAddress remote) {
    if (limits.connectionsPerAddressMax() == 0
        || !(remote instanceof InetSocketAddress internet)
        || internet.getAddress().isLoopbackAddress()) {
      return null;
    }
    return network(internet.getAddress());
  }

  private static String network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return HexFormat.of()
        .formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, IPV6_NETWORK_BYTES)));
  }

  /// One connection.
  private final class Guarded extends ChannelDuplexHandler {
    private @Nullable String address; // as it is counted
    private @Nullable Future<?> deadline; // while headers arrive
    private int answering;
    private boolean multiplex;
    private boolean secret; // TLS has begun
    private boolean paused;

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
      address = counted(context.channel().remoteAddress());
      if (address != null
          && byAddress.merge(address, 1, Integer::sum) > limits.connectionsPerAddressMax()) {
        refused.increment();
        var _ = context.close();
        return;
      }
      super.channelActive(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
      arrived();
      if (address != null) {
        byAddress.computeIfPresent(address, (_, count) -> count > 1 ? count - 1 : null);
        address = null;
      }
      super.channelInactive(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
      if (tls && !secret && message instanceof ByteBuf bytes && bytes.isReadable()) {
        secret = true;
        if (bytes.getByte(bytes.readerIndex()) != TLS_HANDSHAKE) {
          ReferenceCountUtil.release(message);
          say(context, PLAIN_ON_TLS);
          return;
        }
      }
      if (answering == 0 && !multiplex && deadline == null) {
        deadline =
            context.executor().schedule(() -> tooSlow(context), limits.headerSeconds(), SECONDS);
      }
      super.channelRead(context, message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
        throws Exception {
      arrived();
      super.write(context, message, promise);
    }

    void pause(Channel channel, long millis) {
      if (!paused) {
        paused = true;
        channel.config().setAutoRead(false);
        Runnable goOn = () -> goOn(channel);
        var _ = channel.eventLoop().schedule(goOn, millis, MILLISECONDS);
      }
    }

    private void goOn(Channel channel) {
      paused = false;
      channel.config().setAutoRead(true);
    }

    private void tooSlow(ChannelHandlerContext context) {
      deadline = null;
      slow.increment();
      if (tls) {
        var _ = context.close();
      } else {
        say(context, TOO_SLOW);
      }
    }

    private void say(ChannelHandlerContext context, String answer) {
      var _ =
          context
              .writeAndFlush(Unpooled.copiedBuffer(answer, StandardCharsets.US_ASCII))
              .addListener(ChannelFutureListener.CLOSE);
    }

    private void arrived() {
      Future<?> waiting = deadline;
      if (waiting != null) {
        waiting.cancel(false);
        deadline = null;
      }
    }

    void begin(boolean ofMany) {
      arrived();
      multiplex |= ofMany;
      answering++;
    }

    void end() {
      answering--;
    }
  }
}
