package io.widerow.loadgen.peers;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.widerow.loadgen.verify.ReadBackCheck;
import io.widerow.loadgen.wire.PeerReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Reads events in one order as the pattern does on Cassandra: bucket after bucket, in each all
/// partitions at once, and a merge of their rows by time here. The next page of a partition is
/// requested while one is read. The list of partitions is known before the first query.
///
/// - Threads: one.
final class CassandraReader implements PeerReader {
  private static final long TICKS_A_MICRO = 10;
  private static final long GREGORIAN_MICROS = 0x01B2_1DD2_1381_4000L / TICKS_A_MICRO;

  private final CqlSession session;
  private final PreparedStatement ascending;
  private final PreparedStatement descending;
  private final NavigableMap<String, List<Partition>> buckets = new TreeMap<>();

  private record Partition(String bucket, String type, short shard) {}

  CassandraReader(CqlSession session) {
    this.session = session;
    this.ascending = session.prepare(CassandraTable.ROWS + " ORDER BY id ASC");
    this.descending = session.prepare(CassandraTable.ROWS + " ORDER BY id DESC");
    for (Row row : session.execute(CassandraTable.PARTITIONS)) {
      String bucket = row.getString("bucket");
      buckets
          .computeIfAbsent(bucket, _ -> new ArrayList<>())
          .add(new Partition(bucket, row.getString("type"), row.getShort("shard")));
    }
  }

  @Override
  public long read(long limit, boolean down, RowSink sink) throws IOException {
    try {
      long rows = 0;
      for (List<Partition> bucket : (down ? buckets.descendingMap() : buckets).values()) {
        rows += merge(bucket, limit - rows, down, sink);
        if (rows >= limit) {
          break;
        }
      }
      return rows;
    } catch (DriverException | CompletionException failure) {
      throw new IOException("reading from Cassandra: " + failure.getMessage(), failure);
    }
  }

  private long merge(List<Partition> bucket, long limit, boolean down, RowSink sink)
      throws IOException {
    Comparator<Rows> byId = (a, b) -> ReadBackCheck.compare(a.id, b.id);
    PriorityQueue<Rows> heads = new PriorityQueue<>(down ? byId.reversed() : byId);
    List<Rows> opened = new ArrayList<>();
    for (Partition partition : bucket) {
      BoundStatement statement =
          (down ? descending : ascending)
              .bind(partition.bucket(), partition.type(), partition.shard());
      if (limit < CassandraDriver.PAGE_ROWS) {
        statement = statement.setPageSize((int) limit);
      }
      opened.add(new Rows(partition.type(), session.executeAsync(statement), limit));
    }
    for (Rows rows : opened) {
      if (rows.next()) {
        heads.add(rows);
      }
    }
    long read = 0;
    for (Rows least = heads.poll(); least != null && read < limit; least = heads.poll()) {
      long micros = least.id.timestamp() / TICKS_A_MICRO - GREGORIAN_MICROS;
      sink.row(micros, least.type, least.body);
      read++;
      if (least.next()) {
        heads.add(least);
      }
    }
    return read;
  }

  /// One partition's rows.
  private static final class Rows {
    final String type;
    UUID id = new UUID(0, 0);
    String body = "";
    private final long limit;
    private CompletionStage<AsyncResultSet> coming;
    private boolean more = true; // `coming` is not read yet
    private Iterator<Row> page = List.<Row>of().iterator();
    private long read;

    Rows(String type, CompletionStage<AsyncResultSet> first, long limit) {
      this.type = type;
      this.coming = first;
      this.limit = limit;
    }

    boolean next() {
      while (!page.hasNext()) {
        if (!more) {
          return false;
        }
        AsyncResultSet came = coming.toCompletableFuture().join();
        more = came.hasMorePages() && read + came.remaining() < limit;
        if (more) {
          coming = came.fetchNextPage();
        }
        page = came.currentPage().iterator();
      }
      Row row = page.next();
      id = row.getUuid(0);
      body = row.getString(1);
      read++;
      return true;
    }
  }

  @Override
  public void close() {
    session.close();
  }
}
