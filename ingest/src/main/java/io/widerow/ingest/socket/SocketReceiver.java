package io.widerow.ingest.socket;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchListener;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.storage.Durability;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Listens for one [SocketProtocol] on one address, over TCP, UDP or both. A TCP connection is read
/// only while there is credit and room in the lanes. A datagram that finds none is dropped and
/// counted, and so are the datagrams that the kernel drops. When writing has ended, TCP connections
/// are refused. Over TCP the bytes may be those of TLS, and frames may be answered. What each
/// sender sends is counted in [Senders].
///
/// ```
///   TCP --> StreamConnection, StreamDecoder --\
///                                              > IncomingBatch --> lanes --> credit is given back
///   UDP --> DatagramHandler, DatagramDecoder -/
/// ```
///
/// - Threads: owns `widerow-<name>`, on which the sockets are read and the bytes decoded.
/// - Order: [#stop] before the lanes are closed, [#close] after.
public final class SocketReceiver implements AutoCloseable {
  private static final int CONNECTIONS_MAX = 256;
  private static final int RECEIVE_BUFFER_BYTES = 4 << 20;

  /// The interval at which the pace of a sender in the middle of a long frame is checked.
  static final int PACE_SECONDS = FixedLimits.BODY_RATE_SECONDS;

  private static final Logger LOG = Logger.getLogger("widerow");

  private final SocketProtocol protocol;
  private final Intake intake;
  private final Terms terms;
  private final Handshakes handshakes;
  private final Counter messages;
  private final Counter refused;
  private final Counter dropped;
  private final @Nullable Counter connectionsRefused; // null without TCP
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final EventLoopGroup loops;
  private volatile boolean closing;
  private @Nullable FrameCredit owing; // of the event loop
  private final @Nullable Channel tcp;
  private final @Nullable Channel udp;

  /// On what terms events are taken.
  ///
  /// @param durability of all that is received
  /// @param tls of TCP connections; null for none. UDP is never encrypted
  /// @param handshakeSeconds longest time for the handshake of a sender
  public record Terms(Durability durability, @Nullable StreamTls tls, int handshakeSeconds) {}

  /// Starts to listen.
  ///
  /// @param address of TCP and UDP; a port of 0 lets the system choose one for both
  public SocketReceiver(
      SocketProtocol protocol,
      InetSocketAddress address,
      Terms terms,
      Intake intake,
      MeterRegistry registry) {
    this.protocol = protocol;
    this.terms = terms;
    this.intake = intake;
    this.handshakes = new Handshakes(terms.handshakeSeconds);
    String name = protocol.name();
    messages = Counter.builder("widerow." + name + ".messages").register(registry);
    refused = Counter.builder("widerow." + name + ".refused").register(registry);
    dropped = Counter.builder("widerow." + name + ".dropped").register(registry);
    connectionsRefused =
        protocol.streams() == null
            ? null
            : Counter.builder("widerow." + name + ".connections.refused").register(registry);
    loops =
        new MultiThreadIoEventLoopGroup(
            1, Thread.ofPlatform().name("widerow-" + name).factory(), NioIoHandler.newFactory());
    try {
      tcp = protocol.streams() == null ? null : listen(address, protocol.streams());
      udp = protocol.datagrams() == null ? null : receive(address, protocol.datagrams().get());
    } catch (Exception failed) { // also what Netty does not declare
      close();
      throw failed;
    }
    if (udp != null) {
      String dropsOfKernel = "widerow." + name + ".dropped.kernel";
      FunctionCounter.builder(dropsOfKernel, address(), KernelDrops::ofUdpPort).register(registry);
    }
  }

  public SocketProtocol protocol() {
    return protocol;
  }

  /// Where it listens, with the real port.
  public InetSocketAddress address() {
    Channel channel = Objects.requireNonNull(tcp != null ? tcp : udp);
    return (InetSocketAddress) channel.localAddress();
  }

