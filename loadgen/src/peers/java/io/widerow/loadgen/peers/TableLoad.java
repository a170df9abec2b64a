package io.widerow.loadgen.peers;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/// Puts load on tables over CQL with the Java driver, on Widerow or on Cassandra, each by the same
/// statements: rows of 200 bytes of words in partitions of 100. Each kind of request is timed for
/// the same number of seconds, with a fixed number of requests in flight.
///
/// ```
/// TableLoad run HOST:PORT SECONDS              prints one line: figure=value ...
/// TableLoad index HOST:PORT SECONDS ROWS       writes with none, one and three indexes; queries by
///                                              an index of a table of so many rows
/// TableLoad pace HOST:PORT RATE SECONDS        single writes on a schedule, late ones counted late
/// TableLoad ask HOST:PORT RATE SECONDS         the same, of queries that cost a server next to
///                                              nothing: what such a client itself costs
/// ```
///
/// - Threads: one sends; responses come on the driver's.
/// - Errors: a request that fails ends the run with exit code 1.
public final class TableLoad {
  private static final int PARTITION_ROWS = 100;
  private static final int BATCH_ROWS = 50;
  private static final int VALUE_CHARS = 200;
  private static final int UNDER_WAY = 128;
  private static final int QUERIES_UNDER_WAY = 8; // of some hundred rows each
  private static final int WARM_UP_PART = 4; // of the seconds, before each kind
  private static final long SEED = 20_261_126;
  private static final String[] WORDS = words();

  private final CqlSession session;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Map<String, Object> figures = new LinkedHashMap<>();
  private final PreparedStatement insert;
  private int written; // rows, the first ones of their order
  private int counted;
  private int underWay = UNDER_WAY;

  private TableLoad(CqlSession session) {
    this.session = session;
    for (String statement :
        List.of(
            "CREATE KEYSPACE IF NOT EXISTS load WITH replication ="
                + " {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE IF NOT EXISTS load.rows (p bigint, c bigint, v text, PRIMARY KEY (p, c))",
            "CREATE TABLE IF NOT EXISTS load.once (k bigint PRIMARY KEY, v text)",
            "CREATE TABLE IF NOT EXISTS load.counts (k bigint PRIMARY KEY, n counter)")) {
      session.execute(statement);
    }
    insert = session.prepare("INSERT INTO load.rows (p, c, v) VALUES (?, ?, ?)");
  }

