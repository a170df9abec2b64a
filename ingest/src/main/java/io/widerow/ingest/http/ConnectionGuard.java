package io.widerow.ingest.http;

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
import io.widerow.ingest.config.FixedLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Guards each connection of the HTTP server. It closes connections that exceed the limit of their
/// address, and connections that take too long for the headers of a request or for a TLS handshake.
/// A client that speaks plain HTTP to a TLS port gets a response with the reason. A connection
/// whose request found no credit is not read until credit is free; paused connections resume in the
/// order of refusal. At the limit of connections, [OpenConnections] chooses the one that is closed
/// for a new one. [ProtocolWatch] adds the guards of each protocol.
///
/// ```
///   new, arriving --request begins--> answering --answered--> quiet
///     ^   |  |                                                 |
///     |   |  +----10 seconds, more needed----> closed <--------+ more needed
///     +---|----------first bytes-------------------------------+
///         +----------written to-----> not timed
/// ```
///
/// Loopback addresses are not counted by address: a proxy with many clients may use one. On a
/// connection with many requests at a time (HTTP/2) only the headers of the first request are
/// timed.
///
/// - Threads: a connection's handler runs on its event loop; any thread reads the counts.
public final class ConnectionGuard {
  /// The time for which the rest of a body may still arrive, to be dropped, after an early
  /// response.
  static final int LINGER_SECONDS = 3;

  private static final AttributeKey<Guarded> GUARDED =
      AttributeKey.valueOf(ConnectionGuard.class, "GUARDED");
  private static final String NAME = "widerow-guard";
  private static final int TLS_HANDSHAKE = 22;
  private static final long LINGER_BYTES = 64 << 20;
  private static final long PAUSE_MILLIS_MAX = 1_000;
  private static final long EXPECTED_MILLIS = 20;
  private static final long GOAWAY_MILLIS = 1_000; // for it to leave, when the client reads
  private static final long NEVER = Long.MAX_VALUE; // no credit is so large
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

  private final FixedLimits limits;
  private final int perAddressMax;
  private final boolean tls;
  private final ConcurrentHashMap<String, Integer> byAddress = new ConcurrentHashMap<>();
  private final Queue<Guarded> waiting = new ConcurrentLinkedQueue<>(); // each at most once
  private final ReentrantLock resuming = new ReentrantLock();
  private final AtomicLong expected = new AtomicLong(); // bytes that resumed senders will claim
  private final LongAdder refused = new LongAdder();
  private final LongAdder slow = new LongAdder();
  private final LongAdder flooding = new LongAdder();
  private final OpenConnections open;

  /// @param perAddressMax connections at a time from one address of another machine, or from one
  ///   IPv6 /64; 0 for no limit
  /// @param connectionsMax connections at a time
  /// @param tls whether the connections speak TLS
  public ConnectionGuard(FixedLimits limits, int perAddressMax, int connectionsMax, boolean tls) {
    this.perAddressMax = perAddressMax;
    this.limits = limits;
    this.tls = tls;
    this.open = new OpenConnections(connectionsMax);
  }

  /// Adds a guard in front of all other handlers of a new connection.
  public void guard(ChannelPipeline pipeline) {
    Guarded guarded = new Guarded(pipeline.channel());
    pipeline.channel().attr(GUARDED).set(guarded);
    pipeline.addFirst(NAME, guarded);
    ProtocolWatch.watch(pipeline, NAME, tls, guarded::guardHttp2);
  }

  /// Notifies the guard that the headers of a request have arrived.
  public static void begin(ServiceRequestContext context) {
    Channel channel = context.log().partial().channel();
    Guarded guarded = channel == null ? null : channel.attr(GUARDED).get();
    if (channel != null && guarded != null) {
      guarded.begin(context.sessionProtocol().isMultiplex());
      Http2FrameGuard http2 = guarded.http2;
      if (http2 != null) {
        http2.begin(context);
      }
      var _ = context.log().whenComplete().thenRunAsync(guarded::end, channel.eventLoop());
    }
  }

