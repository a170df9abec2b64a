package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.PeerDriver;
import io.widerow.loadgen.wire.TargetDown;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One side of a comparison and its durability, written `widerow-text:disk`, `otlp:disk`,
/// `questdb:nosync`, `cassandra:periodic`. `@DIR` at the end names another checkout to start it
/// from, so that two versions can be compared.
///
/// `widerow-text:cluster-disk` and `widerow-text:cluster-quorum` are two processes: a daemon, and a
/// node of Cassandra with the settings of `cassandra:periodic`, where the daemon keeps its events.
///
/// @param target what it is sent
/// @param setting its durability, by the contestant's own name
/// @param home the checkout whose scripts start it
/// @param keys of the daemon's configuration, `key=value`, where it is Widerow
/// @param nodeHeap Java heap of a node of Cassandra, as `-Xmx` has it
/// @param running where a server listens that somebody else started; null for one to start
/// @param socketPort where the daemon listens for a protocol that is not HTTP's; 0 for one that is
public record Contestant(
    Kind kind,
    Target target,
    String setting,
    Path home,
    List<String> keys,
    String nodeHeap,
    int socketPort,
    @Nullable InetSocketAddress running) {
  /// Where a daemon on a cluster keeps its events.
  static final String KEYSPACE = "widerow";

  private static final String ON_CLUSTER = "cluster-"; // and a level
  private static final String STARTED = "victorialogs@"; // and its URL
  private static final String LOGS_PATH =
      "/insert/jsonline?_stream_fields=type&_time_field=ts&_msg_field=body";
  private static final long PATIENCE_NANOS = 30 * Quantity.SECOND;
  private static final String NODE_SYNC = "periodic";
  private static final Pattern HEAP = Pattern.compile("[1-9][0-9]{0,4}[mg]");

  /// The known systems.
  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
  public enum Kind {
    /// In each of its protocols, by the name of the target.
    WIDEROW("", Target.NULL, "disk", "os", "memory", "cluster-disk", "cluster-quorum"),
    QUESTDB("questdb", Target.WIDEROW_LINES, "nosync", "sync"),
    CASSANDRA("cassandra", Target.CASSANDRA, "periodic", "batch"),
    VICTORIA("victoria", Target.WIDEROW_LINES, "memory"),
    /// A server that somebody started, by its address.
    VICTORIALOGS("victorialogs", Target.WIDEROW_JSON, "defaults"),
    /// On the events of [DuckAnswers]; it is asked and gets none.
    DUCKDB("duckdb", Target.NULL, "file");

    private final String label;
    private final Target target;
    final List<String> settings;

    Kind(String label, Target target, String... settings) {
      this.label = label;
      this.target = target;
      this.settings = List.of(settings);
    }
  }

  public Contestant {
    keys = List.copyOf(keys);
    if (!kind.settings.contains(setting)) {
      throw new IllegalArgumentException(
          "%s has %s, not '%s'".formatted(label(kind, target), kind.settings, setting));
    }
    if (!HEAP.matcher(nodeHeap).matches()) {
      throw new IllegalArgumentException(
          "--node-heap is a size such as 512m or 4g, got '" + nodeHeap + "'");
    }
  }

  /// @param text `WHO`, `WHO:SETTING`, `WHO:SETTING@CHECKOUT` or `victorialogs@http://HOST:PORT`
  /// @throws IOException when there is no port for it
  static Contestant parse(String text, Path home, List<String> keys, String nodeHeap)
      throws IOException {
    if (text.startsWith(STARTED)) {
      return new Contestant(
          Kind.VICTORIALOGS,
          Kind.VICTORIALOGS.target,
          Kind.VICTORIALOGS.settings.getFirst(),
          home,
          List.of(),
          nodeHeap,
          0,
          address(text.substring(STARTED.length())));
    }
    int at = text.indexOf('@');
    String bare = at < 0 ? text : text.substring(0, at);
    Path checkout = at < 0 ? home : Path.of(text.substring(at + 1));
    int colon = bare.indexOf(':');
    String label = colon < 0 ? bare : bare.substring(0, colon);
    String setting = colon < 0 ? "" : bare.substring(colon + 1);
    for (Target target : Target.values()) {
      if (target.isDaemons() && target.label.equals(label)) {
        String level = setting.isEmpty() ? "disk" : setting;
        int port = target.portKey() == null ? 0 : ServerProcess.freeAddress().getPort();
        return new Contestant(Kind.WIDEROW, target, level, checkout, keys, nodeHeap, port, null);
      }
    }
    for (Kind kind : Kind.values()) {
      if (kind != Kind.WIDEROW && kind != Kind.VICTORIALOGS && kind.label.equals(label)) {
        String own = setting.isEmpty() ? kind.settings.get(0) : setting;
        return new Contestant(kind, kind.target, own, checkout, keys, nodeHeap, 0, null);
      }
    }
    throw new IllegalArgumentException(
        "no such contestant: '%s'; there are %s".formatted(text, known()));
  }

  private static InetSocketAddress address(String url) {
    try {
      URI uri = new URI(url);
      if ("http".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() > 0) {
        return new InetSocketAddress(uri.getHost(), uri.getPort());
      }
    } catch (URISyntaxException _) {
      // refused below
    }
    throw new IllegalArgumentException(
        STARTED + "http://HOST:PORT names a server that is running, got '" + url + "'");
  }

  private static String known() {
    Stream<String> daemons =
        Arrays.stream(Target.values()).filter(Target::isDaemons).map(target -> target.label);
    Stream<String> peers =
        Arrays.stream(Kind.values())
            .filter(kind -> kind != Kind.WIDEROW)
            .map(kind ->
                kind == Kind.VICTORIALOGS
                    ? STARTED + "http://HOST:PORT"
                    : kind.label + ":" + String.join("|", kind.settings));
    return "%s, each with :%s; %s"
        .formatted(
            daemons.collect(Collectors.joining(", ")),
            String.join("|", Kind.WIDEROW.settings),
            peers.collect(Collectors.joining(", ")));
  }

  private static String label(Kind kind, Target target) {
    return kind == Kind.WIDEROW ? target.label : kind.label;
  }

  public boolean isWiderow() {
    return kind == Kind.WIDEROW;
  }

  /// Whether it is a daemon that keeps its events on a node of Cassandra.
  public boolean isOnCluster() {
    return setting.startsWith(ON_CLUSTER);
  }

  /// The level that a daemon's batches ask for.
  private String level() {
    return isOnCluster() ? setting.substring(ON_CLUSTER.length()) : setting;
  }

  /// @param address of its HTTP port
  public Endpoint endpoint(InetSocketAddress address) {
    Endpoint endpoint =
        new Endpoint(
            target,
            address.getHostString(),
            socketPort == 0 ? address.getPort() : socketPort,
            isWiderow() ? level() : null,
            switch (kind) {
              case QUESTDB, VICTORIA -> "/write?precision=n";
              case VICTORIALOGS -> LOGS_PATH;
              case WIDEROW, CASSANDRA, DUCKDB -> null;
            });
    // VictoriaLogs closes a connection that is two minutes old; its last response announces it.
    return kind == Kind.VICTORIALOGS ? endpoint.withPatience(PATIENCE_NANOS) : endpoint;
  }

  /// Where it is to listen, or listens already.
  InetSocketAddress address() throws IOException {
    return running == null ? ServerProcess.freeAddress() : running;
  }

  /// Where its events are read back.
  public Endpoint queries(InetSocketAddress address) {
    return new Endpoint(target, address.getHostString(), address.getPort(), null, null);
  }

  /// Starts it on a directory that does not exist yet, or, where it is one process, on one that it
  /// left before.
  public ServerProcess start(Path data, InetSocketAddress address)
      throws IOException, InterruptedException {
    if (running != null) {
      TargetDown.check(queries(address));
      return ServerProcess.running(address);
    }
    return isOnCluster() ? startOnCluster(data, address) : startAlone(data, address);
  }

  /// Starts it, see [#start], and waits until it accepts requests.
  public ServerProcess startReady(Path data, InetSocketAddress address)
      throws IOException, InterruptedException {
    ServerProcess server = start(data, address);
    try {
      server.await(() -> isReady(address));
      return server;
    } catch (Throwable failure) {
      server.close();
      throw failure;
    }
  }

  private ServerProcess startAlone(Path data, InetSocketAddress address) throws IOException {
    String port = Integer.toString(address.getPort());
    Path peers = home.resolve("loadgen/peers");
    List<String> command =
        switch (kind) {
          case WIDEROW -> daemon(data, port, List.of());
          case QUESTDB -> List.of(peers.resolve("questdb").toString(), data + "", port, setting);
          case CASSANDRA -> node(data, address, setting);
          case VICTORIA -> List.of(peers.resolve("victoria").toString(), data + "", port);
          case DUCKDB -> List.of(peers.resolve("duckdb-server").toString(), data + "", port);
          case VICTORIALOGS -> throw new IllegalStateException(this + " is running");
        };
    return ServerProcess.start(command, log(data, ".log"));
  }

  private static Path log(Path data, String suffix) {
    return data.resolveSibling(data.getFileName() + suffix);
  }

  private List<String> node(Path data, InetSocketAddress address, String sync) {
    String script = home.resolve("loadgen/peers/cassandra").toString();
    return List.of(script, data.toString(), address.getPort() + "", sync, nodeHeap);
  }

  /// The node first; the daemon when it listens.
  private ServerProcess startOnCluster(Path data, InetSocketAddress address)
      throws IOException, InterruptedException {
    InetSocketAddress nodes = ServerProcess.freeAddress();
    Files.createDirectories(data);
    ServerProcess started =
        ServerProcess.start(node(data.resolve("node"), nodes, NODE_SYNC), log(data, "-node.log"));
    try {
      started.await(() -> isListening(nodes));
      String store = "store=" + storeUri(nodes) + "&replication=1";
      return ServerProcess.start(
          daemon(data.resolve("daemon"), address.getPort() + "", List.of(store)),
          log(data, ".log"),
          new ServerProcess.Node(started, nodes));
    } catch (Throwable failure) {
      started.close();
      throw failure;
    }
  }

  /// The store of a daemon on a cluster, for its own program.
  ///
  /// @param nodes where one of them listens on loopback
  static String storeUri(InetSocketAddress nodes) {
    return "cassandra://127.0.0.1:%d/%s?dc=datacenter1".formatted(nodes.getPort(), KEYSPACE);
  }

  private static boolean isListening(InetSocketAddress address) throws IOException {
    SocketChannel.open(address).close();
    return true;
  }

  /// What starts a daemon on a directory.
  List<String> command(Path data, InetSocketAddress address) {
    return daemon(data, Integer.toString(address.getPort()), List.of());
  }

  /// @param own keys, before those of the operator
  private List<String> daemon(Path data, String port, List<String> own) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("widerow").toString());
    command.addAll(List.of("serve", "--data", data.toString(), "--http", "127.0.0.1:" + port));
    if (target.portKey() != null) { // such a protocol cannot ask for a level
      command.addAll(List.of("--set", "durability=" + level()));
      command.addAll(List.of("--set", target.portKey() + "=127.0.0.1:" + socketPort));
    }
    own.forEach(key -> command.addAll(List.of("--set", key)));
    keys.forEach(key -> command.addAll(List.of("--set", key)));
    return command;
  }

  /// Whether it accepts requests.
  public boolean isReady(InetSocketAddress address) throws IOException, InterruptedException {
    return switch (kind) {
      case WIDEROW -> HttpText.get(address, "/ready").status() == 200;
      case QUESTDB -> HttpText.get(address, "/exec?query=select%201").status() == 200;
      case DUCKDB -> HttpText.get(address, "/query?sql=select%201").status() == 200;
      case VICTORIA, VICTORIALOGS -> HttpText.get(address, "/health").status() == 200;
      case CASSANDRA -> {
        // First without its driver, whose retries would take CPU from the start.
        boolean listens = isListening(address);
        PeerDriver.of(target.label).connect(address).close();
        yield listens;
      }
    };
  }

  /// Bytes of the files that hold its events after it has ended, without journals and commit logs:
  /// these are preallocated, and their size does not depend on their content.
  long dataBytes(Path data) {
    return switch (kind) {
      case WIDEROW ->
          isOnCluster()
              ? CostWatcher.bytesBelow(data.resolve("node/data").resolve(KEYSPACE))
                  + CostWatcher.bytesBelow(data.resolve("daemon/spool/segments"))
              : CostWatcher.bytesBelow(data.resolve("segments"));
      case QUESTDB -> CostWatcher.bytesBelow(data.resolve("db"));
      case CASSANDRA -> CostWatcher.bytesBelow(data.resolve("data/load"));
      case VICTORIA -> CostWatcher.bytesBelow(data.resolve("data"));
      case VICTORIALOGS, DUCKDB -> 0; // its directory is not known
    };
  }

  /// Its processes that are nodes of Cassandra, whose use is shown apart.
  List<Long> nodePids(ServerProcess server) {
    ServerProcess.Node node = server.node();
    return kind == Kind.CASSANDRA
        ? List.of(server.pid())
        : node == null ? List.of() : List.of(node.process().pid());
  }

  /// Its configuration, for readers of the figures.
  String note() {
    return switch (kind) {
      case WIDEROW ->
          "durability %s%s, %sits defaults"
              .formatted(
                  level(),
                  isOnCluster() ? " on " + nodeNote(NODE_SYNC) + "; the daemon" : "",
                  keys.isEmpty() ? "" : String.join(", ", keys) + ", otherwise ");
      case QUESTDB -> "QuestDB 9.3.4, commit.mode=" + setting + ", 1 GiB heap";
      case CASSANDRA -> nodeNote(setting) + ", unlogged batches of 50 at LOCAL_QUORUM";
      case VICTORIA -> "VictoriaMetrics 1.79.5 (Debian), its defaults: no sync on write";
      case VICTORIALOGS -> "VictoriaLogs, a server that was running";
      case DUCKDB -> "DuckDB 1.4.1 on a file of the events, rows by its JDBC driver as CSV";
    };
  }

  private String nodeNote(String sync) {
    return "Cassandra 5.0.9, commitlog_sync %s, heap %s".formatted(sync, nodeHeap);
  }

  String name() {
    return running == null ? label(kind, target) + ":" + setting : kind.label;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
