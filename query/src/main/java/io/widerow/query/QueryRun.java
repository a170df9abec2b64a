package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreView;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One run of `widerow query`: opens the source, and shows its events, their figures or their plot.
final class QueryRun {
  static final String URL_DEFAULT = "http://127.0.0.1:7380";
  private static final int CHUNK_BYTES = 1 << 16;

  private final QueryCommand options;
  private final StoreOpener opener;
  private final Map<String, String> environment;
  private final ZoneId zone;
  private final boolean toTerminal;
  private final OutputStream out = new FileOutputStream(FileDescriptor.out);
  private final ByteSink sink = new ByteSink(2 * CHUNK_BYTES);
  private final long startNanos = System.nanoTime();

  QueryRun(QueryCommand options, StoreOpener opener, Map<String, String> environment) {
    this.options = options;
    this.opener = opener;
    this.environment = environment;
    this.zone = zone(options.zone, options.utc);
    this.toTerminal = isTerminal();
  }

  @SuppressWarnings("SystemConsoleNull") // it is null again with the default console of JDK 25
  private static boolean isTerminal() {
    var console = System.console();
    return console != null && console.isTerminal();
  }

  private static ZoneId zone(@Nullable String name, boolean utc) {
    if (name == null || utc) {
      return ZoneOffset.UTC;
    }
    try {
      return ZoneId.of(name);
    } catch (DateTimeException unknown) {
      throw new QueryException.Refused("tz", "no such time zone: " + name);
    }
  }

  ExitCode run() throws IOException {
    Map<String, List<String>> given = options.parameters();
    Statistics figures = statistics(given);
    Instant now = Instant.now();
    long nowNanos = now.getEpochSecond() * 1_000_000_000L + now.getNano();
    RangeQuery query = QueryParameters.parse(given, nowNanos).query();
    Path data = options.data;
    if (data == null) {
      String url = options.url == null ? URL_DEFAULT : options.url;
      String bearer = environment.get("WIDEROW_TOKEN");
      try (EventCursor cursor = RemoteCursor.open(url, given, bearer)) {
        return show(cursor, query, figures);
      }
    }
    if (options.url != null) {
      throw new QueryException.Refused("data", "give either data or url, not both");
    }
    try (EventStore store = opener.openReadOnly(data);
        StoreView view = store.view();
        RangeReader reader = RangeReader.open(view, query, QueryBudget.DEFAULT)) {
      ExitCode code = show(reader, query, figures);
      if (options.explain) {
        explain(reader);
      }
      return code;
    }
  }

  /// The figures asked for; narrows the fields of the query to those they need.
  private @Nullable Statistics statistics(Map<String, List<String>> given) {
    String stats = options.stats;
    if (stats == null) {
      if (options.by != null || options.every != null) {
        throw new QueryException.Refused("stats", "by and every group figures; add --stats count");
      }
      return null;
    }
    List<Measure> measures = Measure.parse(stats);
    List<AttributeName> by = new ArrayList<>();
    if (options.by != null) {
      for (String name : options.by.split(",", -1)) {
        by.add(QueryParameters.name("by", name.strip()));
      }
    }
    Set<String> fields = new LinkedHashSet<>(Set.of("ts")); // none at all would mean every field
    by.forEach(name -> fields.add(name.toString()));
    for (Measure measure : measures) {
      AttributeName name = measure.name();
      if (name != null) {
        fields.add(name.toString());
      }
    }
    given.put("fields", List.of(String.join(",", fields)));
    return new Statistics(measures, by, every());
  }

  private long every() {
    String text = options.every;
    if (text == null) {
      return 0;
    }
    try {
      long nanos = TimeText.isDuration(text) ? TimeText.duration(text) : 0;
      if (nanos > 0) {
        return nanos;
      }
    } catch (ArithmeticException _) {
      // longer than time itself: refused below like any other text
    }
    throw new QueryException.Refused("every", "not a duration: " + text + " (write 5m)");
  }

  private ExitCode show(EventCursor cursor, RangeQuery query, @Nullable Statistics figures)
      throws IOException {
    if (figures != null) {
      forEach(cursor, () -> figures.add(cursor.event()));
      new FiguresWriter(format())
          .write(figures.heads(), figures.textColumns(), figures.rows(zone), sink);
      return flush();
    }
    if (options.histogram) {
      Plot plot = new Plot();
      forEach(cursor, () -> plot.add(cursor.event().timeNanos()));
      boolean unicode = Charset.defaultCharset().name().startsWith("UTF");
      plot.lines(new Rfc3339(zone), unicode).forEach(line -> sink.put(line + "\n"));
      return flush();
    }
    return options.last == null ? events(cursor, query) : newest(cursor, query);
  }

  private static void forEach(EventCursor cursor, Runnable visit) {
    while (true) {
      switch (cursor.next()) {
        case EVENT -> visit.run();
        case PENDING -> cursor.ready().join();
        case END -> {
          return;
        }
      }
    }
  }

  private ExitCode events(EventCursor cursor, RangeQuery query) throws IOException {
    try (var answer = new QueryAnswer(cursor, writer(query), query.after())) {
      while (answer.writeNext(sink)) {
        if (sink.length() >= CHUNK_BYTES && flush() != ExitCode.OK) {
          return ExitCode.OK;
        }
      }
      ExitCode code = flush();
      RuntimeException failure = answer.failure();
      if (failure != null) {
        throw failure;
      }
      if (toTerminal && answer.token() != null) {
        System.err.println("go on with --after " + answer.token());
      }
      return code;
    }
  }

  /// The newest events come newest first; they are kept as bytes and shown the other way round.
  private ExitCode newest(EventCursor cursor, RangeQuery query) throws IOException {
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
    return flush();
  }

  private QueryCommand.Output format() {
    QueryCommand.Output asked = options.output;
    if (asked != null) {
      return asked;
    }
    return toTerminal ? QueryCommand.Output.table : QueryCommand.Output.json;
  }

  private EventWriter writer(RangeQuery query) {
    boolean colour = toTerminal && !environment.containsKey("NO_COLOR");
    return switch (format()) {
      case json -> new JsonLinesWriter(zone);
      case csv -> new CsvWriter(zone, query.fields());
      case table -> text(TextWriter.Style.TABLE, query, colour);
      case raw -> text(TextWriter.Style.RAW, query, false);
      case logfmt -> text(TextWriter.Style.LOGFMT, query, false);
    };
  }

  private EventWriter text(TextWriter.Style style, RangeQuery query, boolean colour) {
    return new TextWriter(style, zone, query.fields(), toTerminal, colour);
  }

  /// Not OK when the reader of a pipe has gone, as `head` does: no failure, but the end.
  private ExitCode flush() {
    try {
      out.write(sink.bytes(), 0, sink.length());
      sink.clear();
      return ExitCode.OK;
    } catch (IOException gone) {
      sink.clear();
      return ExitCode.STOPPED;
    }
  }

  private void explain(RangeReader reader) {
    ScanStatistics cost = reader.statistics();
    System.err.printf(
        "plan: %d partitions in %d groups, %d groups opened%n"
            + "read: %d blocks, %d bytes; skipped: %d blocks%n"
            + "events: %d scanned, %d kept; %d ms%n",
        reader.plan().partitions(),
        reader.plan().groups().size(),
        reader.groupsOpened(),
        cost.blocksRead(),
        cost.bytesRead(),
        cost.blocksSkipped(),
        cost.eventsScanned(),
        cost.eventsKept(),
        (System.nanoTime() - startNanos) / 1_000_000);
  }
}