  public static void main(String[] args) throws Exception {
    if (args.length < 3) {
      throw new IllegalArgumentException(
          "run HOST:PORT SECONDS, index HOST:PORT SECONDS ROWS, or pace or ask HOST:PORT RATE"
              + " SECONDS");
    }
    int colon = args[1].lastIndexOf(':');
    var address =
        new InetSocketAddress(
            args[1].substring(0, colon), Integer.parseInt(args[1].substring(colon + 1)));
    try (CqlSession session = CassandraDriver.session(address)) {
      var load = new TableLoad(session);
      switch (args[0]) {
        case "run" -> load.run(Integer.parseInt(args[2]));
        case "index" -> load.index(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        case "pace" ->
            load.pace(Integer.parseInt(args[2]), Integer.parseInt(args[3]), load::nextInsert);
        case "ask" -> {
          PreparedStatement ask = session.prepare("SELECT key FROM system.local");
          load.pace(Integer.parseInt(args[2]), Integer.parseInt(args[3]), ask::bind);
        }
        default -> throw new IllegalArgumentException("run, index, pace or ask, got " + args[0]);
      }
      StringBuilder line = new StringBuilder();
      load.figures.forEach(
          (name, value) -> line.append(name).append('=').append(value).append(' '));
      System.out.println(line.toString().stripTrailing());
    }
  }

  private void run(int seconds) throws Exception {
    PreparedStatement once =
        session.prepare("INSERT INTO load.once (k, v) VALUES (?, ?) IF NOT EXISTS");
    PreparedStatement count = session.prepare("UPDATE load.counts SET n = n + 1 WHERE k = ?");
    PreparedStatement point = session.prepare("SELECT v FROM load.rows WHERE p = ? AND c = ?");
    PreparedStatement slice =
        session.prepare("SELECT c, v FROM load.rows WHERE p = ? ORDER BY c DESC");
    time("inserts", seconds, 1, _ -> nextInsert());
    time("batches_of_50", seconds, BATCH_ROWS, _ -> nextBatch());
    time("if_not_exists", seconds, 1, n -> once.bind((long) n, value()));
    counted = 0;
    time(
        "counters",
        seconds,
        1,
        _ -> {
          counted++;
          return count.bind(random.nextLong(1_000));
        });
    requireCounts();
    time(
        "points",
        seconds,
        1,
        _ -> {
          int row = random.nextInt(written);
          return point.bind((long) (row / PARTITION_ROWS), (long) (row % PARTITION_ROWS));
        });
    int whole = written / PARTITION_ROWS;
    time("slices_of_100", seconds, PARTITION_ROWS, _ -> slice.bind(random.nextLong(whole)));
    scan();
  }

  /// Each value of the column `who` is in 100 rows of as many partitions, each of `size` in 1,000.
  private void index(int seconds, int rows) throws Exception {
    for (int indexes : new int[] {0, 1, 3}) {
      PreparedStatement insert = indexed("with_" + indexes, indexes);
      time("writes_with_" + indexes + "_indexes", seconds, 1, n -> row(insert, n, 1_000_000));
    }
    PreparedStatement insert = indexed("filled", 3);
    long start = System.nanoTime();
    int batches = rows / BATCH_ROWS;
    var latencies = new Histogram(3);
    int _ = send(0, n -> n < batches, n -> batch(insert, n * BATCH_ROWS, rows), latencies);
    figures.put("fill_rows/s", rows * 1_000_000_000L / (System.nanoTime() - start));
    PreparedStatement byText = session.prepare("SELECT p, c, v FROM load.filled WHERE who = ?");
    PreparedStatement byNumber = session.prepare("SELECT p, c, v FROM load.filled WHERE size = ?");
    require(byText.bind("w5"), 100);
    require(byNumber.bind(5), 1_000);
    underWay = QUERIES_UNDER_WAY;
    int texts = rows / 100;
    time("queries_of_100_rows", seconds, 1, _ -> byText.bind("w" + random.nextInt(texts)));
    int numbers = rows / 1_000;
    time("queries_of_1000_rows", seconds, 1, _ -> byNumber.bind(random.nextInt(numbers)));
  }

  private PreparedStatement indexed(String table, int indexes) {
    session.execute(
        ("CREATE TABLE load.%s (p bigint, c bigint, who text, size int, day int, v text, PRIMARY"
                + " KEY (p, c))")
            .formatted(table));
    List<String> columns = List.of("who", "size", "day");
    for (String column : columns.subList(0, indexes)) {
      session.execute("CREATE INDEX ON load.%s (%s) USING 'sai'".formatted(table, column));
    }
    return session.prepare(
        "INSERT INTO load.%s (p, c, who, size, day, v) VALUES (?, ?, ?, ?, ?, ?)".formatted(table));
  }

  private BoundStatement row(PreparedStatement insert, int n, int rows) {
    return insert.bind(
        (long) (n / PARTITION_ROWS),
        (long) (n % PARTITION_ROWS),
        "w" + n % (rows / 100),
        n % (rows / 1_000),
        n % 366,
        value());
  }

  private Statement<?> batch(PreparedStatement insert, int first, int rows) {
    BatchStatementBuilder batch = BatchStatement.builder(BatchType.UNLOGGED);
    for (int i = 0; i < BATCH_ROWS; i++) {
      batch.addStatement(row(insert, first + i, rows));
    }
    return batch.build();
  }

  private void require(Statement<?> query, int rows) throws IOException {
    int found = session.execute(query).all().size();
    if (found != rows) {
      throw new IOException("a query by an index has " + found + " rows instead of " + rows);
    }
  }

  private Statement<?> nextInsert() {
    int row = written++;
    return insert.bind((long) (row / PARTITION_ROWS), (long) (row % PARTITION_ROWS), value());
  }

  /// Half a partition.
  private Statement<?> nextBatch() {
    written += (BATCH_ROWS - written % BATCH_ROWS) % BATCH_ROWS; // rows left out stay so
    BatchStatementBuilder batch = BatchStatement.builder(BatchType.UNLOGGED);
    for (int i = 0; i < BATCH_ROWS; i++) {
      int row = written++;
      batch.addStatement(
          insert.bind((long) (row / PARTITION_ROWS), (long) (row % PARTITION_ROWS), value()));
    }
    return batch.build();
  }

  private void requireCounts() throws IOException {
    long sum = 0;
    for (Row row : session.execute("SELECT n FROM load.counts")) {
      sum += row.getLong(0);
    }
    if (sum != counted) {
      throw new IOException("counters have " + sum + " instead of " + counted);
    }
  }

  private void scan() {
    long start = System.nanoTime();
    long rows = 0;
    for (Row row : session.execute("SELECT p, c, v FROM load.rows")) {
      rows += row.isNull(2) ? 0 : 1;
    }
    figures.put("scan_rows/s", rows * 1_000_000_000L / (System.nanoTime() - start));
    figures.put("rows", rows);
  }

  /// Sends requests for a time, a number of them in flight, after a quarter of it to warm up.
  private void time(String name, int seconds, int rows, IntFunction<Statement<?>> next)
      throws Exception {
    var unmeasured = new Histogram(3);
    int sent = send(Math.max(1, seconds / WARM_UP_PART), 0, next, unmeasured);
    var latencies = new ConcurrentHistogram(3);
    long start = System.nanoTime();
    int until = send(seconds, sent, next, latencies);
    long nanos = System.nanoTime() - start;
    figures.put(name + "/s", (until - sent) * 1_000_000_000L / nanos * rows);
    figures.put(name + "_p50_ms", millis(latencies, 50));
    figures.put(name + "_p99_ms", millis(latencies, 99));
  }

  private static String millis(Histogram latencies, double percentile) {
    return String.format(Locale.ROOT, "%.2f", latencies.getValueAtPercentile(percentile) / 1e6);
  }

  private int send(int seconds, int from, IntFunction<Statement<?>> next, Histogram latencies)
      throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    return send(from, _ -> System.nanoTime() < end, next, latencies);
  }

