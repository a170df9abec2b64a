package io.widerow.storage;

import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The configuration of an embedded store: everything that an owner can decide. It is read once
/// when the store is opened and never changes. The constructor refuses invalid values with an
/// [IllegalArgumentException] that quotes the value.
///
/// @param directory where the store lives; created when absent, its parent must exist
/// @param lanes number of writers, 1 to 64
/// @param shards wide rows for each bucket and type, a multiple of `lanes`, at most 1,024. May
///   change between openings
/// @param daemon number in assigned ids, 0 to 511. Stores whose events may be merged need different
///   numbers
/// @param bucketMinutes width of a bucket, 1 to 1,440 minutes, dividing a day; for types not in
///   `bucketMinutesByType`
/// @param bucketMinutesByType width of a bucket for single types. May change between openings
/// @param futureMax how far an event's time may be ahead of the clock
/// @param openBytes native memory for open rows (the memtables) of the whole store, 2 MiB to 16 GiB
///   for each lane
/// @param openAge age at which [EventStore#maintain] flushes open rows
/// @param journalFileBytes the most that a journal file takes, 1 MiB to 1 GiB; files begin at 4
///   MiB. With less than 9 MiB an event may have at most an eighth of it
/// @param journalBytes journal of a lane that a restart may have to replay, at least one file; more
///   than this triggers a flush
/// @param diskReserveBytes free space below which the store accepts no events
/// @param mergeAfter how long a bucket is closed before its segments are merged (compacted)
/// @param retention how long events are kept, for types without a setting of their own; null for
///   ever
/// @param clockAccepted true to accept the machine's clock although the store has seen a later time
public record StoreConfig(
    Path directory,
    int lanes,
    int shards,
    int daemon,
    int bucketMinutes,
    Map<String, Integer> bucketMinutesByType,
    Duration futureMax,
    long openBytes,
    Duration openAge,
    long journalFileBytes,
    long journalBytes,
    long diskReserveBytes,
    Duration mergeAfter,
    @Nullable Duration retention,
    boolean clockAccepted) {
  static final int LANES_MAX = 64;
  static final int SHARDS_MAX = 1_024;

  private static final long MIB = 1 << 20;

  /// A lane has one set of open rows that takes events and one that is being flushed.
  private static final int ROWS_PER_LANE_MIN = 2;

  /// With enough memory a lane has three smaller sets instead: when events arrive faster than they
  /// are flushed, two sets are flushed at once, and a lane waits for less at a time
  /// (`bench-results/budget.md`).
  private static final int ROWS_PER_LANE_MAX = 3;

  /// The least size of a set when there are three; smaller sets make small segments.
  private static final long ROWS_BYTES_ENOUGH = 16 * MIB;

  /// The longest frame of a journal: its header, the most notes and the most records.
  public static final int FRAME_BYTES_MAX = 72 + (4 << 20) + (8 << 20);

  private static final long FRAME_SLACK_BYTES = 1 << 10;
  private static final long ROWS_BYTES_MAX = 16_384 * MIB;

  public StoreConfig {
    require(lanes >= 1 && lanes <= LANES_MAX, "lanes must be 1 to 64, got " + lanes);
    require(
        shards >= lanes && shards % lanes == 0 && shards <= SHARDS_MAX,
        "shards must be a multiple of the lanes and at most 1024, got " + shards);
    require(
        daemon >= 0 && daemon < TimeUuid.DAEMON_LIMIT, "daemon must be 0 to 511, got " + daemon);
    PartitionKey.requireWidth(bucketMinutes);
    bucketMinutesByType = Map.copyOf(bucketMinutesByType);
    bucketMinutesByType.values().forEach(PartitionKey::requireWidth);
    require(!futureMax.isNegative(), "futureMax must not be negative, got " + futureMax);
    require(
        openBytes >= ROWS_PER_LANE_MIN * MIB * lanes && openBytes / lanes <= ROWS_BYTES_MAX,
        "openBytes must be 2 MiB to 16 GiB a lane, got " + openBytes);
    require(openAge.isPositive(), "openAge must be positive, got " + openAge);
    require(
        journalFileBytes >= MIB && journalFileBytes <= 1024 * MIB,
        "journalFileBytes must be 1 MiB to 1 GiB, got " + journalFileBytes);
    require(
        journalBytes >= journalFileBytes,
        "journalBytes must be at least one journal file, got " + journalBytes);
    require(
        diskReserveBytes >= 0, "diskReserveBytes must not be negative, got " + diskReserveBytes);
    require(!mergeAfter.isNegative(), "mergeAfter must not be negative, got " + mergeAfter);
    require(
        retention == null || retention.isPositive(),
        "retention must be positive, got " + retention);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// The defaults, for one lane.
  public static StoreConfig at(Path directory) {
    return new Builder(directory).build();
  }

  public StoreConfig withLanes(int newLanes, int newShards) {
    return changed(to -> {
      to.lanes = newLanes;
      to.shards = newShards;
    });
  }

  /// The same store in another directory.
  public StoreConfig in(Path newDirectory) {
    return changed(to -> to.directory = newDirectory);
  }

  public StoreConfig withDaemon(int newDaemon) {
    return changed(to -> to.daemon = newDaemon);
  }

  public StoreConfig withBuckets(int newMinutes, Map<String, Integer> newMinutesByType) {
    return changed(to -> {
      to.bucketMinutes = newMinutes;
      to.bucketMinutesByType = newMinutesByType;
    });
  }

  public StoreConfig withMemory(long newOpenBytes, Duration newOpenAge) {
    return changed(to -> {
      to.openBytes = newOpenBytes;
      to.openAge = newOpenAge;
    });
  }

  public StoreConfig withJournal(long newFileBytes, long newBytes) {
    return changed(to -> {
      to.journalFileBytes = newFileBytes;
      to.journalBytes = newBytes;
    });
  }

  public StoreConfig withDiskReserveBytes(long newReserveBytes) {
    return changed(to -> to.diskReserveBytes = newReserveBytes);
  }

  public StoreConfig withAges(Duration newMergeAfter, @Nullable Duration newRetention) {
    return changed(to -> {
      to.mergeAfter = newMergeAfter;
      to.retention = newRetention;
    });
  }

  /// Accepts the machine's clock although the store has seen a later time, see
  /// [EventStore#arrivalNanos].
  public StoreConfig withClockAccepted() {
    return changed(to -> to.clockAccepted = true);
  }

  private StoreConfig changed(Consumer<Builder> change) {
    Builder builder = new Builder(this);
    change.accept(builder);
    return builder.build();
  }

  /// A mutable copy of all values, starting from the defaults or from another configuration.
  private static final class Builder {
    private Path directory;
    private int lanes = 1;
    private int shards = 1;
    private int daemon;
    private int bucketMinutes = 60;
    private Map<String, Integer> bucketMinutesByType = Map.of();
    private Duration futureMax = Duration.ofMinutes(10);
    private long openBytes = 256 * MIB;
    private Duration openAge = Duration.ofMinutes(10);
    private long journalFileBytes = 64 * MIB;
    private long journalBytes = 256 * MIB;
    private long diskReserveBytes = 512 * MIB;
    private Duration mergeAfter = Duration.ofMinutes(5);
    private @Nullable Duration retention;
    private boolean clockAccepted;

    Builder(Path directory) {
      this.directory = directory;
    }

    Builder(StoreConfig from) {
      this(from.directory);
      lanes = from.lanes;
      shards = from.shards;
      daemon = from.daemon;
      bucketMinutes = from.bucketMinutes;
      bucketMinutesByType = from.bucketMinutesByType;
      futureMax = from.futureMax;
      openBytes = from.openBytes;
      openAge = from.openAge;
      journalFileBytes = from.journalFileBytes;
      journalBytes = from.journalBytes;
      diskReserveBytes = from.diskReserveBytes;
      mergeAfter = from.mergeAfter;
      retention = from.retention;
      clockAccepted = from.clockAccepted;
    }

    StoreConfig build() {
      return new StoreConfig(
          directory,
          lanes,
          shards,
          daemon,
          bucketMinutes,
          bucketMinutesByType,
          futureMax,
          openBytes,
          openAge,
          journalFileBytes,
          journalBytes,
          diskReserveBytes,
          mergeAfter,
          retention,
          clockAccepted);
    }
  }

  /// Width of the buckets for new events of a type, in minutes.
  public int bucketMinutesOf(String type) {
    return bucketMinutesByType.getOrDefault(type, bucketMinutes);
  }

  /// The longest frame that a journal file of the configured size takes, in bytes: a quarter of it,
  /// which is the most that the queue's own writer takes.
  public long frameBytesMax() {
    return Math.min(FRAME_BYTES_MAX, journalFileBytes / 4 - FRAME_SLACK_BYTES);
  }

  /// The longest event that the store accepts, in bytes: half a frame, which leaves room for other
  /// events and for notes.
  public long eventBytesMax() {
    return Math.min(EventLayout.EVENT_BYTES_MAX, frameBytesMax() / 2);
  }

  /// Number of sets of open rows of a lane.
  public int rowsPerLane() {
    boolean room = openBytes / lanes >= ROWS_PER_LANE_MAX * ROWS_BYTES_ENOUGH;
    return room ? ROWS_PER_LANE_MAX : ROWS_PER_LANE_MIN;
  }

  /// Native memory of one set of open rows, in bytes.
  public long rowsBytes() {
    return openBytes / ((long) rowsPerLane() * lanes) & -8L;
  }
}
