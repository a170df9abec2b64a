package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.TargetDown;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a contestant matches its name, and a daemon on Cassandra is a node and a daemon, both of
/// them ours to stop. Method: names, and scripts in the places of the real ones that start null
/// sinks and write down how they were called.
class ContestantTest {
  private static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

  @TempDir private Path home;

  private static Contestant parse(String text) throws IOException {
    return Contestant.parse(text, Path.of("."), List.of(), "1g");
  }

  @ParameterizedTest
  @CsvSource({
    "widerow-text, widerow-text:disk, disk, false",
    "bulk:memory, bulk:memory, memory, false",
    "widerow-text:cluster-quorum, widerow-text:cluster-quorum, quorum, true",
    "otlp:cluster-disk@elsewhere, otlp:cluster-disk, disk, true",
    "cassandra, cassandra:periodic, , false"
  })
  void nameSaysWhatItIsAndWhichLevelItAsksFor(
      String text, String name, String level, boolean onCluster) throws IOException {
    Contestant contestant = parse(text);
    assertEquals(name, contestant.toString());
    assertEquals(onCluster, contestant.isOnCluster());
    Endpoint endpoint = contestant.endpoint(ADDRESS);
    assertEquals(level, endpoint.durability());
  }

  @Test
  void noteNamesTheNodeOfBothSides() throws IOException {
    String node = "Cassandra 5.0.9, commitlog_sync periodic, heap 1g";
    assertTrue(
        parse("widerow-text:cluster-quorum").note().startsWith("durability quorum on " + node));
    assertTrue(parse("cassandra:periodic").note().startsWith(node + ", unlogged batches of 50"));
    assertFalse(parse("widerow-text:disk").note().contains("Cassandra"));
  }