  /// @param more whether a further request is sent
  private int send(int from, IntPredicate more, IntFunction<Statement<?>> next, Histogram latencies)
      throws Exception {
    var places = new Semaphore(underWay);
    var failed = new AtomicReference<Throwable>();
    int n = from;
    while (more.test(n) && failed.get() == null) {
      places.acquire();
      long began = System.nanoTime();
      answered(session.executeAsync(next.apply(n++)), began, places, failed, latencies);
    }
    places.acquire(underWay); // all have their answer
    if (failed.get() != null) {
      throw new IOException("a request failed", failed.get());
    }
    return n;
  }

  private static void answered(
      CompletionStage<AsyncResultSet> answer,
      long began,
      Semaphore places,
      AtomicReference<Throwable> failed,
      Histogram latencies) {
    var _ =
        answer.whenComplete((_, failure) -> {
          if (failure != null) {
            failed.compareAndSet(null, failure);
          } else if (latencies instanceof ConcurrentHistogram measured) {
            measured.recordValue(System.nanoTime() - began);
          }
          places.release();
        });
  }

  /// Single writes at a rate; each is timed from when it should have been sent.
  private void pace(int rate, int seconds, Supplier<Statement<?>> next) throws Exception {
    var places = new Semaphore(Integer.MAX_VALUE);
    var failed = new AtomicReference<Throwable>();
    var latencies = new ConcurrentHistogram(3);
    int writes = rate * seconds;
    long start = System.nanoTime();
    long step = TimeUnit.SECONDS.toNanos(1) / rate;
    for (int n = 0; n < writes && failed.get() == null; n++) {
      long due = start + n * step;
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      places.acquire();
      answered(session.executeAsync(next.get()), due, places, failed, latencies);
    }
    if (!places.tryAcquire(Integer.MAX_VALUE, 60, TimeUnit.SECONDS)) {
      throw new IOException("writes without an answer after a minute");
    }
    if (failed.get() != null) {
      throw new IOException("a write failed", failed.get());
    }
    figures.put("writes", writes);
    figures.put("seconds", Duration.ofNanos(System.nanoTime() - start).toMillis() / 1e3);
    figures.put("p50_ms", millis(latencies, 50));
    figures.put("p99_ms", millis(latencies, 99));
  }

  private static String[] words() {
    SplittableRandom random = new SplittableRandom(SEED);
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 4_096; i++) {
      words.add(Long.toString(random.nextLong(1L << 40), Character.MAX_RADIX));
    }
    return words.toArray(String[]::new);
  }

  private String value() {
    StringBuilder value = new StringBuilder(VALUE_CHARS + 16);
    while (value.length() < VALUE_CHARS) {
      value.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
    }
    value.setLength(VALUE_CHARS);
    assert value.toString().getBytes(StandardCharsets.US_ASCII).length == VALUE_CHARS;
    return value.toString();
  }
}
