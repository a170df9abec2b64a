package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.wire.FakeTarget;
import io.widerow.loadgen.wire.NullSink;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the program reports the outcome in its exit code, its tables and its files. Method: whole
/// runs against a fake target.
class LoadCommandTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int load(String... arguments) {
    return LoadCommand.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }

  private int shortLoad(FakeTarget target, String... more) {
    List<String> arguments = List.of("--url", target.url(), "--batch=10", "--distinct=100");
    List<String> pace = List.of("--warmup=100ms", "--duration=300ms", "--rate=2000");
    return load(
        Stream.of(arguments, pace, List.of(more)).flatMap(List::stream).toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "--rate=0, 0",
    "--scenario=lunar, lunar",
    "--target=carrier-pigeon, carrier-pigeon",
    "--late=2, 2.0",
    "--target=prw, access",
    "--target=gelf, 1000",
    "--duration=fast, --duration",
    "--distinct=x, --distinct",
    "--rate=10k.., 10k..",
    "--durability=stone, stone",
    "--from=yesterday, yesterday",
    "--max-p99=5, 5",
    "--url=nowhere, nowhere",
    "--connections=0, 0",
    "--read=latest, latest",
    "--read=moon=3, moon",
    "--every=1ms, 1000.0 us",
    "--max-slip=soon, soon",
    "--stages=fast, fast",
    "--stages=10k..x/5s, 10k..x/5s",
    "--rate=5k..0, 5k..0"
  })
  void impossibleOptionIsOneSentenceWithItsValue(String option, String value) {
    assertEquals(ExitCode.USAGE, load(option));
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(err.toString().contains(value), err.toString());
  }

  @Test
  void impossibleContestantsAreSaid() {
    assertEquals(ExitCode.USAGE, load("compare", "smoke:disk", "otlp:disk"));
    assertTrue(err.toString().contains("'smoke:disk'; there are widerow-text, "), err.toString());
    assertTrue(err.toString().contains("cluster-quorum; questdb:nosync|sync"), err.toString());
    assertEquals(ExitCode.USAGE, load("compare", "otlp:stone", "otlp:disk"));
    assertTrue(
        err.toString()
            .contains("otlp has [disk, os, memory, cluster-disk, cluster-quorum], not 'stone'"),
        err::toString);
    assertEquals(ExitCode.USAGE, load("compare", "otlp:disk", "bulk:disk", "--node-heap=lots"));
    assertTrue(err.toString().contains("'lots'"), err.toString());
    assertEquals(ExitCode.USAGE, load("compare", "statsd-udp:disk", "prw:disk"));
    assertEquals(ExitCode.USAGE, load("kill", "graphite:disk"));
    assertEquals(ExitCode.USAGE, load("kill", "widerow-text:cluster-disk"));
    assertEquals(ExitCode.USAGE, load("growth", "widerow-text:cluster-disk"));
    assertEquals(ExitCode.USAGE, load("types", "widerow-lines:cluster-disk"));
    assertEquals(ExitCode.USAGE, load("beside", "widerow-lines:cluster-disk"));
    assertEquals(ExitCode.USAGE, load("beside", "--scenario=access", "--queries=scan,read"));
    assertTrue(err.toString().contains("--queries read has no result"), err.toString());
    assertEquals(ExitCode.USAGE, load("queries", "otlp:cluster-disk", "cassandra"));
  }

  @ParameterizedTest
  @CsvSource({
    "otlp:disk bulk:disk --queries=moon, 'moon'",
    "widerow-json questdb cassandra --queries=fields, got cassandra",
    "otlp questdb --queries=fields, got otlp",
    "widerow-json questdb widerow-lines, got widerow-lines",
    "widerow-json questdb --queries=fields --scenario=devops, got DEVOPS",
    "widerow-json questdb --queries=fields --events=1500, 1500",
    "widerow-json questdb --queries=fields --events=2G, 2000000000",
    "widerow-json questdb --queries=fields --late=0.1, --late 0.1",
    "widerow-json questdb --queries=fields --lines=absent.log, absent.log",
    "widerow-json questdb --queries=fields --busy=-1, -1",
    "widerow-json duckdb, duckdb:file is compared with --queries only",
    "widerow-json victorialogs@elsewhere --queries=fields, 'elsewhere'",
    "widerow-json questdb --lines=some.log, only --scenario fields reads a log",
    "widerow-text questdb --scenario=fields, not --scenario fields",
  })
  void impossibleQueriesOverFieldsAreSaid(String arguments, String said) {
    String[] words = ("compare " + arguments + " --home=" + directory).split(" ", -1);
    assertEquals(ExitCode.USAGE, load(words), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(err.toString().contains(said), err.toString());
  }

  @Test
  void eventsWithoutNumbersCannotBeVerified() {
    assertEquals(ExitCode.USAGE, load("--target=widerow-json", "--scenario=fields", "--verify"));
    assertTrue(err.toString().contains("--verify finds events by their number"), err::toString);
  }

  @Test
  void helpOfCompareNamesTheSetsOfQueriesAndFitsATerminal() {
    assertEquals(ExitCode.OK, load("compare", "--help"));
    String help = out.toString();
    assertTrue(help.contains("With --queries fields"), help);
    assertTrue(help.lines().allMatch(line -> line.length() <= 80), help);
  }

  @ParameterizedTest
  @CsvSource({"nosuch", "cassandra", "null"})
  void protocolThatIsNoneIsSaidWithThoseThatThereAre(String name) {
    assertEquals(ExitCode.USAGE, load("protocols", "bulk", name));
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(
        err.toString()
            .contains("'" + name + "' is no protocol of Widerow; there are widerow-text, "),
        err.toString());
    assertEquals(ExitCode.USAGE, load("protocols", "bulk", "--durability=cluster-disk"));
    assertTrue(err.toString().contains("on one machine"), err.toString());
  }

  @Test
  void targetThatThereIsNotIsSaidWithThoseThatThereAre() {
    assertEquals(ExitCode.USAGE, load("--target=nosuch"));
    assertTrue(err.toString().contains("'nosuch'; there are widerow-text, "), err.toString());
  }

  @Test
  void levelBelowTheOneAskedForIsAFailure() throws IOException {
    try (FakeTarget target = new FakeTarget().naming("disk")) {
      assertEquals(ExitCode.FAILURES, shortLoad(target, "--durability=quorum"), err.toString());
      assertTrue(
          target.requests.stream().allMatch(request -> request.contains("durability=quorum")),
          target.requests.toString());
    }
    assertTrue(out.toString().contains("weaker"), out.toString());
  }

  @Test
  void helpNamesEveryTarget() {
    assertEquals(ExitCode.OK, load("--help"));
    String help = out.toString().replaceAll("\\s+", " ");
    for (Target target : Target.values()) {
      assertTrue(help.contains(target.label), target + " in " + help);
    }
  }

  @Test
  void targetThatIsDownIsSaid() throws IOException {
    String nobody;
    try (FakeTarget target = new FakeTarget()) {
      nobody = target.url();
    }
    assertEquals(ExitCode.UNAVAILABLE, load("--url", nobody));
    assertTrue(err.toString().contains(nobody), err.toString());
  }

  @Test
  void folderLineAndTableAreWritten() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      long self = ProcessHandle.current().pid();
      assertEquals(
          0,
          shortLoad(
              target,
              "--results=" + directory,
              "--note=fake",
              "--plots",
              "--pid=" + self,
              "--data-dir=" + directory),
          err.toString());
    }
    assertTrue(out.toString().contains("slip"), out.toString());
    String line = Files.readString(directory.resolve("data/runs.ndjson"));
    Map<String, String> run = FlatJson.parse(line.strip());
    assertEquals("600", run.get("events"));
    assertEquals("fake", run.get("note"));
    assertTrue(Double.parseDouble(run.get("target_us_per_event")) > 0, line);
    assertTrue(Files.readString(directory.resolve("README.md")).contains(run.get("run")));
    Path folder = directory.resolve("runs").resolve(run.get("run"));
    assertTrue(run.getOrDefault("command", "").contains(" --plots "), line);
    assertTrue(run.getOrDefault("machine", "").contains(" cores, "), line);
    String environment = Files.readString(folder.resolve("environment.txt"));
    assertTrue(environment.contains("target flags: -Xmx512m"), environment);
    for (String file :
        List.of(
            "command.txt",
            "environment.txt",
            "report.txt",
            "response.hlog",
            "service.hgrm",
            "slip.hgrm",
            "latency.png",
            "rate.png")) {
      assertTrue(Files.size(folder.resolve(file)) > 0, file);
    }
  }

  @Test
  void readsWhileItWrites() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(0, shortLoad(target, "--read=latest=50", "--results=" + directory));
      assertTrue(
          target.requests.stream().anyMatch(r -> r.startsWith("GET /v1/query?format=csv&type=")),
          target.requests.toString());
    }
    String line = Files.readString(directory.resolve("data/runs.ndjson"));
    Map<String, String> run = FlatJson.parse(line.strip());
    assertTrue(Long.parseLong(run.get("read_latest_answers")) > 0, line);
    assertEquals("0", run.get("read_latest_failed"));
  }

  @Test
  void everyStageIsARunOfItsOwn() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      String results = "--results=" + directory;
      assertEquals(0, shortLoad(target, "--stages=1k,2k", results), err.toString());
    }
    String lines = Files.readString(directory.resolve("data/runs.ndjson"));
    assertEquals(
        List.of("1000", "2000"),
        lines.lines().map(line -> FlatJson.parse(line).get("rate_asked")).toList());
  }

  @Test
  void rampSendsTheIntegralOfItsRate() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      String stage = "--stages=1k..3k/500ms";
      assertEquals(0, shortLoad(target, stage, "--results=" + directory), err.toString());
    }
    String line = Files.readString(directory.resolve("data/runs.ndjson"));
    Map<String, String> run = FlatJson.parse(line.strip());
    assertEquals("1000..3000", run.get("ramp"));
    // 100 events of warm-up, 1,000 on the ramp.
    assertEquals("1000", run.get("events"));
  }

  @Test
  void figureBeyondItsBoundIsExitCode99() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(ExitCode.BOUND, shortLoad(target, "--max-p99=1ns"));
    }
  }

  @Test
  void targetThatAnswersTooSlowlyIsAnExitCode() throws IOException {
    try (FakeTarget target = new FakeTarget().stallingOnce(20, 60_000)) {
      assertEquals(
          ExitCode.FAILURES,
          shortLoad(target, "--connections=1", "--timeout=200ms"),
          out::toString);
      assertTrue(out.toString().contains("slow"), out.toString());
    }
  }

  @Test
  void fileThatIsNotThereIsSaid() {
    assertEquals(ExitCode.FILE, load("--target=null", "--replay=absent.pool"));
    assertEquals("widerow load: absent.pool: no such file or directory", err.toString().strip());
  }

  @Test
  void nullSinkMayBeAProcessOfItsOwn() throws IOException {
    try (NullSink sink = new NullSink()) {
      String[] there = {"--target=null", "--url=127.0.0.1:" + sink.port(), "--duration=200ms"};
      assertEquals(0, load(there), err.toString());
      assertTrue(out.toString().contains("127.0.0.1:" + sink.port()), out.toString());
    }
    assertEquals(ExitCode.USAGE, load("sink", "--port=70000"));
    assertTrue(err.toString().contains("70000"), err.toString());
  }

  @Test
  void slipBeyondItsBoundIsExitCode99() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(ExitCode.BOUND, shortLoad(target, "--max-slip=1ns"));
      assertEquals(ExitCode.OK, shortLoad(target, "--max-slip=1h", "--min-rate=1"));
    }
  }

  @Test
  void failedBatchesAreAnExitCode() throws IOException {
    try (FakeTarget target = new FakeTarget().answering(503)) {
      assertEquals(ExitCode.FAILURES, shortLoad(target));
      assertTrue(out.toString().contains("overloaded"), out.toString());
    }
  }

  @Test
  void picturesAreDrawnOnDemandOnly() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(0, shortLoad(target, "--results=" + directory), err.toString());
    }
    try (Stream<Path> files = Files.walk(directory)) {
      assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".png")).toList());
    }
  }

  @Test
  void pageThatSomebodyElseWroteIsLeftAlone() throws IOException {
    Path page = Files.writeString(directory.resolve("README.md"), "ours\n");
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(ExitCode.USAGE, shortLoad(target, "--results=" + directory));
      assertEquals(List.of(), target.bodies);
    }
    assertTrue(err.toString().contains(page.toString()), err.toString());
    assertEquals("ours\n", Files.readString(page));
  }

  @Test
  void reportWritesThePageFromTheDataAlone() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(0, shortLoad(target, "--results=" + directory), err.toString());
    }
    Path page = directory.resolve("README.md");
    String written = Files.readString(page);
    Files.delete(page);
    assertEquals(0, load("report", directory.toString()), err.toString());
    assertEquals(written, Files.readString(page));
    assertEquals(ExitCode.FILE, load("report", directory.resolve("absent").toString()));
    assertTrue(err.toString().contains("absent"), err.toString());
  }

  @Test
  void anOlderRunIsPrunedWithItsLine() throws IOException {
    Path older = Files.createDirectories(directory.resolve("runs/20200101T000000-null-access-max"));
    Path data = Files.createDirectories(directory.resolve("data")).resolve("runs.ndjson");
    try (NullSink sink = new NullSink()) {
      String[] there = {
        "--target=null",
        "--url=127.0.0.1:" + sink.port(),
        "--duration=200ms",
        "--warmup=100ms",
        "--results=" + directory
      };
      assertEquals(0, load(there), err.toString());
      String newest = Files.readString(data);
      Map<String, String> run = FlatJson.parse(newest.strip());
      String name = older.getFileName().toString();
      Files.writeString(data, newest.replace(run.get("run"), name) + newest);
      assertEquals(0, load("report", directory.toString(), "--prune"), err.toString());
      assertTrue(Files.isDirectory(directory.resolve("runs").resolve(run.get("run"))));
      assertFalse(Files.exists(older));
      assertEquals(newest, Files.readString(data));
    }
  }

  @Test
  void preparedEventsAreReplayedAndOthersRefused() throws IOException {
    String file = directory.resolve("events").toString();
    try (FakeTarget target = new FakeTarget()) {
      assertEquals(0, shortLoad(target, "--from=2026-11-20T00:00:00Z"), err.toString());
      Set<String> fresh = Set.copyOf(target.bodies);
      target.bodies.clear();
      assertEquals(0, shortLoad(target, "--prepare=" + file), err.toString());
      assertEquals(List.of(), target.bodies);
      assertEquals(0, shortLoad(target, "--from=2026-11-20T00:00:00Z", "--replay=" + file));
      assertEquals(fresh.size(), Set.copyOf(target.bodies).size());
      assertEquals(ExitCode.USAGE, shortLoad(target, "--seed=2", "--replay=" + file));
      assertTrue(err.toString().contains("seed=2"), err.toString());
    }
  }
}
