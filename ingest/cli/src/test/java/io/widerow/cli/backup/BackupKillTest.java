package io.widerow.cli.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cli.Main;
import io.widerow.cli.cql.CqlCommand;
import io.widerow.faults.Await;
import io.widerow.faults.Certificates;
import io.widerow.faults.FaultyProxy;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.S3Server;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.faults.Slice;
import io.widerow.storage.PemFiles;
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
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a directory that is lost is restored to the last shipped moment, and to others before it:
/// with everything that was acknowledged before the moment and nothing that was sent after it,
/// events and rows of tables; and no output has the secret of the place. Method: the daemon as a
/// process, a ledger of what was sent and when; the daemon is killed with batches in flight, its
/// directory deleted, and the commands restore it. Restored directories are verified, and opened by
/// a daemon. The place is a directory, or a bucket of one of two servers, behind a network that
/// loses, cuts and refuses one of ten requests; to one of them it is encrypted.
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

  private String place = "";
  private Instant tablesAt = Instant.MAX;
  private List<String> keys = List.of(); // of the server of the place, and their values

  @Test
  void aDirectoryThatIsLostIsRestored() throws Exception {
    place = "file:" + directory.resolve("place");
    aLostDirectoryIsRestored();
  }

  @ParameterizedTest
  @EnumSource(S3Server.Kind.class)
  void itIsRestoredFromABucket(S3Server.Kind kind) throws Exception {
    Path certificate = directory.resolve("certificate.pem");
    Path key = directory.resolve("key.pem");
    Certificates.ofThisMachine().write(certificate, key);
    boolean isTls = kind == S3Server.Kind.S3PROXY;
    ServerSocketFactory sockets =
        isTls
            ? PemFiles.context(null, certificate, key).getServerSocketFactory()
            : ServerSocketFactory.getDefault();
    try (var server = new S3Server(kind, directory.resolve("server"));
        var proxy = new FaultyProxy(server.port(), random.nextLong(), sockets)) {
      proxy.failOneIn(10);
      place = "s3://" + S3Server.BUCKET + "/w";
      Path credentials = S3Server.credentials(directory.resolve("credentials"));
      keys =
          List.of(
              "s3-endpoint",
              (isTls ? "https" : "http") + "://127.0.0.1:" + proxy.port(),
              "s3-credentials-file",
              credentials.toString());
      if (isTls) {
        keys = new ArrayList<>(keys);
        keys.addAll(List.of("s3-ca", certificate.toString()));
      }
      aLostDirectoryIsRestored();
      System.out.printf("%s: %d faults in %d requests%n", kind, proxy.faults(), proxy.requests());
    }
  }

  private void aLostDirectoryIsRestored() throws Exception {
    int kills = Slice.of("backup.kills", 1, 10);
    Path data = directory.resolve("store");
    ServeProcess daemon = start(data);
    try {
      ask(
          daemon,
          "CREATE KEYSPACE s WITH replication = {'class': 'SimpleStrategy'};"
              + "CREATE TABLE s.log (n int PRIMARY KEY)");
      tablesAt = Instant.now();
      for (int life = 0; life <= kills; life++) {
        send(daemon, 40 + random.nextInt(60));
        if (life == 1) {
          assertEquals(200, daemon.send("POST", "/v1/admin/backup").statusCode());
        }
        Await.pause(Duration.ofMillis(random.nextInt(1_500)));
        if (life < kills) {
          daemon.kill();
          daemon = start(data);
        }
      }
      ServeProcess last = daemon;
      Await.until(() -> behind(last) == 0, "everything is shipped");
      assertTrue(status(daemon).contains("\"state\":\"shipping\""), status(daemon));
      assertFalse(status(daemon).contains(S3Server.SECRET), status(daemon));
      daemon.kill();
      assertFalse(daemon.output().contains(S3Server.SECRET), daemon.output());
    } finally {
      daemon.close();
    }
    ServeProcess.delete(data);
    Ran list = run("list");
    assertEquals(0, list.code(), list.err());
    long spans = list.out().lines().count();
    boolean hasFaults = !keys.isEmpty(); // a life may end before its first checkpoint is there
    assertTrue(hasFaults ? spans >= 1 && spans <= kills + 1 : spans == kills + 1, list.out());
    Ran verified = run("verify");
    assertEquals(0, verified.code(), verified.out() + verified.err());
    check("newest", null);
    for (int i = 0; i < Slice.of("backup.restores", 2, 20); i++) {
      Sent at = ledger.get(random.nextInt(ledger.size()));
      check("r" + i, at.begin().toString());
    }
  }

  private ServeProcess start(Path data) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(ServeProcess.small(0)));
    arguments.addAll(List.of("--cql", "127.0.0.1:0", "--backup", place));
    arguments.addAll(List.of("--set", "backup-every=1s"));
    for (int i = 0; i < keys.size(); i += 2) {
      arguments.addAll(List.of("--set", keys.get(i) + "=" + keys.get(i + 1)));
    }
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

  private Ran run(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command, "--from", place));
    for (int i = 0; i < keys.size(); i += 2) {
      all.addAll(List.of("--" + keys.get(i), keys.get(i + 1)));
    }
    all.addAll(List.of(arguments));
    Ran ran = CommandDaemon.run(Map.of(), "backup", all.toArray(String[]::new));
    assertFalse((ran.out() + ran.err()).contains(S3Server.SECRET), ran.err());
    return ran;
  }

  /// Restores to a time, or to the newest moment, and compares with the ledger.
  private void check(String name, @Nullable String at) throws IOException, InterruptedException {
    Path target = directory.resolve(name);
    Ran restored =
        at == null
            ? run("restore", "--data", target.toString())
            : run("restore", "--data", target.toString(), "--at", at);
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
      boolean hasTables = cut.isAfter(tablesAt);
      Set<Integer> rows = hasTables ? rows(ask(daemon, "SELECT n FROM s.log")) : Set.of();
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