  /// Stops reading a connection whose request was refused for lack of credit, until there is credit
  /// for it or a second has passed. TCP then holds back a sender that retries at once, and it takes
  /// no processor time from others.
  ///
  /// @param bytes of credit that the request wanted
  static void pause(ServiceRequestContext context, long bytes) {
    Channel channel = context.log().partial().channel();
    if (channel != null && !context.sessionProtocol().isMultiplex()) {
      pause(channel, PAUSE_MILLIS_MAX, bytes);
    }
  }

  /// @param bytes of free credit that end the pause early
  static void pause(Channel channel, long millis, long bytes) {
    Guarded guarded = channel.attr(GUARDED).get();
    if (guarded == null) {
      return;
    }
    if (channel.eventLoop().inEventLoop()) { // at once: the next read may bring many requests more
      guarded.pause(channel, millis, bytes);
    } else {
      channel.eventLoop().execute(() -> guarded.pause(channel, millis, bytes));
    }
  }

  /// Resumes the connections that were paused longest, as many as there is credit for.
  public void roomAgain(long bytesFree) {
    if (waiting.isEmpty() || !resuming.tryLock()) { // the holder of the lock does the same
      return;
    }
    try {
      Guarded next = waiting.peek();
      while (next != null && bytesFree - expected.get() >= next.wanted) {
        waiting.remove();
        next.goOnSoon();
        next = waiting.peek();
      }
    } finally {
      resuming.unlock();
    }
  }

