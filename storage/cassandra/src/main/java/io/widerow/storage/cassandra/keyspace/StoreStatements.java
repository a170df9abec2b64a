package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The statements of a store, prepared. All can be repeated: rows are written once, and what a
/// conditional one found is looked at.
final class StoreStatements {
  private static final String PARTITION = " WHERE bucket = ? AND type = ? AND shard = ?";
  private static final String KEY =
      PARTITION + " AND tier = ? AND daemon = ? AND seq = ? AND part = ?";
  private static final String RANGE =
      PARTITION + " AND tier = ? AND daemon = ? AND seq >= ? AND seq <= ?";

  /// Daemons of one slot, a partition of the table `daemons`.
  static final int SLOT_DAEMONS = 32;

  private static final int DAEMON_LIMIT = 512;

  private static final String SLOTS =
      IntStream.range(0, DAEMON_LIMIT / SLOT_DAEMONS)
          .mapToObj(Integer::toString)
          .collect(Collectors.joining(", "));

  /// Each by its text, `%s` for the keyspace.
  enum Kind {
    SEGMENT_INSERT(
        "INSERT INTO %s.segments (bucket, type, shard, tier, daemon, seq, part, data)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?) USING TTL ?"),
    SEGMENT_SELECT("SELECT data FROM %s.segments" + KEY),
    SEGMENTS_SELECT(
        "SELECT seq, part, data FROM %s.segments"
            + PARTITION
            + " AND tier = ? AND daemon = ? AND (seq, part) IN ?"),
    SEGMENTS_DELETE("DELETE FROM %s.segments" + RANGE),
    SEGMENTS_DROP("DELETE FROM %s.segments" + PARTITION),
    DIRECTORY_INSERT(
        "INSERT INTO %s.directory (bucket, type, shard, tier, daemon, seq, part,"
            + " first, last, events, bytes, own, crc)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) USING TTL ?"),
    DIRECTORY_SELECT(
        "SELECT generation, covered, tier, daemon, seq, part, first, last, events, bytes, own, crc"
            + " FROM %s.directory"
            + PARTITION),
    DIRECTORY_STATE("SELECT DISTINCT generation, covered FROM %s.directory" + PARTITION),
    DIRECTORY_SWAP(
        "UPDATE %s.directory SET generation = ?, covered = ?" + PARTITION + " IF generation = ?"),
    DIRECTORY_DELETE("DELETE FROM %s.directory" + RANGE),
    DIRECTORY_DROP("DELETE FROM %s.directory" + PARTITION),
    EVENT_INSERT(
        "INSERT INTO %s.events (bucket, type, shard, id, body, attributes, numbers)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?) USING TTL ?"),
    EVENTS_DROP("DELETE FROM %s.events" + PARTITION),
    BUCKET_INSERT("INSERT INTO %s.buckets (span, type, bucket, shards) VALUES (?, ?, ?, ?)"),
    BUCKET_SELECT("SELECT type, bucket, shards FROM %s.buckets WHERE span = ?"),
    BUCKET_DELETE(
        "DELETE FROM %s.buckets WHERE span = ? AND type = ? AND bucket = ? AND shards = ?"),
    SPAN_INSERT("INSERT INTO %s.spans (one, span) VALUES (0, ?)"),
    SPAN_SELECT("SELECT span FROM %s.spans WHERE one = 0"),
    SPAN_DELETE("DELETE FROM %s.spans WHERE one = 0 AND span = ?"),
    DAEMON_SELECT(
        "SELECT daemon, owner, host, epoch, reserved, applied, applied_version, applied_lanes,"
            + " oldest, seen FROM %s.daemons WHERE slot IN ("
            + SLOTS
            + ")"),
    DAEMON_INSERT(
        "INSERT INTO %s.daemons (slot, daemon, owner, host, epoch, reserved)"
            + " VALUES (?, ?, ?, ?, ?, ?) IF NOT EXISTS"),
    DAEMON_BEGIN(
        "UPDATE %s.daemons SET owner = ?, host = ?, epoch = ?, reserved = ?"
            + " WHERE slot = ? AND daemon = ? IF owner = ? AND epoch = ? AND reserved = ?"),
    DAEMON_APPLIED(
        "UPDATE %s.daemons USING TIMESTAMP ? SET applied = ?, applied_version = ?,"
            + " applied_lanes = ? WHERE slot = ? AND daemon = ?"),
    DAEMON_SEEN("UPDATE %s.daemons SET oldest = ?, seen = ? WHERE slot = ? AND daemon = ?"),
    CLAIM_INSERT(
        "INSERT INTO %s.claims (key, daemon, stamp, counter_from) VALUES (?, ?, ?, ?)"
            + " IF NOT EXISTS USING TTL ?"),
    CLAIM_TAKE(
        "UPDATE %s.claims USING TTL ? SET daemon = ?, stamp = ?, counter_from = ? WHERE key = ?"
            + " IF daemon = ? AND stamp = ? AND counter_from = ?"),
    CLAIM_SELECT("SELECT key, daemon, stamp, counter_from FROM %s.claims WHERE key IN ?"),
    CLAIM_NOTE(
        "INSERT INTO %s.claims (key, daemon, stamp, counter_from) VALUES (?, ?, ?, ?)"
            + " USING TIMESTAMP ? AND TTL ?"),
    SOURCE_SELECT(
        "SELECT term, position, leader_epoch, daemon, claim_term, first, next, stamp FROM"
            + " %s.sources WHERE topic = ? AND partition = ?"),
    SOURCE_MOVE(
        "UPDATE %s.sources SET term = ?, position = ?, leader_epoch = ?"
            + " WHERE topic = ? AND partition = ? IF term = ? AND position = ?"),
    SOURCE_OWE(
        "INSERT INTO %s.sources (topic, partition, daemon, claim_term, first, next, stamp)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?)"),
    SOURCE_AGAIN(
        "UPDATE %s.sources SET first = ? WHERE topic = ? AND partition = ? AND daemon = ?"
            + " IF stamp = ? AND first = ?"),
    POLICY_SELECT("SELECT name, body FROM %s.policies WHERE one = 0"),
    POLICY_INSERT("INSERT INTO %s.policies (one, name, body) VALUES (0, ?, ?)"),
    POLICY_DELETE("DELETE FROM %s.policies WHERE one = 0 AND name = ?"),
    LEASE("UPDATE %s.leases USING TTL ? SET daemon = ? WHERE what = ? IF daemon = ?"),
    SOLE_INSERT("INSERT INTO %s.leases (what, daemon) VALUES ('sole', ?) IF NOT EXISTS"),
    SOLE_CHANGE("UPDATE %s.leases SET daemon = ? WHERE what = 'sole' IF daemon = ?"),
    CLOCK("SELECT toUnixTimestamp(now()) AS millis FROM system.local");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private final Map<Kind, PreparedStatement> prepared = new EnumMap<>(Kind.class);

  /// Prepares all, together.
  StoreStatements(CqlSession session, String keyspace) {
    Map<Kind, CompletionStage<PreparedStatement>> asked = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      asked.put(
          kind,
          session.prepareAsync(
              SimpleStatement.newInstance(kind.text.replace("%s", keyspace)).setIdempotent(true)));
    }
    asked.forEach((kind, one) -> prepared.put(kind, one.toCompletableFuture().join()));
  }

  PreparedStatement of(Kind kind) {
    return Rows.present(prepared.get(kind));
  }
}
