package io.widerow.ingest;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.util.EventLoopGroups;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.FileBudget;
import io.widerow.ingest.config.TlsFiles;
import io.widerow.ingest.http.AcceptLoop;
import io.widerow.ingest.http.Access;
import io.widerow.ingest.http.ConnectionGuard;
import io.widerow.ingest.http.HeaderCoalescer;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.UnroutedErrors;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The HTTP server of the daemon: its listener, its event loops, and the limits of its connections.
///
/// - Threads: `armeria-boss-<address>` accepts connections, `widerow-net-<n>` serve them.
final class HttpServer implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Duration IDLE_MAX = Duration.ofSeconds(60);
  private static final Duration REQUEST_MAX = Duration.ofSeconds(60);
  private static final int HEADER_BYTES_MAX = 64 << 10; // positions of 512 daemons fit in

  private static final long ANSWER_NANOS = 1_000_000_000; // of a stop, for the ends of answers

  /// As much as Netty reads at a time: each piece passes the pipeline and holds a whole buffer.
  private static final int PIECE_BYTES_MAX = 64 << 10;

  private final InetSocketAddress address;
  private final EventLoopGroup loops;
  private final ConnectionGuard connections;
  private final Server server;

  /// @param tls files with certificates; null without TLS
  /// @param access decides which requests reach a route
  HttpServer(DaemonConfig config, @Nullable TlsFiles tls, Access access, List<HttpRoute> routes) {
    address = config.http();
    loops = EventLoopGroups.newEventLoopGroup(config.limits().networkThreads(), "widerow-net");
    int connectionsMax = connectionsMax(config);
    connections =
        new ConnectionGuard(
            config.limits(), config.connectionsPerAddressMax(), connectionsMax, tls != null);
    ServerBuilder builder =
        Server.builder()
            .bossGroupFactory(AcceptLoop::new)
            .workerGroup(loops, false)
            .maxNumConnections(withClosing(connectionsMax))
            .http1MaxChunkSize(PIECE_BYTES_MAX)
            .http1MaxInitialLineLength(HEADER_BYTES_MAX)
            .http1MaxHeaderSize(HEADER_BYTES_MAX)
            .http2MaxHeaderListSize(HEADER_BYTES_MAX)
            .idleTimeout(IDLE_MAX)
            .requestTimeout(REQUEST_MAX)
            .maxRequestLength(0) // we count the bytes, before and after decompression
            .disableServerHeader()
            .errorHandler(new UnroutedErrors(routes))
            .connectionDrainDuration(Duration.ZERO) // a client repeats what a stop does not take
            .gracefulShutdownTimeout(Duration.ZERO, Duration.ZERO); // stop() waits for answers
    builder.childChannelPipelineCustomizer(connections::guard);
    builder.decorator((service, context, request) -> {
      ConnectionGuard.begin(context);
      HeaderCoalescer.begin(context);
      return service.serve(context, request);
    });
    if (tls == null) {
      builder.http(address);
    } else {
      builder.https(address).tlsProvider(_ -> tls.content().pair());
    }
    routes.forEach(each ->
        builder.route().path(each.path()).methods(each.methods()).build(access.guard(each)));
    server = builder.build();
  }

  /// Loads the classes of the server. Call it on a thread of its own while the store opens, before
  /// any other use of Armeria: without TLS it is kept from loading and trying OpenSSL, a twentieth
  /// of the work of a start.
  static void prepare(DaemonConfig config) {
    if (config.security().tlsCertificate() == null) {
      System.setProperty("com.linecorp.armeria.tlsEngineType", "JDK");
    }
    // A registry of its own: otherwise both servers register the same meters, and Armeria warns.
    PrometheusMeterRegistry unread = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    ServerBuilder builder = Server.builder().http(0).meterRegistry(unread);
    builder.route().get("/ready").build((_, _) -> HttpResponse.of(HttpStatus.OK));
    builder.build().close();
    unread.close();
  }

  /// The maximum number of connections at a moment: evicted connections are not closed at once.
  private static int withClosing(int connections) {
    return Math.toIntExact(Math.min(connections + connections / 4L + 4, Integer.MAX_VALUE));
  }

  private static int connectionsMax(DaemonConfig config) {
    int wanted = withClosing(config.connectionsMax());
    int allowed = FileBudget.of(config).connections(wanted);
    int most = allowed == wanted ? config.connectionsMax() : Math.max(1, (allowed - 4) / 5 * 4);
    if (most < config.connectionsMax()) {
      LOG.log(
          Level.WARNING,
          "the limit of open files allows {0} connections, not {1}: raise it",
          new Object[] {Integer.toString(most), Integer.toString(config.connectionsMax())});
    }
    return most;
  }

  ConnectionGuard connections() {
    return connections;
  }

  /// @throws ListenException when it cannot listen on its address
  void listen() {
    ListenException.listen("http", address, () -> server.start().join());
  }

  /// The address, with the real port when 0 was configured.
  InetSocketAddress address() {
    return new InetSocketAddress(address.getAddress(), server.activeLocalPort());
  }

  /// The services, such as `GET /ready`, which takes HEAD as well.
  List<String> endpoints() {
    return server.config().serviceConfigs().stream()
        .map(ServiceConfig::route)
        .map(route -> {
          Set<HttpMethod> methods = route.methods();
          HttpMethod first = methods.iterator().next();
          HttpMethod write = methods.contains(HttpMethod.POST) ? HttpMethod.POST : first;
          HttpMethod method = methods.contains(HttpMethod.GET) ? HttpMethod.GET : write;
          return method + " " + route.patternString().replaceAll("/:([^/]+)", "/{$1}");
        })
        .toList();
  }

  /// Ends all connections; the event loops go on, for other users of them. A connection that is
  /// quiet, as those of most senders, is not waited for.
  void stop() {
    long until = System.nanoTime() + ANSWER_NANOS;
    while (connections.isAnswering() && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(1_000_000);
    }
    server.stop().join();
  }

  /// Ends the event loops, after [#stop].
  @Override
  public void close() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
