package io.widerow.cli;

import io.widerow.query.LateEvent;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.TimeText;
import io.widerow.query.Token;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteCluster;
import io.widerow.query.remote.RemoteCursor;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteTypes;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.Tail;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The options of `widerow tail`, and its reconnecting to the daemon. [Tail] does the work.
@Command(
    footer = {
      "Examples:",
      "  widerow tail nginx.access --where 'status >= 500'",
      "  widerow tail --stats 'count,p99(ms)' --by status --every 1m",
      "In ordered mode, an event is shown at its place in the total order once it is older than"
          + " --lag. An event that arrives later is shown on arrival, with the attribute"
          + " widerow.late. With --mode now, every event is shown on arrival. Each event is shown"
          + " once.",
      "On exit, stderr has the --after token and the --arrived position to continue from. Without"
          + " --arrived, late events of the time between are left out.",
      "With --stats, each step is shown --lag after its end. If a later event changes the step, all"
          + " its rows are shown again, with widerow.revision, and replace the earlier ones.",
      "On a cluster, stderr names each daemon whose lag exceeds --lag: its events arrive late. With"
          + " tokens this needs the scope admin.",
      "With --to, each event is a record: JSON, its type as the key, its token in the header"
          + " widerow.token. The position in --state moves when Kafka has acknowledged, so a record"
          + " may come twice, with the same token, and none is lost. --since counts for the first"
          + " start only.",
      "Exit codes: see `widerow query --help`."
    })
public final class TailCommand implements Callable<Integer> {
  /// The interval of requests to the daemon.
  static final String POLL = "500ms";

  final Shell shell;
  private boolean following;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Option(
      names = "--where",
      paramLabel = "FILTER",
      description = "Show only events that match this filter.")
  @Nullable String where;

  @Option(
      names = "--fields",
      paramLabel = "NAMES",
      description = "Attributes to show, comma-separated.")
  @Nullable String fields;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Start at this time, as in --since 15m. Default: now.")
  @Nullable String since;

  @Option(
      names = "--last",
      paramLabel = "N",
      description = "Start with the newest N events, oldest first.")
  @Nullable Long last;

  @Option(
      names = "--after",
      paramLabel = "TOKEN",
      description = "Continue after this token. Not with --since or --last.")
  @Nullable String after;

  @Option(names = "--mode", paramLabel = "MODE", description = "ordered (default) or now.")
  Mode mode = Mode.ordered;

  @Option(
      names = "--lag",
      paramLabel = "AGE",
      description = "Age at which events are shown in order. Default: 2s.")
  String lag = "2s";

  @Option(
      names = "--arrived",
      paramLabel = "POSITION",
      description = "With --after: include late events since this position.")
  @Nullable String arrived;

  @Option(
      names = "--stats",
      paramLabel = "AGGREGATES",
      description = "Show these aggregates of each step instead of events: count,p99(ms).")
  @Nullable String stats;

