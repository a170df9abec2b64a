package io.widerow.ingest.socket;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.widerow.ingest.config.LimitOptions;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.Outcome;
import io.widerow.storage.Durability;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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
/// are refused. Over TCP the bytes may be those of TLS, and frames may be answered.
///
/// ```
///   TCP --> StreamConnection, StreamDecoder --\
///                                              > IncomingBatch --> lanes --> credit is given back
///   UDP --> Datagrams, DatagramDecoder -------/
/// ```
///
/// - Threads: owns `widerow-<name>`, on which the sockets are read and the bytes decoded.
/// - Order: [#stop] before the lanes are closed, [#close] after.
public final class SocketReceiver implements AutoCloseable {
  private static final int CONNECTIONS_MAX = 256;
  private static final int RECEIVE_BUFFER_BYTES = 4 << 20;

  /// Bytes claimed for each byte of a datagram: itself, and the record that it becomes.
  private static final long BYTES_PER_DATAGRAM_BYTE = 4;

  private static final int DATAGRAM_BYTES_MAX = 64 << 10;

  /// How often the pace of a sender that is in the middle of a long frame is checked.
  static final int PACE_SECONDS = LimitOptions.BODY_RATE_SECONDS;

  private static final Logger LOG = Logger.getLogger("widerow");

  private final SocketProtocol protocol;
  private final Intake intake;
  private final Durability durability;
  private final @Nullable StreamTls tls;
  private final Counter messages;
  private final Counter refused;
  private final Counter dropped;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final EventLoopGroup loops;
  private volatile boolean closing;
  private @Nullable FrameCredit owing; // of the event loop
  private final @Nullable Channel tcp;
  private final @Nullable Channel udp;

  /// Starts to listen.
  ///
  /// @param address of TCP and UDP; a port of 0 lets the system choose one for both
  /// @param durability of all that is received
  public SocketReceiver(
      SocketProtocol protocol,
      InetSocketAddress address,
      Intake intake,
      Durability durability,
      MeterRegistry registry) {
    this(protocol, address, null, intake, durability, registry);
  }

  /// Starts to listen.
  ///
  /// @param tls of TCP connections; null for none. UDP is never encrypted
  public SocketReceiver(
      SocketProtocol protocol,
      InetSocketAddress address,
      @Nullable StreamTls tls,
      Intake intake,
      Durability durability,
      MeterRegistry registry) {
    this.protocol = protocol;
    this.tls = tls;
    this.intake = intake;
    this.durability = durability;
    String name = protocol.name();
    messages = Counter.builder("widerow." + name + ".messages").register(registry);
    refused = Counter.builder("widerow." + name + ".refused").register(registry);
    dropped = Counter.builder("widerow." + name + ".dropped").register(registry);
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
            if (connections.size() >= CONNECTIONS_MAX || intake.lanes().failure() != null) {
              var _ = channel.close();
              return;
            }
            connections.add(channel);
            if (tls != null) {
              channel.pipeline().addLast(tls.handler(channel.alloc()));
            }
            channel.pipeline().addLast(new StreamConnection(SocketReceiver.this, decoders.get()));
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

  private Channel receive(InetSocketAddress address, DatagramDecoder decoder) {
    int port = tcp == null ? address.getPort() : ((InetSocketAddress) tcp.localAddress()).getPort();
    return new Bootstrap()
        .group(loops)
        .channel(NioDatagramChannel.class)
        .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(DATAGRAM_BYTES_MAX))
        .handler(new Datagrams(decoder))
        .bind(address.getAddress(), port)
        .syncUninterruptibly()
        .channel();
  }

  Intake intake() {
    return intake;
  }

  /// Hands a batch to the lanes.
  ///
  /// @param receipt what it asks for; null for nothing
  /// @param held bytes of credit to give back when the batch is done
  /// @param done gets the outcome, on a lane's thread
  void write(IncomingBatch batch, @Nullable Receipt receipt, long held, Consumer<Outcome> done) {
    intake
        .lanes()
        .write(
            batch,
            receipt == null ? null : receipt.key(),
            receipt == null ? durability : receipt.durability(durability),
            outcome -> {
              intake.credit().release(held);
              if (outcome instanceof Outcome.Stored stored && !stored.repeated()) {
                messages.increment((double) stored.accepted() + stored.refused().count());
                refused.increment(stored.refused().count());
                intake.rejected().add(protocol.name(), stored.refused());
              }
              done.accept(outcome);
            });
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

  void tellHandshake(SocketAddress sender, Throwable failure) {
    LOG.log(
        Level.WARNING,
        "{0}: no TLS with {1}: {2}",
        new Object[] {protocol.name(), sender, failure.getMessage()});
  }

  /// Takes datagrams. Those that one wake-up of the event loop finds make one batch.
  private final class Datagrams extends SimpleChannelInboundHandler<DatagramPacket> {
    private final DatagramDecoder decoder;
    private final byte[] message = new byte[DATAGRAM_BYTES_MAX + Swar.SLACK_BYTES];
    private @Nullable IncomingBatch batch;
    private long held;

    Datagrams(DatagramDecoder decoder) {
      this.decoder = decoder;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
      ByteBuf bytes = packet.content();
      int length = bytes.readableBytes();
      long claim = BYTES_PER_DATAGRAM_BYTE * length;
      if (!intake.credit().tryClaim(claim)) {
        dropped.increment();
        return;
      }
      held += claim;
      if (batch == null) {
        batch = intake.lanes().begin(intake.epochNanos());
      }
      bytes.getBytes(bytes.readerIndex(), message, 0, length);
      decoder.decode(message, length, packet.sender(), batch);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      IncomingBatch full = batch;
      if (full != null) {
        batch = null;
        long release = held;
        held = 0;
        int decoded = full.decoded();
        write(
            full,
            null,
            release,
            outcome -> {
              if (!(outcome instanceof Outcome.Stored)) {
                messages.increment(decoded);
                dropped.increment(decoded);
              }
            });
      }
    }
  }

  /// Receives nothing more, and hands over what was read. The lanes may be closed afterwards.
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
