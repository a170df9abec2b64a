package io.widerow.cql.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.events.EventSource;
import io.widerow.cql.plan.Planner;
import io.widerow.cql.protocol.FrameReader;
import io.widerow.cql.protocol.FrameWriter;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.UnreadableStatement;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import io.widerow.cql.system.Traces;
import io.widerow.ingest.config.TokenFile;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.socket.Handshakes;
import io.widerow.ingest.socket.PortProvider;
import io.widerow.ingest.socket.StreamTls;
import io.widerow.query.QueryMemory;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Listens for drivers of Cassandra.
///
/// - Threads: owns `widerow-cql`, on which sockets are read and written.
/// - Order: [#stop] while the store is open; it ends what runs.
final class CqlPort implements PortProvider.Port {
  /// Whose drivers it is made for.
  private static final String VERSION = "5.0.9";

  /// Connections at a time; drivers have a few for each process.
  private static final int CONNECTIONS_MAX = 256;

  /// The largest body of a client that is not known yet.
  private static final int BODY_BYTES_UNKNOWN = 16 << 10;

  /// The largest body of others: a statement with its values.
  private static final int BODY_BYTES_KNOWN = 16 << 20;

  private static final byte[] HOST = {'h', 'o', 's', 't'};
  private static final int ANSWERS_BYTES_LOW = 1 << 20;
  private static final int ANSWERS_BYTES_HIGH = 4 << 20;
  private static final Logger LOG = Logger.getLogger("widerow");

  private final Intake intake;
  private final CqlService service;
  private final @Nullable UserTables tables;
  private final PortProvider.Terms terms;
  private final Handshakes handshakes;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong stalled = new AtomicLong();
  private final List<Damage> damage;
  private final EventLoopGroup loops;
  private final Channel listener;
  private volatile boolean stopping;

  /// Starts to listen.
  ///
  /// @param tableStore where tables of users lie; null when there can be none
  /// @param memory that all queries of the daemon share
  CqlPort(
      InetSocketAddress address,
      PortProvider.Terms terms,
      EventStore store,
      @Nullable TableStore tableStore,
      Intake intake,
      QueryMemory memory,
      MeterRegistry registry) {
    this.intake = intake;
    this.terms = terms;
    this.handshakes = new Handshakes(terms.limits().headerSeconds());
    loops =
        new MultiThreadIoEventLoopGroup(
            1,
            Thread.ofPlatform().name("widerow-" + PortProvider.CQL).factory(),
            NioIoHandler.newFactory());
    try {
      listener = listen(address);
    } catch (Exception failed) { // also what Netty does not declare
      close();
      throw failed;
    }
    ServerIdentity identity = new ServerIdentity(hostId(store), address().getPort(), VERSION);
    tables = tableStore == null ? null : new UserTables(tableStore, InstantSource.system());
    damage = tables == null ? List.of() : damage(tables);
    CqlEvents events = new CqlEvents(intake, terms.durability());
    Traces traces = new Traces(InstantSource.system());
    List<RowSource> sources = new ArrayList<>(traces.sources());
    sources.add(new EventSource(store::view, memory, events));
    sources.add(ServerCatalog.roles(() -> admins(terms.tokens())));
    sources.add(ServerCatalog.clients(this::clients));
    Planner planner = new Planner(new ServerCatalog(identity, sources, tables), tables);
    if (tables != null) {
      tables.onChange(this::changed);
      tables.continueBuilds();
    }
    service = new CqlService(store, planner, memory, terms.tokens(), traces);
    FunctionCounter.builder("widerow.cql.requests", service, CqlService::requests)
        .register(registry);
    FunctionCounter.builder("widerow.cql.connections.refused", refused, AtomicLong::get)
        .register(registry);
    FunctionCounter.builder("widerow.cql.stalled", stalled, AtomicLong::get).register(registry);
    Gauge.builder("widerow.cql.connections", connections, ChannelGroup::size).register(registry);
    var _ = listener.config().setAutoRead(true);
  }

  /// The names of all tokens, and whether each may change the schema.
  private static Map<String, Boolean> admins(@Nullable TokenFile tokens) {
    Map<String, Boolean> admins = new TreeMap<>();
    if (tokens != null) {
      for (Tokens.Token token : tokens.tokens().all()) {
        admins.put(token.name(), token.scopes().contains(Tokens.Scope.ADMIN));
      }
    }
    return admins;
  }

