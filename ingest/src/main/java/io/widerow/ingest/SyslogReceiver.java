package io.widerow.ingest;

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
import io.widerow.storage.Durability;
import java.net.InetSocketAddress;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Syslog over UDP and TCP on one address. Nothing is answered: the protocol has no words for it. A
/// TCP connection is read on only when there is credit and room; a datagram that finds none is
/// dropped and counted, and so is what the kernel had to drop. When writing has ended, TCP
/// connections are refused.
///
/// - Threads: owns `widerow-syslog`.
final class SyslogReceiver implements AutoCloseable {
  static final int FRAME_BYTES_MAX = 1 << 20;
  static final int CONNECTIONS_MAX = 256;

  private static final int RECEIVE_BUFFER_BYTES = 4 << 20;

  /// Bytes claimed for each byte of a message: itself, and the record that it becomes.
  static final long BYTES_PER_MESSAGE_BYTE = 4;

  private static final int DATAGRAM_BYTES_MAX = 64 << 10;

  private final Intake intake;
  private final ZoneId zone;
  private final Durability durability;
  private final Counter messages;
  private final Counter refused;
  private final Counter dropped;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          1, Thread.ofPlatform().name("widerow-syslog").factory(), NioIoHandler.newFactory());
  private volatile boolean closing;
  private final Channel udp;
  private final Channel tcp;

  SyslogReceiver(
      Intake intake,
      InetSocketAddress address,
      ZoneId zone,
      Durability durability,
      MeterRegistry registry) {
    this.intake = intake;
    this.zone = zone;
    this.durability = durability;
    messages = Counter.builder("widerow.syslog.messages").register(registry);
    refused = Counter.builder("widerow.syslog.refused").register(registry);
    dropped = Counter.builder("widerow.syslog.dropped").register(registry);
    InetSocketAddress bound;
    try {
      tcp = listen(address);
      bound = (InetSocketAddress) tcp.localAddress();
      udp = receive(new InetSocketAddress(address.getAddress(), bound.getPort()));
    } catch (Exception failed) { // also what Netty does not declare
      close();
      throw failed;
    }
    FunctionCounter.builder("widerow.syslog.dropped.kernel", bound, KernelDrops::ofUdpPort)
        .register(registry);
  }

  /// Where both receivers listen.
  InetSocketAddress address() {
    return (InetSocketAddress) tcp.localAddress();
  }

  private Channel listen(InetSocketAddress address) {
    ChannelInitializer<Channel> initializer =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            if (connections.size() >= CONNECTIONS_MAX || intake.lanes().failure() != null) {
              var _ = channel.close();
              return;
            }
            connections.add(channel);
            channel.pipeline().addLast(new SyslogConnection(SyslogReceiver.this, zone));
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

  private Channel receive(InetSocketAddress address) {
    return new Bootstrap()
        .group(loops)
        .channel(NioDatagramChannel.class)
        .option(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(DATAGRAM_BYTES_MAX))
        .handler(new Datagrams())
        .bind(address)
        .syncUninterruptibly()
        .channel();
  }

  Intake intake() {
    return intake;
  }

  /// Hands over what was decoded.
  ///
  /// @param held bytes of credit that are given back when it is written
  /// @param done told on a lane's thread what became of it
  void write(IncomingBatch batch, long held, Consumer<Outcome> done) {
    intake
        .lanes()
        .write(
            batch,
            null,
            durability,
            outcome -> {
              intake.credit().release(held);
              if (outcome instanceof Outcome.Stored stored) {
                messages.increment((double) stored.accepted() + stored.refused().count());
                refused.increment(stored.refused().count());
                intake.rejected().add("syslog", stored.refused());
              }
              done.accept(outcome);
            });
  }

  /// True when the daemon stops: nothing is tried again.
  boolean isClosing() {
    return closing;
  }

  /// Takes datagrams: those that one wake-up of the loop finds make one batch.
  private final class Datagrams extends SimpleChannelInboundHandler<DatagramPacket> {
    private final SyslogDecoder decoder = new SyslogDecoder(zone);
    private final byte[] message = new byte[DATAGRAM_BYTES_MAX + Swar.SLACK_BYTES];
    private @Nullable IncomingBatch batch;
    private long held;

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
      ByteBuf bytes = packet.content();
      int length = bytes.readableBytes();
      long claim = BYTES_PER_MESSAGE_BYTE * length;
      if (!intake.credit().tryClaim(claim)) {
        dropped.increment();
        return;
      }
      held += claim;
      if (batch == null) {
        batch = intake.lanes().begin(intake.epochNanos());
      }
      bytes.getBytes(bytes.readerIndex(), message, 0, length);
      decoder.decode(message, 0, length, batch);
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

  /// Takes nothing more, and hands over what was read. The lanes may be closed afterwards.
  void stop() {
    closing = true;
    udp.close().syncUninterruptibly();
    tcp.close().syncUninterruptibly();
    connections.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    loops.submit(() -> {}).syncUninterruptibly(); // behind what the closing caused
  }

  /// Ends the thread, which lanes may still tell of what is stored: after them.
  @Override
  public void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
