package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Comparison;
import io.widerow.loadgen.compare.ComparisonFolder;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.DuckAnswers;
import io.widerow.loadgen.compare.PairedRatio;
import io.widerow.loadgen.compare.PairedRuns;
import io.widerow.loadgen.compare.QueriedStore;
import io.widerow.loadgen.compare.Question;
import io.widerow.loadgen.compare.ResultOptions;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.RareWord;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.SamplePool;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import io.widerow.loadgen.workload.WorkloadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
  private static final int WARMUP_TURNS_MIN = 2;
  private static final long LOAD_NANOS_MAX = 1_800 * Quantity.SECOND;

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
    requireComparable(workload, count);
    // One connection, so that every contestant gets the batches in the same order.
    Pace pace = new Pace(0, 0, LOAD_NANOS_MAX, count, 1, 30 * Quantity.SECOND);
    List<Question> questions = Question.suiting(workload.scenario(), a, b);
    Path work = options.workDirectory();
    try {
      List<List<Sample>> samples =
          SamplePool.all(
              workload, (int) Math.min(workload.slots(1), count / workload.batchEvents()));
      Question.Subject subject = subject(workload, samples);
      DuckAnswers answers =
          new DuckAnswers(Files.createDirectories(work.resolve("right")), workload, samples);
      answers.answer(program(), questions, subject, count);
      try (QueriedStore first = load(a, workload, pace, work.resolve("a"));
          QueriedStore second = load(b, workload, pace, work.resolve("b"))) {
        for (Question question : questions) {
          check(question, subject, a, first, answers);
          check(question, subject, b, second, answers);
        }
        return compare(new Sides(a, first, b, second), questions, subject, workload, work);
      }
    } finally {
      FileTree.remove(work);
    }
  }

  private static void requireComparable(Workload workload, long count) {
    if (count < 1 || count % workload.batchEvents() != 0) {
      throw new IllegalArgumentException(
          "--events %d are no whole batches of %d".formatted(count, workload.batchEvents()));
    }
    if (workload.lateShare() > 0 || workload.equalShare() > 0) {
      throw new IllegalArgumentException(
          "queries compares rows in one order of time: no --late %s, no --equal-times %s"
              .formatted(workload.lateShare(), workload.equalShare()));
    }
    if (workload.stepNanos() < Quantity.MICRO) {
      throw new IllegalArgumentException(
          "queries compares times to the microsecond: --step cannot be "
              + Quantity.time(workload.stepNanos()));
    }
  }

  private static Question.Subject subject(Workload workload, List<List<Sample>> samples) {
    List<String> types =
        samples.stream().map(batch -> batch.get(0).type()).distinct().sorted().toList();
    String token = workload.scenario().isLog() ? RareWord.in(samples) : "";
    return Question.Subject.of(workload, types, token);
  }

  /// The script that runs DuckDB.
  private Path program() {
    Path peers = options.home.resolve("loadgen/peers");
    if (!Files.isDirectory(peers.resolveSibling("target/peers/duckdb"))) {
      throw new IllegalArgumentException(
          "DuckDB, which computes the right results, is missing; run ./widerow load peers");
    }
    return peers.resolve("duckdb");
  }

  /// Two stores that hold the same events.
  private record Sides(Contestant a, QueriedStore storeA, Contestant b, QueriedStore storeB) {}

  /// Warms up both and runs them in turn.
  private int compare(
      Sides sides, List<Question> questions, Question.Subject subject, Workload workload, Path work)
      throws IOException, InterruptedException {
    warmUp(sides, questions, subject);
    String name = Comparison.name("queries-" + workload.scenario().type, sides.a(), sides.b());
    ComparisonFolder folder = output.begin(work, name, arguments());
    var runs =
        new PairedRuns<>(
            new Side(sides.storeA(), sides.a(), questions, subject, folder, name),
            new Side(sides.storeB(), sides.b(), questions, subject, folder, name),
            QueriedStore.Turn::stealShare,
            pairs,
            options.budgetNanos());
    runs.execute();
    Comparison comparison =
        Comparison.of(
            name,
            what(workload, Quantity.count("--events", events), subject.token()),
            sides.a(),
            sides.b(),
            runs,
            rows(questions, runs));
    folder.finish(comparison, "\n" + checked);
    output.show(comparison.table(), folder, out());
    return runs.a().size() == pairs ? ExitCode.OK : ExitCode.FAILURES;
  }

  /// Gives the JIT compilers of both time. The report shows the first turns, since users start
  /// cold.
  private void warmUp(Sides sides, List<Question> questions, Question.Subject subject)
      throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    for (int turn = 0;
        turn < WARMUP_TURNS_MIN || System.nanoTime() - beganNanos < warmupNanos;
        turn++) {
      QueriedStore.Turn a = sides.storeA().turn(questions, subject);
      QueriedStore.Turn b = sides.storeB().turn(questions, subject);
      if (turn == 0) {
        sayFirst(sides.a(), a, questions);
        sayFirst(sides.b(), b, questions);
      }
    }
  }

  private void sayFirst(Contestant contestant, QueriedStore.Turn turn, List<Question> questions) {
    List<String> times =
        questions.stream()
            .map(question ->
                String.format(
                    Locale.ROOT,
                    "%s %.2f ms",
                    question.label(),
                    turn.of(question).median() / Quantity.MILLI))
            .toList();
    say("%s in its first turn: %s".formatted(contestant, String.join(", ", times)));
  }

  private Contestant contestant(String text) throws IOException {
    Contestant found = options.contestant(text);
    boolean asked =
        switch (found.kind()) {
          case WIDEROW -> found.target() == Target.WIDEROW_LINES;
          case QUESTDB, CASSANDRA -> true;
          case VICTORIA -> false;
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

  private QueriedStore load(Contestant contestant, Workload workload, Pace pace, Path data)
      throws IOException, InterruptedException {
    BatchPool pool = BatchPool.prepare(workload, contestant.target(), pace.connections());
    return QueriedStore.load(contestant, workload, pace, pool, data, err());
  }

  /// Ends the command when the contestant's result differs from DuckDB's.
  private void check(
      Question question,
      Question.Subject subject,
      Contestant contestant,
      QueriedStore store,
      DuckAnswers answers)
      throws IOException, InterruptedException {
    long rows = store.check(question, subject, answers.of(question));
    say(
        "%s answers '%s' as DuckDB does: %s rows%s"
            .formatted(
                contestant,
                question.label(),
                Quantity.count((double) rows),
                question.isOrdered() ? ", in the same order" : ""));
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

  /// One contestant's turns.
  private record Side(
      QueriedStore store,
      Contestant contestant,
      List<Question> questions,
      Question.Subject subject,
      ComparisonFolder folder,
      String comparison)
      implements PairedRuns.Side<QueriedStore.Turn> {
    @Override
    public QueriedStore.Turn run(int pair) throws IOException, InterruptedException {
      QueriedStore.Turn turn = store.turn(questions, subject);
      for (Question question : questions) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("comparison", comparison);
        members.put("pair", pair);
        members.put("contestant", contestant.toString());
        members.put("question", question.label());
        members.put("median_ns", turn.of(question).median());
        members.put(question.hasTail() ? "p99_ns" : "max_ns", turn.of(question).tail());
        members.put("server_cpu_ns", turn.of(question).cpu());
        members.put("node_cpu_ns", turn.of(question).nodeCpu());
        members.put("client_cpu_ns", turn.of(question).clientCpu());
        members.put("steal_share", turn.stealShare());
        folder.line(members);
      }
      return turn;
    }
  }
}
