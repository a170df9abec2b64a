package io.widerow.cluster;

import com.datastax.dse.driver.api.core.config.DseDriverOption;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/// A node of Apache Cassandra 5.0.9 as a process of its own: 384 MiB of heap, on a loopback
/// address, with small buffers and without snapshots. It answers a write when its commit log is
/// forced, so that a kill of the only node loses nothing; by default a kill loses what came in the
/// last 100 ms. It listens 5 to 6 s after its start. It ends with the JVM that started it, however
/// that one ends.
///
/// A test asks [#available] first, or begins with [#require]. [#shared] spares the start: all test
/// classes of one JVM may use that node, each with a keyspace of its own.
///
/// - Threads: one thread at a time.
public final class CassandraNode implements AutoCloseable {
  /// The datacenter of every node.
  public static final String DATACENTER = "datacenter1";

  private static final Duration START = Duration.ofMinutes(5); // on a busy machine
  private static final int LINES_KEPT = 60;
  private static final String READY = "Startup complete";

  /// What a first start with users prints, at any time before or after [#READY].
  private static final String USERS = "Created default superuser role";

  private static final int RESTARTS_MAX = 5;
  private static final String NO_PEERS = "Unable to gossip with any peers";
  private static final String PORT_TAKEN = "Address already in use";

  private static @Nullable CassandraNode shared;

  private final String host;
  private final int port;
  private final Path directory;
  private final Path jdk;
  private final boolean temporary;
  private final boolean passwords;
  private final ArrayDeque<String> lastLines = new ArrayDeque<>();
  private @Nullable Process process;
  private @Nullable Process guard;
  private @Nullable Thread output;
  private CompletableFuture<Void> ready = new CompletableFuture<>();
  private volatile boolean usersMade;

  /// @param directory that has its configuration
  /// @param temporary true to delete the directory at the end
  /// @param passwords whether users have passwords
  CassandraNode(String host, int port, Path directory, boolean temporary, boolean passwords) {
    this.host = host;
    this.port = port;
    this.directory = directory;
    this.temporary = temporary;
    this.passwords = passwords;
    this.jdk = CassandraServer.jdk().orElseThrow(() -> new IllegalStateException(whyNot()));
  }

  /// Whether nodes can be started here: whether there is a JDK 17.
  public static boolean available() {
    return CassandraServer.jdk().isPresent();
  }

  /// Why not [#available], as a sentence.
  public static String whyNot() {
    return "Cassandra needs a JDK 17, and none is in JAVA17_HOME or the usual places";
  }

  /// Skips the test with [#whyNot] where there is no JDK 17; fails it instead in the profile
  /// `cluster`, which is there to run it.
  public static void require() {
    if (Boolean.getBoolean("cluster.required") && !available()) {
      throw new AssertionError(whyNot());
    }
    Assumptions.assumeTrue(available(), CassandraNode::whyNot);
  }

  /// Starts a node on a directory and ports of its own, open to everybody, without TLS.
  public static CassandraNode start() {
    return CassandraNodes.start(1).node(0);
  }

  /// The same with its directory in another one than the system's for temporary files.
  public static CassandraNode startIn(Path parent) {
    return CassandraNodes.start(1, CassandraNodes.Security.NONE, parent).node(0);
  }

  /// The node that all test classes of this JVM share. It is not to be stopped or killed; it ends
  /// with the JVM.
  public static synchronized CassandraNode shared() {
    CassandraNode node = shared;
    if (node == null) {
      node = start();
      shared = node;
      Runtime.getRuntime().addShutdownHook(new Thread(node::close, "cassandra-end"));
    }
    return node;
  }

