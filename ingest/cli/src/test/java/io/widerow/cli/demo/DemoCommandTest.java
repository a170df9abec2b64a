package io.widerow.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the demo runs as described, twice in one directory, and the queries that train the JVM's
/// AOT cache have results. Method: the real log files.
@Timeout(300)
class DemoCommandTest {
  @Test
  void itRunsTwiceInOneDirectory(@TempDir Path directory) throws IOException {
    Path data = Files.createDirectory(directory.resolve("demo")); // an empty one is fine
    String first = demo("--data", data.toString());
    assertTrue(first.contains("Commands to try next"), first);
    for (String sent :
        List.of(
            "broker errors over syslog (TCP)   119 messages sent",
            "\"errors\":false,...}",
            "requests an hour over OTLP        200 {}",
            "broker warnings as Loki pushes    204")) {
      assertTrue(first.contains(sent), first);
    }
    String again = demo("--data", data.toString());
    assertTrue(again.contains("Replacing the store of an earlier demo"), again);
    assertTrue(Files.exists(data.resolve("FORMAT")));
  }

  @Test
  void theFirstRequestsOfAStartHaveResults(@TempDir Path directory) {
    Path data = directory.resolve("demo");
    String _ = demo("--data", data.toString());
    DaemonConfig config = DaemonConfig.of(Map.of("data", data.toString(), "http", "127.0.0.1:0"));
    try (EventStore store = LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store)) {
      String url = "http://127.0.0.1:" + daemon.httpAddress().getPort();
      assertTrue(demo("--rehearse", url).contains("broker warnings as Loki pushes    204"));
    }
  }

  @Test
  void aLostStoreIsRestored(@TempDir Path directory) throws IOException {
    Path data = directory.resolve("demo");
    String _ = demo("--data", data.toString(), "--backup");
    String again = demo("--data", data.toString(), "--s3");
    List<String> counts =
        Pattern.compile("--stats count\ncount *\n(\\d+)")
            .matcher(again)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertEquals(2, counts.size(), again);
    assertEquals(counts.getFirst(), counts.getLast(), again);
    assertTrue(again.contains("$ rm -r " + data), again);
    Path place = directory.resolve("demo-backup");
    String elsewhere = demo("--data", data.toString(), "--backup", "file:" + place);
    assertTrue(elsewhere.contains(place + "/demo-2"), elsewhere);
    Files.delete(place.resolve("WIDEROW-DEMO"));
    CommandDaemon.Ran ran = CommandDaemon.run(Map.of(), "demo", "--data", data.toString(), "--s3");
    assertEquals(64, ran.code(), ran.err());
    assertTrue(ran.err().contains(place + " is not empty and no demo made it"), ran.err());
  }

  @Test
  void aDemoThatKeepsItsDaemonLosesNoStore(@TempDir Path directory) {
    String data = directory.resolve("demo").toString();
    CommandDaemon.Ran ran =
        CommandDaemon.run(Map.of(), "demo", "--data", data, "--backup", "--keep");
    assertEquals(64, ran.code(), ran.err());
    assertTrue(ran.err().contains("leave out --keep"), ran.err());
  }

  @Test
  void itLeavesARealStoreAlone(@TempDir Path directory) throws IOException {
    Path data = directory.resolve("real");
    DaemonConfig config = DaemonConfig.of(Map.of("data", data.toString()));
    try (EventStore _ = LocalStore.open(config)) {
      assertTrue(Files.exists(data.resolve("FORMAT")));
    }
    Set<Path> before = files(data);
    assertRefused(data);
    assertEquals(before, files(data));
    Path file = Files.writeString(directory.resolve("file"), "text");
    assertRefused(file);
    assertEquals("text", Files.readString(file));
  }

  private static void assertRefused(Path data) {
    CommandDaemon.Ran ran = CommandDaemon.run(Map.of(), "demo", "--data", data.toString());
    assertEquals(64, ran.code(), ran.err());
    assertTrue(ran.err().contains(data + " is not empty and no demo made it"), ran.err());
  }

  private static Set<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.collect(Collectors.toSet());
    }
  }

  private static String demo(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--logs", "../../loadgen/logs"));
    all.addAll(List.of(arguments));
    CommandDaemon.Ran ran = CommandDaemon.run(Map.of(), "demo", all.toArray(String[]::new));
    assertEquals(0, ran.code(), ran.out() + ran.err());
    return ran.out();
  }
}
