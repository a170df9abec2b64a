package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import io.widerow.event.RetentionPolicy;
import io.widerow.event.TypeGlob;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Configuration of the daemon's store.
///
/// @param acceptClock whether to accept the clock although a later time was seen before
public record DaemonStoreOptions(ConfigValues values, boolean acceptClock) {
  private static final long OPEN_BYTES_MIN = 2L << 20;
  private static final long OPEN_BYTES_MAX = 16L << 30;

  /// Width of buckets and number of shards.
  public LayoutOptions layout() {
    return new LayoutOptions(values);
  }

  /// The time after its end at which a bucket's segments are merged (compacted).
  public Duration mergeAfter() {
    return values.get(ConfigKeys.MERGE_AFTER);
  }

  /// Free space below which nothing is taken in.
  public long diskReserveBytes() {
    return values.get(ConfigKeys.DISK_RESERVE_BYTES);
  }

  /// The retention of types without one of their own, in seconds; 0 for no end.
  public long retentionSeconds() {
    Duration age = values.get(ConfigKeys.RETENTION).duration();
    return age == null ? 0 : age.toSeconds();
  }

  /// The grace of events that a change of retention hides.
  public Duration retentionGrace() {
    return values.get(ConfigKeys.RETENTION_GRACE);
  }

  /// Native memory for open rows.
  long openBytes() {
    return values.get(ConfigKeys.OPEN_BYTES);
  }

  private Map<String, Age> retentionByType() {
    return values.ofTypes(ConfigKeys.RETENTION_OF);
  }

  /// Checks the memory of open rows, which depends on the number of lanes.
  void requireMemory() {
    int lanes = values.get(ConfigKeys.LANES);
    long openBytes = values.get(ConfigKeys.OPEN_BYTES);
    require(
        openBytes >= OPEN_BYTES_MIN * lanes,
        "open-bytes must be at least %d for %d lanes, got %d"
            .formatted(OPEN_BYTES_MIN * lanes, lanes, openBytes));
    require(
        openBytes / lanes <= OPEN_BYTES_MAX,
        "open-bytes must be at most %d for %d lanes, got %d"
            .formatted(OPEN_BYTES_MAX * lanes, lanes, openBytes));
  }

  /// Checks that a journal has room for a file.
  void requireJournal() {
    long bytes = values.get(ConfigKeys.JOURNAL_BYTES);
    require(
        bytes >= values.get(ConfigKeys.JOURNAL_FILE_BYTES),
        "journal-bytes must be at least journal-file-bytes, got " + bytes);
  }

  /// Whether a directory for snapshots is configured.
  boolean hasSnapshotDirectory() {
    return values.get(ConfigKeys.SNAPSHOT_DIR).isPresent();
  }

  /// Where snapshots of a store are made: by default next to it, on the same file system.
  ///
  /// @throws IllegalArgumentException when it is inside the store
  public Path snapshotDirectory(Path data) {
    Path store = data.toAbsolutePath().normalize();
    Path snapshots = values.get(ConfigKeys.SNAPSHOT_DIR).orElse(null);
    if (snapshots == null) {
      return store.resolveSibling(store.getFileName() + "-snapshots");
    }
    Path directory = snapshots.toAbsolutePath().normalize();
    require(!directory.startsWith(store), "snapshot-dir must not be in data, got " + directory);
    return directory;
  }

  public StoreConfig storeConfig(Path data, int lanes) {
    StoreConfig base = StoreConfig.at(data.toAbsolutePath());
    LayoutOptions layout = layout();
    return (acceptClock ? base.withClockAccepted() : base)
        .withLanes(lanes, layout.ownerShards(lanes))
        .withDaemon(values.get(ConfigKeys.DAEMON_NUMBER).orElse(0))
        .withBuckets(layout.ownerMinutes(), layout.ownerMinutesByType())
        .withMemory(values.get(ConfigKeys.OPEN_BYTES), values.get(ConfigKeys.OPEN_AGE))
        .withJournal(
            values.get(ConfigKeys.JOURNAL_FILE_BYTES), values.get(ConfigKeys.JOURNAL_BYTES))
        .withDiskReserveBytes(diskReserveBytes())
        .withAges(mergeAfter(), values.get(ConfigKeys.RETENTION).duration());
  }

  /// Applies the retention of single types to an open store that has no policies.
  public void retain(EventStore store) {
    retentionByType().forEach((type, age) -> store.retain(type, age.duration()));
  }

  /// The retention as policies.
  public List<RetentionPolicy> policies() {
    List<RetentionPolicy> policies = new ArrayList<>();
    Age retention = values.get(ConfigKeys.RETENTION);
    Duration retentionGrace = retentionGrace();
    if (retention.duration() != null) {
      policies.add(RetentionPolicy.ofConfig("*", retention.duration(), retentionGrace));
    }
    retentionByType()
        .forEach((type, age) ->
            policies.add(RetentionPolicy.ofConfig(type, age.duration(), retentionGrace)));
    return policies;
  }

  /// A store on a cluster has no patterns.
  void requireWholeNames() {
    layout().requireForCluster();
    for (String type : retentionByType().keySet()) {
      require(
          TypeGlob.isExact(type),
          ConfigKeys.RETENTION_OF.prefix()
              + type
              + ": on a cluster it takes the whole name of one type, no * and no ?; a line for"
              + " each type, and `retention` for all others");
    }
  }

  /// Of two patterns that match one type the more specific one decides; when neither is, nothing
  /// says which.
  void requireClear() {
    String prefix = ConfigKeys.RETENTION_OF.prefix();
    Map<String, Age> byType = retentionByType();
    byType.forEach((type, age) -> {
      try {
        var _ = RetentionPolicy.ofConfig(type, age.duration(), Duration.ZERO);
      } catch (IllegalArgumentException refused) {
        throw new IllegalArgumentException(prefix + refused.getMessage(), refused);
      }
    });
    requireClear(prefix, byType);
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
