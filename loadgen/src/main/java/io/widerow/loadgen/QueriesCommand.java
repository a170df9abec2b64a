package io.widerow.loadgen;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `widerow load queries`: two contestants hold the same events and take turns in answering.
@Command(
    name = "queries",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Loads the same --events into two contestants, checks their answers against the drawn events"
          + " and lets them take turns in answering.",
      "access, broker: all rows in order, the latest 100, a word of one line in a thousand;"
          + " devops: all rows, the latest 100, a count by region and minute.",
      "Contestants: widerow-lines and questdb."
    })
final class QueriesCommand implements Callable<Integer> {
  private static final int WARMUP_TURNS = 2;
  private static final long LOAD_NANOS_MAX = 1_800 * Quantity.SECOND;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "A")
  private String nameA = "";

  @Parameters(index = "1", paramLabel = "B")
  private String nameB = "";

  @Option(names = "--pairs", defaultValue = "5", description = "default ${DEFAULT-VALUE}")
  private int pairs;

  @Option(
      names = "--events",
      defaultValue = "2M",
      description = "events that both hold (default ${DEFAULT-VALUE})")
  private String events = "";

  @Mixin private final CompareOptions options = new CompareOptions();
  @Mixin private final WorkloadOptions workloadOptions = new WorkloadOptions();

  @Override
  public Integer call() throws Exception {
    Contestant a = contestant(nameA);
    Contestant b = contestant(nameB);
    long count = Quantity.count(events);
    Workload workload = workloadOptions.workload(Instant.now(), 0);
    if (count % workload.batchEvents() != 0) {
      throw new IllegalArgumentException(
          "--events %d are no whole batches of %d".formatted(count, workload.batchEvents()));
    }
    Pace pace = new Pace(0, 0, LOAD_NANOS_MAX, count, 2, 30 * Quantity.SECOND);
    BatchPool pool = BatchPool.prepare(workload, a.kind().target, pace.connections());
    Oracle oracle = new Oracle(workload, count, pool.batches().size());
    Path work = options.workDirectory();
    Path results = options.results == null ? work.resolve("results") : options.results;
    try {
      Loaded first = load(a, workload, pace, pool, work.resolve("a"));
      try (QueriedStore _ = first.store()) {
        Loaded second = load(b, workload, pace, pool, work.resolve("b"));
        try (QueriedStore _ = second.store()) {
          return compare(first, second, a, b, oracle, workload, results);
        }
      }
    } finally {
      CompareOptions.remove(work);
    }
  }

  /// Checks and warms up two stores that hold the same events, and lets them take turns.
  private int compare(
      Loaded first,
      Loaded second,
      Contestant a,
      Contestant b,
      Oracle oracle,
      Workload workload,
      Path results)
      throws Exception {
    List<Question> questions = Question.suiting(workload.scenario());
    for (Question question : questions) {
      check(question, oracle, a, first);
      check(question, oracle, b, second);
    }
    QueriedStore storeA = first.store();
    QueriedStore storeB = second.store();
    Oracle.checkOrder(storeA.firstRows());
    Oracle.checkOrder(storeB.firstRows());
    for (int warmup = 0; warmup < WARMUP_TURNS; warmup++) {
      storeA.turn(questions, oracle.token());
      storeB.turn(questions, oracle.token());
    }
    String name = Comparison.name("queries-" + workload.scenario().type, a, b);
    ComparisonFolder folder = new ComparisonFolder(results, name, command());
    var runs =
        new PairedRuns<>(
            new Side(storeA, a, questions, oracle.token(), folder, name),
            new Side(storeB, b, questions, oracle.token(), folder, name),
            pairs,
            options.budgetNanos());
    runs.execute();
    Comparison comparison =
        new Comparison(
            name,
            what(workload, Quantity.count(events), oracle),
            a,
            b,
            runs.a().size(),
            runs.discarded(),
            rows(questions, runs));
    folder.finish(comparison, "");
    PrintWriter out = spec.commandLine().getOut();
    out.print(comparison.table());
    if (options.results != null) {
      out.println("written to " + folder.path());
    }
    out.flush();
    return runs.a().size() == pairs ? ExitCode.OK : ExitCode.FAILURES;
  }

  private Contestant contestant(String text) {
    Contestant found = Contestant.parse(text, options.home);
    if (found.kind().target != Target.WIDEROW_LINES || found.kind() == Contestant.Kind.VICTORIA) {
      throw new IllegalArgumentException(
          "queries are put to widerow-lines and questdb, not to " + text);
    }
    return found;
  }

  private List<String> command() {
    return Objects.requireNonNull(spec.parent()).commandLine().getParseResult().originalArgs();
  }

  private static String what(Workload workload, long count, Oracle oracle) {
    return "queries over %s %s events%s"
        .formatted(
            Quantity.count((double) count),
            workload.scenario().name().toLowerCase(Locale.ROOT),
            oracle.token().isEmpty() ? "" : ", the word is '" + oracle.token() + "'");
  }

  /// A store and how often each prepared batch went into it.
  private record Loaded(QueriedStore store, AtomicLongArray slotsSent) {}

  private Loaded load(
      Contestant contestant, Workload workload, Pace pace, BatchPool pool, Path data)
      throws IOException, InterruptedException {
    AtomicLongArray slotsSent = new AtomicLongArray(pool.batches().size());
    AckListener acks =
        (sequenceFirst, slot, sent, reply) -> {
          if (reply.accepted() == sent) {
            slotsSent.incrementAndGet(slot);
          }
        };
    PrintWriter err = spec.commandLine().getErr();
    return new Loaded(
        QueriedStore.load(contestant, workload, pace, pool, acks, data, err), slotsSent);
  }

  /// Ends everything when the contestant's answer is wrong.
  private void check(Question question, Oracle oracle, Contestant contestant, Loaded loaded)
      throws IOException, InterruptedException {
    if (loaded.store().isAskedByCommand(question, oracle.token())) {
      spec.commandLine()
          .getOut()
          .printf(
              "%s does not answer '%s' over HTTP; timed is its command%n",
              contestant, question.label());
    }
    long expected = oracle.rows(question, loaded.slotsSent());
    long found = loaded.store().rows(question, oracle.token());
    if (found != expected) {
      throw new WrongAnswer(
          "%s answers '%s' with %d rows, right are %d"
              .formatted(contestant, question.label(), found, expected));
    }
  }

  private static List<Comparison.Row> rows(
      List<Question> questions, PairedRuns<QueriedStore.Turn> runs) {
    List<Comparison.Row> rows = new ArrayList<>();
    for (Question question : questions) {
      rows.add(row(question.label() + " ms", runs, turn -> turn.nanosOf(question)));
      rows.add(row(question.label() + " server CPU ms", runs, turn -> turn.cpuNanosOf(question)));
    }
    return rows;
  }

  private static Comparison.Row row(
      String title, PairedRuns<QueriedStore.Turn> runs, ToDoubleFunction<QueriedStore.Turn> nanos) {
    PairedRatio ratio =
        PairedRatio.of(
            runs.a().stream()
                .mapToDouble(turn -> nanos.applyAsDouble(turn) / Quantity.MILLI)
                .toArray(),
            runs.b().stream()
                .mapToDouble(turn -> nanos.applyAsDouble(turn) / Quantity.MILLI)
                .toArray());
    return new Comparison.Row(title, 2, ratio);
  }

  /// One contestant's turns.
  private record Side(
      QueriedStore store,
      Contestant contestant,
      List<Question> questions,
      String token,
      ComparisonFolder folder,
      String comparison)
      implements PairedRuns.Side<QueriedStore.Turn> {
    @Override
    public QueriedStore.Turn run(int pair) throws IOException, InterruptedException {
      QueriedStore.Turn turn = store.turn(questions, token);
      for (Question question : questions) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("comparison", comparison);
        members.put("pair", pair);
        members.put("contestant", contestant.toString());
        members.put("question", question.label());
        members.put("median_ns", turn.nanosOf(question));
        members.put("server_cpu_ns", turn.cpuNanosOf(question));
        members.put("steal_share", turn.stealShare());
        folder.line(members);
      }
      return turn;
    }

    @Override
    public double stealShare(QueriedStore.Turn found) {
      return found.stealShare();
    }
  }
}
