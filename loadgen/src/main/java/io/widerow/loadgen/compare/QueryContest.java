package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.SamplePool;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/// Contestants that hold the same events, have shown that their results are right, and answer the
/// same queries in turn.
///
/// - Threads: one.
public final class QueryContest implements AutoCloseable {
  private static final int WARMUP_TURNS_MIN = 2;
  private static final long LOAD_NANOS_MAX = 1_800 * Quantity.SECOND;

  private final Workload workload;
  private final long events;
  private final Question.Subject subject;
  private final DuckAnswers answers;
  private final Consumer<String> report;
  private final List<Entrant> entrants = new ArrayList<>();

  /// A contestant and the questions that it answers.
  public record Entrant(Contestant contestant, QueriedStore store, List<Question> questions) {
    public Entrant {
      questions = List.copyOf(questions);
    }
  }

  /// @param answers that are there already
  /// @param report takes a line on each step
  public QueryContest(
      Workload workload,
      long events,
      Question.Subject subject,
      DuckAnswers answers,
      Consumer<String> report) {
    this.workload = workload;
    this.events = events;
    this.subject = subject;
    this.answers = answers;
    this.report = report;
  }

  /// @throws IllegalArgumentException when two contestants could not have the same rows in one
  ///   order
  public static void requireComparable(Workload workload, long count) {
    if (count < 1 || count % workload.batchEvents() != 0) {
      throw new IllegalArgumentException(
          "--events %d are no whole batches of %d".formatted(count, workload.batchEvents()));
    }
    if (workload.lateShare() > 0 || workload.equalShare() > 0) {
      throw new IllegalArgumentException(
          "queries compare rows in one order of time: no --late %s, no --equal-times %s"
              .formatted(workload.lateShare(), workload.equalShare()));
    }
    if (workload.stepNanos() < Quantity.MICRO) {
      throw new IllegalArgumentException(
          "queries compare times to the microsecond: --step cannot be "
              + Quantity.time(workload.stepNanos()));
    }
  }

  /// The drawn events, as they are sent first.
  public static List<List<Sample>> samples(Workload workload, long events) {
    return SamplePool.all(
        workload, (int) Math.min(workload.slots(1), events / workload.batchEvents()));
  }

  public List<Entrant> entrants() {
    return List.copyOf(entrants);
  }

  /// Gives a contestant all events (DuckDB has them), over one connection, so that all get the
  /// batches in one order.
  public void enter(Contestant contestant, List<Question> questions, Path data, PrintWriter live)
      throws IOException, InterruptedException {
    if (contestant.kind() == Contestant.Kind.DUCKDB) {
      entrants.add(
          new Entrant(contestant, QueriedStore.open(contestant, answers.database()), questions));
      return;
    }
    Pace pace = new Pace(0, 0, LOAD_NANOS_MAX, events, 1, 30 * Quantity.SECOND);
    BatchPool pool = BatchPool.prepare(workload, contestant.target(), pace.connections());
    QueriedStore store = QueriedStore.load(contestant, workload, pace, pool, data, live);
    entrants.add(new Entrant(contestant, store, questions));
  }

  /// Compares each result with DuckDB's.
  ///
  /// @throws io.widerow.loadgen.run.WrongAnswer with the first difference
  public void check() throws IOException, InterruptedException {
    for (Entrant entrant : entrants) {
      for (Question question : entrant.questions()) {
        long rows = entrant.store().check(question, subject, answers, events);
        report.accept(
            "%s answers '%s' as DuckDB does: %s rows%s"
                .formatted(
                    entrant.contestant(),
                    question.label(),
                    Quantity.count((double) rows),
                    question.isOrdered() ? ", in the same order" : ""));
      }
    }
  }

  /// Gives the JIT compilers of all time. The report shows the first turns, since users start cold.
  public void warmUp(long nanos) throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    for (int turn = 0; turn < WARMUP_TURNS_MIN || System.nanoTime() - beganNanos < nanos; turn++) {
      for (Entrant entrant : entrants) {
        QueriedStore.Turn took = entrant.store().turn(entrant.questions(), subject);
        if (turn == 0) {
          report.accept(first(entrant, took));
        }
      }
    }
  }

  private static String first(Entrant entrant, QueriedStore.Turn turn) {
    List<String> times =
        entrant.questions().stream()
            .map(question ->
                String.format(
                    Locale.ROOT,
                    "%s %.2f ms",
                    question.label(),
                    turn.of(question).median() / Quantity.MILLI))
            .toList();
    return "%s in its first turn: %s".formatted(entrant.contestant(), String.join(", ", times));
  }

  /// Times all in turn, each response a line of the folder.
  public PairedRuns<QueriedStore.Turn> run(
      int pairs, long budgetNanos, ComparisonFolder folder, String comparison)
      throws IOException, InterruptedException {
    List<PairedRuns.Side<QueriedStore.Turn>> sides = new ArrayList<>();
    for (Entrant entrant : entrants) {
      sides.add(pair -> turn(entrant, pair, folder, comparison));
    }
    PairedRuns<QueriedStore.Turn> runs =
        new PairedRuns<>(sides, QueriedStore.Turn::stealShare, pairs, budgetNanos);
    runs.execute();
    return runs;
  }

  private QueriedStore.Turn turn(
      Entrant entrant, int pair, ComparisonFolder folder, String comparison)
      throws IOException, InterruptedException {
    QueriedStore.Turn turn = entrant.store().turn(entrant.questions(), subject);
    for (Question question : entrant.questions()) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("comparison", comparison);
      members.put("pair", pair);
      members.put("contestant", entrant.contestant().toString());
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

  @Override
  public void close() {
    entrants.forEach(entrant -> entrant.store().close());
  }
}
