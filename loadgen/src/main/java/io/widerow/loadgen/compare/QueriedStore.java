package io.widerow.loadgen.compare;

import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.wire.PeerDriver;
import io.widerow.loadgen.wire.PeerReader;
import io.widerow.loadgen.wire.StoreProgram;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Workload;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A contestant that holds the events and answers queries.
///
/// - Threads: one.
public final class QueriedStore implements AutoCloseable {
  private final Contestant contestant;
  private final Path data;
  private final InetSocketAddress address;
  private final ServerProcess server;
  private final @Nullable PeerReader peer; // reads in this process
  private String taken = "-"; // the text of the last row

  /// Measurements of one turn.
  public record Turn(Map<Question, Took> took, double stealShare) {
    public Took of(Question question) {
      return Objects.requireNonNull(took.get(question));
    }

    /// Whether the question was asked.
    public boolean has(Question question) {
      return took.containsKey(question);
    }
  }

  /// Times of the responses to one query, in nanoseconds.
  ///
  /// @param median of their times
  /// @param tail 99th percentile of them; the maximum where there are few
  /// @param cpu of the server, for one response, with the node that a daemon reads from
  /// @param nodeCpu of a node of Cassandra, for one response; 0 where there is none
  /// @param clientCpu of this process, for one response
  public record Took(double median, double tail, double cpu, double nodeCpu, double clientCpu) {
    static Took of(double[] times, Used used) {
      double[] sorted = times.clone();
      Arrays.sort(sorted);
      double tail = sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
      double count = sorted.length;
      return new Took(
          PairedRatio.median(sorted),
          tail,
          used.servers / count,
          used.nodes / count,
          used.client / count);
    }
  }

  /// Processor time so far, in nanoseconds; or between two readings.
  record Used(long servers, long nodes, long client) {
    Used since(Used before) {
      return new Used(servers - before.servers, nodes - before.nodes, client - before.client);
    }
  }

  private QueriedStore(
      Contestant contestant,
      Path data,
      InetSocketAddress address,
      ServerProcess server,
      @Nullable PeerReader peer) {
    this.contestant = contestant;
    this.data = data;
    this.address = address;
    this.server = server;
    this.peer = peer;
  }

  /// Starts the contestant, sends all events and waits until it is idle. Widerow is restarted once,
  /// so that everything is sealed; on a cluster, everything is applied, and closed partitions are
  /// merged.
  public static QueriedStore load(
      Contestant contestant,
      Workload workload,
      Pace pace,
      BatchPool pool,
      Path data,
      PrintWriter live)
      throws IOException, InterruptedException {
    InetSocketAddress address = contestant.address();
    ServerProcess server = contestant.startReady(data, address);
    try {
      StoredCount stored = new StoredCount(contestant, address, workload);
      requireEmpty(contestant, stored);
      LoadRun run =
          new LoadRun(contestant.endpoint(address), workload, pace, pool, 0, new LiveLine(live));
      RunResult result = run.execute();
      if (result.failedBatches() > 0 || run.eventsAccepted() != pace.eventLimit()) {
        throw new IOException(
            "%s took in %d of %d events: %s %s"
                .formatted(
                    contestant,
                    run.eventsAccepted(),
                    pace.eventLimit(),
                    result.failures(),
                    result.failureExample()));
      }
      stored.awaitCheap(server, run.eventsAccepted());
      stored.awaitMerged(server);
      if (contestant.isWiderow() && !contestant.isOnCluster()) {
        server.stop();
        server.close();
        server = contestant.startReady(data, address);
      }
      ContestRun.rest(server, ContestRun.REST_NANOS_MAX);
      return new QueriedStore(contestant, data, address, server, peer(contestant, address, server));
    } catch (Throwable failure) {
      server.close();
      throw failure;
    }
  }

  /// A server on a database that has all events.
  static QueriedStore open(Contestant contestant, Path database)
      throws IOException, InterruptedException {
    InetSocketAddress address = contestant.address();
    ServerProcess server = contestant.startReady(database, address);
    return new QueriedStore(contestant, database, address, server, null);
  }

  /// A server that somebody started may have other events, which would be in every result.
  private static void requireEmpty(Contestant contestant, StoredCount stored)
      throws IOException, InterruptedException {
    if (contestant.running() != null) {
      long before = stored.full();
      if (before > 0) {
        throw new IllegalArgumentException(
            "%s: the server must be empty, got one with %d events; start it on a new directory"
                .formatted(contestant, before));
      }
    }
  }

  /// What reads it in this process; null when it is only asked over HTTP.
  private static @Nullable PeerReader peer(
      Contestant contestant, InetSocketAddress address, ServerProcess server) throws IOException {
    ServerProcess.Node node = server.node();
    if (node != null) {
      return StoreProgram.open(contestant.home(), Contestant.storeUri(node.address()));
    }
    return contestant.kind() == Contestant.Kind.CASSANDRA
        ? PeerDriver.of(contestant.target().label).reader(address)
        : null;
  }

  /// The reader of a query's rows in this process; null for a query over HTTP.
  private @Nullable PeerReader reader(Question question) {
    return contestant.isWiderow() && !question.isInProcess() ? null : peer;
  }