  /// Closes a connection some time after the response, when the rest of an unwanted body is still
  /// on its way. Until then what arrives is dropped (RFC 9112, section 9.6): closing a socket
  /// before the sender has finished could destroy the response. Beyond [#LINGER_BYTES] nothing is
  /// read. Call it on the connection's event loop.
  static void leave(ServiceRequestContext context) {
    Channel channel = context.log().partial().channel();
    if (channel != null && !context.sessionProtocol().isMultiplex()) {
      Guarded guarded = channel.attr(GUARDED).get();
      if (guarded != null) {
        guarded.lingering = true;
      }
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

  /// Connections refused because their address had too many.
  public long refused() {
    return refused.sum();
  }

  /// Connections closed because they were too slow.
  public long slow() {
    return slow.sum();
  }

  /// HTTP/2 connections ended because of what [Http2FrameGuard] counts.
  public long flooding() {
    return flooding.sum();
  }

  /// Connections closed to make room for new ones.
  public long evicted() {
    return open.evicted();
  }

  /// True while a request that began is not answered to its end.
  public boolean isAnswering() {
    return open.isAnswering();
  }

  /// Addresses that have connections now.
  int addresses() {
    return byAddress.size();
  }

  private @Nullable String counted(SocketAddress remote) {
    if (perAddressMax == 0
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
  private final class Guarded extends ChannelDuplexHandler implements OpenConnections.Connection {
    private final Channel channel;
    private volatile State state = State.UNFINISHED;
    private volatile long sinceNanos = System.nanoTime(); // of `state`
    private boolean ended; // further bytes are dropped
    private @Nullable String address; // the key in `byAddress`; null when not counted
    private @Nullable Future<?> deadline; // while headers arrive
    private int answering;
    private boolean multiplex;
    private @Nullable Http2FrameGuard http2; // once it speaks HTTP/2
    private boolean secret; // the first bytes are there, and are TLS
    private volatile @Nullable Channel paused;
    private @Nullable Future<?> goOn; // ends the pause at the latest
    private final AtomicBoolean queued = new AtomicBoolean();
    private volatile long wanted;
    private long expecting; // its share of `expected`
    private boolean lingering;
    private long dropped; // bytes, while lingering

    Guarded(Channel channel) {
      this.channel = channel;
    }

    @Override
    public State state() {
      return state;
    }

    @Override
    public long sinceNanos() {
      return sinceNanos;
    }

    @Override
    public void evict() {
      var _ = channel.close();
    }

    private void become(State next) {
      sinceNanos = System.nanoTime();
      state = next;
    }

    boolean guardHttp2(ChannelPipeline pipeline) {
      http2 =
          Http2FrameGuard.guard(pipeline, limits.http2FramesMax(), System::nanoTime, this::flooded);
      return http2 != null;
    }

    private void flooded() {
      flooding.increment();
      ended = true;
      Runnable close = this::evict;
      var _ = channel.eventLoop().schedule(close, GOAWAY_MILLIS, MILLISECONDS);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
      boolean room = open.add(this);
      address = counted(context.channel().remoteAddress());
      boolean fair = address == null || byAddress.merge(address, 1, Integer::sum) <= perAddressMax;
      if (!room || !fair) {
        refused.increment();
        var _ = context.close();
        return;
      }
      super.channelActive(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
      arrived();
      cameAsExpected();
      open.remove(this);
      if (address != null) {
        byAddress.computeIfPresent(address, (_, count) -> count > 1 ? count - 1 : null);
        address = null;
      }
      super.channelInactive(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
      if (ended) {
        ReferenceCountUtil.release(message);
        return;
      }
      if (tls && !secret && message instanceof ByteBuf bytes && bytes.isReadable()) {
        secret = true;
        if (bytes.getByte(bytes.readerIndex()) != TLS_HANDSHAKE) {
          ReferenceCountUtil.release(message);
          say(context, PLAIN_ON_TLS);
          return;
        }
      }
      if (answering == 0 && !multiplex && deadline == null) {
        if (state == State.QUIET) {
          become(State.UNFINISHED);
        }
        deadline =
            context.executor().schedule(() -> tooSlow(context), limits.headerSeconds(), SECONDS);
      }
      if (lingering && message instanceof ByteBuf bytes) {
        dropped += bytes.readableBytes();
        if (dropped > LINGER_BYTES) {
          pause(context.channel(), SECONDS.toMillis(2 * LINGER_SECONDS), NEVER);
        }
      }
      super.channelRead(context, message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
        throws Exception {
      arrived();
      super.write(context, message, promise);
    }

    void pause(Channel channel, long millis, long bytes) {
      if (paused == null) {
        wanted = bytes;
        paused = channel;
        channel.config().setAutoRead(false);
        goOn = channel.eventLoop().schedule(() -> goOn(channel, 0), millis, MILLISECONDS);
        if (bytes != NEVER && queued.compareAndSet(false, true)) {
          waiting.add(this);
        }
      }
    }

    /// Called by any thread that holds the lock.
    void goOnSoon() {
      queued.set(false); // before the look at `paused`: a later pause queues again
      Channel channel = paused;
      long bytes = wanted;
      if (channel != null && channel.isActive() && bytes != NEVER) {
        expected.addAndGet(bytes);
        channel.eventLoop().execute(() -> goOn(channel, bytes));
      }
    }

    /// @param bytes that it is expected to claim now
    private void goOn(Channel channel, long bytes) {
      if (bytes > 0) {
        cameAsExpected();
        expecting = bytes;
        var _ = channel.eventLoop().schedule(this::cameAsExpected, EXPECTED_MILLIS, MILLISECONDS);
      }
      if (paused != null) {
        paused = null;
        cancel(goOn);
        goOn = null;
        channel.config().setAutoRead(true);
      }
    }

    private void cameAsExpected() {
      expected.addAndGet(-expecting);
      expecting = 0;
    }

    private static void cancel(@Nullable Future<?> later) {
      if (later != null) {
        later.cancel(false);
      }
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
      cancel(deadline);
      deadline = null;
    }

    void begin(boolean ofMany) {
      arrived();
      cameAsExpected();
      multiplex |= ofMany;
      answering++;
      state = State.ANSWERING;
    }

    void end() {
      answering--;
      if (answering == 0) {
        become(State.QUIET);
      }
    }
  }
}
