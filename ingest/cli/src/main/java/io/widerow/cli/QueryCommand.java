package io.widerow.cli;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The options and the help text of `widerow query`. [QueryRun] does the work.
@Command(
    description = {
      "The events come from one or more types, in time order, filtered or aggregated. A type is the"
          + " kind of an event, named by its sender; `widerow explore types` lists them. A query"
          + " without results reports the reason and is no failure."
    },
    footer = {
      "Examples:",
      "  widerow query --last 20",
      "  widerow query nginx.access --since 1h --where 'status >= 500'",
      "  widerow query web --stats 'count,p99(ms)' --by status --every 5m",
      "  widerow query --since 15m --stats 'count,p99(ms)' --by status --watch 2s",
      "  widerow query --saved errors --since 1d",
      "  widerow query --store 'cassandra://db1,db2/widerow?dc=dc1' --last 20",
      "Times: now, 15m (15 minutes ago), 1y, 2026-11-20, 2026-11-20 19:15, 19:15, yesterday,"
          + " 2026-11-20T19:15:00Z, or a Unix time in s, ms, us or ns. A time without a zone is in"
          + " the zone of --tz.",
      "Filters: status >= 500 and not (path contains \"health\" or agent ~ \"(?i)bot\"). `contains`"
          + " finds any text, `icontains` ignores case. `has` finds whole words, rare ones fastest."
          + " Every event has the fields type, ts and id.",
      "Aggregates: counts and sums of whole numbers are exact. Percentiles come from one fixed grid"
          + " and are within 0.2 %%, in four digits.",
      "Saved queries: the daemon keeps them by name. --saved without a name lists them; with a"
          + " name, options given here replace its options. A token needs the scope admin for"
          + " --save and --forget.",
      "Standard output has the events and nothing else; the token to continue from goes to stderr.",
      "Damage: if the journal of a stopped store has lost acknowledged groups, a warning names"
          + " them, all other events are shown, and the exit code is 65. The exit code is also 65"
          + " if --damage skip left out events.",
      "Exit codes: 0 ok, 64 usage, 65 damaged data, 66 no store, 69 daemon unavailable, 70 bug, 73"
          + " disk full, 74 input/output, 75 store in use, 76 over budget, 77 position past"
          + " retention, 130 stopped."
    })
public final class QueryCommand implements Callable<Integer> {
  /// The message for a command without arguments, whose result would be all events of the store.
  private static final List<String> NO_QUERY =
      List.of(
          "widerow query: no query is given. For example:",
          "  widerow explore types                            list event types",
          "  widerow query --last 20                          the newest 20 events of all types",
          "  widerow query TYPE --since 1h --where 'status >= 500'",
          "  widerow query '*'                                every event",
          "widerow query --help explains all options.");

  private final Shell shell;

