package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cli.CommandDaemon;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/// A store of an hour of `shop` and of many thin partitions, and the daemon that serves it.
final class SpeedStore {
  private static final long START_MILLIS = Instant.parse("2025-11-20T19:00:00Z").toEpochMilli();
  private static final int BATCH_CHARS = 500_000;
  private static final int TYPES = 50;

  /// What the JVM of tests leaves out: all compilers and the usual collector; no assertions.
  private static final List<String> AS_SERVED =
      List.of("-XX:TieredStopAtLevel=4", "-XX:-UseSerialGC", "-XX:+UseG1GC", "-da:io.widerow...");

  private SpeedStore() {}

  /// Fills a store, and starts a daemon with the JVM's options as `./widerow serve` has them, but
  /// for the cache of classes and profiles.
  static ServeProcess serve(Path directory, int events, int partitions)
      throws IOException, InterruptedException {
    Map<String, String> keys =
        Map.of("lanes", "2", "bucket-minutes", "60", "shards", "8", "merge-after", "3650d");
    try (CommandDaemon filled = new CommandDaemon(directory, keys)) {
      fill(filled, events, partitions);
      filled.seal(); // not merged: merges widen thin buckets like these
    }
    List<String> arguments = new ArrayList<>();
    keys.forEach((key, value) -> Collections.addAll(arguments, "--set", key + "=" + value));
    return ServeProcess.startWith(
        AS_SERVED, directory.resolve("store"), arguments.toArray(String[]::new));
  }

  private static void fill(CommandDaemon to, int events, int partitions)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < events; i++) {
      boolean bad = i % 1_000 == 0;
      lines.append(
          ("{\"ts\":%d,\"type\":\"shop\",\"level\":\"%s\",\"status\":%d,\"ms\":%d,"
                  + "\"host\":\"web-%d\",\"body\":\"GET /cart/%d\"}%n")
              .formatted(
                  START_MILLIS + 3_600_000L * i / events,
                  bad ? "error" : "info",
                  bad ? 503 : 200,
                  i % 997,
                  i % 6,
                  i));
      post(to, lines, i + 1 == events);
    }
    for (int i = 0; i < partitions; i++) {
      long hour = START_MILLIS - (1 + i / TYPES) * 3_600_000L;
      lines.append("{\"ts\":%d,\"type\":\"map.t%d\",\"body\":\"x\"}%n".formatted(hour, i % TYPES));
      post(to, lines, i + 1 == partitions);
    }
  }

  private static void post(CommandDaemon to, StringBuilder lines, boolean last)
      throws IOException, InterruptedException {
    if (last || lines.length() > BATCH_CHARS) {
      assertEquals(200, to.http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
      lines.setLength(0);
    }
  }
}
