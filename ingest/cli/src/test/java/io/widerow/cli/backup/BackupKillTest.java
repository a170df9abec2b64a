package io.widerow.cli.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.Main;
import io.widerow.cli.cql.CqlCommand;
import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a directory that is lost is restored to the last shipped moment, and to others before it:
/// with everything that was acknowledged before the moment and nothing that was sent after it,
/// events and rows of tables. Method: the daemon as a process, a ledger of what was sent and when;
/// the daemon is killed with batches in flight, its directory deleted, and the commands restore it.
/// Restored directories are verified, and opened by a daemon.
@Tag("process")
@Timeout(600)
class BackupKillTest {
  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");
  private static final Pattern CUT = Pattern.compile("as of (\\S+),");
  private static final Pattern CQL = Pattern.compile("cql on .*:(\\d+)");
  private static final int ROW_EVERY = 5;

  @TempDir private Path directory = Path.of(".");

  private final SplittableRandom random = new SplittableRandom(Seeds.one());
  private final List<Sent> ledger = new ArrayList<>();

  /// A batch of one event.
  ///
  /// @param end null when there was no answer
  private record Sent(int number, Instant begin, Instant end, boolean acknowledged) {}

  @Test
  void aLostDirectoryIsRestored() throws Exception {
    int kills = Slice.of("backup.kills", 1, 10);
    Path data = directory.resolve("store");
    String place = "file:" + directory.resolve("place");
    ServeProcess daemon = start(data, place);
    try {
      ask(
          daemon,
          "CREATE KEYSPACE s WITH replication = {'class': 'SimpleStrategy'};"
              + "CREATE TABLE s.log (n int PRIMARY KEY)");
      for (int life = 0; life <= kills; life++) {
        send(daemon, 40 + random.nextInt(60));
        if (life == 1) {
          assertEquals(200, daemon.send("POST", "/v1/admin/backup").statusCode());
        }
        Await.pause(Duration.ofMillis(random.nextInt(1_500)));
        if (life < kills) {
          daemon.kill();
          daemon = start(data, place);
        }
      }
      ServeProcess last = daemon;
      Await.until(() -> behind(last) == 0, "everything is shipped");
      assertTrue(status(daemon).contains("\"state\":\"shipping\""), status(daemon));
      daemon.kill();
    } finally {
      daemon.close();
    }
    ServeProcess.delete(data);
    Ran list = run("list", "--from", place);
    assertEquals(0, list.code(), list.err());
    assertEquals(kills + 1, list.out().lines().count(), list.out());
    Ran verified = run("verify", "--from", place);
    assertEquals(0, verified.code(), verified.out() + verified.err());
    check(place, "newest", null);
    for (int i = 0; i < Slice.of("backup.restores", 2, 100); i++) {
      Sent at = ledger.get(random.nextInt(ledger.size()));
      check(place, "r" + i, at.begin().toString());
    }
  }

  private static ServeProcess start(Path data, String place) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(ServeProcess.small(0)));
    arguments.addAll(List.of("--cql", "127.0.0.1:0", "--backup", place));
    arguments.addAll(List.of("--set", "backup-every=1s"));
    return ServeProcess.start(QuickJvm.shared(), data, arguments.toArray(String[]::new));
  }

  private static String status(ServeProcess daemon) throws IOException, InterruptedException {
    return daemon.get("/v1/status").body();
  }

  private static double behind(ServeProcess daemon) {
    try {
      Matcher behind = Pattern.compile("\"behindSeconds\":([0-9.]+)").matcher(status(daemon));
      return behind.find() ? Double.parseDouble(behind.group(1)) : -1;
    } catch (IOException | InterruptedException failure) {
      throw new AssertionError(failure);
    }
  }

  private void send(ServeProcess daemon, int count) throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      int number = ledger.size();
      Instant begin = Instant.now();
      HttpResponse<String> answer =
          daemon.post(
              "/v1/events",
              "application/x-ndjson",
              "{\"type\":\"t\",\"n\":%d}%n".formatted(number));
      if (number % ROW_EVERY == 0) {
        ask(daemon, "INSERT INTO s.log (n) VALUES (%d)".formatted(number));
      }
      ledger.add(new Sent(number, begin, Instant.now(), answer.statusCode() == 200));
      assertEquals(200, answer.statusCode(), answer.body());
      Await.pause(Duration.ofMillis(random.nextInt(60)));
    }
  }

  private static String ask(ServeProcess daemon, String statements) throws IOException {
    Matcher port = CQL.matcher(daemon.output());
    assertTrue(port.find(), daemon.output());
    Ran ran =
        CommandDaemon.run(
            Map.of(),
            shell -> Main.of(new CqlCommand(shell, InputStream.nullInputStream(), false), shell),
            "--to",
            "127.0.0.1:" + port.group(1),
            "--output",
            "csv",
            statements);
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  private static Ran run(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(arguments));
    return CommandDaemon.run(Map.of(), "backup", all.toArray(String[]::new));
  }

  /// Restores to a time, or to the newest moment, and compares with the ledger.
  private void check(String place, String name, @Nullable String at)
      throws IOException, InterruptedException {
    Path target = directory.resolve(name);
    Ran restored =
        at == null
            ? run("restore", "--from", place, "--data", target.toString())
            : run("restore", "--from", place, "--data", target.toString(), "--at", at);
    if (restored.code() == 66) { // before the first checkpoint
      assertTrue(restored.err().contains("the first checkpoint is of"), restored.err());
      return;
    }
    assertEquals(0, restored.code(), restored.err());
    Matcher said = CUT.matcher(restored.out());
    assertTrue(said.find(), restored.out());
    Instant cut = Instant.parse(said.group(1));
    assertFalse(at != null && cut.isAfter(Instant.parse(at)), restored.out());
    Ran whole = CommandDaemon.run(Map.of(), "check verify", "--data", target.toString());
    assertEquals(0, whole.code(), whole.out());
    try (ServeProcess daemon =
        ServeProcess.start(QuickJvm.shared(), target, "--cql", "127.0.0.1:0")) {
      Set<Integer> shown = numbers(daemon.get("/v1/query?type=t&from=1d&limit=100000").body());
      Set<Integer> rows = rows(ask(daemon, "SELECT n FROM s.log"));
      for (Sent sent : ledger) {
        if (sent.end().isBefore(cut)) {
          assertTrue(shown.contains(sent.number()), () -> cut + " lacks " + sent);
          assertTrue(
              sent.number() % ROW_EVERY > 0 || rows.contains(sent.number()),
              () -> cut + " lacks the row of " + sent);
        } else if (sent.begin().isAfter(cut)) {
          assertFalse(shown.contains(sent.number()), () -> cut + " has " + sent);
          assertFalse(rows.contains(sent.number()), () -> cut + " has the row of " + sent);
        }
      }
    }
  }

  private static Set<Integer> numbers(String lines) {
    Set<Integer> numbers = new TreeSet<>();
    Matcher each = NUMBER.matcher(lines);
    while (each.find()) {
      assertTrue(numbers.add(Integer.parseInt(each.group(1))), "twice: " + each.group(1));
    }
    return numbers;
  }

  private static Set<Integer> rows(String table) {
    Set<Integer> rows = new TreeSet<>();
    table
        .lines()
        .map(String::strip)
        .filter(line -> line.matches("\\d+"))
        .forEach(line -> rows.add(Integer.parseInt(line)));
    return rows;
  }
}