  @Spec @Nullable CommandSpec spec;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--shard",
      paramLabel = "N",
      description = "Only partitions of this shard, see `widerow layout partitions`.")
  @Nullable String shard;

  @Option(names = "--from", paramLabel = "TIME", description = "Start of the range (inclusive).")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "End of the range (exclusive).")
  @Nullable String to;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Same as --from, as in --since 15m.")
  @Nullable String since;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      description = "asc (oldest first, default) or desc.")
  @Nullable String order;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Show at most this many events; with --stats, this many rows.")
  @Nullable String limit;

  @Option(
      names = "--last",
      paramLabel = "N",
      description = "Show the newest N events, oldest first.")
  @Nullable Integer last;

  @Option(
      names = "--after",
      paramLabel = "TOKEN",
      description = "Continue after this token, in either order.")
  @Nullable String after;

  @Option(
      names = "--where",
      paramLabel = "FILTER",
      description =
          "Show only events that match this filter. | parse as FORMAT finds fields in texts.")
  @Nullable String where;

  @Option(
      names = "--fields",
      paramLabel = "NAMES",
      description = "Attributes to show, comma-separated.")
  @Nullable String fields;

  @Mixin final OutputOptions output = new OutputOptions();

  @Option(
      names = "--stats",
      paramLabel = "LIST",
      description =
          "Aggregate: count,bytes,count(x),distinct(x),sum(x),min(x),max(x),avg(x),p99.9(x), and"
              + " expressions: count(level >= error) / count.")
  @Nullable String stats;

  @Option(names = "--by", paramLabel = "NAMES", description = "Group by these attributes.")
  @Nullable String by;

  @Option(
      names = "--every",
      paramLabel = "STEP",
      description = "Group by time step, such as 5m; auto: at most 260 steps.")
  @Nullable String every;

  @Option(
      names = "--having",
      paramLabel = "CONDITION",
      description = "Show only rows of --stats whose numbers match, as in 'count > 10'.")
  @Nullable String having;

  @Option(
      names = "--other",
      description = "With --by and --limit: add a row `other` for all groups beyond the limit.")
  boolean other;

  @Option(
      names = "--order-by",
      paramLabel = "COLUMNS",
      description = "Order the rows of --stats, as in 'count desc,status'.")
  @Nullable String orderBy;

  @Option(
      names = "--rollup",
      paramLabel = "MODE",
      description = "Use of stored rollups: auto (default), off or only.")
  @Nullable String rollup;

  @Option(
      names = "--damage",
      paramLabel = "MODE",
      description = "Unreadable data with --stats: refuse (default), or skip, with a warning.")
  @Nullable String damage;

  @Option(
      names = "--save",
      paramLabel = "NAME",
      description = "Save the query in the daemon by this name; do not run it.")
  @Nullable String save;

  @Option(
      names = "--saved",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "NAME",
      description = "Run the saved query of this name, or list all without a name.")
  @Nullable String saved;

  @Option(names = "--forget", paramLabel = "NAME", description = "Delete a saved query.")
  @Nullable String forget;

  @Option(
      names = "--watch",
      paramLabel = "INTERVAL",
      description = "Run again every 2s, 1m, .. and show the result in place, until Ctrl-C.")
  @Nullable String watch;

  @Option(names = "--histogram", description = "Plot the number of events over time.")
  boolean histogram;

  @Option(names = "--explain", description = "Report on stderr the data read and skipped.")
  boolean explain;

  @Option(names = "--dry-run", description = "Report what the query would read, and read nothing.")
  boolean dryRun;

  @Option(
      names = "--cold-budget",
      paramLabel = "BYTES",
      description = "Bytes of cold segments that the query may fetch, instead of the daemon's.")
  @Nullable String coldBudget;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Mixin final StoreOptions source = new StoreOptions();

  public QueryCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    if (spec != null && spec.commandLine().getParseResult().originalArgs().isEmpty()) {
      NO_QUERY.forEach(shell.err()::println);
      return ExitCode.USAGE.number;
    }
    if (watch == null) {
      return new QueryRun(this, shell).run().number;
    }
    if (save != null || forget != null || after != null || "".equals(saved)) {
      throw new QueryException.Refused(
          "watch", "not together with save, forget, after or a list of saved queries");
    }
    long nanos = TimeText.positive("watch", watch);
    return new QueryWatch(shell, nanos).run(new QueryRun(this, shell)).number;
  }

  /// The options that define the query, under their HTTP parameter names.
  Map<String, List<String>> parameters() {
    Map<String, List<String>> given = new LinkedHashMap<>();
    if (!types.isEmpty()) {
      given.put("type", types);
    }
    ParameterText.put(given, "shard", shard);
    ParameterText.put(given, "from", from);
    ParameterText.put(given, "to", to);
    ParameterText.put(given, "since", since);
    ParameterText.put(given, "order", order);
    ParameterText.put(given, "limit", limit);
    ParameterText.put(given, "after", after);
    ParameterText.put(given, "where", where);
    ParameterText.put(given, "fields", fields);
    ParameterText.put(given, "stats", stats);
    ParameterText.put(given, "by", by);
    ParameterText.put(given, "every", every);
    ParameterText.put(given, "having", having);
    ParameterText.put(given, "order-by", orderBy);
    ParameterText.put(given, "other", other ? "true" : null);
    ParameterText.put(given, "rollup", rollup);
    ParameterText.put(given, "damage", damage);
    ParameterText.put(given, "cold-budget", coldBudget);
    Integer newest = last;
    if (newest != null) {
      if (order != null || limit != null || after != null) {
        throw new QueryException.Refused("last", "not together with order, limit or after");
      }
      if (stats != null) {
        throw new QueryException.Refused(
            "last", "not together with stats, which shows no events; limit is of its rows");
      }
      if (newest < 1) {
        throw new QueryException.Refused("last", "must be at least 1, got " + newest);
      }
      ParameterText.put(given, "order", "desc");
      ParameterText.put(given, "limit", newest.toString());
    }
    return given;
  }
}
