package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.loadgen.compare.BesideRun;
import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.DuckAnswers;
import io.widerow.loadgen.compare.HeavyQuery;
import io.widerow.loadgen.compare.QueryContest;
import io.widerow.loadgen.compare.Question;
import io.widerow.loadgen.compare.ServerProcess;
import io.widerow.loadgen.format.Csv;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.PeerReader;
import io.widerow.loadgen.wire.StoreAccessFiles;
import io.widerow.loadgen.wire.StoreProgram;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: tool and daemon understand each other, and the daemon keeps what it acknowledged, also
/// when it is killed. Method: small runs against the daemon that this build has packaged, started
/// by a script that stands where the launcher would.
@Tag("process")
class RealDaemonTest {
  private static final long FROM_NANOS = 1_795_000_020L * Quantity.SECOND;
  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path home;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void writeLauncher() throws IOException {
    Path libraries = TOP.resolve("ingest/cli/target/lib");
    assertTrue(
        Files.isDirectory(libraries), "no daemon in " + libraries + ": package ingest first");
    String pom = Files.readString(TOP.resolve("pom.xml"));
    Path java =
        Path.of(ProcessHandle.current().info().command().orElseThrow()); // this JDK runs it as well
    String options = String.join(" ", property(pom, "jvm.native"), property(pom, "jvm.serve"));
    Path launcher = home.resolve("widerow");
    Files.writeString(
        launcher,
        """
        #!/bin/sh
        exec '%s' %s -cp '%s/classes:%s/*' io.widerow.cli.Main "$@"
        """
            .formatted(java, options, libraries.getParent(), libraries));
    assertTrue(launcher.toFile().setExecutable(true));
  }

  private static String property(String pom, String name) {
    Matcher matcher = Pattern.compile("<" + name + ">(.*)</" + name + ">").matcher(pom);
    assertTrue(matcher.find(), name);
    return matcher.group(1);
  }

  private int load(String... arguments) {
    return LoadCommand.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }

  @Test
  void whatAKilledDaemonAcknowledgedIsThereOnce() {
    int code =
        load(
            "kill",
            "widerow-json:disk",
            "--home=" + home,
            "--work=" + home,
            "--batch=20",
            "--distinct=2000",
            "--connections=2",
            "--rate=1000",
            "--warmup=0s",
            "--duration=3s",
            "--every=1s",
            "--timeout=60s");
    assertEquals(0, code, err.toString() + out);
    assertTrue(out.toString().contains("each once, in order, nothing invented"), out.toString());
  }

  @Test
  void eventsWithFieldsComeBackAsTheyWereDrawn() throws Exception {
    CompareOptions options = CommandLine.populateCommand(new CompareOptions(), "--home=" + home);
    Workload workload =
        new Workload(
            Scenario.FIELDS, 1, 100, 2_000, 4, 1, 1, 0, 0, 0, FROM_NANOS, 30 * Quantity.MILLI);
    List<List<Sample>> samples = QueryContest.samples(workload, 4_000);
    Question.Subject subject = Question.Subject.fields(workload, samples, 4_000);
    DuckAnswers answers = new DuckAnswers(home, workload, samples);
    List<String> steps = new ArrayList<>();
    try (QueryContest contest = new QueryContest(workload, 4_000, subject, answers, steps::add)) {
      for (String name : List.of("widerow-json:os", "widerow-lines:os")) {
        contest.enter(
            options.contestant(name),
            List.of(Question.FIELD_ALL),
            home.resolve(name),
            new PrintWriter(err));
      }
      contest.check();
    }
    assertEquals(
        2, steps.stream().filter(step -> step.endsWith("4,000 rows")).count(), steps::toString);
  }

  @Test
  void heavyQuestionsAreAnsweredBesideWriting() throws IOException, InterruptedException {
    CompareOptions options = CommandLine.populateCommand(new CompareOptions(), "--home=" + home);
    Pace pace = new Pace(1_000, 0, Quantity.SECOND, Long.MAX_VALUE, 1, 30 * Quantity.SECOND);
    List<HeavyQuery> all = List.of(HeavyQuery.values());
    BesideRun.Plan plan = new BesideRun.Plan(Scenario.COUNTER, 10, 5_000, pace, 100, all, 0);
    try (BesideRun run =
        BesideRun.start(
            options.contestant("widerow-lines:os"),
            plan,
            home.resolve("data"),
            new PrintWriter(err))) {
      BesideRun.Turn turn = run.turn(true);
      assertEquals(0, turn.left());
      assertTrue(turn.millis(99) > 0);
    }
  }

