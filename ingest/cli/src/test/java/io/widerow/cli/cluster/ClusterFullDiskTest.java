package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.cluster.CassandraNode;
import io.widerow.faults.Await;
import io.widerow.faults.FaultDisk;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a full disk, of the daemon while its cluster is away or of the node, delays and loses
/// nothing. The daemon responds with 507 or that a batch waits, starts on the full disk, and when
/// there is room and the node is back, applies what it has and takes events, without another start.
/// Method: both as processes, the one or the other on a small file system of its own, filled to the
/// last byte.
@Tag("cluster")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClusterFullDiskTest {
  private static final int BATCH = 100;
  private static final int NOISE = 600;
  private static final int BATCHES_MAX = 5_000;
  private static final Pattern PENDING = Pattern.compile("\"pendingEvents\":(\\d+)");
  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");

  private final List<Integer> acknowledged = new ArrayList<>(); // numbers of batches
  private final SplittableRandom random = new SplittableRandom(1);
  private int sent;

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private static FaultDisk disk(Path directory, long bytes) throws IOException {
    String missing = FaultDisk.Kind.EXT4.missing();
    if (missing != null) {
      skip(missing);
    }
    try {
      return new FaultDisk(FaultDisk.Kind.EXT4, bytes, Files.createDirectory(directory));
    } catch (IOException refused) {
      skip("a file system cannot be mounted here: " + refused.getMessage());
      throw refused;
    }
  }

  /// Ends the test as skipped, and says so also where a build shows no reasons of skipped tests.
  private static void skip(String why) {
    System.err.println("ClusterFullDiskTest: SKIPPED, nothing was tested: " + why);
    abort(why);
  }

  @Test
  void theDaemonsDiskIsFullWhileTheNodeIsAway(@TempDir Path directory) throws Exception {
    try (FaultDisk disk = disk(directory.resolve("disk"), 160 << 20);
        CassandraNode node = CassandraNode.start()) {
      Path data = disk.root().resolve("d");
      Path ballast = disk.root().resolve("ballast");
      try (ServeProcess daemon = daemon(directory, data, node)) {
        assertEquals(200, send(daemon, "disk").statusCode());
        node.kill();
        HttpResponse<String> refused = sendUntilRefused(daemon);
        assertEquals(507, refused.statusCode(), refused.body());
        assertTrue(refused.headers().firstValueAsLong("retry-after").isPresent());
        FaultDisk.fill(ballast);
        daemon.kill();
      }
      FaultDisk.fill(ballast);
      try (ServeProcess daemon = daemon(directory, data, node)) { // the node is still away
        HttpResponse<String> refused = send(daemon, "disk");
        assertEquals(507, refused.statusCode(), refused.body());
        assertEquals(503, daemon.get("/ready").statusCode());
        assertSaysThatItIsAway(daemon);
        node.restart();
        Files.delete(ballast);
        awaitReady(daemon);
        awaitApplied(daemon);
        requireAllOnce(daemon);
        assertEquals(200, send(daemon, "quorum").statusCode());
        awaitApplied(daemon);
        requireAllOnce(daemon);
        assertEquals(0, daemon.stop(60), daemon.output());
      }
    }
  }

  @Test
  void theNodesDiskIsFull(@TempDir Path directory) throws Exception {
    try (FaultDisk disk = disk(directory.resolve("disk"), 400 << 20);
        CassandraNode node = CassandraNode.startIn(disk.root());
        ServeProcess daemon = daemon(directory, directory.resolve("d"), node)) {
      Path ballast = disk.root().resolve("ballast");
      assertEquals(200, send(daemon, "quorum").statusCode());
      FaultDisk.fill(ballast);
      int taken = 0;
      while (send(daemon, "quorum").statusCode() == 200) {
        assertTrue(++taken < BATCHES_MAX, "the node's disk is full, and it takes all");
        FaultDisk.fill(ballast);
      }
      assertEquals(202, send(daemon, "quorum").statusCode());
      for (int batch = 0; batch < 20; batch++) {
        assertEquals(200, send(daemon, "disk").statusCode());
      }
      assertTrue(pending(daemon) >= 20 * BATCH);
      Files.delete(ballast);
      node.restart();
      awaitApplied(daemon);
      requireAllOnce(daemon);
      assertEquals(200, send(daemon, "quorum").statusCode());
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }

  private static ServeProcess daemon(Path logs, Path data, CassandraNode node) throws IOException {
    return ServeProcess.startUnder(
        List.of(),
        logs,
        data,
        "--set",
        "store=" + node.uri("full"),
        "--set",
        "quorum-wait=2s",
        "--set",
        "disk-reserve-bytes=" + (4 << 20),
        "--set",
        "journal-file-bytes=" + (4 << 20));
  }

  /// Sends the next batch, and notes it when it is acknowledged.
  private HttpResponse<String> send(ServeProcess daemon, String level)
      throws IOException, InterruptedException {
    byte[] noise = new byte[NOISE];
    StringBuilder lines = new StringBuilder();
    int batch = sent++;
    for (int event = 0; event < BATCH; event++) {
      random.nextBytes(noise);
      String body = Base64.getEncoder().encodeToString(noise);
      lines.append("{\"type\":\"a\",\"n\":%d,\"body\":\"%s\"}%n".formatted(batch, body));
    }
    HttpResponse<String> answer =
        daemon.post("/v1/events?durability=" + level, "application/x-ndjson", lines.toString());
    if (answer.statusCode() == 200 || answer.statusCode() == 202) {
      assertTrue(answer.body().contains("\"accepted\":" + BATCH), answer.body());
      acknowledged.add(batch);
    }
    return answer;
  }

  private HttpResponse<String> sendUntilRefused(ServeProcess daemon)
      throws IOException, InterruptedException {
    while (true) {
      HttpResponse<String> answer = send(daemon, "disk");
      if (answer.statusCode() != 200) {
        return answer;
      }
      assertTrue(sent < BATCHES_MAX, "the disk does not get full");
    }
  }

  /// A question is never answered with less.
  private static void assertSaysThatItIsAway(ServeProcess daemon)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = daemon.get("/v1/query?type=a&fields=n");
    assertNotEquals(200, answer.statusCode(), answer.body());
    assertTrue(answer.body().contains("error"), answer.body());
  }

  private void requireAllOnce(ServeProcess daemon) throws IOException, InterruptedException {
    HttpResponse<String> answer = daemon.get("/v1/query?type=a&fields=n");
    assertEquals(200, answer.statusCode(), answer.body());
    int[] shown = new int[sent];
    Matcher numbers = NUMBER.matcher(answer.body());
    while (numbers.find()) {
      shown[Integer.parseInt(numbers.group(1))]++;
    }
    int[] expected = new int[sent];
    acknowledged.forEach(batch -> expected[batch] = BATCH);
    for (int batch = 0; batch < sent; batch++) {
      assertEquals(expected[batch], shown[batch], "events of batch " + batch);
    }
  }

  private static long pending(ServeProcess daemon) throws IOException, InterruptedException {
    String body = daemon.get("/v1/status").body();
    Matcher found = PENDING.matcher(body);
    assertTrue(found.find(), body);
    return Long.parseLong(found.group(1));
  }

  private static void awaitApplied(ServeProcess daemon) throws IOException, InterruptedException {
    Await.until(() -> pending(daemon) == 0, Duration.ofMinutes(10), "the backlog is applied");
  }

  private static void awaitReady(ServeProcess daemon) throws IOException, InterruptedException {
    Await.until(() -> daemon.get("/ready").statusCode() == 200, "the daemon is ready");
  }
}
