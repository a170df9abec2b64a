package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.Main;
import io.widerow.cli.cql.CqlCommand;
import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon that is killed at any moment, also while it starts, has every batch of CQL that
/// was acknowledged, whole, and of one that was not all or nothing. Method: the daemon as a
/// process; writers whose batches insert rows, delete older ones and write down their number, and
/// count each batch with a counter; after each start all rows are compared with what the numbers
/// say. Another counter counts under keys: requests without a response are sent again after the
/// start, and each request has counted once. Indexes find the same rows, one of which is built
/// again in each life. `-Dkills=<n>` sets the number of kills in the profile `faults`.
@Timeout(value = 8, unit = TimeUnit.HOURS)
@Tag("process")
class TableKillTest {
  private static final int WRITERS = 2;
  private static final int ROWS = 10; // of a batch
  private static final int VALUE_BYTES = 300;
  private static final int BATCHES_MAX = 150; // of one life
  private static final Pattern PORT = Pattern.compile("cql on .*:(\\d+)");
  private static final long TYPICAL_START_MILLIS = 1_000;

  @TempDir private Path directory = Path.of(".");

  private final SplittableRandom random = new SplittableRandom(Seeds.one());
  private final int[] batches = new int[WRITERS]; // acknowledged, or found after a kill
  private final int[] counted = new int[WRITERS]; // the same for counters
  private final int[] once = new int[WRITERS]; // sent with a key, all but the last acknowledged

  @Test
  void killedSixTimesItHasEveryBatch() throws IOException, InterruptedException {
    kill(6);
  }

  @Test
  @Tag("faults")
  void killedHundredsOfTimesItHasEveryBatch() throws IOException, InterruptedException {
    kill(Integer.getInteger("kills", 200));
  }

  private static ServeProcess start(Path data) throws IOException {
    String[] small = ServeProcess.small(0);
    List<String> arguments = new ArrayList<>(List.of(small));
    arguments.addAll(List.of("--cql", "127.0.0.1:0"));
    return ServeProcess.start(QuickJvm.shared(), data, arguments.toArray(String[]::new));
  }

  private static InetSocketAddress address(ServeProcess daemon) throws IOException {
    Matcher port = PORT.matcher(daemon.output());
    assertTrue(port.find(), daemon.output());
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
  }

