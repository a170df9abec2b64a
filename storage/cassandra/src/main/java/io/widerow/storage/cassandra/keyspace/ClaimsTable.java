package io.widerow.storage.cassandra.keyspace;

import static io.widerow.storage.cassandra.keyspace.Rows.present;
import static io.widerow.storage.cassandra.keyspace.StatementRunner.now;
import static io.widerow.storage.cassandra.keyspace.StatementRunner.together;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The claims of batch keys, on a real cluster. As [Keyspace] has them.
///
/// - Threads: any.
final class ClaimsTable {
  /// The time before now at which claims are recorded.
  private static final Duration NOTE_BEFORE = Duration.ofHours(1);

  private final StatementRunner runner;

  ClaimsTable(StatementRunner runner) {
    this.runner = runner;
  }

  CompletableFuture<Claim> claim(byte[] key, Claim mine, int ttlSeconds) {
    return runner.run(
        "claiming a batch key",
        runner.bind(
            StoreStatements.Kind.CLAIM_INSERT,
            ByteBuffer.wrap(key),
            mine.daemon(),
            mine.stamp(),
            mine.counterFrom(),
            ttlSeconds),
        answer -> now(answer.wasApplied() ? mine : Rows.claim(present(answer.one()))));
  }

  CompletableFuture<List<@Nullable Claim>> claims(List<byte[]> keys) {
    return runner
        .rows(
            "reading claims of batch keys",
            runner.bind(
                StoreStatements.Kind.CLAIM_SELECT, keys.stream().map(ByteBuffer::wrap).toList()),
            row -> Map.entry(present(row.getByteBuffer("key")), Rows.claim(row)))
        .thenApply(rows -> {
          Map<ByteBuffer, Claim> found = new HashMap<>();
          rows.forEach(row -> found.put(row.getKey(), row.getValue()));
          List<@Nullable Claim> all = new ArrayList<>();
          keys.forEach(key -> all.add(found.get(ByteBuffer.wrap(key))));
          return all;
        });
  }

  CompletableFuture<Void> noteClaims(List<byte[]> keys, List<Claim> claims, int ttlSeconds) {
    // An LWT has the time of its node: so it wins over a note, unless clocks are an hour apart.
    // A time long ago would be below that of a claim of the key that has ended since.
    Instant time = Instant.now().minus(NOTE_BEFORE);
    long micros = TimeUnit.SECONDS.toMicros(time.getEpochSecond()) + time.getNano() / 1_000;
    BatchableStatement<?>[] all = new BatchableStatement<?>[keys.size()];
    for (int i = 0; i < all.length; i++) {
      Claim claim = claims.get(i);
      all[i] =
          runner.bind(
              StoreStatements.Kind.CLAIM_NOTE,
              ByteBuffer.wrap(keys.get(i)),
              claim.daemon(),
              claim.stamp(),
              claim.counterFrom(),
              micros,
              ttlSeconds);
    }
    return runner.done("noting claims of batch keys", together(all));
  }

  CompletableFuture<Integer> sole(int expected, int next) {
    return runner.run(
        "saying who is the only daemon",
        expected == 0
            ? runner.bind(StoreStatements.Kind.SOLE_INSERT, next)
            : runner.bind(StoreStatements.Kind.SOLE_CHANGE, next, expected),
        answer -> now(answer.wasApplied() ? next : present(answer.one()).getInt("daemon")));
  }

  CompletableFuture<Boolean> takeOver(byte[] key, Claim from, Claim mine, int ttlSeconds) {
    return runner.run(
        "taking over a batch key",
        runner.bind(
            StoreStatements.Kind.CLAIM_TAKE,
            ttlSeconds,
            mine.daemon(),
            mine.stamp(),
            mine.counterFrom(),
            ByteBuffer.wrap(key),
            from.daemon(),
            from.stamp(),
            from.counterFrom()),
        answer -> {
          if (answer.wasApplied()) {
            return now(true);
          }
          Row row = answer.one(); // without columns when the key is not claimed
          return now(
              row != null
                  && row.getColumnDefinitions().contains("daemon")
                  && Rows.claim(row).equals(mine));
        });
  }
}