  private Channel listen(InetSocketAddress address, Supplier<StreamDecoder> decoders) {
    ChannelInitializer<Channel> initializer =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            begin(channel, decoders);
          }
        };
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .childOption(ChannelOption.AUTO_READ, false)
        .childHandler(initializer)
        .bind(address)
        .syncUninterruptibly()
        .channel();
  }

  private void begin(Channel channel, Supplier<StreamDecoder> decoders) {
    if (intake.lanes().failure() != null) {
      var _ = channel.close();
      return;
    }
    if (connections.size() >= CONNECTIONS_MAX) {
      refuse(address(channel), CONNECTIONS_MAX + " connections are open");
      var _ = channel.close();
      return;
    }
    connections.add(channel);
    SslHandler secret = terms.tls == null ? null : terms.tls.handler(channel.alloc());
    if (secret != null) {
      channel.pipeline().addLast(secret);
    }
    channel.pipeline().addLast(new StreamConnection(this, decoders.get(), secret));
  }

  /// The address of the sender of a TCP connection, without its port.
  static String address(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress sender
        ? sender.getAddress().getHostAddress()
        : "";
  }

  private Channel receive(InetSocketAddress address, DatagramDecoder decoder) {
    int port = tcp == null ? address.getPort() : ((InetSocketAddress) tcp.localAddress()).getPort();
    return new Bootstrap()
        .group(loops)
        .channel(NioDatagramChannel.class)
        .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(DatagramHandler.DATAGRAM_BYTES_MAX))
        .handler(new DatagramHandler(this, decoder))
        .bind(address.getAddress(), port)
        .syncUninterruptibly()
        .channel();
  }

  Intake intake() {
    return intake;
  }

  /// Hands a batch to the lanes.
  ///
  /// @param receipt its options; null for none
  /// @param held bytes of credit to give back when the batch is done
  /// @param done gets the outcome, on a lane's thread, or that which answers for the cluster
  void write(
      IncomingBatch batch, @Nullable Receipt receipt, long held, Consumer<BatchOutcome> done) {
    @Nullable BatchKey key = receipt == null ? null : receipt.key();
    intake
        .lanes()
        .write(
            batch,
            key,
            level(receipt),
            new BatchListener() {
              private long owed = held;

              @Override
              public void kept(BatchOutcome.Stored stored) {
                intake.credit().release(owed);
                owed = 0;
              }

              @Override
              public void accept(BatchOutcome outcome) {
                intake.credit().release(owed);
                if (outcome instanceof BatchOutcome.Stored stored && !stored.repeated()) {
                  messages.increment((double) stored.accepted() + stored.refused().count());
                  refused.increment(stored.refused().count());
                  intake.rejected().add(protocol.name(), stored.refused());
                }
                done.accept(outcome);
              }
            });
  }

  /// The level of a batch. A batch without a response does not wait for the cluster.
  private Durability level(@Nullable Receipt receipt) {
    Durability level = receipt == null ? terms.durability : receipt.durability(terms.durability);
    boolean heard = receipt != null && receipt.isAnswered();
    return level == Durability.QUORUM && !heard ? Durability.DISK : level;
  }

  /// Whether a batch is on this machine only, though it was to be on the cluster.
  boolean isLate(@Nullable Receipt receipt, BatchOutcome.Stored stored) {
    return level(receipt) == Durability.QUORUM && stored.durability() != Durability.QUORUM;
  }

  /// True when the daemon stops: no batch is tried again.
  boolean isClosing() {
    return closing;
  }

  /// Whether this frame is the one that may be read without credit.
  boolean mayOwe(FrameCredit frame) {
    if (owing == null) {
      owing = frame;
    }
    return owing == frame;
  }

  void leaveDebt(FrameCredit frame) {
    if (owing == frame) {
      owing = null;
    }
  }

  Handshakes handshakes() {
    return handshakes;
  }

  /// Counts and logs a connection that is refused as a whole.
  void refuse(String sender, String reason) {
    if (connectionsRefused != null) {
      connectionsRefused.increment();
    }
    intake.senders().refused(protocol.name(), sender, null, 1, reason);
    LOG.log(Level.WARNING, "{0}: {1}: {2}", new Object[] {protocol.name(), sender, reason});
  }

  /// Counts a batch of one sender that is stored, or never will be.
  ///
  /// @param host the sender's name for itself; null for none
  void done(String sender, @Nullable String host, BatchSample sample, BatchOutcome outcome) {
    if (outcome instanceof BatchOutcome.Stored || outcome instanceof BatchOutcome.Failed) {
      intake.senders().add(protocol.name(), sender, host, sample, outcome);
    }
  }

  /// Counts messages that came in datagrams and were decoded, but not stored.
  void seen(int count) {
    messages.increment(count);
  }

  /// Counts messages, or whole datagrams, that were dropped.
  void dropped(String sender, @Nullable String host, int count, String reason) {
    dropped.increment(count);
    intake.senders().refused(protocol.name(), sender, host, count, reason);
  }

  /// Stops receiving, and hands over the bytes already read. The lanes may be closed afterwards.
  public void stop() {
    closing = true;
    close(udp);
    close(tcp);
    connections.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    loops.submit(() -> {}).syncUninterruptibly(); // runs after all that the closing caused
  }

  private static void close(@Nullable Channel channel) {
    if (channel != null) {
      channel.close().syncUninterruptibly();
    }
  }

  /// Ends the thread. Call it after the lanes are closed: they still report outcomes to it.
  @Override
  public void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
