package io.widerow.storage.cassandra.keyspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.CassandraNodes;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: TLS is verified, users are asked for, and what a user may not do is said. Method: a node
/// with a certificate for 127.0.0.1, users and permissions.
@Tag("process")
class SecureKeyspaceTest {
  @TempDir Path directory;

  /// Makes a certificate that signs itself; the key store is for a node, the PEM file for clients.
  private Path certificate(String name, String alternative) throws Exception {
    Path store = directory.resolve(name + ".p12");
    List<String> common = List.of("-keystore", store.toString(), "-storepass", "secret");
    keytool(
        common,
        "-genkeypair",
        "-alias",
        "node",
        "-keyalg",
        "EC",
        "-dname",
        "CN=" + name,
        "-ext",
        "san=" + alternative,
        "-storetype",
        "PKCS12");
    keytool(
        common,
        "-exportcert",
        "-rfc",
        "-alias",
        "node",
        "-file",
        directory.resolve(name + ".pem").toString());
    return store;
  }

  private static void keytool(List<String> common, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(common);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
  }

  private Path password(String text, String mode) throws IOException {
    Path file = Files.createTempFile(directory, "password", "");
    Files.writeString(file, text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return file;
  }

  private ClusterOptions as(CassandraNode node, String user, String password, String ca)
      throws IOException {
    return ClusterOptions.at(
        StoreUri.parse(node.uri("secured")),
        user,
        password(password, "rw-------"),
        directory.resolve(ca));
  }

  private static String unreachable(ClusterOptions options) {
    return KeyspaceContract.message(
        assertThrows(StorageException.Unreachable.class, () -> DriverKeyspace.open(options)));
  }

  @Test
  void tlsAndUsersAreVerified() throws Exception {
    CassandraNode.require();
    Path store = certificate("right", "ip:127.0.0.1");
    certificate("stranger", "ip:127.0.0.1");
    var security = new CassandraNodes.Security(true, store, "secret");
    try (CassandraNodes nodes = CassandraNodes.start(1, security)) {
      CassandraNode node = nodes.node(0);
      ClusterOptions root = as(node, "cassandra", "cassandra", "right.pem");
      try (DriverKeyspace keyspace = DriverKeyspace.open(root)) {
        assertEquals(Map.of(), keyspace.policies().get());
      }
      String stranger = unreachable(as(node, "cassandra", "cassandra", "stranger.pem"));
      assertTrue(stranger.contains(node.address()), stranger);
      String wrong = unreachable(as(node, "cassandra", "wrong", "right.pem"));
      assertTrue(wrong.contains("user cassandra"), wrong);
      assertTrue(
          unreachable(ClusterOptions.at(StoreUri.parse(node.uri("secured"))))
              .contains(node.address()));
      Path open = password("cassandra", "rw-r--r--");
      var others =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  DriverKeyspace.open(ClusterOptions.at(root.uri(), "cassandra", open, root.ca())));
      String text = KeyspaceContract.message(others);
      assertTrue(text.contains("chmod 600 " + open), text);
    }
  }

  @Test
  void aCertificateOfAnotherHostIsRefused() throws Exception {
    CassandraNode.require();
    Path store = certificate("elsewhere", "dns:elsewhere.example");
    try (CassandraNodes nodes =
        CassandraNodes.start(1, new CassandraNodes.Security(false, store, "secret"))) {
      var options =
          ClusterOptions.at(
              StoreUri.parse(nodes.uri("secured")),
              "any",
              password("any", "rw-------"),
              directory.resolve("elsewhere.pem"));
      assertTrue(unreachable(options).contains(nodes.node(0).address()));
    }
  }

  @Test
  void aMissingPermissionIsNamed() throws Exception {
    CassandraNode.require();
    try (CassandraNodes nodes =
        CassandraNodes.start(1, new CassandraNodes.Security(true, null, ""))) {
      CassandraNode node = nodes.node(0);
      var root =
          ClusterOptions.at(
              StoreUri.parse(node.uri("secured")),
              "cassandra",
              password("cassandra", "rw-------"),
              null);
      DriverKeyspace.open(root).close();
      node.executeAs(
          "cassandra",
          "cassandra",
          "CREATE ROLE reader WITH PASSWORD = 'r' AND LOGIN = true",
          "GRANT SELECT ON KEYSPACE secured TO reader");
      var reader = ClusterOptions.at(root.uri(), "reader", password("r", "rw-------"), null);
      try (DriverKeyspace keyspace = DriverKeyspace.openExisting(reader)) {
        assertEquals(Map.of(), keyspace.policies().get());
        var failed = assertThrows(ExecutionException.class, () -> keyspace.policy("a", "b").get());
        var refused = assertInstanceOf(KeyspaceException.class, failed.getCause());
        assertEquals(KeyspaceException.Kind.REFUSED, refused.kind);
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("no permission") && message.contains("MODIFY"), message);
      }
      StoreUri other = StoreUri.parse(node.uri("unmade"));
      String create =
          unreachable(ClusterOptions.at(other, "reader", password("r", "rw-------"), null));
      assertTrue(create.contains("CREATE"), create);
    }
  }
}
