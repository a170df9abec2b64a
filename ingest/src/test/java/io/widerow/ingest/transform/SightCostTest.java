package io.widerow.ingest.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: know what `parse by sight` costs: bytes at rest, and processor time of a line. Method: the
/// lines of the logs in this repository, and of `-Dloghub=DIR`, a checkout of loghub; each log is
/// stored with and without the transform, sealed and merged. With `-Drounds=<n>` the time is that
/// of the best of so many rounds. Prints a table; no event is lost.
@Timeout(1_800)
class SightCostTest {
  private static final long START = 1_780_000_000_000_000_000L;
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);
  private static final int LINES_MAX = 10_000;

  @TempDir private Path directory = Path.of(".");

  private final int rounds = Integer.getInteger("rounds", 1);

  private static Map<String, Path> logs() throws IOException {
    Map<String, Path> logs = new TreeMap<>();
    List<String> directories = new ArrayList<>(List.of("../loadgen/logs"));
    String loghub = System.getProperty("loghub");
    if (loghub != null) {
      directories.add(loghub);
    }
    for (String each : directories) {
      try (Stream<Path> all = Files.walk(Path.of(each))) {
        all.filter(file -> file.toString().endsWith(".log"))
            .forEach(file ->
                logs.put(file.getFileName().toString().replaceFirst("(_2k)?\\.log$", ""), file));
      }
    }
    return logs;
  }

  private static void fill(EventBatch batch, List<byte[]> lines, byte[] type) {
    batch.clear();
    for (int i = 0; i < lines.size(); i++) {
      batch.begin(type, 0, type.length, START + i * 20_000_000L);
      batch.putString(BODY, 0, BODY.length, lines.get(i));
      assertNull(batch.end());
    }
  }

  /// Processor time of a line in the best round, in nanoseconds.
  private long nanos(EventBatch batch, List<byte[]> lines, byte[] type, TransformRun run) {
    var threads = ManagementFactory.getThreadMXBean();
    long best = Long.MAX_VALUE;
    try (EventBatch spare = new EventBatch(1 << 20, 256 << 20)) {
      for (int round = 0; round < rounds; round++) {
        fill(batch, lines, type);
        long began = threads.getCurrentThreadCpuTime();
        run.apply(new IncomingBatch(batch, START), spare);
        best = Math.min(best, threads.getCurrentThreadCpuTime() - began);
        spare.clear();
      }
    }
    return best / lines.size();
  }

  private long bytesAtRest(EventBatch batch, String name) throws IOException, InterruptedException {
    Path data = directory.resolve(name);
    StoreConfig config =
        StoreConfig.at(data).withDiskReserveBytes(0).withLanes(1, 1).withAges(Duration.ZERO, null);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      Appends.all(store.lane(0), batch, 0);
      long _ = store.lane(0).commit(Durability.OS);
      store.sealAll();
      store.awaitBackground();
      store.maintain();
      store.awaitBackground();
    }
    try (Stream<Path> files = Files.walk(data)) {
      long bytes = 0;
      for (Path file : files.filter(each -> each.toString().endsWith(".seg")).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  @Test
  void bytesAtRestAndTimeOfALine() throws IOException, InterruptedException, TransformMistake {
    StringBuilder table = new StringBuilder();
    var run = new TransformRun(TransformSet.parse("parse by sight", 0));
    for (var log : logs().entrySet()) {
      byte[] type = "log".getBytes(StandardCharsets.UTF_8);
      List<byte[]> lines = new ArrayList<>();
      try (Stream<String> all = Files.lines(log.getValue(), StandardCharsets.ISO_8859_1)) {
        all.limit(LINES_MAX).forEach(line -> lines.add(line.getBytes(StandardCharsets.UTF_8)));
      }
      try (EventBatch batch = new EventBatch(1 << 20, 256 << 20)) {
        fill(batch, lines, type);
        long plain = bytesAtRest(batch, log.getKey() + "-plain");
        long nanos = nanos(batch, lines, type, run);
        assertEquals(lines.size(), batch.count(), "no event is lost");
        long sight = bytesAtRest(batch, log.getKey() + "-sight");
        long raw = lines.stream().mapToLong(line -> line.length).sum();
        table.append(
            String.format(
                Locale.ROOT,
                "| %s | %,d | %,d | %,d | %.2f | %.2f |%n",
                log.getKey(),
                raw,
                plain,
                sight,
                (double) sight / plain,
                nanos / 1_000.0));
      }
    }
    System.out.println(
        "| log | bytes of lines | at rest | by sight | times | us a line |\n"
            + "|---|---|---|---|---|---|\n"
            + table);
  }
}