  @Option(
      names = "--by",
      paramLabel = "NAMES",
      description = "With --stats: group by these attributes, comma-separated.")
  @Nullable String by;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      description =
          "With --stats: width of a step, as in 1m. Otherwise: polling interval. Default: 500ms.")
  @Nullable String every;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Exit after this many events; with --stats, rows of complete steps.")
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--to",
      paramLabel = "TARGET",
      description = "Send to kafka:HOST:PORT/TOPIC in place of standard output.")
  @Nullable String to;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description = "With --to: the acknowledged position. Default: widerow-tail-TOPIC.")
  @Nullable Path state;

  @Mixin final OutputOptions output = new OutputOptions();

  /// When events are shown.
  enum Mode {
    ordered,
    now
  }

  public TailCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new QueryException.Refused("limit", "must be at least 1, got " + limit);
    }
    checkStart();
    if (to != null) {
      return new TailForward(this, to, shell).call();
    }
    if (state != null) {
      throw new QueryException.Refused("state", "requires --to; give both");
    }
    if (stats != null || by != null) {
      return new ContinuousQueryClient(this, shell).call();
    }
    long everyNanos = everyNanos();
    long lagNanos = lagNanos();
    Map<String, List<String>> given = parameters();
    long nowNanos = ShownTimes.nowNanos();
    Token start = start(nowNanos);
    RangeQuery query = QueryParameters.parse(given, nowNanos).query(); // may refuse
    DaemonAddress address = daemon.address(shell);
    Tail tail =
        new Tail(
            new Tail.Plan(given, lagNanos, limit, last == null ? 0 : last, from(start)),
            parameters -> ask(parameters, address),
            output.writer(shell, query.fields()),
            shell::write,
            shell.err(),
            start,
            arrived,
            nowNanos);
    EmptyResultHints.give(query.types(), () -> RemoteTypes.ask(address, List.of()), shell);
    warn(given, address);
    Thread hook = Thread.ofPlatform().name("widerow-stop").unstarted(() -> tell(tail));
    Runtime.getRuntime().addShutdownHook(hook);
    follow(
        tail,
        everyNanos,
        new ClusterLagWarning(lagNanos, () -> RemoteCluster.daemons(address), shell.err()));
    return ExitCode.OK.number;
  }

  long everyNanos() {
    return TimeText.positive("every", every == null ? POLL : every);
  }

  long lagNanos() {
    return mode == Mode.now ? 0 : TimeText.positive("lag", lag);
  }

  /// Has the daemon warn of misspelt fields: polls after a position do not.
  private void warn(Map<String, List<String>> given, DaemonAddress address) {
    if (where != null || fields != null) {
      Map<String, List<String>> followed = new LinkedHashMap<>(given);
      if (fields != null) {
        followed.put("fields", List.of(fields));
      }
      try {
        RemoteResponse.warn(address, followed);
      } catch (QueryException.Remote unknown) {
        return; // if events cannot be read either, the first poll reports it
      }
    }
  }

  private void checkStart() {
    if (arrived != null && after == null) {
      throw new QueryException.Refused("arrived", "requires --after; give both");
    }
    if (after != null && since != null) {
      throw new QueryException.Refused("since", "not together with after");
    }
    if (last != null && after != null) {
      throw new QueryException.Refused("last", "not together with after");
    }
    if (last != null && last < 1) {
      throw new QueryException.Refused("last", "must be at least 1, got " + last);
    }
  }

  /// Where to begin; null for now.
  @Nullable Token start(long nowNanos) {
    if (after != null) {
      return Token.parse(after);
    }
    return since == null
        ? null
        : Token.before(TimeText.parse("since", since, nowNanos, output.zone()));
  }

  /// The start of `--since`, so that `--last` takes no earlier events.
  private @Nullable String from(@Nullable Token start) {
    return since == null || start == null
        ? null
        : Instant.EPOCH.plusNanos(start.tickNanos()).toString();
  }

  /// Reports once that the daemon is being followed: without events there is no other output.
  Tail.Answer ask(Map<String, List<String>> parameters, DaemonAddress address) {
    RemoteCursor cursor = RemoteCursor.open(address, parameters);
    tellFollowing(address);
    return new Tail.Answer(cursor, cursor.arrived());
  }

  void tellFollowing(DaemonAddress address) {
    if (!following) {
      following = true;
      String what = types.isEmpty() ? "all types" : String.join(", ", types);
      shell.err().println("following " + what + " at " + address);
    }
  }

  Map<String, List<String>> parameters() {
    Map<String, List<String>> given = new LinkedHashMap<>();
    if (!types.isEmpty()) {
      given.put("type", types);
    }
    if (where != null) {
      given.put("where", List.of(where));
    }
    if (fields != null) {
      given.put("fields", List.of(fields + "," + LateEvent.FLAG));
    }
    return given;
  }

  private void follow(Tail tail, long everyNanos, ClusterLagWarning behind) {
    Follow.until(
        () -> {
          boolean more = tail.poll();
          if (mode == Mode.ordered) {
            behind.check(System.nanoTime(), System.currentTimeMillis());
          }
          return more;
        },
        everyNanos,
        "no event is skipped",
        shell);
  }

  /// Prints how to continue. Runs in a shutdown hook, because a signal ends this command.
  private void tell(Tail tail) {
    String position = tail.arrived() == null ? "" : " --arrived " + tail.arrived();
    shell.err().println("continue with --after " + tail.token() + position);
  }
}
