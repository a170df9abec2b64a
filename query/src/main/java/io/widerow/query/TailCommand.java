package io.widerow.query;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow tail`: its options, and what happens when the daemon goes away. [Tail] does the work.
@Command(
    name = "tail",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = "Follows the events of a daemon, of any types, in one order.",
    footer = {
      "",
      "Ordered, it shows events when they are older than --lag, each in its place in the total",
      "order. One that comes later than that, however late, is shown when it comes and has the",
      "attribute widerow.late. With --mode now every event is shown when it comes. Every event is",
      "shown once. The token and the position it ends with go on exactly there; without --arrived,",
      "late events that came in between are for widerow query.",
      "Exit codes are those of widerow query."
    })
public final class TailCommand implements Callable<Integer> {
  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob; all when none is given.")
  List<String> types = new ArrayList<>();

  @Option(names = "--url", description = "Ask this daemon; its token from WIDEROW_TOKEN.")
  String url = QueryRun.URL_DEFAULT;

  @Option(names = "--where", description = "Keep what this filter says.")
  @Nullable String where;

  @Option(names = "--fields", description = "Attributes to show, separated by commas.")
  @Nullable String fields;

  @Option(names = "--after", description = "Go on directly behind this token; else from now.")
  @Nullable String after;

  @Option(names = "--mode", description = "ordered (default) or now.")
  Mode mode = Mode.ordered;

  @Option(names = "--lag", description = "How old events are when they are shown in order: 2s.")
  String lag = "2s";

  @Option(names = "--arrived", description = "With --after: late events since this position, too.")
  @Nullable String arrived;

  @Option(names = "--every", description = "How often the daemon is asked: 500ms.")
  String every = "500ms";

  @Option(names = "--limit", description = "End after so many events.")
  long limit = Long.MAX_VALUE;

  @Option(names = "--output", description = "table, json, csv, raw or logfmt, as widerow query.")
  @Nullable OutputFormat output;

  /// When events are shown.
  enum Mode {
    ordered,
    now
  }

  TailCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command, and ends the process with its exit code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling; add it to a parent or execute it.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new TailCommand(shell), shell);
  }

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new QueryException.Refused("limit", "must be at least 1, got " + limit);
    }
    long everyNanos = TimeText.positive("every", every);
    long lagNanos = mode == Mode.now ? 0 : TimeText.positive("lag", lag);
    Map<String, List<String>> given = parameters();
    long nowNanos = nowNanos();
    if (arrived != null && after == null) {
      throw new QueryException.Refused("arrived", "goes with --after");
    }
    RangeQuery query = QueryParameters.parse(given, nowNanos).query(); // refuses before asking
    String bearer = shell.environment().get("WIDEROW_TOKEN");
    Tail tail =
        new Tail(
            new Tail.Plan(given, lagNanos, limit),
            parameters -> ask(parameters, bearer),
            shell.writer(output, ZoneOffset.UTC, query.fields()),
            shell::write,
            shell.err(),
            after == null ? null : Token.parse(after),
            arrived,
            nowNanos);
    Thread hook = Thread.ofPlatform().name("widerow-stop").unstarted(() -> tell(tail));
    Runtime.getRuntime().addShutdownHook(hook);
    follow(tail, everyNanos);
    return ExitCode.OK.number;
  }

  private Tail.Answer ask(Map<String, List<String>> parameters, @Nullable String bearer) {
    RemoteCursor cursor = RemoteCursor.open(url, parameters, bearer);
    return new Tail.Answer(cursor, cursor.arrived());
  }

  private static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  private Map<String, List<String>> parameters() {
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

  /// A daemon that never answered is a failure; one that goes away is waited for.
  private void follow(Tail tail, long everyNanos) {
    boolean answered = false;
    boolean away = false;
    while (true) {
      try {
        if (!tail.poll()) {
          return;
        }
        if (away) {
          shell.err().println("the daemon is back");
        }
        away = false;
        answered = true;
      } catch (QueryException.Remote gone) {
        if (!answered) {
          throw gone;
        }
        if (!away) {
          shell.err().println(gone.getMessage() + "; trying on, nothing is skipped");
        }
        away = true;
      }
      LockSupport.parkNanos(everyNanos);
    }
  }

  /// Says how to go on; a signal ends the process while it follows.
  private void tell(Tail tail) {
    String position = tail.arrived() == null ? "" : " --arrived " + tail.arrived();
    shell.err().println("go on with --after " + tail.token() + position);
  }
}
