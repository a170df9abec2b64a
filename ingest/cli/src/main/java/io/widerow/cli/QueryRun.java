package io.widerow.cli;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.Token;
import io.widerow.query.TypeGlobs;
import io.widerow.query.aggregation.Aggregation;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.Plot;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.Rfc3339;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteCursor;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.remote.RemoteStats;
import io.widerow.query.remote.RemoteTypes;
import io.widerow.query.remote.SavedQueries;
import io.widerow.query.result.AggregateCoverage;
import io.widerow.query.result.FieldCheck;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.QueryResult;
import io.widerow.query.result.ReadCost;
import io.widerow.query.result.RollupUse;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One run of `widerow query`: opens the source and shows its events, their aggregates or a plot.
final class QueryRun {
  private static final String COMMAND = "widerow query";
  private static final int CHUNK_BYTES = 1 << 16;

  /// Parameters that take each other's place.
  private static final List<Set<String>> ONE_OF =
      List.of(
          Set.of("from", "since"),
          Set.of(
              "stats", "by", "every", "having", "order-by", "other", "limit", "order", "fields"));

  private final QueryCommand options;
  private final Shell shell;
  private final ZoneId zone;
  private final OutputBuffer sink = new OutputBuffer(2 * CHUNK_BYTES);
  private long startNanos = System.nanoTime();
  private @Nullable FieldCheck check; // of a stopped store; a daemon warns itself
  private boolean readerGone;
  private @Nullable StatsQuery shownFigures;
  private @Nullable List<List<Cell>> shownRows;

  QueryRun(QueryCommand options, Shell shell) {
    this.options = options;
    this.shell = shell;
    this.zone = options.output.zone();
  }

  /// True when the reader of a pipe has gone, as with `| head`.
  boolean isReaderGone() {
    return readerGone;
  }

  private boolean write() {
    boolean read = shell.write(sink);
    readerGone |= !read;
    return read;
  }