  private void kill(int times) throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    ServeProcess daemon = start(data);
    try {
      ask(
          daemon,
          "CREATE KEYSPACE s WITH replication = {'class': 'SimpleStrategy'};"
              + "CREATE TABLE s.state (w int PRIMARY KEY, n int);"
              + "CREATE TABLE s.hits (w int PRIMARY KEY, c counter);"
              + "CREATE TABLE s.log (w int, n int, i int, v text, PRIMARY KEY (w, n, i));"
              + "CREATE INDEX by_i ON s.log (i);"
              + "CREATE INDEX by_v ON s.log (v)");
      for (int kills = 0; kills < times; kills++) {
        ask(daemon, "DROP INDEX s.by_v; CREATE INDEX by_v ON s.log (v)");
        liveAndDie(daemon, random.nextInt(1, BATCHES_MAX));
        if (random.nextInt(3) == 0) {
          killWhileItStarts(data);
        }
        daemon = start(data);
        countAgain(daemon);
        check(daemon);
      }
      assertEquals(0, daemon.stop(60), daemon.output());
    } finally {
      daemon.close();
    }
    assertEquals(List.of(), StoreVerifier.verify(data).damage());
  }

  /// Lets all writers write until so many batches are acknowledged, and kills the daemon.
  private void liveAndDie(ServeProcess daemon, int acknowledged)
      throws IOException, InterruptedException {
    InetSocketAddress address = address(daemon);
    Semaphore done = new Semaphore(0);
    List<Thread> threads = new ArrayList<>();
    List<Throwable> faults = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      int writer = w;
      threads.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler((_, fault) -> {
                synchronized (faults) {
                  faults.add(fault);
                }
                done.release(acknowledged);
              })
              .start(() -> writeUntilItDies(address, writer, done)));
    }
    assertTrue(done.tryAcquire(acknowledged, Await.SECONDS, TimeUnit.SECONDS));
    daemon.kill();
    for (Thread thread : threads) {
      thread.join();
    }
    synchronized (faults) {
      assertEquals(List.of(), faults);
    }
  }

  private void writeUntilItDies(InetSocketAddress address, int writer, Semaphore done) {
    try (RawDriver driver = RawDriver.ready(address)) {
      while (true) {
        write(driver, batch(writer, batches[writer] + 1));
        batches[writer]++;
        write(driver, "UPDATE s.hits SET c = c + 1 WHERE w = " + writer);
        counted[writer]++;
        once[writer]++;
        countOnce(driver, writer, once[writer]);
        done.release();
      }
    } catch (IOException killed) {
      done.release(BATCHES_MAX); // nobody waits for one that is dead
    }
  }

  private static void write(RawDriver driver, String statement) throws IOException {
    RawDriver.Answer answer = driver.ask(RawDriver.QUERY, RawDriver.query(statement));
    if (answer.opcode() == RawDriver.ERROR) {
      throw new AssertionError(answer.error());
    }
  }

  /// The n-th request of a writer that counts once.
  private static void countOnce(RawDriver driver, int writer, int n) throws IOException {
    byte[] key = "%d/%d".formatted(writer, n).getBytes(StandardCharsets.UTF_8);
    String statement = "UPDATE s.hits SET c = c + 1 WHERE w = " + (WRITERS + writer);
    RawDriver.Answer answer = driver.askOnce(key, RawDriver.QUERY, RawDriver.query(statement));
    if (answer.opcode() == RawDriver.ERROR) {
      throw new AssertionError(answer.error());
    }
  }

  /// Sends requests with and without a response again, to a restarted daemon.
  private void countAgain(ServeProcess daemon) throws IOException {
    try (RawDriver driver = RawDriver.ready(address(daemon))) {
      for (int writer = 0; writer < WRITERS; writer++) {
        for (int n = Math.max(1, once[writer] - 1); n <= once[writer]; n++) {
          countOnce(driver, writer, n);
        }
      }
    }
  }

  /// The n-th batch of a writer: every third one deletes an older one's rows.
  private static String batch(int writer, int n) {
    StringBuilder text = new StringBuilder("BEGIN BATCH ");
    text.append("UPDATE s.state SET n = %d WHERE w = %d; ".formatted(n, writer));
    for (int i = 0; i < ROWS; i++) {
      text.append(
          "INSERT INTO s.log (w, n, i, v) VALUES (%d, %d, %d, '%s'); "
              .formatted(writer, n, i, value(writer, n, i)));
    }
    if (isDeleting(n)) {
      text.append("DELETE FROM s.log WHERE w = %d AND n = %d; ".formatted(writer, n - 7));
    }
    return text.append("APPLY BATCH").toString();
  }

  private static boolean isDeleting(int n) {
    return n % 3 == 0;
  }

  private static String value(int writer, int n, int i) {
    SplittableRandom letters = new SplittableRandom(((long) writer << 40) | ((long) n << 8) | i);
    StringBuilder text = new StringBuilder();
    while (text.length() < VALUE_BYTES) {
      text.append(Long.toString(letters.nextLong(Long.MAX_VALUE), Character.MAX_RADIX));
    }
    return text.toString();
  }

  /// Starts a daemon and kills it within the time of a start.
  private void killWhileItStarts(Path data) throws IOException, InterruptedException {
    Process starting =
        ServeProcess.launch(
            QuickJvm.shared(), data, directory.resolve("killed.log"), ServeProcess.small(0));
    Await.pauseNanos(
        TimeUnit.MILLISECONDS.toNanos(
            random.nextLong(TYPICAL_START_MILLIS / 4, TYPICAL_START_MILLIS)));
    starting.destroyForcibly();
    int _ = starting.waitFor();
  }

  /// The cells of an answer, as CSV without its head.
  private static List<String[]> ask(ServeProcess daemon, String statements) throws IOException {
    Ran ran =
        CommandDaemon.run(
            Map.of("WIDEROW_CQL", "127.0.0.1:" + address(daemon).getPort()),
            shell -> Main.of(new CqlCommand(shell, InputStream.nullInputStream(), false), shell),
            "--output",
            "csv",
            statements);
    assertEquals(0, ran.code(), ran.err());
    return ran.out().lines().skip(1).map(line -> line.split(",", -1)).toList();
  }

  private void check(ServeProcess daemon) throws IOException {
    Map<Integer, Integer> states = new TreeMap<>();
    for (String[] row : ask(daemon, "SELECT w, n FROM s.state")) {
      states.put(Integer.valueOf(row[0]), Integer.valueOf(row[1]));
    }
    Map<Integer, Integer> hits = new TreeMap<>();
    for (String[] row : ask(daemon, "SELECT w, c FROM s.hits")) {
      hits.put(Integer.valueOf(row[0]), Integer.valueOf(row[1]));
    }
    Map<String, String> wanted = new TreeMap<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      batches[writer] = atMostOneMore(batches[writer], states.getOrDefault(writer, 0));
      counted[writer] = atMostOneMore(counted[writer], hits.getOrDefault(writer, 0));
      assertEquals(once[writer], hits.getOrDefault(WRITERS + writer, 0), "counted once each");
      for (int n = 1; n <= batches[writer]; n++) {
        if (n + 7 <= batches[writer] && isDeleting(n + 7)) {
          continue;
        }
        for (int i = 0; i < ROWS; i++) {
          wanted.put(writer + "," + n + "," + i, value(writer, n, i));
        }
      }
    }
    Map<String, String> found = new TreeMap<>();
    for (String[] row : ask(daemon, "SELECT w, n, i, v FROM s.log")) {
      found.put(row[0] + "," + row[1] + "," + row[2], row[3]);
    }
    assertEquals(wanted.keySet(), found.keySet());
    assertEquals(wanted, found);
    checkIndexes(daemon, found);
  }

  private void checkIndexes(ServeProcess daemon, Map<String, String> rows) throws IOException {
    Await.until(
        () ->
            ask(daemon, "SELECT state FROM widerow.indexes").stream()
                .allMatch(state -> state[0].equals("built")),
        "all indexes are built");
    int i = random.nextInt(ROWS);
    Set<String> byNumber = new TreeSet<>();
    for (String[] row : ask(daemon, "SELECT w, n FROM s.log WHERE i = " + i)) {
      byNumber.add(row[0] + "," + row[1] + "," + i);
    }
    Set<String> wanted = new TreeSet<>(rows.keySet());
    wanted.removeIf(key -> !key.endsWith("," + i));
    assertEquals(wanted, byNumber);
    for (String key : List.copyOf(wanted).subList(0, Math.min(3, wanted.size()))) {
      String[] found =
          ask(daemon, "SELECT w, n, i FROM s.log WHERE v = '" + rows.get(key) + "'").getFirst();
      assertEquals(key, String.join(",", found));
    }
  }

  /// A write without a response may be there.
  private static int atMostOneMore(int acknowledged, int found) {
    assertTrue(
        found == acknowledged || found == acknowledged + 1,
        () -> "%d were acknowledged and there are %d".formatted(acknowledged, found));
    return found;
  }
}
