package io.widerow.ingest.kafka;

import io.widerow.faults.PackedClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The JVM for a test that starts many daemons: their classes are linked once into an AOT cache, as
/// those of the distribution are in an archive.
final class KafkaJvm {
  private static final List<String> QUIET = List.of("-Xlog:disable", "-Xlog:all=off:stderr");

  private KafkaJvm() {}

  /// The options of such a JVM, the class path included.
  ///
  /// @param directory for the cache, and for the store of a daemon that loads what daemons load
  /// @param keys of a daemon that reads records
  /// @param records that are there for it
  static List<String> quick(Path directory, Map<String, String> keys, long records)
      throws IOException, InterruptedException {
    String classes = PackedClasses.path(Files.createDirectories(directory));
    Path cache = directory.resolve("classes.aot");
    KafkaDaemon trained =
        new KafkaDaemon(
            options("-XX:AOTCacheOutput=" + cache, classes), directory.resolve("trained"), keys);
    try {
      trained.awaitNext(records);
      trained.get("/v1/status");
      trained.get("/metrics");
    } finally {
      trained.stop();
    }
    if (!Files.exists(cache)) {
      throw new IOException("no AOT cache was made");
    }
    return options("-XX:AOTCache=" + cache, classes);
  }

  private static List<String> options(String cache, String classes) {
    return List.of(QUIET.get(0), QUIET.get(1), cache, "-cp", classes);
  }
}