  /// Starts the process, on the directory as it is.
  ///
  /// @return this
  CassandraNode begin() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException(this + " runs already");
    }
    var up = new CompletableFuture<Void>();
    ready = up;
    synchronized (lastLines) {
      lastLines.clear();
    }
    try {
      Process started =
          new ProcessBuilder(CassandraServer.command(jdk, directory, passwords))
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .start();
      process = started;
      guard =
          new ProcessBuilder(
                  "sh", "-c", "read -r done || kill -9 " + started.pid() + " 2>/dev/null || :")
              .start();
      output = Thread.ofPlatform().daemon().name("cassandra-" + port).start(() -> log(started, up));
    } catch (IOException failure) {
      throw new UncheckedIOException("could not start " + this, failure);
    }
    return this;
  }

  private void log(Process of, CompletableFuture<Void> up) {
    boolean listens = false;
    boolean users = !passwords || usersMade;
    try (BufferedReader lines = of.inputReader(StandardCharsets.UTF_8);
        Writer file = Files.newBufferedWriter(directory.resolve("output.log"))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        file.write(line + "\n");
        file.flush();
        synchronized (lastLines) {
          lastLines.addLast(line);
          if (lastLines.size() > LINES_KEPT) {
            lastLines.removeFirst();
          }
        }
        listens |= line.contains(READY);
        users |= line.contains(USERS);
        if (listens && users) {
          usersMade = true;
          up.complete(null);
        }
      }
    } catch (IOException failure) {
      up.completeExceptionally(failure);
    }
    up.completeExceptionally(new IOException("it ended:\n" + lastLines()));
  }

  /// The end of what the node has printed, for messages.
  public String lastLines() {
    synchronized (lastLines) {
      return String.join("\n", lastLines);
    }
  }

  /// Waits until the node listens, and until it has its first user where it asks for one.
  ///
  /// @return this
  public CassandraNode await() {
    try {
      ready.get(START.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException failure) {
      throw new IllegalStateException(this + " did not start: " + failure.getCause(), failure);
    } catch (TimeoutException late) {
      throw new IllegalStateException(
          "%s did not start within %s:\n%s".formatted(this, START, lastLines()), late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(this + ": interrupted", interrupted);
    }
    return this;
  }

  /// True when the process ended before it listened because another program had one of its ports.
  boolean lostItsPort() {
    return ready.isCompletedExceptionally() && lastLines().contains(PORT_TAKEN);
  }

  public String host() {
    return host;
  }

  /// Of CQL.
  public int port() {
    return port;
  }

  /// `host:port`, as in a store's URI.
  public String address() {
    return host + ":" + port;
  }

  /// The URI of a keyspace, which is made with one replica when it is missing.
  public String uri(String keyspace) {
    return "cassandra://%s/%s?dc=%s&replication=1".formatted(address(), keyspace, DATACENTER);
  }

  public Path directory() {
    return directory;
  }

  public boolean isRunning() {
    return process != null && process.isAlive();
  }

  /// Processor time that the process has taken so far.
  public Duration processorTime() {
    return running().info().totalCpuDuration().orElseThrow();
  }

  private Process running() {
    Process now = process;
    if (now == null || !now.isAlive()) {
      throw new IllegalStateException(this + " does not run:\n" + lastLines());
    }
    return now;
  }

  /// Makes the process stand still (SIGSTOP), as in a long pause of its machine.
  public void freeze() {
    signal("STOP");
  }

  /// Lets the process go on (SIGCONT).
  public void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      int exit =
          new ProcessBuilder("kill", "-" + name, Long.toString(running().pid()))
              .inheritIO()
              .start()
              .waitFor();
      if (exit != 0) {
        throw new IllegalStateException("kill -%s %s: exit %d".formatted(name, this, exit));
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(this + ": interrupted", interrupted);
    }
  }

  /// Kills the process (SIGKILL); its directory stays. Does nothing when it has ended.
  public void kill() {
    Process now = process;
    if (now == null) {
      return;
    }
    now.destroyForcibly();
    boolean interrupted = false;
    while (true) {
      try {
        now.waitFor();
        if (output != null) {
          output.join();
        }
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    process = null;
    dismissGuard();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Tells the guard that there is nothing to kill any more.
  private void dismissGuard() {
    Process of = guard;
    if (of == null) {
      return;
    }
    guard = null;
    try (OutputStream in = of.getOutputStream()) {
      in.write('\n');
    } catch (IOException gone) {
      throw new UncheckedIOException("the guard of " + this + " is gone", gone);
    }
  }

  /// Starts the process again on its directory and ports, and waits until it listens. A node that
  /// ends because no other one answers in time, on a machine with much to do, is started again.
  public void restart() {
    for (int attempt = 1; ; attempt++) {
      kill();
      begin();
      try {
        await();
        return;
      } catch (IllegalStateException failure) {
        if (attempt == RESTARTS_MAX || !lastLines().contains(NO_PEERS)) {
          throw failure;
        }
      }
    }
  }

  /// Writes everything of a keyspace to files and makes one file of each table, as `nodetool flush`
  /// and `nodetool compact` do.
  public void compact(String keyspace) {
    manage(beans -> {
      ObjectName service = new ObjectName("org.apache.cassandra.db:type=StorageService");
      String text = String.class.getName();
      String texts = String[].class.getName();
      beans.invoke(
          service,
          "forceKeyspaceFlush",
          new Object[] {keyspace, new String[0]},
          new String[] {text, texts});
      return beans.invoke(
          service,
          "forceKeyspaceCompaction",
          new Object[] {false, keyspace, new String[0]},
          new String[] {"boolean", text, texts});
    });
  }

  /// Bytes of the files of the events and of their directory, without obsolete ones.
  public long liveBytes(String keyspace) {
    long bytes = 0;
    for (String table : List.of("segments", "directory")) {
      String name =
          "org.apache.cassandra.metrics:type=Table,keyspace=%s,scope=%s,name=LiveDiskSpaceUsed"
              .formatted(keyspace, table);
      bytes += (Long) manage(beans -> beans.getAttribute(new ObjectName(name), "Count"));
    }
    return bytes;
  }

  private interface Managed {
    Object with(MBeanServerConnection beans) throws IOException, JMException;
  }

  @SuppressWarnings("BanJNDI") // the address is of a process that this one started
  private Object manage(Managed action) {
    try {
      VirtualMachine node = VirtualMachine.attach(Long.toString(running().pid()));
      String address;
      try {
        address = node.startLocalManagementAgent();
      } finally {
        node.detach();
      }
      try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
        return action.with(connector.getMBeanServerConnection());
      }
    } catch (IOException | JMException | AttachNotSupportedException failure) {
      throw new IllegalStateException(this + " cannot be managed", failure);
    }
  }

  /// Runs statements of CQL over a connection of its own: what a test does around the store.
  ///
  /// @return the rows of the last one
  public List<Row> execute(String... statements) {
    return executeAs(null, "", statements);
  }

  /// The same as a user with a password, without TLS.
  public List<Row> executeAs(@Nullable String user, String password, String... statements) {
    try (CqlSession open = session(user, password)) {
      List<Row> rows = List.of();
      for (String statement : statements) {
        rows = open.execute(statement).all();
      }
      return rows;
    }
  }

  /// A connection of its own, which the caller closes.
  public CqlSession session() {
    return session(null, "");
  }

  private CqlSession session(@Nullable String user, String password) {
    DriverConfigLoader config =
        DriverConfigLoader.programmaticBuilder()
            .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
            .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(30))
            .withBoolean(DseDriverOption.MONITOR_REPORTING_ENABLED, false)
            .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
            .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
            .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
            .build();
    var session =
        CqlSession.builder()
            .withConfigLoader(config)
            .addContactPoint(new InetSocketAddress(host, port))
            .withLocalDatacenter(DATACENTER);
    if (user != null) {
      session.withAuthCredentials(user, password);
    }
    return session.build();
  }

  /// Kills the process and deletes what it wrote.
  @Override
  public void close() {
    kill();
    if (temporary) {
      CassandraNodes.deleteTree(directory);
    }
  }

  @Override
  public String toString() {
    return "node " + address() + " in " + directory;
  }
}
