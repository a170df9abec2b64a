package io.widerow.loadgen.peers;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.widerow.loadgen.wire.Connection;
import io.widerow.loadgen.wire.Failure;
import io.widerow.loadgen.wire.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/// Sends a batch as unlogged batches of 50, each of one partition, all in flight at once.
///
/// - Threads: one; [#close] may come from another.
final class CassandraConnection implements Connection {
  private static final int STATEMENT_EVENTS = 50;
  private static final int TIME_DIGITS = 19;
  private static final long TICK_NANOS = 100;
  private static final long GREGORIAN_TICKS = 0x01B2_1DD2_1381_4000L; // 1582-10-15 to 1970-01-01
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final AtomicLong COUNTER = new AtomicLong();
  private static final DateTimeFormatter BUCKET =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final CqlSession session;
  private final PreparedStatement insert;
  private final Runnable release;
  private int shard;
  private long hour = Long.MIN_VALUE;
  private String bucket = "";
  private volatile boolean closed;

  CassandraConnection(CqlSession session, PreparedStatement insert, Runnable release) {
    this.session = session;
    this.insert = insert;
    this.release = release;
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    String type = StandardCharsets.UTF_8.decode(head.clear()).toString();
    List<CompletionStage<AsyncResultSet>> answers = new ArrayList<>();
    BatchStatementBuilder statement = BatchStatement.builder(BatchType.UNLOGGED);
    long statementHour = Long.MIN_VALUE;
    body.clear();
    for (int event = 0; event < events; event++) {
      long epochNanos = time(body);
      long eventHour = Math.floorDiv(epochNanos, 3_600L * 1_000_000_000L);
      boolean other = statementHour != eventHour;
      if (statement.getStatementsCount() > 0
          && (other || statement.getStatementsCount() == STATEMENT_EVENTS)) {
        answers.add(session.executeAsync(statement.build()));
        statement = BatchStatement.builder(BatchType.UNLOGGED);
        shard = (shard + 1) % CassandraTable.SHARDS;
      }
      statementHour = eventHour;
      statement.addStatement(
          insert.bind(bucket(eventHour), type, (short) shard, id(epochNanos), line(body)));
    }
    answers.add(session.executeAsync(statement.build()));
    shard = (shard + 1) % CassandraTable.SHARDS;
    try {
      for (CompletionStage<AsyncResultSet> answer : answers) {
        answer.toCompletableFuture().join();
      }
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof DriverException refused) {
        return Reply.failed(Failure.BROKEN, String.valueOf(refused));
      }
      throw new IOException(failure);
    }
    if (closed) {
      throw new IOException("closed while it was waiting");
    }
    return Reply.accepted(events);
  }

  private static long time(ByteBuffer body) {
    long nanos = 0;
    for (int digit = 0; digit < TIME_DIGITS; digit++) {
      nanos = nanos * 10 + (body.get() - '0');
    }
    body.get(); // the space after it
    return nanos;
  }

  private static String line(ByteBuffer body) {
    int from = body.position();
    int at = from;
    while (body.get(at) != '\n') {
      at++;
    }
    byte[] text = new byte[at - from];
    body.get(text);
    body.get(); // the line feed
    return new String(text, StandardCharsets.UTF_8);
  }

  private String bucket(long eventHour) {
    if (eventHour != hour) {
      hour = eventHour;
      bucket = BUCKET.format(Instant.ofEpochSecond(eventHour * 3_600));
    }
    return bucket;
  }

  /// A version-1 UUID: the event's time, then a counter that no two events share.
  private static UUID id(long epochNanos) {
    long ticks = Math.floorDiv(epochNanos, TICK_NANOS) + GREGORIAN_TICKS;
    long high = ticks << 32 | (ticks >>> 16 & 0xFFFF_0000L) | 0x1000 | (ticks >>> 48 & 0x0FFFL);
    return new UUID(high, VARIANT | COUNTER.getAndIncrement());
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release.run();
    }
  }
}
