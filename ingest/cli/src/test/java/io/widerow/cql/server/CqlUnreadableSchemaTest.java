package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.Main;
import io.widerow.cli.cql.CqlCommand;
import io.widerow.cql.define.BrokenSchema;
import io.widerow.cql.store.TableStore;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a schema statement that cannot be read keeps no event from being taken and served: the
/// daemon starts, log, `/ready` and the doctor name the statement, its keyspace answers with an
/// error and others answer, until an operator repairs it. Method: a daemon with a store on disk in
/// whose stored schema one statement was overwritten.
@Timeout(300)
class CqlUnreadableSchemaTest {
  private static final String TABLE = "CREATE TABLE r.mail (id int PRIMARY KEY, \"from\" text)";
  private static final String BROKEN = "CREATE TABLE r.mail (id int PRIMARY KEY, from text)";

  @TempDir private Path directory = Path.of(".");

  private static Ran ask(CqlDaemon daemon, String statements) {
    return CommandDaemon.run(
        Map.of("WIDEROW_CQL", "127.0.0.1:" + daemon.address().getPort()),
        shell -> Main.of(new CqlCommand(shell, InputStream.nullInputStream(), false), shell),
        "--output",
        "csv",
        statements);
  }

  private static String answer(CqlDaemon daemon, String statements) {
    Ran ran = ask(daemon, statements);
    assertEquals(0, ran.code(), ran.err());
    return ran.out().replace("\r", "");
  }

  /// Collects log records.
  private static final class Log extends Handler {
    private final Formatter formatter = new SimpleFormatter();
    private final List<String> lines = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord line) {
      lines.add(formatter.formatMessage(line));
    }

    synchronized boolean has(String... parts) {
      return lines.stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void everythingElseIsServed() throws IOException, InterruptedException {
    String replication = " WITH replication = {'class': 'SimpleStrategy'};";
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      String _ =
          answer(
              daemon,
              "CREATE KEYSPACE r"
                  + replication
                  + TABLE
                  + ";CREATE KEYSPACE s"
                  + replication
                  + "CREATE TABLE s.t (id int PRIMARY KEY, v int);"
                  + "INSERT INTO r.mail (id, \"from\") VALUES (1, 'anna');"
                  + "INSERT INTO s.t (id, v) VALUES (1, 2)");
      daemon.take("{\"type\":\"a\",\"n\":1}");
    }
    Path data = directory.resolve("store");
    try (EmbeddedStore store = EmbeddedStore.open(StoreConfig.at(data), Runnable::run)) {
      BrokenSchema.write(store.extension(TableStore.class), "r", "table", "mail", BROKEN);
    }
    Log log = new Log();
    Logger.getLogger("widerow").addHandler(log);
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      assertTrue(log.has("table r.mail", "expected a column, got 'from'", BROKEN), "" + log.lines);
      HttpResponse<String> ready = daemon.http.get("/ready");
      assertEquals(200, ready.statusCode());
      assertTrue(ready.body().contains("table r.mail: cannot be read: line 1:"), ready.body());
      assertTrue(daemon.get("/v1/admin/doctor").contains("table r.mail"));
      daemon.take("{\"type\":\"a\",\"n\":2}");
      assertEquals("count\n2\n", answer(daemon, "SELECT count(*) FROM widerow.events"));
      assertEquals("id,v\n1,2\n", answer(daemon, "SELECT * FROM s.t"));
      Ran refused = ask(daemon, "INSERT INTO r.mail (id) VALUES (2)");
      assertTrue(refused.err().contains("keyspace r cannot be used"), refused.err());
      String _ =
          answer(
              daemon,
              "INSERT INTO s.t (id, v) VALUES (2, 3); CREATE TABLE s.u (a int PRIMARY KEY)");
      daemon.merge();
    } finally {
      Logger.getLogger("widerow").removeHandler(log);
    }
    Ran repaired =
        CommandDaemon.run(
            Map.of(), "check repair", "--data", data.toString(), "--statement", TABLE);
    assertEquals(0, repaired.code(), repaired.out() + repaired.err());
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      assertEquals("id,from\n1,anna\n", answer(daemon, "SELECT * FROM r.mail"));
      assertTrue(!daemon.get("/ready").contains("damaged"), daemon.get("/ready"));
    }
  }
}
