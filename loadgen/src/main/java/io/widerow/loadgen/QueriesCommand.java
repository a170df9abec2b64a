package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Comparison;
import io.widerow.loadgen.compare.ComparisonFolder;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.DuckAnswers;
import io.widerow.loadgen.compare.PairedRatio;
import io.widerow.loadgen.compare.PairedRuns;
import io.widerow.loadgen.compare.QueriedStore;
import io.widerow.loadgen.compare.QueryContest;
import io.widerow.loadgen.compare.Question;
import io.widerow.loadgen.compare.ResultOptions;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.workload.LineWord;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import io.widerow.loadgen.workload.WorkloadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load queries`: compares two contestants that hold the same events and answer the same
/// queries in turn.
@Command(
    name = "queries",
    description = {
      "Loads the same --events into two contestants, checks each result against DuckDB's on the"
          + " same rows, and then times their queries in turn.",
      "All rows in order as CSV and as JSON, and the latest 100; of access and broker also a word"
          + " of one line in a thousand, of devops and iot a count by a field and minute.",
      "Contestants: widerow-lines, also with :cluster-disk and :cluster-quorum; questdb; cassandra"
          + " (all rows and the latest 100).",
      "Both also as objects in this process (rows, rows latest), where each contestant's events are"
          + " on Cassandra: by its driver, or by the store of the checkout."
    })
final class QueriesCommand extends LoadgenCommand {
  @Parameters(index = "0", paramLabel = "A")
  private String nameA = "";

  @Parameters(index = "1", paramLabel = "B")
  private String nameB = "";

  @Option(names = "--pairs", defaultValue = "5")
  private int pairs;

  @Option(names = "--events", defaultValue = "2M", description = "events in each store")
  private String events = "";

  @Option(
      names = "--warmup",
      defaultValue = "20s",
      paramLabel = "TIME",
      description =
          "time of uncounted turns, at least two each; the report shows the first of them")
  private String warmup = "";

  private long warmupNanos;

  @Mixin private final CompareOptions options = new CompareOptions();
  @Mixin private final ResultOptions output = new ResultOptions();
  @Mixin private final WorkloadOptions workloadOptions = new WorkloadOptions();

  private final StringBuilder checked = new StringBuilder(); // findings of the check before timing

  @Override
  public Integer call() throws Exception {
    Contestant a = contestant(nameA);
    Contestant b = contestant(nameB);
    long count = Quantity.count("--events", events);
    warmupNanos = Quantity.nanos("--warmup", warmup); // fail before anything starts
    options.budgetNanos();
    Workload workload = workloadOptions.workload(Instant.now(), 0);
    QueryContest.requireComparable(workload, count);
    if (workload.scenario() == Scenario.FIELDS) {
      throw new IllegalArgumentException(
          "--scenario fields has its questions in `compare A B --queries fields`");
    }
    List<Question> questions = Question.suiting(workload.scenario(), a, b);
    Path work = options.workDirectory();
    try {
      List<List<Sample>> samples = QueryContest.samples(workload, count);
      Question.Subject subject = subject(workload, samples);
      DuckAnswers answers =
          new DuckAnswers(Files.createDirectories(work.resolve("right")), workload, samples);
      answers.answer(DuckAnswers.program(options.home), questions, subject, count);
      try (QueryContest contest = new QueryContest(workload, count, subject, answers, this::say)) {
        contest.enter(a, questions, work.resolve("a"), err());
        contest.enter(b, questions, work.resolve("b"), err());
        contest.check();
        return compare(contest, questions, subject, workload, work);
      }
    } finally {
      FileTree.remove(work);
    }
  }

  private static Question.Subject subject(Workload workload, List<List<Sample>> samples) {
    String token = workload.scenario().isLog() ? LineWord.in(samples) : "";
    return Question.Subject.of(workload, Question.Subject.types(samples), token);
  }

  /// Warms up both and runs them in turn.
  private int compare(
      QueryContest contest,
      List<Question> questions,
      Question.Subject subject,
      Workload workload,
      Path work)
      throws IOException, InterruptedException {
    contest.warmUp(warmupNanos);
    Contestant a = contest.entrants().getFirst().contestant();
    Contestant b = contest.entrants().getLast().contestant();
    String name = Comparison.name("queries-" + workload.scenario().type, a, b);
    ComparisonFolder folder = output.begin(work, name, arguments());
    PairedRuns<QueriedStore.Turn> runs = contest.run(pairs, options.budgetNanos(), folder, name);
    Comparison comparison =
        Comparison.of(
            name,
            what(workload, Quantity.count("--events", events), subject.token()),
            a,
            b,
            runs,
            rows(questions, runs));
    folder.finish(comparison, "\n" + checked);
    output.show(comparison.table(), folder, out());
    return runs.a().size() == pairs ? ExitCode.OK : ExitCode.FAILURES;
  }

  private Contestant contestant(String text) throws IOException {
    Contestant found = options.contestant(text);
    boolean asked =
        switch (found.kind()) {
          case WIDEROW -> found.target() == Target.WIDEROW_LINES;
          case QUESTDB, CASSANDRA -> true;
          case VICTORIA, VICTORIALOGS, DUCKDB -> false;
        };
    if (!asked) {
      throw new IllegalArgumentException(
          "queries are put to widerow-lines, questdb and cassandra, not to " + text);
    }
    return found;
  }

  private static String what(Workload workload, long count, String token) {
    return "queries over %s %s events%s%s"
        .formatted(
            Quantity.count((double) count),
            workload.scenario().name().toLowerCase(Locale.ROOT),
            workload.types() == 1 ? "" : " of " + workload.types() + " types",
            token.isEmpty() ? "" : ", the word is '" + token + "'");
  }

  private void say(String line) {
    checked.append("- ").append(line).append('\n');
    print(line);
  }

  private static List<Comparison.Row> rows(
      List<Question> questions, PairedRuns<QueriedStore.Turn> runs) {
    List<Comparison.Row> rows = new ArrayList<>();
    for (Question question : questions) {
      rows.add(row(question.label() + " ms", runs, turn -> turn.of(question).median()));
      if (question.hasTail()) {
        rows.add(row(question.label() + " p99 ms", runs, turn -> turn.of(question).tail()));
      }
      rows.add(row(question.label() + " server CPU ms", runs, turn -> turn.of(question).cpu()));
      Comparison.Row node =
          row(question.label() + " node CPU ms", runs, turn -> turn.of(question).nodeCpu());
      if (node.ratio().medianA() > 0 || node.ratio().medianB() > 0) {
        rows.add(node);
      }
      rows.add(
          row(question.label() + " client CPU ms", runs, turn -> turn.of(question).clientCpu()));
    }
    return rows;
  }

  private static Comparison.Row row(
      String title, PairedRuns<QueriedStore.Turn> runs, ToDoubleFunction<QueriedStore.Turn> nanos) {
    PairedRatio ratio = PairedRatio.of(runs, turn -> nanos.applyAsDouble(turn) / Quantity.MILLI);
    return new Comparison.Row(title, 2, ratio);
  }
}
