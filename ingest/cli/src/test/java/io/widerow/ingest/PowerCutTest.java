package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.FaultDisk;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.LedgerLoad;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: after a power cut at any moment, everything acknowledged at level disk is there, once and
/// in order, and the daemon starts without help. Method: the daemon on a disk whose power is cut
/// under load, with journal files and rows so small that every cut overlaps sealing, merging and a
/// change of journal file, with groups of 1 KB to several frames. `-Dcuts=<n>` sets the number of
/// cuts, `-Doscuts=<n>` that at level os, and `-Dseed=<n>` repeats the times of a run.
@Tag("faults")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class PowerCutTest {
  private static final int SENDERS = 4;
  private static final int CUTS_A_STORE = 4; // the whole store is read back every time
  private static final int OS_EVENTS = 20; // in a batch
  private static final double[] KEEP = {0, 0.1, 0.5, 0.9, 1};
  private static final String[] SMALL = ServeProcess.smallForLargeGroups(16 << 20);

  @TempDir private Path directory = Path.of(".");

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "VOLATILE"})
  void whatWasAcknowledgedSurvives(FaultDisk.Kind kind) throws IOException, InterruptedException {
    String missing = kind.missing();
    if (missing != null) {
      abort(missing);
    }
    QuickJvm jvm = QuickJvm.shared();
    long seed = Seeds.one();
    SplittableRandom random = new SplittableRandom(seed);
    long[] recoveryMillis = new long[Integer.getInteger("cuts", 20)];
    var all = new FaultRecords.Batches(0, 0, 0);
    try (FaultDisk disk = new FaultDisk(kind, Files.createDirectory(directory.resolve("disk")))) {
      for (int from = 0; from < recoveryMillis.length; from += CUTS_A_STORE) {
        Path data = disk.root().resolve("d");
        int until = Math.min(recoveryMillis.length, from + CUTS_A_STORE);
        all = all.with(cut(jvm, disk, data, random, recoveryMillis, from, until));
        ServeProcess.delete(data);
      }
    }
    FaultRecords.add("power cut, " + kind, recoveryMillis.length, all, recoveryMillis);
    Arrays.sort(recoveryMillis);
    System.out.printf(
        "%s, seed %d: %d cuts, %d batches acknowledged, %d attempts repeated, %d recognised;"
            + " start and recovery p50 %d ms, max %d ms%n",
        kind,
        seed,
        recoveryMillis.length,
        all.acknowledged(),
        all.repeated(),
        all.recognised(),
        recoveryMillis[recoveryMillis.length / 2],
        recoveryMillis[recoveryMillis.length - 1]);
  }

  private FaultRecords.Batches cut(
      QuickJvm jvm,
      FaultDisk disk,
      Path data,
      SplittableRandom random,
      long[] recoveryMillis,
      int from,
      int until)
      throws IOException, InterruptedException {
    ServeProcess daemon = start(jvm, data);
    try (LedgerLoad load = LedgerLoad.large(SENDERS, daemon.port())) {
      for (int cut = from; cut < until; cut++) {
        load.awaitMore(random.nextInt(20, 600));
        load.cutOff();
        disk.cut(random.nextLong(), KEEP[cut % KEEP.length]);
        daemon.kill();
        disk.restore();
        long start = System.nanoTime();
        daemon = start(jvm, data);
        recoveryMillis[cut] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        load.moveTo(daemon.port());
        load.verifyAcknowledged();
      }
      load.end();
      load.verify();
      assertEquals(0, daemon.stop(30), daemon.output());
      return load.figures();
    } finally {
      daemon.close();
    }
  }

  /// At level os an acknowledgement promises that the kernel has the events. A power cut leaves a
  /// prefix of the batches sent; its length depends on when the kernel wrote them to disk.
  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS"})
  void aPrefixOfWhatTheKernelHadSurvives(FaultDisk.Kind kind)
      throws IOException, InterruptedException {
    String missing = kind.missing();
    if (missing != null) {
      abort(missing);
    }
    QuickJvm jvm = QuickJvm.shared();
    SplittableRandom random = new SplittableRandom(Seeds.one());
    long[] lostMillis = new long[Integer.getInteger("oscuts", 20)];
    long sent = 0;
    long lost = 0;
    try (FaultDisk disk = new FaultDisk(kind, Files.createDirectory(directory.resolve("disk")));
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      Path data = disk.root().resolve("d");
      ServeProcess daemon = startOneLane(jvm, data);
      try {
        for (int cut = 0; cut < lostMillis.length; cut++) {
          List<Long> answered = new ArrayList<>();
          long until = System.nanoTime() + random.nextLong(100_000_000, 8_000_000_000L);
          while (System.nanoTime() < until) {
            sendToKernel(client, daemon, "os" + cut, answered.size());
            answered.add(System.nanoTime());
          }
          long cutNanos = System.nanoTime();
          disk.cut(random.nextLong(), 0);
          daemon.kill();
          disk.restore();
          daemon = startOneLane(jvm, data);
          int left = left(client, daemon, "os" + cut);
          sent += answered.size();
          lost += answered.size() - left;
          lostMillis[cut] =
              left == answered.size() ? 0 : (cutNanos - answered.get(left)) / 1_000_000;
        }
        assertEquals(0, daemon.stop(30), daemon.output());
      } finally {
        daemon.close();
      }
    }
    Arrays.sort(lostMillis);
    System.out.printf(
        "%s, level os: %d cuts, %d batches answered, %d of them lost; loss p50 %d ms, max %d ms;"
            + " the rest is a prefix%n",
        kind,
        lostMillis.length,
        sent,
        lost,
        lostMillis[lostMillis.length / 2],
        lostMillis[lostMillis.length - 1]);
    FaultRecords.add(
        FaultRecords.Table.OS,
        "power cut, " + kind,
        lostMillis.length,
        sent,
        lost,
        FaultRecords.part(lostMillis, 50),
        FaultRecords.part(lostMillis, 99),
        FaultRecords.part(lostMillis, 100));
  }

  private ServeProcess startOneLane(QuickJvm jvm, Path data) throws IOException {
    return ServeProcess.startLogging(
        jvm, directory, data, "--lanes", "1", "--set", "disk-reserve-bytes=16777216");
  }

  private static void sendToKernel(HttpClient client, ServeProcess daemon, String type, int batch)
      throws IOException, InterruptedException {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < OS_EVENTS; i++) {
      body.append(batch * OS_EVENTS + i).append("\n");
    }
    String path = "/v1/events?durability=os&type=" + type;
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + daemon.port() + path))
                .header("content-type", Http.TEXT)
                .POST(BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), answer.body());
  }

  /// The number of batches found, which must be the first ones, and whole.
  private static int left(HttpClient client, ServeProcess daemon, String type)
      throws IOException, InterruptedException {
    URI all = URI.create("http://127.0.0.1:" + daemon.port() + "/v1/query?type=" + type);
    String answer =
        client.send(HttpRequest.newBuilder(all).build(), BodyHandlers.ofString()).body();
    List<String> bodies =
        answer
            .lines()
            .filter(line -> line.contains("\"body\""))
            .map(line -> line.replaceAll(".*\"body\":\"(\\d+)\".*", "$1"))
            .toList();
    for (int i = 0; i < bodies.size(); i++) {
      assertEquals(Integer.toString(i), bodies.get(i), "a prefix");
    }
    assertEquals(0, bodies.size() % OS_EVENTS, "whole batches");
    return bodies.size() / OS_EVENTS;
  }

  private ServeProcess start(QuickJvm jvm, Path data) throws IOException {
    return ServeProcess.startLogging(jvm, directory, data, SMALL);
  }
}
