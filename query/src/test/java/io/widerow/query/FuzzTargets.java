package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.RecordView;
import io.widerow.fuzz.FuzzReader;
import io.widerow.fuzz.FuzzTarget;
import io.widerow.query.aggregation.Aggregate;
import io.widerow.query.export.ExportedFile;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.logql.Expr;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Fields;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.LineMemory;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.parquet.ParquetFuzz;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import io.widerow.query.result.QueryParameters;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Filters;
import io.widerow.storage.StorageException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/// The parsers of requests, and of a daemon's responses. Any input gives a value or a
/// [QueryException].
@SuppressWarnings("ImmutableEnumChecker") // method references
public enum FuzzTargets implements FuzzTarget {
  FILTER(FuzzTargets::filter, FuzzTargets.filters()),
  PARAMETERS(FuzzTargets::parameters, FuzzTargets.questions()),
  LOGQL(FuzzTargets::logql, FuzzTargets.logql()),
  LOGQL_LINE(
      FuzzTargets::logqlLine,
      "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":\"x\\u00e9\\n\",\"e\":-1.5e3,\"_entry\":\"f\"}",
      "level=warn msg=\"a \\\"b\\\"\" k= =v flag a=b=c",
      "10.0.0.1 - - \"GET /x\" 200"),
  TOKEN(FuzzTargets::token, FuzzTargets.tokens()),
  TIME_TEXT(
      FuzzTargets::times,
      "now",
      "15m",
      "1h30m",
      "1.5d",
      "2026-11-20",
      "1700000000123",
      "2026-11-20T19:15:00.5+01:00",
      "1ns2us3ms4s5m6h7d8w"),
  MEASURES(
      FuzzTargets::measures,
      "count",
      "count(*),count(distinct a.b)",
      "avg(bytes),p99.9(took)",
      "count(x), min(y),max(z)"),
  ANSWER_LINE(
      FuzzTargets::line,
      "{\"id\":\"b12ef090-0d11-11ec-8100-000000000001\",\"ts\":\"2026-11-20T19:15:00.000000001Z\","
          + "\"type\":\"t\",\"body\":\"a\\u00e9\\n\",\"n\":-1.5e3,\"w\":17,\"ok\":true}",
      "{\"token\":\"w1.x\"}",
      "{\"error\":\"why\"}"),
  EXPORTED(
      FuzzTargets::exported,
      "id,ts,type,body,attributes\r\nb12ef090-0d11-11ec-8100-000000000001,"
          + "2021-09-03T21:49:13.113100000Z,t,\"a \"\"b\"\"\n\","
          + "\"{\"\"x\"\":{\"\"$bytes\"\":\"\"aGk=\"\"}}\"\r\n",
      "{\"id\":\"b12ef090-0d11-11ec-8100-000000000001\",\"ts\":\"2021-09-03T21:49:13.1131Z\","
          + "\"type\":\"t\",\"x\":{\"$double\":\"NaN\"}}\n{\"token\":\"w1.x\"}\n"),
  PARQUET(ParquetFuzz::file, ParquetFuzz.files()),
  PARQUET_PAGE(ParquetFuzz::page, ParquetFuzz.pageContents());

  private static final long NOW_NANOS = 1_780_000_000_000_000_000L;

  private final FuzzReader reader;

  FuzzTargets(Consumer<byte[]> parser, String... seeds) {
    List<byte[]> all =
        List.of(seeds).stream().map(t -> t.getBytes(StandardCharsets.UTF_8)).toList();
    reader = new FuzzReader(() -> all, input -> read(parser, input));
  }

  /// @param files with pages, each of which may be of 64 MiB
  FuzzTargets(Consumer<byte[]> parser, List<byte[]> files) {
    reader = new FuzzReader(() -> files, input -> read(parser, input), 160L << 20);
  }

  @Override
  public FuzzReader reader() {
    return reader;
  }

  private static void read(Consumer<byte[]> parser, byte[] input) {
    try {
      parser.accept(input);
    } catch (QueryException told) {
      if (String.valueOf(told.getMessage()).length() < 5) {
        throw new AssertionError("a refusal that says nothing", told);
      }
    }
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }

  private static final String ID = "5a8c6b80-c64a-11f0-8080-808080808080";

