package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Comparison;
import io.widerow.loadgen.compare.ComparisonFolder;
import io.widerow.loadgen.compare.ContestRun;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.DuckAnswers;
import io.widerow.loadgen.compare.FieldTable;
import io.widerow.loadgen.compare.Figure;
import io.widerow.loadgen.compare.OtherWork;
import io.widerow.loadgen.compare.PairedRatio;
import io.widerow.loadgen.compare.PairedRuns;
import io.widerow.loadgen.compare.QueryContest;
import io.widerow.loadgen.compare.Question;
import io.widerow.loadgen.compare.ResultOptions;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.run.LatencyLog;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.PaceOptions;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.NullSink;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import io.widerow.loadgen.workload.WorkloadOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load compare`: two contestants take turns on the same events.
@Command(
    name = "compare",
    description = {
      "Runs two contestants in turn (A B B A ...) on the same events, each run on a fresh"
          + " directory, and reports by how much they differ.",
      "Contestants: every --target of `load` that Widerow serves, with :disk, :os or :memory, or on"
          + " a node of Cassandra with :cluster-disk or :cluster-quorum; questdb:nosync|sync,"
          + " cassandra:periodic|batch, victoria:memory; a suffix `@DIR` names another checkout;"
          + " victorialogs@http://HOST:PORT, a server that you started.",
      "With --queries fields: gives each contestant the same --events (default 3M; 25 hours, 4"
          + " types) of an access log with seven fields, checks its results against DuckDB's, then"
          + " times 19 queries in turn and prints them in ratio to A's. Contestants: widerow-json,"
          + " widerow-lines, questdb, duckdb, and victorialogs on an empty server."
    })
final class CompareCommand extends LoadgenCommand {
  private static final int BUSY_MAX = 64;
  private static final long FIELDS_EVENTS = 3_000_000;
  private static final long FIELDS_EVENTS_MAX = 1_000_000_000;
  private static final long REHEARSAL_NANOS = 3 * Quantity.SECOND;

  @Parameters(index = "0", paramLabel = "A")
  private String nameA = "";

  @Parameters(index = "1", paramLabel = "B")
  private String nameB = "";

  @Parameters(index = "2..*", paramLabel = "C", description = "with --queries: further ones")
  private List<String> more = List.of();

  @Option(
      names = "--queries",
      paramLabel = "SET",
      description = "time queries instead of ingest: fields")
  private @Nullable String queries;

  @Option(names = "--pairs", defaultValue = "5", description = "pairs that must count")
  private int pairs;

  @Option(
      names = "--busy",
      defaultValue = "0",
      paramLabel = "N",
      description = "other programs that compute during the run, one a processor")
  private int busy;

  @Mixin private final CompareOptions options = new CompareOptions();
  @Mixin private final ResultOptions output = new ResultOptions();
  @Mixin private final WorkloadOptions workloadOptions = new WorkloadOptions();
  @Mixin private final PaceOptions paceOptions = new PaceOptions();

  private final Map<Target, BatchPool> pools = new EnumMap<>(Target.class);

  /// Events are encoded once for each target, before anything is measured.
  private BatchPool pool(Contestant contestant, Workload workload, Pace pace) {
    return pools.computeIfAbsent(
        contestant.target(), t -> BatchPool.prepare(workload, t, pace.connections()));
  }

  @Override
  public Integer call() throws Exception {
    if (queries != null) {
      return queries(queries);
    }
    if (!more.isEmpty()) {
      throw new IllegalArgumentException(
          "only --queries compares more than two contestants, got " + more.getFirst());
    }
    Contestant a = options.contestant(nameA);
    Contestant b = options.contestant(nameB);
    for (Contestant contestant : List.of(a, b)) {
      if (contestant.target().way == Target.Way.DATAGRAMS) {
        throw new IllegalArgumentException("what " + contestant + " loses would count as a rate");
      }
      if (contestant.kind() == Contestant.Kind.DUCKDB) {
        throw new IllegalArgumentException(contestant + " is compared with --queries only");
      }
    }
    requireBusy();
    Workload workload = workloadOptions.workload(Instant.now(), paceOptions.rate());
    Pace pace = paceOptions.pace();
    paceOptions.refuseStages("compare");
    PrintWriter out = out();
    String name = Comparison.name("compare-" + workload.scenario().type, a, b);
    Path work = options.workDirectory();
    try (var other = new OtherWork(busy)) {
      String limit = rehearse(a, workload, pace) + rehearse(b, workload, pace);
      out.print(limit);
      ComparisonFolder folder = output.begin(work, name, arguments());
      Turns turns = new Turns(workload, pace, work, folder, name);
      PairedRuns<ContestRun.Outcome> runs =
          new PairedRuns<>(
              pair -> turn(a, "a", pair, turns),
              pair -> turn(b, "b", pair, turns),
              outcome -> outcome.report().costs().stealShare(),
              pairs,
              options.budgetNanos());
      runs.execute();
      Comparison comparison = comparison(name, what(workload, pace, other), a, b, runs);
      folder.finish(comparison, "\n" + limit);
      output.show(comparison.table(), folder, out);
      return isWhole(runs) ? ExitCode.OK : ExitCode.FAILURES;
    } finally {
      FileTree.remove(work);
    }
  }

  private void requireBusy() {
    if (busy < 0 || busy > BUSY_MAX) {
      throw new IllegalArgumentException(
          "--busy must be 0 to %d, got %d".formatted(BUSY_MAX, busy));
    }
  }

  /// Compares the queries of all contestants.
  private int queries(String set) throws IOException, InterruptedException {
    if (!set.equals("fields")) {
      throw new IllegalArgumentException("--queries: the set is fields, got '" + set + "'");
    }
    requireBusy();
    List<Contestant> contestants = new ArrayList<>();
    for (String name : Stream.concat(Stream.of(nameA, nameB), more.stream()).toList()) {
      contestants.add(fieldContestant(name));
    }
    Pace pace = paceOptions.pace();
    paceOptions.refuseStages("compare");
    long events = pace.eventLimit() == Long.MAX_VALUE ? FIELDS_EVENTS : pace.eventLimit();
    if (events > FIELDS_EVENTS_MAX) {
      throw new IllegalArgumentException(
          "--events: --queries fields has at most %d, got %d".formatted(FIELDS_EVENTS_MAX, events));
    }
    Workload workload = workloadOptions.fields(Instant.now(), events);
    QueryContest.requireComparable(workload, events);
    Path work = options.workDirectory();
    try (var other = new OtherWork(busy)) {
      List<List<Sample>> samples = QueryContest.samples(workload, events);
      Question.Subject subject = Question.Subject.fields(workload, samples, events);
      DuckAnswers answers =
          new DuckAnswers(Files.createDirectories(work.resolve("right")), workload, samples);
      List<Question> all = Question.aboutFields(contestants.getFirst());
      answers.answer(DuckAnswers.program(options.home), all, subject, events);
      StringBuilder steps = new StringBuilder();
      Consumer<String> report =
          line -> {
            steps.append("- ").append(line).append('\n');
            print(line);
          };
      try (QueryContest contest = new QueryContest(workload, events, subject, answers, report)) {
        for (Contestant contestant : contestants) {
          Path data = work.resolve("data" + contest.entrants().size());
          contest.enter(contestant, Question.aboutFields(contestant), data, err());
        }
        contest.check();
        contest.warmUp(pace.warmupNanos());
        String name = Comparison.name("fields", contestants.getFirst(), contestants.getLast());
        ComparisonFolder folder = output.begin(work, name, arguments());
        FieldTable table =
            FieldTable.of(
                name,
                what(workload, events, subject, other),
                contest,
                contest.run(pairs, options.budgetNanos(), folder, name));
        folder.finish(table.comparisons(), table.text() + "\n" + steps);
        output.show(table.text(), folder, out());
        return table.runs().a().size() == pairs ? ExitCode.OK : ExitCode.FAILURES;
      }
    } finally {
      FileTree.remove(work);
    }
  }

  private Contestant fieldContestant(String name) throws IOException {
    Contestant found = options.contestant(name);
    boolean asked =
        switch (found.kind()) {
          case WIDEROW -> found.target().carries(Scenario.FIELDS) && !found.isOnCluster();
          case QUESTDB, VICTORIALOGS, DUCKDB -> true;
          case CASSANDRA, VICTORIA -> false;
        };
    if (!asked) {
      throw new IllegalArgumentException(
          "--queries fields is put to widerow-json, widerow-lines, questdb, duckdb and"
              + " victorialogs, got "
              + name);
    }
    return found;
  }

  private static String what(
      Workload workload, long events, Question.Subject subject, OtherWork other) {
    return "queries over %s events with fields of %d types%s; word '%s', substrings '%s' and '%s'"
        .formatted(
            Quantity.count((double) events),
            workload.types(),
            other.words(),
            subject.values().get("word"),
            subject.values().get("part"),
            subject.values().get("rare"));
  }

  private boolean isWhole(PairedRuns<ContestRun.Outcome> runs) {
    return runs.a().size() == pairs
        && runs.a().stream().allMatch(o -> o.report().result().failedBatches() == 0)
        && runs.b().stream().allMatch(o -> o.report().result().failedBatches() == 0);
  }

  private static String what(Workload workload, Pace pace, OtherWork other) {
    return "%s, %s, batches of %d, %d connections%s, %s after %s of warm-up"
        .formatted(
            workload.scenario().name().toLowerCase(Locale.ROOT),
            pace.rate() == 0 ? "at full rate" : pace.rates() + " events/s on a fixed schedule",
            workload.batchEvents(),
            pace.connections(),
            other.words(),
            Quantity.time(pace.durationNanos()),
            Quantity.time(pace.warmupNanos()));
  }

  /// Measures the load generator alone, with the same bytes sent to a null sink.
  private String rehearse(Contestant contestant, Workload workload, Pace pace)
      throws IOException, InterruptedException {
    BatchPool pool = pool(contestant, workload, pace);
    if (contestant.target().way != Target.Way.HTTP) {
      return ""; // the sink answers HTTP/1.1 alone
    }
    try (NullSink sink = new NullSink()) {
      Endpoint endpoint = new Endpoint(contestant.target(), "127.0.0.1", sink.port(), null, null);
      Pace alone =
          new Pace(
              0,
              REHEARSAL_NANOS,
              REHEARSAL_NANOS,
              Long.MAX_VALUE,
              pace.connections(),
              pace.timeoutNanos());
      RunResult result = new LoadRun(endpoint, workload, alone, pool, 0).execute();
      return String.format(
          Locale.ROOT,
          "The tool alone, %s into a null sink: %s events/s, %.3f us CPU/event in the sending"
              + " threads, so %s events/s a core.%n",
          contestant.target(),
          Quantity.count(result.eventsPerSecond()),
          result.clientCpuMicrosPerEvent(),
          Quantity.count(1e6 / result.clientCpuMicrosPerEvent()));
    }
  }

  static Comparison comparison(
      String name, String what, Contestant a, Contestant b, PairedRuns<ContestRun.Outcome> runs)
      throws IOException {
    List<Comparison.Row> rows = new ArrayList<>();
    for (Figure figure : Figure.values()) {
      PairedRatio ratio = PairedRatio.of(runs, figure::of);
      if (ratio.medianA() > 0 || ratio.medianB() > 0) {
        rows.add(new Comparison.Row(figure.title, figure.decimals, ratio));
      }
    }
    return Comparison.of(name, what, a, b, runs, rows);
  }

  /// What the turns of both contestants have in common.
  private record Turns(
      Workload workload, Pace pace, Path work, ComparisonFolder folder, String comparison) {}

  private ContestRun.Outcome turn(Contestant contestant, String label, int pair, Turns turns)
      throws IOException, InterruptedException {
    String name = "%02d%s".formatted(pair, label);
    Path data = Files.createDirectories(turns.work).resolve(name);
    BatchPool pool = pool(contestant, turns.workload, turns.pace);
    ContestRun.Outcome outcome;
    try (LatencyLog log = turns.folder.log(name)) {
      outcome =
          new ContestRun(contestant, turns.workload, turns.pace, pool, err())
              .execute(turns.comparison + "/" + name, data, log);
    }
    FileTree.remove(data);
    turns.folder.run(outcome.members(turns.comparison, pair));
    if (output.plots) {
      turns.folder.plots(label, outcome);
    }
    print(pair + "  " + ContestRun.summary(contestant, outcome));
    return outcome;
  }
}