  private List<Map<String, Object>> clients() {
    List<Map<String, Object>> clients = new ArrayList<>();
    for (Channel channel : connections) {
      Connection connection = channel.pipeline().get(Connection.class);
      if (connection != null && channel.isActive()) {
        clients.add(connection.client(channel));
      }
    }
    return clients;
  }

  /// Logs the statements of the schema that cannot be read, with their texts.
  private static List<Damage> damage(UserTables tables) {
    List<Damage> damage = new ArrayList<>();
    for (UnreadableStatement each : tables.schema().unreadable()) {
      LOG.log(
          Level.SEVERE,
          "cql: {0}; its keyspace cannot be used until widerow check repair, all else is served;"
              + " the statement: {1}",
          new Object[] {each.sentence(), each.text()});
      damage.add(new Damage(Damage.Kind.SCHEMA, each.place(), 0, each.error(), List.of()));
    }
    return damage;
  }

  /// The statements of the schema of tables that cannot be read.
  List<Damage> damage() {
    return List.copyOf(damage);
  }

  /// The schema has changed: prepared statements are discarded, and clients are notified.
  private void changed(SchemaChange change) {
    service.statements().clear();
    for (Channel channel : connections) {
      ChannelHandlerContext context = channel.pipeline().context(Connection.class);
      if (context != null) {
        context.executor().execute(() -> ((Connection) context.handler()).tell(context, change));
      }
    }
  }

  /// An id of the store that reveals nothing of its secret.
  private static UUID hostId(EventStore store) {
    return UUID.nameUUIDFromBytes(
        new PageSeal(store.secret()).seal(HOST, ByteBuffer.allocate(0)).array());
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  private Channel listen(InetSocketAddress address) {
    ChannelInitializer<Channel> initializer =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            begin(channel);
          }
        };
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.AUTO_READ, false) // until all is there
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(ANSWERS_BYTES_LOW, ANSWERS_BYTES_HIGH))
        .childHandler(initializer)
        .bind(address)
        .syncUninterruptibly()
        .channel();
  }

  private void begin(Channel channel) {
    if (stopping || connections.size() >= CONNECTIONS_MAX) {
      refused.incrementAndGet();
      var _ = channel.close();
      return;
    }
    connections.add(channel);
    StreamTls tls = terms.tls();
    channel
        .pipeline()
        .addLast(new IdleStateHandler(true, 0, terms.limits().stallSeconds(), 0, TimeUnit.SECONDS));
    if (tls != null) {
      channel.pipeline().addLast(tls.handler(channel.alloc()));
    }
    FrameReader reader =
        new FrameReader(intake.credit(), BODY_BYTES_UNKNOWN, intake.limits().paceBytes());
    FrameWriter writer = new FrameWriter();
    channel.pipeline().addLast(reader, writer, new Connection(this, service, reader, writer));
    handshakes.begin(channel, reason -> refuse(channel, reason));
    var _ = channel.closeFuture().addListener(_ -> handshakes.end(channel));
  }

  private void refuse(Channel channel, String reason) {
    refused.incrementAndGet();
    LOG.log(Level.WARNING, "cql: {0}: {1}", new Object[] {channel.remoteAddress(), reason});
    var _ = channel.close();
  }

  /// The client is authenticated.
  void known(Channel channel) {
    handshakes.end(channel);
  }

  int bodyBytesMax() {
    int fitting = FrameReader.bodyBytesMax(intake.credit().bytesMax());
    return Math.min(Math.min(intake.limits().bodyBytesMax(), BODY_BYTES_KNOWN), fitting);
  }

  /// Gives back the credit of a request.
  void release(long bytes) {
    intake.credit().release(bytes);
  }

  /// A client that takes no answers is closed.
  void stalled() {
    stalled.incrementAndGet();
  }

  boolean isStopping() {
    return stopping || intake.draining();
  }

  @Override
  public void stop() {
    stopping = true;
    var _ = listener.close().syncUninterruptibly();
    connections.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    loops.submit(() -> {}).syncUninterruptibly(); // runs after all that the closing caused
    service.awaitEnd();
    UserTables users = tables;
    if (users != null) {
      users.endBuilds();
    }
  }

  @Override
  public void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
