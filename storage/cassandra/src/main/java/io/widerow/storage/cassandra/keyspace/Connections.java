package io.widerow.storage.cassandra.keyspace;

import com.datastax.dse.driver.api.core.config.DseDriverOption;
import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.internal.core.specex.ConstantSpeculativeExecutionPolicy;
import com.datastax.oss.driver.internal.core.time.ServerSideTimestampGenerator;
import io.widerow.storage.PemFiles;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Opens the driver's session with the options.
final class Connections {
  /// The profile of reads of one replica, which ask a second one when the first is slow.
  static final String ONE = "one";

  private static final Duration SPECULATIVE_AFTER = Duration.ofMillis(20);
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);
  private static final Duration CONNECT = Duration.ofSeconds(5);

  /// Making a table takes a node seconds when it is busy.
  static final Duration SCHEMA = Duration.ofSeconds(30);

  private static final Pattern QUOTED = Pattern.compile("'(.+)'");

  private Connections() {}

  /// @throws StorageException.Unreachable when no node answers, none is of the datacenter, or they
  ///   refuse the user
  /// @throws IllegalArgumentException for a file of the options that cannot be used
  static CqlSession open(ClusterOptions options, RequestCounts counts) {
    CqlSessionBuilder builder =
        CqlSession.builder()
            .withConfigLoader(config(options))
            .withLocalDatacenter(options.uri().datacenter())
            .addRequestTracker(counts)
            .addContactPoints(options.uri().hosts().stream().map(StoreUri.Host::address).toList());
    Path passwordFile = options.passwordFile();
    String user = options.user();
    if (user != null && passwordFile != null) {
      builder.withAuthCredentials(user, password(passwordFile));
    }
    Path ca = options.ca();
    if (ca != null) {
      // Names are verified as they are announced, and never looked up backwards.
      builder.withSslEngineFactory(
          new ProgrammaticSslEngineFactory(
              PemFiles.context(ca, options.certificate(), options.key()), null, true, false));
    }
    CqlSession session = build(builder, options);
    try {
      requireDatacenter(session, options.uri());
      return session;
    } catch (RuntimeException failure) {
      session.close();
      throw failure;
    }
  }

  private static CqlSession build(CqlSessionBuilder builder, ClusterOptions options) {
    try {
      return builder.build();
    } catch (AllNodesFailedException failure) {
      Throwable refused =
          failure.getAllErrors().values().stream()
              .flatMap(List::stream)
              .filter(AuthenticationException.class::isInstance)
              .findFirst()
              .orElse(null);
      throw new StorageException.Unreachable(
          refused == null
              ? "no node of %s can be reached: %s"
                  .formatted(options.uri().hostNames(), KeyspaceErrors.sentence(failure))
              : refusal(options, String.valueOf(refused.getMessage())),
          KeyspaceErrors.of("connecting", failure));
    } catch (DriverException | AuthenticationException failure) {
      throw new StorageException.Unreachable(
          "no node of %s can be used: %s"
              .formatted(options.uri().hostNames(), failure.getMessage()),
          KeyspaceErrors.of("connecting", failure));
    }
  }

  /// @param said by the driver, which quotes the node
  private static String refusal(ClusterOptions options, String said) {
    if (options.user() == null) {
      return "the cluster at %s wants a user: add &user=NAME&password-file=FILE to the store's URI"
          .formatted(options.uri().hostNames());
    }
    Matcher quoted = QUOTED.matcher(said);
    return "the cluster at %s refuses user %s with the password in %s: %s"
        .formatted(
            options.uri().hostNames(),
            options.user(),
            options.passwordFile(),
            quoted.find() ? quoted.group(1) : said);
  }

  private static void requireDatacenter(CqlSession session, StoreUri uri) {
    Collection<Node> nodes = session.getMetadata().getNodes().values();
    Set<String> there = new TreeSet<>();
    nodes.forEach(node -> there.add(Objects.toString(node.getDatacenter(), "unknown")));
    if (!there.contains(uri.datacenter())) {
      String sentence =
          "%s: the cluster has no datacenter '%s', but %s"
              .formatted(uri, uri.datacenter(), String.join(", ", there));
      throw new StorageException.Unreachable(
          sentence, new KeyspaceException(KeyspaceException.Kind.REFUSED, sentence));
    }
  }

  private static DriverConfigLoader config(ClusterOptions options) {
    Duration timeout = options.requestTimeout();
    Duration connect = timeout.compareTo(CONNECT) > 0 ? timeout : CONNECT;
    return DriverConfigLoader.programmaticBuilder()
        .withString(DefaultDriverOption.REQUEST_CONSISTENCY, options.consistency().name())
        .withString(
            DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY,
            options.consistency() == ClusterOptions.Consistency.LOCAL_QUORUM
                ? "LOCAL_SERIAL"
                : "SERIAL")
        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)
        .withBoolean(DefaultDriverOption.REQUEST_DEFAULT_IDEMPOTENCE, true)
        .withBoolean(DseDriverOption.MONITOR_REPORTING_ENABLED, false)
        .withBoolean(DefaultDriverOption.NETTY_DAEMON, true)
        .withDuration(DefaultDriverOption.HEARTBEAT_INTERVAL, HEARTBEAT)
        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, HEARTBEAT)
        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, connect)
        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, connect)
        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, connect)
        .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, SCHEMA)
        .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(200))
        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(5))
        // Each statement that makes a table waits for this one, and closing for the other two.
        .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(20))
        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
        .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
        // The driver needs the replicas of this keyspace, and no table of any other.
        .withStringList(
            DefaultDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES,
            List.of(options.uri().keyspace()))
        // Nodes give times to writes: the clocks of many daemons are not to be compared.
        .withClass(
            DefaultDriverOption.TIMESTAMP_GENERATOR_CLASS, ServerSideTimestampGenerator.class)
        .startProfile(ONE)
        .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_ONE")
        .withClass(
            DefaultDriverOption.SPECULATIVE_EXECUTION_POLICY_CLASS,
            ConstantSpeculativeExecutionPolicy.class)
        .withInt(DefaultDriverOption.SPECULATIVE_EXECUTION_MAX, 2)
        .withDuration(DefaultDriverOption.SPECULATIVE_EXECUTION_DELAY, SPECULATIVE_AFTER)
        .endProfile()
        .build();
  }

  private static String password(Path file) {
    try {
      Set<PosixFilePermission> others = EnumSet.allOf(PosixFilePermission.class);
      others.removeAll(
          Set.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));
      others.retainAll(Files.getPosixFilePermissions(file));
      if (!others.isEmpty()) {
        throw new IllegalArgumentException(
            "other users may use the password file %s (%s): chmod 600 %s"
                .formatted(file, others, file));
      }
      @Nullable String first = Files.readAllLines(file).stream().findFirst().orElse(null);
      if (first == null || first.isEmpty()) {
        throw new IllegalArgumentException("there is no password in " + file);
      }
      return first;
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "cannot read the password file %s: %s"
              .formatted(file, KeyspaceErrors.unreadable(unreadable)),
          unreadable);
    }
  }

  /// The session's metadata of the nodes and of the keyspace.
  static KeyspaceHealth health(CqlSession session, StoreUri uri, RequestCounts counts) {
    int up = 0;
    int down = 0;
    for (Node node : session.getMetadata().getNodes().values()) {
      if (uri.datacenter().equals(node.getDatacenter())) {
        boolean answers = node.getState() == NodeState.UP && node.getOpenConnections() > 0;
        up += answers ? 1 : 0;
        down += answers ? 0 : 1;
      }
    }
    Map<String, String> replication =
        session
            .getMetadata()
            .getKeyspace(CqlIdentifier.fromInternal(uri.keyspace()))
            .map(KeyspaceMetadata::getReplication)
            .orElse(Map.of());
    return new KeyspaceHealth(
        up, down, Rows.replicas(replication, uri.datacenter()), counts.byAddress());
  }
}