  /// @return [ExitCode#CORRUPT] when all readable events were shown but some are known to be lost
  ExitCode run() {
    startNanos = System.nanoTime();
    if (options.forget != null) {
      show(SavedQueries.forget(savedAt("forget"), options.forget));
      return ExitCode.OK;
    }
    if ("".equals(options.saved)) {
      listSaved();
      return ExitCode.OK;
    }
    long nowNanos = ShownTimes.nowNanos();
    Map<String, List<String>> given =
        withSaved(ShownTimes.resolve(options.parameters(), nowNanos, zone));
    QueryParameters asked = QueryParameters.parse(given, nowNanos);
    if (options.save != null) {
      SavedQueries.save(savedAt("save"), options.save, given);
      shell.err().printf("saved; `widerow query --saved %s` runs it%n", options.save);
      return ExitCode.OK;
    }
    EventStore store = options.source.open(options.daemon, shell);
    if (store == null) {
      return askDaemon(given, asked);
    }
    RangeQuery query = asked.query();
    StatsQuery figures = asked.figures();
    ReadMode mode = options.histogram ? asked.countMode() : asked.readMode();
    try (store;
        StoreView view = store.view();
        RangeReader reader =
            RangeReader.open(view, query, mode, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      if (options.dryRun) {
        return show(ReadCost.of(reader, 0));
      }
      ExitCode code = warn(store);
      Progress progress = new Progress(shell.err(), startNanos);
      if (shell.errToTerminal() && !showsAsItReads(figures)) {
        reader.onProgress(() -> progress.at(reader.eventsScanned(), System.nanoTime()));
      }
      try {
        asked.requireRollup(view);
        check = asked.check(view);
        show(reader, query, figures, reader::unread);
      } finally {
        progress.end();
      }
      warnings().forEach(warning -> shell.err().println("widerow: " + warning));
      boolean nothing = reader.statistics().eventsKept() == 0;
      EmptyResultHints.give(query, nothing, () -> view.types(TypeGlobs.ALL), zone, shell);
      AggregateCoverage kept = AggregateCoverage.of(reader);
      tell(kept);
      if (options.explain) {
        shell.err().println(ReadCost.of(reader, System.nanoTime() - startNanos).text());
        RollupUse rollup = asked.mayUseRollups(view) ? RollupUse.of(reader, asked) : null;
        if (rollup != null) {
          shell.err().println(rollup.sentence());
        }
        kept.sentences().forEach(shell.err()::println);
        view.explain().forEach(shell.err()::println);
      }
      ExitCode lost = DamageWarnings.tell(COMMAND, reader.unread(), zone, shell);
      return code == ExitCode.OK ? lost : code;
    }
  }

  /// The warnings about fields that no event of a stopped store has.
  private List<String> warnings() {
    FieldCheck of = check;
    List<List<Cell>> rows = shownRows;
    StatsQuery figures = shownFigures;
    if (of == null || options.histogram) {
      return List.of();
    }
    return rows == null || figures == null ? of.ofEvents() : of.ofRows(figures, rows);
  }

  /// The parameters given, and those of a saved query that none given contradicts.
  private Map<String, List<String>> withSaved(Map<String, List<String>> given) {
    if (options.saved == null) {
      return given;
    }
    Map<String, List<String>> all = SavedQueries.get(savedAt("saved"), options.saved);
    for (Set<String> one : ONE_OF) {
      if (one.stream().anyMatch(given::containsKey)) {
        all.keySet().removeAll(one);
      }
    }
    all.putAll(given);
    return all;
  }

  private void listSaved() {
    RemoteRows saved = SavedQueries.list(savedAt("saved"));
    if (options.output.format(shell) == OutputFormat.table) {
      saved =
          new RemoteRows(
              saved.heads(),
              saved.rows().stream()
                  .map(row -> List.of(row.getFirst(), Cell.ofText(readable(row.getLast().text()))))
                  .toList());
    }
    show(saved);
    if (saved.rows().isEmpty()) {
      shell.err().println("widerow query: no query is saved; --save NAME saves one");
    }
  }

  private static String readable(String parameters) {
    return ParameterText.decode(parameters).entrySet().stream()
        .map(parameter -> parameter.getKey() + "=" + String.join(",", parameter.getValue()))
        .collect(Collectors.joining("  "));
  }

  private void show(RemoteRows table) {
    new StatsWriter(options.output.format(shell)).write(table.heads(), table.rows(), sink);
    write();
  }

  private DaemonAddress savedAt(String option) {
    if (options.source.isGiven()) {
      throw new QueryException.Refused(
          option, "requires a daemon, which keeps the queries; omit --data and --store");
    }
    return options.daemon.address(shell);
  }

  /// Always reports the missing parts of a result.
  private void tell(AggregateCoverage kept) {
    if (kept.missing() > 0) {
      shell.err().println("widerow query: " + kept.lack());
    }
  }

  /// Warns of the data that the journal lost. A damaged segment needs no warning here: a query that
  /// reads it fails, or reports the missing parts.
  private ExitCode warn(EventStore store) {
    List<Damage> lost =
        store.statistics().damage().stream()
            .filter(damage -> damage.kind() == Damage.Kind.JOURNAL)
            .toList();
    lost.forEach(one -> shell.err().println("widerow query: shown without: " + one.sentence()));
    return lost.isEmpty() ? ExitCode.OK : ExitCode.CORRUPT;
  }

  private ExitCode askDaemon(Map<String, List<String>> given, QueryParameters asked) {
    DaemonAddress daemon = options.daemon.address(shell);
    String url = daemon.url();
    StatsQuery figures = asked.figures();
    boolean nothing;
    List<ScanWatch.Unread> unread = new ArrayList<>();
    if (options.dryRun) {
      return plan(daemon, given);
    }
    if (figures != null) {
      try (RemoteResponse answer = RemoteResponse.open(daemon, explained(given))) {
        List<List<Cell>> rows = RemoteStats.rows(answer, figures, zone, unread::add);
        nothing = rows.isEmpty() || isCountOfNothing(figures, rows);
        figures(figures, rows, unread);
        RollupUse rollup = RollupUse.parse(answer.rollup());
        AggregateCoverage kept = AggregateCoverage.parse(answer.kept());
        tell(kept);
        explain(url, "aggregates", options.explain ? answer.explain() : null);
        if (options.explain && rollup != null) {
          shell.err().println(rollup.sentence());
        }
        if (options.explain) {
          kept.sentences().forEach(shell.err()::println);
        }
      }
    } else if (options.histogram && isWhole(given)) {
      Plot plot = new RemoteStats(daemon, given).plot();
      nothing = plot.isEmpty();
      plot(plot);
      explain(url, "counts", null);
    } else {
      try (RemoteCursor cursor = RemoteCursor.open(daemon, explained(given))) {
        show(cursor, asked.query(), null, List::of);
        nothing = cursor.statistics().eventsKept() == 0;
        explain(url, cursor.statistics().eventsKept() + " events", cursor.explain());
      }
    }
    EmptyResultHints.give(
        asked.query(), nothing, () -> RemoteTypes.ask(daemon, List.of()), zone, shell);
    return DamageWarnings.tell(COMMAND, unread, zone, shell);
  }

  private static boolean isCountOfNothing(StatsQuery asked, List<List<Cell>> rows) {
    int count = asked.heads().indexOf("count");
    return count >= 0 && rows.size() == 1 && rows.getFirst().get(count).text().equals("0");
  }

  /// True when the query is for all events of a range, so the daemon can count them.
  private static boolean isWhole(Map<String, List<String>> given) {
    return !given.containsKey("limit")
        && !given.containsKey("after")
        && !given.containsKey("order");
  }

  /// @param unread lists at the end the damaged parts that the aggregates lack
  private void show(
      EventCursor cursor,
      RangeQuery query,
      @Nullable StatsQuery figures,
      Supplier<List<ScanWatch.Unread>> unread) {
    if (figures != null) {
      Aggregation statistics = new Aggregation(figures, _ -> {}); // one query: no memory budget
      forEach(cursor, () -> statistics.add(cursor.event()));
      figures(figures, statistics.rows(zone), unread.get());
    } else if (options.histogram) {
      Plot plot = new Plot();
      forEach(cursor, () -> plot.add(cursor.event().timeNanos()));
      plot(plot);
    } else if (options.last != null) {
      newest(cursor, query);
    } else {
      events(cursor, query);
    }
  }

  private void figures(StatsQuery asked, List<List<Cell>> rows, List<ScanWatch.Unread> unread) {
    shownFigures = asked;
    shownRows = rows;
    options.output.statsWriter(shell).write(asked, rows, unread, sink);
    write();
  }

  private void plot(Plot plot) {
    plot.lines(new Rfc3339(zone), shell.unicode()).forEach(line -> sink.put(line + "\n"));
    write();
  }

  private static void forEach(EventCursor cursor, Runnable visit) {
    while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
      visit.run();
    }
  }