  @Test
  @Tag("process")
  void runningServerIsAskedWhereItListensAndNeverStopped() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = socket.getLocalPort();
      Contestant contestant = parse("victorialogs@http://127.0.0.1:" + port);
      assertEquals("victorialogs", contestant.toString());
      InetSocketAddress address = contestant.address();
      assertEquals(port, address.getPort());
      String path = String.valueOf(contestant.endpoint(address).path());
      assertTrue(path.startsWith("/insert/jsonline?_stream_fields=type&"), path);
      try (ServerProcess server = contestant.start(home.resolve("data"), address)) {
        assertEquals(List.of(ProcessHandle.current().pid()), server.pids());
        server.stop();
        server.kill();
        assertTrue(server.isAlive());
        assertThrows(
            IOException.class,
            () ->
                server.await(() -> {
                  throw new IOException("refused");
                }));
      }
      assertTrue(listens(address));
    }
  }

  @Test
  @Tag("process")
  void serverThatDoesNotRunIsUnreachable() throws IOException {
    InetSocketAddress nobody = ServerProcess.freeAddress();
    Contestant contestant = parse("victorialogs@http://127.0.0.1:" + nobody.getPort());
    TargetDown down =
        assertThrows(TargetDown.class, () -> contestant.start(home, contestant.address()));
    assertTrue(String.valueOf(down.getMessage()).contains("127.0.0.1:" + nobody.getPort()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "victorialogs",
        "victorialogs:disk",
        "victorialogs@",
        "victorialogs@host:1",
        "victorialogs@https://host:1",
        "victorialogs@http://host",
        "victorialogs@../checkout"
      })
  void runningServerNeedsAUrl(String text) {
    var refused = assertThrows(IllegalArgumentException.class, () -> parse(text));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("victorialogs@http://HOST:PORT"), message);
    assertTrue(message.contains("'" + text.replaceFirst(".*@", "") + "'"), message);
  }

  @ParameterizedTest
  @CsvSource({"0g", "g", "4", "4gb", "-1g", "1.5g"})
  void impossibleHeapIsSaid(String heap) {
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> Contestant.parse("cassandra", Path.of("."), List.of(), heap));
    assertTrue(String.valueOf(refused.getMessage()).contains("'" + heap + "'"));
  }

  @Test
  @Tag("process")
  void daemonOnAClusterIsTwoProcessesWhichBothEnd() throws Exception {
    script("loadgen/peers/cassandra", "port=$2");
    script("widerow", "port=${5##*:}");
    Contestant contestant =
        Contestant.parse("widerow-text:cluster-quorum", home, List.of("shards=2"), "1g");
    InetSocketAddress address = ServerProcess.freeAddress();
    Path data = home.resolve("data");
    try (ServerProcess daemon = contestant.start(data, address)) {
      ServerProcess.Node node = Objects.requireNonNull(daemon.node());
      int port = node.address().getPort();
      assertEquals(List.of(daemon.pid(), node.process().pid()), daemon.pids());
      assertEquals(List.of(node.process().pid()), contestant.nodePids(daemon));
      assertEquals("%s/node %d periodic 1g".formatted(data, port), called("cassandra"));
      daemon.await(() -> listens(address));
      assertEquals(
          ("serve --data %s/daemon --http 127.0.0.1:%d --set store=cassandra://127.0.0.1:%d/widerow"
                  + "?dc=datacenter1&replication=1 --set shards=2")
              .formatted(data, address.getPort(), port),
          called("widerow"));
      daemon.stop();
      assertFalse(node.process().isAlive());
    }
    new ServerSocket(address.getPort()).close();
  }

  @Test
  @Tag("process")
  void nodeEndsWithADaemonThatCannotBeStarted() throws Exception {
    script("loadgen/peers/cassandra", "port=$2");
    Contestant contestant = Contestant.parse("widerow-text:cluster-disk", home, List.of(), "1g");
    assertThrows(
        IOException.class,
        () -> contestant.start(home.resolve("data"), ServerProcess.freeAddress()));
    int port = Integer.parseInt(called("cassandra").split(" ", -1)[1]);
    InetSocketAddress node = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    Await.until(() -> !listens(node), "the node ends");
  }

  /// Writes down its arguments and listens on `$port`.
  private void script(String name, String port) throws IOException {
    Path script = home.resolve(name);
    Files.createDirectories(script.getParent());
    Files.writeString(
        script,
        """
        #!/bin/sh
        echo "$@" >'%s/%s.called'
        %s
        exec '%s' -cp '%s' io.widerow.loadgen.LoadCommand sink --port "$port"
        """
            .formatted(
                home,
                script.getFileName(),
                port,
                ProcessHandle.current().info().command().orElseThrow(),
                System.getProperty("java.class.path")));
    assertTrue(script.toFile().setExecutable(true));
  }

  private String called(String script) throws IOException {
    return Files.readString(home.resolve(script + ".called")).strip();
  }

  private static boolean listens(InetSocketAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(address);
      return true;
    } catch (SocketException nobody) { // refused, or reset by one that is just ending
      return false;
    }
  }

  @Test
  void onlyCassandrasUseIsShownApart() throws IOException {
    long self = ProcessHandle.current().pid();
    ServerCosts none = new ServerCosts(List.of(self), List.of());
    none.watcher().measuringBegins();
    none.watcher().measuringEnds();
    assertThrows(IllegalStateException.class, () -> none.settled(1));
    none.ended();
    assertEquals(0, none.settled(1).nodeCpuNanos());
    ServerCosts alone = new ServerCosts(List.of(self), List.of(self));
    alone.watcher().measuringBegins();
    alone.watcher().measuringEnds();
    alone.ended();
    ServerCosts.Settled same = alone.settled(1);
    assertEquals(same.all().targetCpuNanos(), same.nodeCpuNanos());
    ServerCosts both = new ServerCosts(List.of(self, self), List.of(self));
    both.watcher().measuringBegins();
    long before = ProcessReading.of(self).cpuNanos();
    while (ProcessReading.of(self).cpuNanos() - before < 200 * Quantity.MILLI) {}
    both.watcher().measuringEnds();
    both.ended();
    ServerCosts.Settled settled = both.settled(0);
    assertTrue(settled.nodeCpuNanos() > 0);
    assertEquals(2.0, settled.all().targetCpuNanos() / (double) settled.nodeCpuNanos(), 0.5);
  }
}
