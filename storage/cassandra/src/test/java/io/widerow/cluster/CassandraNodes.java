package io.widerow.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Nodes of one cluster, on 127.0.0.1, 127.0.0.2 and so on, each as [CassandraNode] says. All have
/// the same port.
public final class CassandraNodes implements AutoCloseable {
  private static final int ATTEMPTS = 5;

  // Below what the system gives to outgoing connections.
  private static final int PORT_FIRST = 20_000;
  private static final int PORT_LIMIT = 32_000;

  /// What nodes ask of their clients.
  ///
  /// @param passwords true for users with passwords and permissions; the first user is `cassandra`
  ///   with the password `cassandra`
  /// @param keystore of the nodes, in the format PKCS#12, for TLS; null for none
  /// @param keystorePassword of it
  public record Security(boolean passwords, @Nullable Path keystore, String keystorePassword) {
    /// Open to everybody.
    public static final Security NONE = new Security(false, null, "");
  }

  private final List<CassandraNode> nodes;

  private CassandraNodes(List<CassandraNode> nodes) {
    this.nodes = nodes;
  }

  /// Starts a cluster that is open to everybody, and waits until all nodes listen.
  ///
  /// @param count 1 to 9
  public static CassandraNodes start(int count) {
    return start(count, Security.NONE);
  }

  /// Starts a cluster, and waits until all nodes listen.
  ///
  /// @param count 1 to 9
  public static CassandraNodes start(int count, Security security) {
    return start(count, security, null);
  }

  /// The same with the nodes' directories in another one than the system's for temporary files.
  static CassandraNodes start(int count, Security security, @Nullable Path parent) {
    for (int attempt = 1; ; attempt++) {
      CassandraNodes made = make(count, security, parent);
      try {
        made.nodes.getFirst().begin().await(); // it is the seed
        made.nodes.stream().skip(1).forEach(CassandraNode::begin);
        made.nodes.stream().skip(1).forEach(CassandraNode::await);
        return made;
      } catch (RuntimeException failure) {
        boolean again = made.nodes.stream().anyMatch(CassandraNode::lostItsPort);
        made.close();
        if (!again || attempt == ATTEMPTS) {
          throw failure;
        }
      }
    }
  }

  private static CassandraNodes make(int count, Security security, @Nullable Path parent) {
    int port = freePorts(count);
    List<CassandraNode> nodes = new ArrayList<>();
    try {
      for (int node = 0; node < count; node++) {
        Path directory =
            parent == null
                ? Files.createTempDirectory("cassandra-")
                : Files.createTempDirectory(parent, "cassandra-");
        Files.writeString(
            directory.resolve("cassandra.yaml"), yaml(directory, node, count, port, security));
        Files.writeString(directory.resolve("logback.xml"), LOGBACK);
        nodes.add(new CassandraNode(host(node), port, directory, true, security.passwords()));
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return new CassandraNodes(nodes);
  }

  private static String host(int node) {
    return "127.0.0." + (node + 1);
  }

  /// Two ports in sequence, for CQL and for the nodes among themselves, free on all addresses.
  private static int freePorts(int count) {
    var random = new SplittableRandom();
    while (true) {
      int port = random.nextInt(PORT_FIRST, PORT_LIMIT);
      boolean free = true;
      for (int node = 0; node < count && free; node++) {
        free = isFree(host(node), port) && isFree(host(node), port + 1);
      }
      if (free) {
        return port;
      }
    }
  }

  private static boolean isFree(String host, int port) {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral(host), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d{HH:mm:ss.SSS} %-5level %logger{20} %msg%n</pattern></encoder>
        </appender>
        <logger name="org.apache.cassandra.service.CassandraDaemon" level="INFO"/>
        <logger name="org.apache.cassandra.auth.CassandraRoleManager" level="INFO"/>
        <root level="WARN"><appender-ref ref="OUT"/></root>
      </configuration>
      """;

  private static String yaml(Path directory, int node, int count, int port, Security security) {
    long token = Long.MIN_VALUE + Long.divideUnsigned(-1, count) * node + 1;
    Path keystore = security.keystore();
    return """
    cluster_name: test
    num_tokens: 1
    initial_token: "%d"
    auto_bootstrap: false
    partitioner: org.apache.cassandra.dht.Murmur3Partitioner
    endpoint_snitch: SimpleSnitch
    seed_provider:
      - class_name: org.apache.cassandra.locator.SimpleSeedProvider
        parameters:
          - seeds: "127.0.0.1:%d"
    listen_address: %s
    rpc_address: %s
    storage_port: %d
    native_transport_port: %d
    """
            .formatted(token, port + 1, host(node), host(node), port + 1, port)
        + Stream.of("data", "commitlog", "saved_caches", "hints")
            .map(name -> NAMED.get(name) + directory.resolve(name) + "\n")
            .collect(Collectors.joining())
        + SETTINGS
        + (security.passwords() ? PASSWORDS : "")
        + (keystore == null ? "" : tls(keystore, security.keystorePassword()));
  }

  private static final Map<String, String> NAMED =
      Map.of(
          "data", "data_file_directories:\n  - ",
          "commitlog", "commitlog_directory: ",
          "saved_caches", "saved_caches_directory: ",
          "hints", "hints_directory: ");

  private static final String SETTINGS =
      """
      commitlog_sync: batch
      commitlog_segment_size: 32MiB
      commitlog_total_space: 256MiB
      memtable_heap_space: 64MiB
      memtable_offheap_space: 96MiB
      memtable_allocation_type: offheap_objects
      memtable:
        configurations:
          skiplist:
            class_name: SkipListMemtable
          trie:
            class_name: TrieMemtable
          default:
            inherits: trie
      sstable:
        selected_format: bti
      file_cache_size: 32MiB
      networking_cache_size: 32MiB
      key_cache_size: 0MiB
      counter_cache_size: 0MiB
      concurrent_compactors: 1
      auto_snapshot: false
      storage_compatibility_mode: NONE
      uuid_sstable_identifiers_enabled: true
      """;

  private static final String PASSWORDS =
      """
      authenticator: PasswordAuthenticator
      authorizer: CassandraAuthorizer
      role_manager: CassandraRoleManager
      permissions_validity: 0ms
      roles_validity: 0ms
      """;

  private static String tls(Path keystore, String password) {
    return """
    client_encryption_options:
      enabled: true
      optional: false
      keystore: %s
      keystore_password: %s
      store_type: PKCS12
    """
        .formatted(keystore, password);
  }

  public CassandraNode node(int index) {
    return nodes.get(index);
  }

  public int size() {
    return nodes.size();
  }

  /// The URI of a keyspace that has as many replicas as there are nodes.
  public String uri(String keyspace) {
    return "cassandra://%s/%s?dc=%s&replication=%d"
        .formatted(
            nodes.stream().map(CassandraNode::address).collect(Collectors.joining(",")),
            keyspace,
            CassandraNode.DATACENTER,
            nodes.size());
  }

  /// Kills all nodes and deletes what they wrote.
  @Override
  public void close() {
    nodes.forEach(CassandraNode::close);
  }

  static void deleteTree(Path directory) {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path file : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
