package io.widerow.cli;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.Token;
import io.widerow.query.aggregation.StatsStream;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteCluster;
import io.widerow.query.remote.RemoteSteps;
import io.widerow.query.result.ContinuousQuery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `widerow tail --stats`: asks a daemon for the steps that have passed, again and again, and shows
/// each result whole.
///
/// - Threads: one, and the thread that prints how to continue at the end.
final class ContinuousQueryClient {
  private final TailCommand asked;
  private final Shell shell;
  private volatile @Nullable Position position;
  private long shown;

  /// Where a result ended; both parts of it or none.
  private record Position(String token, @Nullable String arrived) {
    @Override
    public String toString() {
      return "--after " + token + (arrived == null ? "" : " --arrived " + arrived);
    }
  }

  ContinuousQueryClient(TailCommand asked, Shell shell) {
    this.asked = asked;
    this.shell = shell;
  }

  int call() {
    if (asked.last != null) {
      throw new QueryException.Refused("last", "not together with stats, which shows no events");
    }
    if (asked.fields != null) {
      throw new QueryException.Refused("fields", "not together with stats, which shows no events");
    }
    if (asked.mode == TailCommand.Mode.now) {
      throw new QueryException.Refused("mode", "now has no steps that have passed");
    }
    long nowNanos = ShownTimes.nowNanos();
    Map<String, List<String>> given = parameters();
    ContinuousQuery question = ContinuousQuery.parse(given, nowNanos); // may refuse
    Token start = asked.start(nowNanos);
    position = start == null ? null : new Position(start.toString(), asked.arrived);
    List<String> heads = new ArrayList<>(question.figures().heads());
    heads.add(StatsWriter.REVISION);
    StatsStream out = asked.output.statsStream(shell, heads);
    DaemonAddress address = asked.daemon.address(shell);
    Thread hook = Thread.ofPlatform().name("widerow-stop").unstarted(this::tell);
    Runtime.getRuntime().addShutdownHook(hook);
    ClusterLagWarning behind =
        new ClusterLagWarning(
            question.lagNanos(), () -> RemoteCluster.daemons(address), shell.err());
    Follow.until(
        () -> {
          boolean more = ask(given, question, address, out);
          behind.check(System.nanoTime(), System.currentTimeMillis());
          return more;
        },
        TimeText.positive("every", TailCommand.POLL),
        "no step is skipped",
        shell);
    return ExitCode.OK.number;
  }

  private Map<String, List<String>> parameters() {
    Map<String, List<String>> given = new LinkedHashMap<>();
    if (!asked.types.isEmpty()) {
      given.put("type", asked.types);
    }
    ParameterText.put(given, "where", asked.where);
    ParameterText.put(given, "stats", asked.stats);
    ParameterText.put(given, "by", asked.by);
    ParameterText.put(given, "every", asked.every);
    ParameterText.put(given, "lag", asked.lag);
    return given;
  }

  /// Asks until no further step has passed. False when the limit is reached, or the reader has
  /// gone.
  private boolean ask(
      Map<String, List<String>> given,
      ContinuousQuery question,
      DaemonAddress address,
      StatsStream out) {
    boolean more = true;
    while (more) {
      Map<String, List<String>> parameters = new LinkedHashMap<>(given);
      Position from = position;
      if (from != null) {
        parameters.put("after", List.of(from.token));
        ParameterText.put(parameters, "arrived", from.arrived);
      }
      try {
        RemoteSteps steps =
            RemoteSteps.ask(address, parameters, question.figures(), asked.output.zone());
        asked.tellFollowing(address);
        if (!show(steps, out)) {
          return false;
        }
        more = steps.more();
      } catch (QueryException.Expired gone) {
        gap(gone);
      }
    }
    return true;
  }

  private boolean show(RemoteSteps steps, StatsStream out) {
    OutputBuffer sink = new OutputBuffer(1 << 12);
    if (!steps.rows().isEmpty()) {
      out.write(steps.rows(), sink);
    }
    boolean there = shell.write(sink);
    position = new Position(steps.token().toString(), steps.arrived());
    shown += steps.rows().size();
    return there && shown < asked.limit;
  }

  /// Retention has overtaken the reader: reports a gap and continues with the remaining events.
  private void gap(QueryException.Expired gone) {
    if (gone.first == null) {
      throw gone;
    }
    position = new Position(gone.first, null);
    shell.err().println("gap: " + gone.getMessage());
  }

  /// Prints how to continue. Runs in a shutdown hook, because a signal ends this command.
  private void tell() {
    Position last = position;
    if (last != null) {
      shell.err().println("continue with " + last);
    }
  }
}