  private void events(EventCursor cursor, RangeQuery query) {
    try (var answer = new QueryResult(cursor, writer(query), query.after())) {
      while (answer.writeNext(sink)) {
        if (sink.length() >= CHUNK_BYTES && !write()) {
          return;
        }
      }
      boolean read = write();
      RuntimeException failure = answer.failure();
      if (failure != null) {
        throw failure;
      }
      if (read && !options.output.token() && answer.token() != null) {
        shell.err().println("continue with --after " + answer.token());
      }
    }
  }

  /// Reads the newest events newest first, keeps their output as bytes, and shows it in reverse.
  private void newest(EventCursor cursor, RangeQuery query) {
    EventWriter writer = writer(query);
    List<byte[]> shown = new ArrayList<>();
    Token[] token = new Token[1];
    forEach(
        cursor,
        () -> {
          if (shown.isEmpty()) {
            token[0] = Token.of(cursor.event());
          }
          sink.clear();
          writer.event(cursor.event(), sink);
          shown.add(Arrays.copyOf(sink.bytes(), sink.length()));
        });
    sink.clear();
    writer.begin(sink);
    for (byte[] event : shown.reversed()) {
      sink.put(event);
    }
    writer.end(token[0], sink);
    write();
  }

  private EventWriter writer(RangeQuery query) {
    EventWriter writer = options.output.writer(shell, query.fields());
    FieldCheck of = check;
    return of == null ? writer : of.seeing(writer);
  }

  /// True when events appear on the terminal as they are read, so no progress line is needed.
  private boolean showsAsItReads(@Nullable StatsQuery figures) {
    return shell.outToTerminal() && figures == null && !options.histogram && options.last == null;
  }

  /// @param statistics the line of a response; null for none
  private void explain(String url, String read, @Nullable String statistics) {
    if (options.explain) {
      shell.err().printf("request: %s%nread: %s; %d ms%n", url, read, elapsedMillis());
      String cold = statistics == null ? null : ReadCost.parse(statistics).coldText();
      if (cold != null) {
        shell.err().println(cold);
      }
    }
  }

  private Map<String, List<String>> explained(Map<String, List<String>> given) {
    Map<String, List<String>> all = new LinkedHashMap<>(given);
    ParameterText.put(all, "explain", options.dryRun ? "plan" : options.explain ? "true" : null);
    return all;
  }

  private ExitCode plan(DaemonAddress daemon, Map<String, List<String>> given) {
    try (RemoteResponse answer = RemoteResponse.open(daemon, explained(given))) {
      String line = answer.explain();
      if (line == null) {
        throw new QueryException.Remote(
            "the daemon sent no plan; it may be older than this program");
      }
      return show(ReadCost.parse(line));
    }
  }

  private ExitCode show(ReadCost plan) {
    sink.put(plan.planText() + System.lineSeparator());
    write();
    return ExitCode.OK;
  }

  private long elapsedMillis() {
    return (System.nanoTime() - startNanos) / 1_000_000;
  }
}
