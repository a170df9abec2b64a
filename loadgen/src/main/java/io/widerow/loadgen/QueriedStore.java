package io.widerow.loadgen;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// A contestant that holds the events and is asked.
///
/// - Threads: one.
final class QueriedStore implements AutoCloseable {
  private final Contestant contestant;
  private final Workload workload;
  private final InetSocketAddress address;
  private final ServerProcess server;
  private final Set<Question> byCommand = EnumSet.noneOf(Question.class);

  /// What one turn found.
  ///
  /// @param nanos median time of each question's answer
  /// @param cpuNanos of the server, for one answer
  record Turn(Map<Question, Double> nanos, Map<Question, Double> cpuNanos, double stealShare) {
    double nanosOf(Question question) {
      return Objects.requireNonNull(nanos.get(question));
    }

    double cpuNanosOf(Question question) {
      return Objects.requireNonNull(cpuNanos.get(question));
    }
  }

  private QueriedStore(
      Contestant contestant, Workload workload, InetSocketAddress address, ServerProcess server) {
    this.contestant = contestant;
    this.workload = workload;
    this.address = address;
    this.server = server;
  }

  /// Starts the contestant, sends all events and waits until it is at rest; Widerow is stopped and
  /// started once, so that everything is sealed.
  static QueriedStore load(
      Contestant contestant,
      Workload workload,
      Pace pace,
      BatchPool pool,
      AckListener acks,
      Path data,
      PrintWriter live)
      throws IOException, InterruptedException {
    InetSocketAddress address = ServerProcess.freeAddress();
    ServerProcess server = contestant.start(data, address);
    try {
      server.await(() -> contestant.isReady(address));
      LoadRun run =
          new LoadRun(
              contestant.endpoint(address), workload, pace, pool, 0, acks, new LiveLine(live));
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
      new StoredCount(contestant, address, workload).awaitCheap(server, run.eventsAccepted());
      if (contestant.isWiderow()) {
        server.stop();
        server.close();
        server = contestant.start(data, address);
        server.await(() -> contestant.isReady(address));
      }
      ContestRun.rest(server);
      return new QueriedStore(contestant, workload, address, server);
    } catch (Throwable failure) {
      server.close();
      throw failure;
    }
  }

  /// Whether it does not answer this question over HTTP, but has a command that does. From now on
  /// the command is what is timed.
  boolean isAskedByCommand(Question question, String token) throws IOException {
    try (TimedQuery query = TimedQuery.open(address)) {
      query.get(path(question, token), false);
      return false;
    } catch (IOException refused) {
      if (contestant.isWiderow()
          && question == Question.COUNT
          && String.valueOf(refused.getMessage()).contains("answered 400")) {
        byCommand.add(question);
        return true;
      }
      throw refused;
    }
  }

  /// Rows of its answer; both have a line of titles.
  long rows(Question question, String token) throws IOException, InterruptedException {
    if (byCommand.contains(question)) {
      return command() - 1;
    }
    return TimedQuery.run(address, path(question, token)).lines() - 1;
  }

  /// Runs the command and counts its lines.
  private long command() throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(contestant.home().resolve("widerow").toString());
    words.add("query");
    words.add(workload.scenario().type);
    words.add("--url=http://%s:%d".formatted(address.getHostString(), address.getPort()));
    words.addAll(List.of("--stats=count", "--by=region", "--every=1m", "--output=csv"));
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    long lines;
    try (BufferedReader reader = process.inputReader()) {
      lines = reader.lines().count();
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(String.join(" ", words) + " ended with " + code);
    }
    return lines;
  }

  private String path(Question question, String token) {
    String type = workload.scenario().type;
    // What is drawn for metrics that both can show: a tag, a field, the event's number.
    String columns =
        workload.scenario() == Scenario.DEVOPS || workload.scenario() == Scenario.IOT
            ? "hostname,region,usage_user,usage_system,seq"
            : "body";
    return contestant.isWiderow()
        ? question.widerowPath(type, columns, token)
        : question.questPath(type, columns, token);
  }

  Turn turn(List<Question> questions, String token) throws IOException, InterruptedException {
    CostWatcher watcher = new CostWatcher(server.pid(), null);
    watcher.measuringBegins();
    Map<Question, Double> nanos = new EnumMap<>(Question.class);
    Map<Question, Double> cpuNanos = new EnumMap<>(Question.class);
    for (Question question : questions) {
      double[] took = new double[question.times];
      long before = ProcessReading.of(server.pid()).cpuNanos();
      if (byCommand.contains(question)) {
        long beganNanos = System.nanoTime();
        command();
        Arrays.fill(took, (double) (System.nanoTime() - beganNanos));
      } else {
        try (TimedQuery query = TimedQuery.open(address)) {
          for (int i = 0; i < took.length; i++) {
            took[i] = (double) query.get(path(question, token), false).nanos();
          }
        }
      }
      long used = ProcessReading.of(server.pid()).cpuNanos() - before;
      Arrays.sort(took);
      nanos.put(question, PairedRatio.median(took));
      cpuNanos.put(question, used / (double) took.length);
    }
    watcher.measuringEnds();
    return new Turn(nanos, cpuNanos, watcher.costs().stealShare());
  }

  @Override
  public void close() {
    server.close();
  }
}
