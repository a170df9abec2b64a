package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.cql.Row;
import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Decodes rows of the tables, and encodes keys.
final class Rows {
  private static final long EVENT_BYTES = 64;

  private Rows() {}

  /// The state in force for a partition: the static columns of the directory.
  record State(int generation, Map<Integer, Long> covered) {
    static final State NONE = new State(0, Map.of());
  }

  /// A value that a row must have.
  static <T> T present(@Nullable T there) {
    return Objects.requireNonNull(there, "a value that must be there");
  }

  /// A bucket as the tables have it: a printed partition key without type and shard.
  static String bucket(PartitionKey key) {
    return Bucket.of(key).text();
  }

  static BucketRow bucketRow(Row row) {
    Bucket bucket = Bucket.parse(present(row.getString("bucket")));
    return new BucketRow(bucket, present(row.getString("type")), row.getInt("shards"));
  }

  static State state(Row row) {
    Map<Integer, Long> covered = row.getMap("covered", Integer.class, Long.class);
    return new State(row.getInt("generation"), covered == null ? Map.of() : Map.copyOf(covered));
  }

  /// @param seen states of the rows of a partition, each once in a row
  /// @return the first
  static State state(List<State> seen) {
    return seen.isEmpty() ? State.NONE : seen.getFirst();
  }

  static DirectoryRow directoryRow(PartitionKey partition, Row row) {
    SegmentKey key =
        new SegmentKey(
            partition,
            row.getInt("tier"),
            row.getInt("daemon"),
            row.getLong("seq"),
            row.getInt("part"));
    return new DirectoryRow(
        key,
        EventId.of(present(row.getUuid("first"))),
        EventId.of(present(row.getUuid("last"))),
        row.getInt("events"),
        row.getInt("bytes"),
        row.getBoolean("own"),
        row.getInt("crc"));
  }

  static DaemonRow daemonRow(Row row) {
    List<Long> lanes = row.getList("applied_lanes", Long.class);
    DaemonRow.Applied applied =
        row.isNull("applied") || lanes == null
            ? DaemonRow.Applied.NOTHING
            : new DaemonRow.Applied(row.getLong("applied"), row.getLong("applied_version"), lanes);
    UUID owner = row.getUuid("owner");
    String host = row.getString("host");
    return new DaemonRow(
        row.getInt("daemon"),
        owner,
        host == null ? "" : host,
        row.getInt("epoch"),
        row.getLong("reserved"),
        applied,
        millis(row.getInstant("oldest")),
        millis(row.getInstant("seen")));
  }

  private static long millis(@Nullable Instant instant) {
    return instant == null ? 0 : instant.toEpochMilli();
  }

  static Claim claim(Row row) {
    return new Claim(row.getInt("daemon"), row.getLong("stamp"), row.getLong("counter_from"));
  }

  /// About what an event takes in a request.
  static long bytes(EventRow event) {
    String body = event.body();
    long bytes = EVENT_BYTES + (body == null ? 0 : body.length());
    for (Map.Entry<String, String> one : event.attributes().entrySet()) {
      bytes += 8L + one.getKey().length() + one.getValue().length();
    }
    for (String name : event.numbers().keySet()) {
      bytes += 16L + name.length();
    }
    return bytes;
  }

  /// Replicas in a datacenter.
  ///
  /// @param replication as the keyspace has it: class, and counts by datacenter or in all
  static int replicas(Map<String, String> replication, String datacenter) {
    String count =
        replication.getOrDefault(datacenter, replication.getOrDefault("replication_factor", "0"));
    return Integer.parseInt(count.split("/", 2)[0]); // 3/1: one of three is transient
  }
}