  /// Asks once, checks every row, and returns the number of rows.
  ///
  /// @throws WrongAnswer with the first row that is not right
  public long check(Question question, Question.Subject subject, DuckAnswers answers, long events)
      throws IOException, InterruptedException {
    try (AnswerCheck check =
        question == Question.FIELD_ALL
            ? new AnswerCheck(contestant, contestant.kind(), question, answers.events(events))
            : new AnswerCheck(contestant, contestant.kind(), question, answers.of(question))) {
      PeerReader reader = reader(question);
      if (reader != null) {
        check.titles(List.of("time_us", "type", "body"));
        reader.read(
            question.limit(),
            question.isDescending(),
            (micros, type, body) -> check.row(List.of(Long.toString(micros), type, body)));
      } else {
        ask(question, path(question, subject), check);
      }
      return check.finish();
    }
  }

  private void ask(Question question, String path, AnswerCheck check) throws IOException {
    boolean quest = contestant.kind() == Contestant.Kind.QUESTDB;
    boolean victoria = contestant.kind() == Contestant.Kind.VICTORIALOGS;
    if (victoria) {
      askVictoria(path, question.isDescending() && path.contains("&limit="), check);
    } else if (question.isJson() && contestant.kind() != Contestant.Kind.DUCKDB) {
      JsonRows rows = new JsonRows(check);
      if (quest) {
        get(path, JsonRows.ARRAY_END, rows::arrays);
      } else {
        get(path, '\n', rows::object);
      }
    } else {
      get(path, '\n', quest ? line -> check.line(unescaped(line)) : check);
    }
  }

  private void get(String path, char end, TimedQuery.LineSink sink) throws IOException {
    try (TimedQuery query = TimedQuery.open(address)) {
      query.get(path, end, sink);
    }
  }

  /// VictoriaLogs breaks off a response after 30 s, so that it is written to a file before the
  /// check reads it.
  ///
  /// @param reversed for the latest rows, oldest first, as its parameter `limit` has them
  private void askVictoria(String path, boolean reversed, AnswerCheck check) throws IOException {
    Path file = data.resolveSibling(data.getFileName() + ".response");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      get(path, '\n', line -> out.append(line).append('\n'));
    }
    JsonRows rows = new JsonRows(check);
    if (reversed) {
      for (String line : Files.readAllLines(file).reversed()) {
        rows.object(line);
      }
    } else {
      try (BufferedReader in = Files.newBufferedReader(file)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          rows.object(line);
        }
      }
    }
    Files.delete(file);
  }

  /// QuestDB keeps a backslash as it was sent (it counts one character), and writes two into CSV.
  private static String unescaped(String line) {
    return line.replace("\\\\", "\\");
  }

  private String path(Question question, Question.Subject subject) {
    return switch (contestant.kind()) {
      case WIDEROW -> question.widerowPath(subject);
      case VICTORIALOGS -> question.victoriaPath(subject);
      case QUESTDB, CASSANDRA, VICTORIA -> question.questPath(subject);
      case DUCKDB -> "/query?sql=" + HttpText.encoded(question.duckSql(subject, "events"));
    };
  }

  public Turn turn(List<Question> questions, Question.Subject subject)
      throws IOException, InterruptedException {
    CostWatcher watcher = new CostWatcher(server.pids(), null);
    List<Long> nodes = contestant.nodePids(server);
    watcher.measuringBegins();
    Map<Question, Took> took = new EnumMap<>(Question.class);
    for (Question question : questions) {
      Used before = used(nodes);
      double[] times = times(question, subject);
      took.put(question, Took.of(times, used(nodes).since(before)));
    }
    watcher.measuringEnds();
    return new Turn(took, watcher.costs().stealShare());
  }

  private Used used(List<Long> nodes) throws IOException {
    return new Used(
        cpuNanos(server.pids()), cpuNanos(nodes), cpuNanos(List.of(ProcessHandle.current().pid())));
  }

  /// Memory of its processes; -1 where they are not known.
  public long residentBytes() throws IOException {
    return server.pids().isEmpty() ? -1 : ProcessReading.of(server.pids()).residentBytes();
  }

  private static long cpuNanos(List<Long> pids) throws IOException {
    return pids.isEmpty() ? 0 : ProcessReading.of(pids).cpuNanos();
  }

  /// Times of the responses; rows are discarded as they arrive, for every contestant alike.
  private double[] times(Question question, Question.Subject subject)
      throws IOException, InterruptedException {
    double[] took = new double[question.times];
    PeerReader reader = reader(question);
    if (reader == null) {
      try (TimedQuery query = TimedQuery.open(address)) {
        for (int i = 0; i < took.length; i++) {
          took[i] = (double) query.get(path(question, subject), false).nanos();
        }
      }
      return took;
    }
    for (int i = 0; i < took.length; i++) {
      long beganNanos = System.nanoTime();
      reader.read(question.limit(), question.isDescending(), this::take);
      took[i] = (double) (System.nanoTime() - beganNanos);
    }
    return took;
  }

  /// Takes a row of a timed result. Its text is kept until the next row, so that the JIT cannot
  /// drop the code that makes it.
  private void take(long micros, String type, String body) throws WrongAnswer {
    if (body.isEmpty() && taken.isEmpty()) {
      throw new WrongAnswer(
          "%s: neither this row nor the one before has a text".formatted(contestant));
    }
    taken = body;
  }

  @Override
  public void close() {
    if (peer != null) {
      peer.close();
    }
    server.close();
  }
}