  @Test
  void rowsOfADaemonOnCassandraAreReadInThisProcess() throws Exception {
    CassandraNode.require();
    InetSocketAddress http = ServerProcess.freeAddress();
    try (CassandraNode node = CassandraNode.start()) {
      List<String> command =
          List.of(
              home.resolve("widerow").toString(),
              "serve",
              "--data=" + home.resolve("data"),
              "--http=127.0.0.1:" + http.getPort(),
              "--set=store=" + node.uri("rows"));
      List<String> arguments = new ArrayList<>(List.of(plain(Target.WIDEROW_LINES, http)));
      arguments.addAll(List.of("--types=3", "--durability=quorum"));
      List<String> asked = new ArrayList<>();
      try (ServerProcess server = ServerProcess.start(command, home.resolve("log"))) {
        server.await(() -> HttpText.get(http, "/ready").status() == 200);
        assertEquals(0, load(arguments.toArray(String[]::new)), err.toString() + out);
        try (TimedQuery query = TimedQuery.open(http)) {
          query.get("/v1/query?format=csv&fields=body", line -> asked.add(row(line)));
        }
        server.stop();
      }
      asked.removeFirst(); // the titles
      assertTrue(asked.size() > 100, asked.size() + " rows");
      Path access = Files.createDirectories(home.resolve("access"));
      StoreAccessFiles.compile(TOP, access);
      try (PeerReader reader =
          StoreProgram.open(access, TOP.resolve("ingest/cli/target"), node.uri("rows"))) {
        assertEquals(asked, rows(reader, Long.MAX_VALUE, false));
        assertEquals(asked.reversed().subList(0, 10), rows(reader, 10, true));
      }
    }
  }

  /// Time in microseconds, type and body, of a row of CSV.
  private static String row(String line) {
    List<String> cells = Csv.cells(line.strip());
    return cells.get(1).startsWith("2")
        ? row(micros(Instant.parse(cells.get(1))), cells.get(2), cells.get(3))
        : line;
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static String row(long micros, String type, String body) {
    return micros + " " + type + " " + body;
  }

  private static List<String> rows(PeerReader reader, long limit, boolean descending)
      throws IOException {
    List<String> rows = new ArrayList<>();
    long read =
        reader.read(limit, descending, (micros, type, body) -> rows.add(row(micros, type, body)));
    assertEquals(rows.size(), read);
    return rows;
  }

  @Test
  void everyTargetIsReadBack() throws Exception {
    InetSocketAddress http = ServerProcess.freeAddress();
    Map<String, InetSocketAddress> ports = new HashMap<>();
    List<String> command =
        new ArrayList<>(
            List.of(
                home.resolve("widerow").toString(),
                "serve",
                "--data=" + home.resolve("data"),
                "--http=127.0.0.1:" + http.getPort()));
    List<Target> served = Stream.of(Target.values()).filter(Target::isDaemons).toList();
    for (Target target : served) {
      String key = target.portKey();
      if (key != null && !ports.containsKey(key)) {
        ports.put(key, ServerProcess.freeAddress());
        command.addAll(List.of("--set", key + "=127.0.0.1:" + ports.get(key).getPort()));
      }
    }
    try (ServerProcess server = ServerProcess.start(command, home.resolve("log"))) {
      server.await(() -> HttpText.get(http, "/ready").status() == 200);
      int minute = 0;
      for (Target target : served) {
        InetSocketAddress address = target.portKey() == null ? http : ports.get(target.portKey());
        int code = load(verified(target, Objects.requireNonNull(address), http, minute++));
        assertEquals(0, code, target + ": " + err + out);
      }
      server.stop();
    }
    long whole = out.toString().lines().filter(line -> line.contains("each once")).count();
    assertEquals(served.size(), whole, out.toString());
  }

  @Test
  void protocolsAreARowEach() throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "protocols",
                "bulk",
                "statsd",
                "--home=" + home,
                "--work=" + home,
                "--results=" + home.resolve("results"),
                "--rounds=1",
                "--seconds=1",
                "--warmup=0s",
                "--rate=1000"));
    int code = load(command.toArray(String[]::new));
    assertEquals(0, code, err.toString() + out);
    String figures = " \\| [0-9,]+ \\| [0-9.]+ \\| ";
    String table = out.toString();
    assertTrue(Pattern.compile("\\| bulk" + figures + "[0-9.]+ ").matcher(table).find(), table);
    assertTrue(Pattern.compile("\\| statsd" + figures + "- ").matcher(table).find(), table);
    String page = Files.readString(home.resolve("results/README.md"));
    assertTrue(page.contains("## Protocols"), page);
  }

  private String[] verified(
      Target target, InetSocketAddress address, InetSocketAddress http, int minute) {
    List<String> arguments = new ArrayList<>(List.of(plain(target, address)));
    arguments.add("--query-url=127.0.0.1:" + http.getPort());
    arguments.add("--ledger=" + home.resolve("ledger"));
    // Times do not overlap, so that each run reads back its own events alone.
    arguments.add("--from=2026-11-20T00:%02d:00Z".formatted(minute));
    arguments.add("--verify");
    return arguments.toArray(String[]::new);
  }

  private static String[] plain(Target target, InetSocketAddress address) {
    Scenario scenario = target.isSamples() ? Scenario.COUNTER : Scenario.BROKER;
    boolean alone = target.batchEventsMax() == 1;
    return new String[] {
      "--target=" + target.label,
      "--url=127.0.0.1:" + address.getPort(),
      "--scenario=" + scenario,
      "--batch=" + (alone ? 1 : 20),
      "--distinct=400",
      "--rate=" + (alone ? 200 : 2_000),
      "--warmup=0s",
      "--duration=300ms"
    };
  }
}
