package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.HttpRequest;
import io.netty.util.AsciiString;
import io.widerow.ingest.serve.loki.LokiParameters.Range;
import io.widerow.ingest.serve.loki.LokiService.Asked;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.Token;
import io.widerow.query.logql.Expr;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.LogqlPrinter;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.run.LabelCatalog;
import io.widerow.query.logql.run.LabelCheck;
import io.widerow.query.logql.run.LabelSet;
import io.widerow.query.logql.run.LogRun;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.LokiJson;
import io.widerow.query.logql.run.MetricRun;
import io.widerow.query.logql.run.Steps;
import io.widerow.query.logql.run.StreamEntries;
import io.widerow.query.output.OutputBuffer;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// The responses to the requests of Loki's API.
///
/// - Threads: any.
///
/// @param version of this program
/// @param limits of this daemon, as JSON
record LokiResponses(String version, String limits) {
  private static final String API_VERSION = "3.7.0";
  private static final AsciiString FLAGS = AsciiString.cached("x-loki-response-encoding-flags");
  private static final String LINES_AT_ONE_INSTANT =
      "log queries are not supported as an instant query type, please change your query to a range"
          + " query type";

  /// True when the client wants labels, metadata and parsed labels apart.
  static boolean isCategorized(HttpRequest request) {
    for (String flag : request.headers().get(FLAGS, "").split(",", -1)) {
      if (flag.equals(LokiJson.CATEGORIZE)) {
        return true;
      }
    }
    return false;
  }

  void query(LogqlContext execution, Asked asked, OutputBuffer out) {
    long at = asked.parameters().instantQuery();
    switch (LogqlParser.parse(asked.parameters().query())) {
      case LogQuery _ -> throw new QueryException.Refused("query", LINES_AT_ONE_INSTANT);
      case Metric metric -> {
        MetricRun.Value value = new MetricRun(execution, Steps.at(at)).run(metric);
        if (value.isNumber()) {
          LokiJson.scalar(value.series().getFirst().at(0), at, execution, out);
        } else {
          LokiJson.vector(value.series(), at, execution, out);
          if (value.series().isEmpty()) {
            LokiJson.warnings(LabelCheck.of(execution, metric, RangeQuery.ALL), out);
          }
        }
      }
    }
  }

  void queryRange(LogqlContext execution, Asked asked, OutputBuffer out) {
    LokiParameters parameters = asked.parameters();
    Steps steps = parameters.rangeQuery();
    switch (LogqlParser.parse(parameters.query())) {
      case LogQuery lines -> {
        Range range = parameters.range();
        StreamEntries entries = new StreamEntries(execution, asked.categorized());
        Token end =
            new LogRun(execution, lines, entries)
                .read(range.fromNanos(), range.untilNanos(), parameters.page());
        LokiJson.streams(entries, end, execution, out);
        if (entries.count() == 0) {
          RangeQuery read = RangeQuery.ALL.withRange(range.fromNanos(), range.untilNanos());
          LokiJson.warnings(LabelCheck.of(execution, lines, read), out);
        }
      }
      case Metric metric -> {
        MetricRun.Value value = new MetricRun(execution, steps).run(metric);
        LokiJson.matrix(value.series(), steps, execution, out);
        if (value.series().isEmpty()) {
          LokiJson.warnings(LabelCheck.of(execution, metric, RangeQuery.ALL), out);
        }
      }
    }
  }

  private static LabelCatalog catalog(LogqlContext execution, Asked asked) {
    Range range = asked.parameters().range();
    return new LabelCatalog(execution, range.fromNanos(), range.untilNanos());
  }

  /// The matchers of the parameter `query`; none without it.
  static List<Matcher> matchers(LokiParameters parameters) {
    String query = parameters.text("query");
    return query == null ? List.of() : LogqlParser.selector(query);
  }

  void labels(LogqlContext execution, Asked asked, OutputBuffer out) {
    LokiJson.list(catalog(execution, asked).labels(matchers(asked.parameters())), out);
  }

  void labelValues(LogqlContext execution, Asked asked, OutputBuffer out) {
    List<Matcher> matchers = matchers(asked.parameters());
    LokiJson.list(catalog(execution, asked).values(asked.name(), matchers), out);
  }

  void series(LogqlContext execution, Asked asked, OutputBuffer out) {
    List<String> selectors = asked.parameters().all("match[]");
    if (selectors.isEmpty()) {
      selectors = asked.parameters().all("match");
    }
    SortedSet<LabelSet> streams = new TreeSet<>();
    if (selectors.isEmpty()) {
      streams.addAll(catalog(execution, asked).streams(List.of()));
    }
    for (String selector : selectors) {
      streams.addAll(catalog(execution, asked).streams(LogqlParser.selector(selector)));
    }
    LokiJson.sets(streams, out);
  }

  /// The query in its normal form.
  void formatQuery(LogqlContext execution, Asked asked, OutputBuffer out) {
    Expr query = LogqlParser.parse(asked.parameters().query());
    out.put("{\"status\":\"success\",\"data\":");
    LokiJson.text(LogqlPrinter.format(query), out);
    out.put("}\n");
  }

  /// The limits that Logs Drilldown shows, and whether patterns are there.
  void limits(LogqlContext execution, Asked asked, OutputBuffer out) {
    out.put("{\"limits\":" + limits + ",\"pattern_ingester_enabled\":true,\"version\":");
    LokiJson.text(API_VERSION, out);
    out.put("}\n");
  }

  /// The response from which Grafana derives the supported requests.
  void buildInfo(LogqlContext execution, Asked asked, OutputBuffer out) {
    out.put("{\"version\":\"" + API_VERSION + "\",\"revision\":");
    LokiJson.text("widerow " + version, out);
    out.put(",\"branch\":\"\",\"buildUser\":\"\",\"buildDate\":\"\",\"goVersion\":\"\"}\n");
  }
}
