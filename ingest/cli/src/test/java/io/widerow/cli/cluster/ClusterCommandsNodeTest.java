package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the commands for clusters work on a real node: a store is migrated there and back, and
/// returns the same results for each query at every step. Method: each command as the launcher runs
/// it, and the same questions to the directory, the cluster and the copy.
@Tag("cluster")
@Timeout(300)
class ClusterCommandsNodeTest {
  private static final int EVENTS = 3_000;
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  private final Cli cli = new Cli(Map.of());

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private Path store() {
    Path data = directory.resolve("data");
    long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    StoreConfig config = StoreConfig.at(data).withDiskReserveBytes(0);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        EventBatch batch = new EventBatch(1 << 16, 1 << 22)) {
      for (int number = 0; number < EVENTS; number++) {
        byte[] type = (number % 4 == 0 ? "cpu" : "log").getBytes(StandardCharsets.UTF_8);
        batch.begin(type, 0, type.length, now - number * 30_000_000_000L);
        byte[] body = ("line " + number).getBytes(StandardCharsets.UTF_8);
        batch.putString(BODY, 0, BODY.length, body);
        batch.putLong(NUMBER, 0, NUMBER.length, number);
        assertNull(batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
      store.lane(0).commit(Durability.DISK);
    }
    return data;
  }

  private void requireSameAnswers(String data, String uri) {
    for (List<String> question :
        List.of(
            List.<String>of(),
            List.of("cpu"),
            List.of("--last", "7"),
            List.of("--where", "n > 100 and n < 200"),
            List.of("--stats", "count,max(n)", "--every", "1h"))) {
      assertEquals(ask("query", "--data", data, question), ask("query", "--store", uri, question));
    }
    assertEquals(types("--data", data), types("--store", uri));
  }

  /// Without the bytes at rest, which are those of another form.
  private String types(String option, String where) {
    return ask("types", option, where, List.of()).replaceAll(",\"bytes\":\\d+", "");
  }

  private String ask(String command, String option, String where, List<String> question) {
    List<String> arguments = new ArrayList<>(List.of(option, where));
    arguments.addAll(question);
    return cli.answer(command, arguments.toArray(String[]::new));
  }

  @Test
  void aStoreGoesThereAndBack() {
    String make = CassandraNode.shared().uri("commands");
    String uri = make.replaceAll("&replication=.*", "");
    String data = store().toString();
    String made = cli.answer("cluster", "init", "--store", make);
    assertTrue(made.matches("store [0-9a-f-]{36}, format 1\n"), made);
    assertEquals(made, cli.answer("cluster", "init", "--store", make), "a second time");

    String there = cli.answer("migrate", "--from", data, "--to", uri);
    assertTrue(
        there.startsWith("copied 3,000 events\ncompared 3,000 events: both sides are the same\n"),
        there);
    requireSameAnswers(data, uri);
    String checked = cli.answer("cluster", "verify", "--store", uri);
    assertTrue(checked.contains("3,000 events") && checked.contains("no damage"), checked);

    assertEquals(
        "cpu: kept 3650d\n", cli.answer("cluster", "retain", "cpu", "3650d", "--store", uri));
    String status = cli.answer("cluster", "status", "--store", uri);
    assertTrue(status.startsWith(made.substring(0, made.indexOf(','))), status);
    assertTrue(status.contains("nodes: 1 up, 0 down, 1 replicas\n"), status);
    assertTrue(status.contains("policy retention: * forever; cpu PT87600H\n"), status);
    requireSameAnswers(data, uri);

    String copy = directory.resolve("copy").toString();
    String back = cli.answer("migrate", "--from", uri, "--to", copy);
    assertTrue(back.startsWith("copied 3,000 events\n"), back);
    requireSameAnswers(copy, uri);
    assertEquals(
        "compared 3,000 events: both sides are the same\n",
        cli.answer("migrate", "--from", data, "--to", uri, "--verify"));
  }
}
