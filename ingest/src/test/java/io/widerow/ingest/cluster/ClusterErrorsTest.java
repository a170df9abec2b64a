package io.widerow.ingest.cluster;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.CassandraNodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a command that cannot use a cluster says why in one sentence, with the value and what to
/// do, and ends with the code of its kind. Method: commands on ports where nobody listens, with
/// files that are not there, and on nodes with users and with TLS.
@Timeout(300)
class ClusterErrorsTest {
  private static final int PORT_OF_NOBODY = 1; // tcpmux, which nobody runs
  private static final String USER = "WIDEROW_CLUSTER_USER";
  private static final String PASSWORD = "WIDEROW_CLUSTER_PASSWORD_FILE";
  private static final String CA = "WIDEROW_CLUSTER_CA";

  @TempDir Path directory;

  private Path password(String text) throws IOException {
    Path file = Files.createTempFile(directory, "password", "");
    Files.writeString(file, text + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private Map<String, String> user(String name, String password) throws IOException {
    return Map.of(USER, name, PASSWORD, password(password).toString());
  }

  private static Cli with(Map<String, String> environment, String name, Object value) {
    Map<String, String> changed = new HashMap<>(environment);
    changed.put(name, value.toString());
    return new Cli(changed);
  }

  @Test
  void aClusterThatIsNotThereIsNamed() {
    String nowhere = "127.0.0.1:" + PORT_OF_NOBODY;
    String uri = "cassandra://" + nowhere + "/widerow?dc=dc1";
    List<String> parts =
        List.of("no node of " + nowhere + " can be reached", nowhere + ": it takes no connections");
    Cli cli = new Cli(Map.of());
    cli.fails(69, parts, "query", "--store", uri);
    cli.fails(69, parts, "types", "--store", uri);
    cli.fails(69, parts, "cluster", "status", "--store", uri);
    String copy = directory.resolve("copy").toString();
    cli.fails(69, parts, "migrate", "--from", uri, "--to", copy);
  }

  @Test
  void aValueThatCannotBeUsedIsNamed() {
    Cli cli = new Cli(Map.of());
    String uri = "cassandra://127.0.0.1/widerow?dc=dc1";
    cli.fails(
        64,
        List.of("parameters dc and replication, got 'datacentre=x'"),
        "query",
        "--store",
        uri + "&datacentre=x");
    cli.fails(
        64, List.of("names no datacenter"), "query", "--store", "cassandra://127.0.0.1/widerow");
    cli.fails(
        64,
        List.of("10.0.0.1:9042", "set cluster-ca and cluster-user"),
        "query",
        "--store",
        "cassandra://10.0.0.1/widerow?dc=dc1");
    Path none = directory.resolve("none");
    Map<String, String> user = Map.of(USER, "joe", PASSWORD, none.toString());
    new Cli(user)
        .fails(
            64, List.of("password file " + none + ": there is no such"), "query", "--store", uri);
    with(Map.of(), CA, none)
        .fails(64, List.of("file " + none + ": there is no such"), "query", "--store", uri);
    with(Map.of(), "WIDEROW_CLUSTER_CONSISTENCY", "ONE")
        .fails(64, List.of("LOCAL_QUORUM, QUORUM or ALL, got 'ONE'"), "query", "--store", uri);
  }

  @Test
  @Tag("cluster")
  void whatANodeWithUsersRefusesIsNamed() throws IOException {
    CassandraNode.require();
    try (CassandraNodes nodes =
        CassandraNodes.start(1, new CassandraNodes.Security(true, null, ""))) {
      CassandraNode node = nodes.node(0);
      String make = node.uri("secured");
      String uri = make.replaceAll("&replication=.*", "");
      Map<String, String> root = user("cassandra", "cassandra");
      new Cli(root)
          .fails(69, List.of("no keyspace 'secured'", "&replication=3"), "query", "--store", uri);
      Cli flags = new Cli(Map.of());
      flags.answer(
          "cluster",
          "init",
          "--store",
          make,
          "--cluster-user",
          "cassandra",
          "--cluster-password-file",
          String.valueOf(root.get(PASSWORD)));
      node.executeAs(
          "cassandra",
          "cassandra",
          "CREATE KEYSPACE bare WITH replication = {'class': 'NetworkTopologyStrategy',"
              + " 'datacenter1': 1}",
          "CREATE ROLE nobody WITH PASSWORD = 'r' AND LOGIN = true",
          "CREATE ROLE reader WITH PASSWORD = 'r' AND LOGIN = true",
          "GRANT SELECT ON KEYSPACE secured TO reader");
      new Cli(root)
          .fails(
              69,
              List.of("no store in keyspace 'bare'", "widerow cluster init"),
              "query",
              "--store",
              uri.replace("/secured", "/bare"));
      new Cli(root)
          .fails(
              69,
              List.of("no datacenter 'dc7', but datacenter1"),
              "query",
              "--store",
              uri.replace("dc=datacenter1", "dc=dc7"));
      Path wrong = password("wrong");
      with(root, PASSWORD, wrong)
          .fails(69, List.of("user cassandra", wrong.toString()), "query", "--store", uri);
      flags.fails(69, List.of("set cluster-user"), "query", "--store", uri);
      new Cli(user("nobody", "r"))
          .fails(69, List.of("User nobody has no SELECT permission"), "query", "--store", uri);
      Map<String, String> reader = user("reader", "r");
      Assertions.assertEquals(0, new Cli(reader).run("query", "--store", uri).code());
      flags.fails(
          69,
          List.of("User reader has no MODIFY permission"),
          "cluster",
          "retain",
          "30d",
          "--store",
          uri,
          "--cluster-user",
          "reader",
          "--cluster-password-file",
          String.valueOf(reader.get(PASSWORD)));
    }
  }

  @Test
  @Tag("cluster")
  void aNodeWithTlsIsToldFromOneWithout() throws Exception {
    CassandraNode.require();
    Path store = certificate("right");
    certificate("stranger");
    try (CassandraNodes nodes =
        CassandraNodes.start(1, new CassandraNodes.Security(false, store, "secret"))) {
      String uri = nodes.node(0).uri("secured");
      Cli cli = new Cli(Map.of());
      cli.fails(69, List.of("a node that wants TLS needs cluster-ca"), "query", "--store", uri);
      with(Map.of(), CA, directory.resolve("stranger.pem"))
          .fails(
              69,
              List.of("its certificate is not signed by an authority in cluster-ca"),
              "query",
              "--store",
              uri);
      Cli right = with(Map.of(), CA, directory.resolve("right.pem"));
      right.fails(
          69,
          List.of("no keyspace 'secured'"),
          "query",
          "--store",
          uri.replaceAll("&replication=.*", ""));
      right.fails(
          69,
          List.of("it answers without TLS"),
          "query",
          "--store",
          CassandraNode.shared().uri("secured"));
    }
  }

  /// Makes a certificate that signs itself: a key store for a node, and a PEM file for clients.
  private Path certificate(String name) throws Exception {
    Path store = directory.resolve(name + ".p12");
    Path pem = directory.resolve(name + ".pem");
    keytool(
        store,
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        "CN=" + name,
        "-ext",
        "san=ip:127.0.0.1",
        "-storetype",
        "PKCS12");
    keytool(store, "-exportcert", "-rfc", "-file", pem.toString());
    return store;
  }

  private static void keytool(Path store, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-alias", "node", "-keystore", store.toString()));
    command.addAll(List.of("-storepass", "secret"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Assertions.assertEquals(0, process.waitFor(), output);
  }
}
