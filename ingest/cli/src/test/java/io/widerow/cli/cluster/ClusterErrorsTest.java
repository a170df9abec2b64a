package io.widerow.cli.cluster;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.CassandraNodes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a command that cannot use a cluster prints the reason in one sentence, with the value and
/// the solution, and ends with the exit code of its kind. Method: commands on ports where nobody
/// listens, with files that are not there, and on nodes with users and with TLS.
@Timeout(300)
class ClusterErrorsTest {
  private static final int PORT_OF_NOBODY = 1; // tcpmux, which nobody runs

  @TempDir Path directory;

  private Path password(String text) throws IOException {
    Path file = Files.createTempFile(directory, "password", "");
    Files.writeString(file, text + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static String as(String uri, String user, Path passwordFile) {
    return uri + "&user=" + user + "&password-file=" + passwordFile;
  }

  private static String over(String uri, Path ca) {
    return uri + "&ca=" + ca;
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
    String other = uri + "&datacentre=x";
    cli.fails(
        64, List.of("parameters dc, replication, ", "got 'datacentre'"), "query", "--store", other);
    cli.fails(
        64, List.of("names no datacenter"), "query", "--store", "cassandra://127.0.0.1/widerow");
    String far = "cassandra://10.0.0.1/widerow?dc=dc1";
    Path none = directory.resolve("none");
    String missing = "file " + none + ": there is no such";
    String copy = directory.resolve("copy").toString();
    for (List<String> command :
        List.of(
            List.of("query", "--store"),
            List.of("types", "--store"),
            List.of("cluster", "status", "--store"),
            List.of("migrate", "--to", copy, "--from"))) {
      fails(cli, command, far, "10.0.0.1:9042", "ca, user and password-file");
      fails(cli, command, as(uri, "joe", none), "password " + missing);
      fails(cli, command, over(uri, none), "certificate file " + none + ": no such file");
      fails(cli, command, uri + "&consistency=ONE", "LOCAL_QUORUM, QUORUM or ALL, got 'ONE'");
    }
  }

  /// Fails with the code of a wrong value.
  private static void fails(Cli cli, List<String> command, String uri, String... parts) {
    List<String> arguments = new ArrayList<>(command);
    arguments.add(uri);
    cli.fails(
        64,
        List.of(parts),
        arguments.getFirst(),
        arguments.subList(1, arguments.size()).toArray(String[]::new));
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
      Cli cli = new Cli(Map.of());
      Path secret = password("cassandra");
      String root = as(uri, "cassandra", secret);
      cli.fails(69, List.of("no keyspace 'secured'", "&replication=3"), "query", "--store", root);
      cli.answer("cluster", "init", "--store", as(make, "cassandra", secret));
      node.executeAs(
          "cassandra",
          "cassandra",
          "CREATE KEYSPACE bare WITH replication = {'class': 'NetworkTopologyStrategy',"
              + " 'datacenter1': 1}",
          "CREATE ROLE nobody WITH PASSWORD = 'r' AND LOGIN = true",
          "CREATE ROLE reader WITH PASSWORD = 'r' AND LOGIN = true",
          "GRANT SELECT ON KEYSPACE secured TO reader");
      cli.fails(
          69,
          List.of("no store in keyspace 'bare'", "widerow cluster init"),
          "query",
          "--store",
          root.replace("/secured", "/bare"));
      cli.fails(
          69,
          List.of("no datacenter 'dc7', but datacenter1"),
          "query",
          "--store",
          root.replace("dc=datacenter1", "dc=dc7"));
      Path wrong = password("wrong");
      cli.fails(
          69,
          List.of("user cassandra", wrong.toString()),
          "query",
          "--store",
          as(uri, "cassandra", wrong));
      cli.fails(69, List.of("add &user=NAME&password-file=FILE"), "query", "--store", uri);
      String nobody = as(uri, "nobody", password("r"));
      cli.fails(69, List.of("User nobody has no SELECT permission"), "query", "--store", nobody);
      String reader = as(uri, "reader", password("r"));
      Assertions.assertEquals(0, cli.run("query", "--store", reader).code());
      cli.fails(
          69,
          List.of("User reader has no MODIFY permission"),
          "cluster",
          "retain",
          "30d",
          "--store",
          reader);
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
      cli.fails(
          69, List.of("a node that wants TLS needs the parameter ca"), "query", "--store", uri);
      cli.fails(
          69,
          List.of("its certificate is not signed by an authority in the file ca"),
          "query",
          "--store",
          over(uri, directory.resolve("stranger.pem")));
      Path right = directory.resolve("right.pem");
      cli.fails(
          69,
          List.of("no keyspace 'secured'"),
          "query",
          "--store",
          over(uri.replaceAll("&replication=.*", ""), right));
      cli.fails(
          69,
          List.of("it answers without TLS"),
          "query",
          "--store",
          over(CassandraNode.shared().uri("secured"), right));
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