  private static String[] filters() {
    return new String[] {
      "body contains \"GET\" and (status >= 500 or not exists x)",
      "a = 'x' or b != 1.5e3 and c in (1, 2.5, \"three\", true)",
      "`and` ~ \"^a.*b$\" and n !~ '\\d+'",
      "took > 15ms and at < 2026-11-20T19:15:00Z",
      "x = \"\\x41\\n\\t\\\"\"",
      "((((((not not a=1))))))",
      "a<1 and a<=2 and a>3 and a>=4 and a==5",
      "type = \"t\" and ts > 15m and ts<='2026-11-20' and id not in (%s)".formatted(ID),
      "a is null or a is not null and a icontains 'É' and not `ts` exists",
      "attributes.type !~ 'x' and type not has 'y' and ts != now and id != '%s'".formatted(ID)
    };
  }

  private static void filter(byte[] input) {
    Filter filter = FilterParser.parse(text(input), NOW_NANOS);
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 12)) {
      byte[] name = "a".getBytes(StandardCharsets.US_ASCII);
      batch.begin(name, 0, 1, NOW_NANOS);
      batch.putString(name, 0, 1, input, 0, Math.min(input.length, 100));
      if (batch.end() == null) {
        RecordView event = new RecordView().show(batch.memory(), 0);
        boolean kept = FilterEvaluation.keeps(filter, event, new AttributeValue());
        boolean not = FilterEvaluation.keeps(new Filter.Not(filter), event, new AttributeValue());
        if (kept == not) {
          throw new AssertionError("kept and not kept: " + filter);
        }
        Filter decided = Filters.ofType(filter, event.type());
        RangeQuery range = RangeQuery.ALL.withFilter(decided).narrowed();
        boolean read =
            event.timeNanos() >= range.fromNanos()
                && event.timeNanos() < range.untilNanos()
                && FilterEvaluation.keeps(range.filter(), event, new AttributeValue());
        if (kept != read) {
          throw new AssertionError("kept and not read, or the reverse: " + filter);
        }
      }
    }
  }

  private static String[] questions() {
    return new String[] {
      "type=nginx.*&type=a?&from=15m&to=now&order=desc&limit=10&format=csv&fields=body,a,b",
      "since=1h&where=body contains \"x\"&after=" + tokens()[0],
      "arrived=a1.0-1-2&after=" + tokens()[0],
      "from=2026-11-20&to=2026-11-21",
      "stats=count(*),avg(x)&by=a,type&every=5m&order-by=avg(x) desc,ts&limit=3&where=ts > 15m"
    };
  }

  private static void parameters(byte[] input) {
    Map<String, List<String>> given = new LinkedHashMap<>();
    for (String pair : text(input).split("&", -1)) {
      int equals = Math.max(0, pair.indexOf('='));
      given
          .computeIfAbsent(pair.substring(0, equals), _ -> new ArrayList<>())
          .add(pair.substring(Math.min(pair.length(), equals + 1)));
    }
    QueryParameters parameters = QueryParameters.parse(given, NOW_NANOS);
    RangeQuery query = parameters.query();
    query.toScan();
    if (query.plannedFromNanos() < 0 || query.types().test("\0")) {
      query.types().test("nginx.access");
    }
    parameters.writer();
  }

  private static String[] logql() {
    return new String[] {
      "{a=\"b\", c!=`d`, e=~\"f.*\", g!~\"h|i\"} |= \"x\" or \"y\" != `z` |~ \"r+\" !~ \"\\\\d\"",
      "{a=\"b\"} | json x=\"y.z[0]\", w | logfmt --strict --keep-empty | regexp \"(?P<n>a)\"",
      "{} | pattern \"<a> - <_>\" | unpack | line_format \"{{.a}}\" | label_format b=c,d=`{{.e}}`",
      "{a=\"b\"} | drop a, b=\"c\" | keep d | decolorize | x >= 1.5ms and (y = \"z\" or w < 5KB)",
      "sum by (a, b) (count_over_time({a=\"b\"} | drop __error__[5s]))",
      "topk(3, avg_over_time({} | unwrap duration(x) | __error__=\"\" [1h30m] offset 5m) by (c))",
      "quantile_over_time(0.99, {a=\"b\"} | json | unwrap bytes(x) [5m]) without (d) > bool 1",
      "rate({a=\"b\"}[1m]) / on (x) rate({a=\"c\"}[1m]) * -2 ^ 3 or vector(1)"
    };
  }

  /// A parsed query runs over its own text.
  private static void logql(byte[] input) {
    Expr expr = LogqlParser.parse(text(input));
    if (expr instanceof LogQuery query) {
      run(query, input);
    }
  }

  private static void logqlLine(byte[] input) {
    LogQuery all =
        (LogQuery)
            LogqlParser.parse(
                "{} | json | logfmt | pattern `<a> - <b> <_>` | regexp `(?P<c>[a-z]+)=(?P<d>.*)`"
                    + " | json x=\"a.b[1].c\", y=\"d\" | unpack | decolorize"
                    + " | label_format e=`{{.a}}{{.d}}` | e > 5 or d < 3ms");
    run(all, input);
    Fields.read(
        text(input),
        LineMemory.unlimited(),
        (label, value, parser) -> Objects.requireNonNull(label + value + parser));
  }

  private static void run(LogQuery query, byte[] body) {
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 12)) {
      byte[] name = "body".getBytes(StandardCharsets.US_ASCII);
      batch.begin(name, 0, 4, NOW_NANOS);
      batch.putString(name, 0, 4, body, 0, Math.min(body.length, 500));
      if (batch.end() == null) {
        RecordView event = new RecordView().show(batch.memory(), 0);
        LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
        Line line = new EventLines(labels, null, true, LineMemory.unlimited()).show(event);
        if (new Pipeline(query, 0).run(line) && line.labels(Line.Category.values()).isEmpty()) {
          line.text();
        }
      }
    }
  }

  private static String[] tokens() {
    return new String[] {
      Token.before(NOW_NANOS).toString(),
      new Token(io.widerow.event.EventId.leastOf(17), "日誌").toString()
    };
  }

  /// Parses the input as a token's text, and also its bytes as a token's content with the right
  /// checksum.
  private static void token(byte[] input) {
    CRC32C crc = new CRC32C();
    crc.update(input);
    byte[] signed =
        ByteBuffer.allocate(input.length + Integer.BYTES)
            .put(input)
            .putInt((int) crc.getValue())
            .array();
    String forged = "w1." + Base64.getUrlEncoder().withoutPadding().encodeToString(signed);
    for (String each : List.of(forged, text(input))) {
      try {
        Token token = Token.parse(each);
        if (!token.toString().equals(each)) {
          throw new AssertionError(each + " is read as " + token);
        }
        RangeQuery query = RangeQuery.ALL.withAfter(token);
        query.toScan();
        query.withDescending(true).toScan();
      } catch (QueryException.Refused told) {
        if (!String.valueOf(told.getMessage()).contains(each)) {
          throw new AssertionError("a refusal without the token", told);
        }
      }
    }
  }

  private static void times(byte[] input) {
    String text = text(input);
    TimeText.parse("from", text, NOW_NANOS);
    if (TimeText.isDuration(text) && TimeText.positive("every", text) <= 0) {
      throw new AssertionError(text);
    }
  }

  private static void measures(byte[] input) {
    List<Aggregate> measures = Aggregate.parse(text(input));
    String written = String.join(",", measures.stream().map(Aggregate::toString).toList());
    if (!Aggregate.parse(written).equals(measures)) {
      throw new AssertionError(measures + " is written as " + written);
    }
  }

  /// A file that is imported: each of its lines is an event, or told.
  private static void exported(byte[] input) {
    OutputBuffer line = new OutputBuffer(1 << 10);
    try (ExportedFile file =
        ExportedFile.text("f", new BufferedInputStream(new ByteArrayInputStream(input)))) {
      while (file.next(line) != ExportedFile.Found.END) {
        line.clear();
      }
    } catch (StorageException.Corrupt damaged) {
      Objects.requireNonNull(damaged.getMessage());
    } catch (IOException impossible) { // it is in memory
      throw new UncheckedIOException(impossible);
    }
  }

  private static void line(byte[] input) {
    Map<String, Object> line = JsonLine.parse(text(input));
    if (line.containsKey("id")) {
      LineEvent event = new LineEvent(line);
      event.find(AttributeName.BODY, new AttributeValue());
      event.forEach(new AttributeValue(), (_, value) -> Objects.requireNonNull(value.toString()));
    }
  }
}
