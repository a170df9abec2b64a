package io.widerow.ingest.config;

import io.widerow.event.RetentionRule;
import io.widerow.event.TypeGlob;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Configuration of the daemon's store.
///
/// @param layout width of buckets and number of shards
/// @param openBytes native memory for open rows (the memtable)
/// @param openAge age at which events in open rows are sealed (flushed)
/// @param journalFileBytes size of one journal file; a busy lane has two
/// @param journalBytes most journal per lane to replay at start; beyond it rows are sealed
/// @param mergeAfter how long a bucket is closed before its segments are merged (compacted)
/// @param daemonNumber number in assigned ids; daemons whose events may meet need different ones
/// @param diskReserveBytes free space below which nothing is taken in
/// @param acceptClock whether to accept the clock although a later time was seen before
/// @param retention how long types without their own setting are kept
/// @param retentionByType how long the types with their own setting are kept, by name or pattern
/// @param retentionGrace how long what a change of retention hides is kept
/// @param snapshotDirectory where snapshots are made; null for `DATA-snapshots`
public record StoreOptions(
    LayoutOptions layout,
    long openBytes,
    Duration openAge,
    long journalFileBytes,
    long journalBytes,
    Duration mergeAfter,
    int daemonNumber,
    long diskReserveBytes,
    boolean acceptClock,
    Age retention,
    Map<String, Age> retentionByType,
    Duration retentionGrace,
    @Nullable Path snapshotDirectory) {
  /// Prefix of the keys of [#retentionByType]; the type or pattern follows.
  static final String RETENTION_OF = "retention.";

  private static final Duration GRACE_MAX = Duration.ofDays(30);
  private static final int DAEMON_NUMBER_MAX = 511;
  private static final long OPEN_BYTES_MIN = 2L << 20;
  private static final long JOURNAL_FILE_BYTES_MIN = 1L << 20;
  private static final long JOURNAL_FILE_BYTES_MAX = 1L << 30;

  public StoreOptions {
    retentionByType = Map.copyOf(retentionByType);
    requireClear(new TreeMap<>(retentionByType));
    require(
        retentionGrace.compareTo(GRACE_MAX) <= 0,
        "retention-grace must be 0s to 30d, got " + Age.text(retentionGrace));
    require(
        journalFileBytes >= JOURNAL_FILE_BYTES_MIN && journalFileBytes <= JOURNAL_FILE_BYTES_MAX,
        "journal-file-bytes must be 1 MiB to 1 GiB, got " + journalFileBytes);
    require(
        journalBytes >= journalFileBytes,
        "journal-bytes must be at least journal-file-bytes, got " + journalBytes);
    require(
        daemonNumber >= 0 && daemonNumber <= DAEMON_NUMBER_MAX,
        "daemon-number must be 0 to 511, got " + daemonNumber);
    require(
        diskReserveBytes >= 0, "disk-reserve-bytes must not be negative, got " + diskReserveBytes);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// Checks the options that depend on the number of lanes.
  void requireFor(int lanes) {
    layout.requireFor(lanes);
    require(
        openBytes >= OPEN_BYTES_MIN * lanes,
        "open-bytes must be at least %d for %d lanes, got %d"
            .formatted(OPEN_BYTES_MIN * lanes, lanes, openBytes));
  }

  static void putDefaults(Map<String, String> defaults) {
    LayoutOptions.putDefaults(defaults);
    defaults.put("open-bytes", Long.toString(256L << 20));
    defaults.put("open-age", "10m");
    defaults.put("journal-file-bytes", Long.toString(64L << 20));
    defaults.put("journal-bytes", Long.toString(256L << 20));
    defaults.put("merge-after", "5m");
    defaults.put("daemon-number", "");
    defaults.put("disk-reserve-bytes", Long.toString(512L << 20));
    defaults.put("accept-clock", "false");
    defaults.put("retention", "forever");
    defaults.put("retention-grace", "15m");
    defaults.put("snapshot-dir", "");
  }

  /// Reads the keys of [#putDefaults], and the keys that name a type.
  static StoreOptions of(ConfigValues values) {
    Map<String, Age> byType = new TreeMap<>();
    for (String key : values.texts().keySet()) {
      if (key.startsWith(RETENTION_OF)) {
        String type = key.substring(RETENTION_OF.length());
        byType.put(type, Age.parse(key, values.text(key)));
      }
    }
    return new StoreOptions(
        LayoutOptions.of(values),
        values.bytes("open-bytes"),
        duration(values, "open-age"),
        values.bytes("journal-file-bytes"),
        values.bytes("journal-bytes"),
        duration(values, "merge-after"),
        number(values),
        values.bytes("disk-reserve-bytes"),
        values.truth("accept-clock"),
        Age.parse("retention", values.text("retention")),
        byType,
        Age.parseGrace("retention-grace", values.text("retention-grace")),
        values.path("snapshot-dir"));
  }

  /// The number on one machine; on a cluster [ClusterKeys#daemonNumber] has it.
  private static int number(ConfigValues values) {
    String number = values.text("daemon-number");
    if (number.isEmpty()) {
      return 0;
    }
    boolean auto = number.equals(ClusterKeys.AUTO);
    require(
        !auto || !values.text("store").isEmpty(),
        "daemon-number auto needs a store on a cluster, which knows the numbers of others");
    return auto ? 0 : values.number("daemon-number");
  }

  static Duration duration(ConfigValues values, String key) {
    Duration duration = Age.parse(key, values.text(key)).duration();
    if (duration == null) {
      throw new IllegalArgumentException(key + " must not be forever");
    }
    return duration;
  }

  void putTo(Map<String, String> values) {
    layout.putTo(values);
    values.put("open-bytes", Long.toString(openBytes));
    values.put("open-age", new Age(openAge).toString());
    values.put("journal-file-bytes", Long.toString(journalFileBytes));
    values.put("journal-bytes", Long.toString(journalBytes));
    values.put("merge-after", new Age(mergeAfter).toString());
    values.put("daemon-number", Integer.toString(daemonNumber));
    values.put("disk-reserve-bytes", Long.toString(diskReserveBytes));
    values.put("accept-clock", Boolean.toString(acceptClock));
    values.put("retention", retention.toString());
    values.put("retention-grace", Age.text(retentionGrace));
    values.put("snapshot-dir", snapshotDirectory == null ? "" : snapshotDirectory.toString());
    new TreeMap<>(retentionByType)
        .forEach((type, age) -> values.put(RETENTION_OF + type, age.toString()));
  }

  /// Where snapshots of a store are made: by default next to it, on the same file system.
  ///
  /// @throws IllegalArgumentException when it is inside the store
  public Path snapshotDirectory(Path data) {
    Path store = data.toAbsolutePath().normalize();
    if (snapshotDirectory == null) {
      return store.resolveSibling(store.getFileName() + "-snapshots");
    }
    Path directory = snapshotDirectory.toAbsolutePath().normalize();
    require(!directory.startsWith(store), "snapshot-dir must not be in data, got " + directory);
    return directory;
  }

  public StoreConfig storeConfig(Path data, int lanes) {
    StoreConfig base = StoreConfig.at(data.toAbsolutePath());
    return (acceptClock ? base.withClockAccepted() : base)
        .withLanes(lanes, layout.ownerShards(lanes))
        .withDaemon(daemonNumber)
        .withBuckets(layout.ownerMinutes(), layout.ownerMinutesByType())
        .withMemory(openBytes, openAge)
        .withJournal(journalFileBytes, journalBytes)
        .withDiskReserveBytes(diskReserveBytes)
        .withAges(mergeAfter, retention.duration());
  }

  /// Applies the retention of single types to an open store that has no policies.
  public void retain(EventStore store) {
    retentionByType.forEach((type, age) -> store.retain(type, age.duration()));
  }

  /// The retention as policies.
  public List<RetentionRule> policies() {
    List<RetentionRule> policies = new ArrayList<>();
    if (retention.duration() != null) {
      policies.add(RetentionRule.ofConfig("*", retention.duration(), retentionGrace));
    }
    new TreeMap<>(retentionByType)
        .forEach((type, age) ->
            policies.add(RetentionRule.ofConfig(type, age.duration(), retentionGrace)));
    return policies;
  }

  /// A store on a cluster has no patterns.
  void requireWholeNames() {
    layout.requireForCluster();
    for (String type : retentionByType.keySet()) {
      require(
          TypeGlob.isExact(type),
          RETENTION_OF
              + type
              + ": on a cluster it takes the whole name of one type, no * and no ?; a line for"
              + " each type, and `retention` for all others");
    }
  }

  /// Of two patterns that match one type the more specific one decides; when neither is, nothing
  /// says which.
  private static void requireClear(Map<String, Age> byType) {
    byType.forEach((type, age) -> {
      try {
        var _ = RetentionRule.ofConfig(type, age.duration(), Duration.ZERO);
      } catch (IllegalArgumentException refused) {
        throw new IllegalArgumentException(RETENTION_OF + refused.getMessage(), refused);
      }
    });
    requireClear(RETENTION_OF, byType);
  }

  /// Refuses two patterns of one key that match the same types, say something else, and are equally
  /// specific.
  static void requireClear(String prefix, Map<String, ?> byType) {
    List<String> patterns = byType.keySet().stream().filter(key -> !TypeGlob.isExact(key)).toList();
    for (String one : patterns) {
      for (String other : patterns) {
        require(
            one.compareTo(other) >= 0
                || TypeGlob.literals(one) != TypeGlob.literals(other)
                || Objects.equals(byType.get(one), byType.get(other))
                || !TypeGlob.overlap(one, other),
            "%s%s and %s%s match the same types and neither is more specific"
                .formatted(prefix, one, prefix, other));
      }
    }
  }
}
