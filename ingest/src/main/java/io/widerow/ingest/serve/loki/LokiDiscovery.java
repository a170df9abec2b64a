package io.widerow.ingest.serve.loki;

import io.widerow.ingest.serve.loki.LokiParameters.Range;
import io.widerow.ingest.serve.loki.LokiService.Asked;
import io.widerow.query.QueryException;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.run.DetectedFields;
import io.widerow.query.logql.run.LabelCatalog;
import io.widerow.query.logql.run.LinePatterns;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.LogqlSeries;
import io.widerow.query.logql.run.LokiJson;
import io.widerow.query.logql.run.Steps;
import io.widerow.query.logql.run.Volumes;
import io.widerow.query.output.OutputBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Grafana's discovery requests: volumes, labels and fields.
///
/// - Threads: any.
final class LokiDiscovery {
  private static final long LINES_DEFAULT = 1_000;
  private static final long FIELDS_DEFAULT = 1_000;

  private LokiDiscovery() {}

  private static LogQuery lines(Asked asked) {
    String query = asked.parameters().text("query");
    if (query == null) {
      return new LogQuery(List.of(), List.of());
    }
    if (LogqlParser.parse(query) instanceof LogQuery lines) {
      return lines;
    }
    throw new QueryException.Refused(
        "query", "is a metric query, a log query is required: " + query);
  }

  static void stats(LogqlContext execution, Asked asked, OutputBuffer out) {
    Steps _ = asked.parameters().rangeQuery(); // refused as in Loki, and not used
    Range range = asked.parameters().range();
    Volumes.Stats stats =
        new Volumes(execution)
            .stats(lines(asked).matchers(), range.fromNanos(), range.untilNanos());
    out.put("{\"streams\":" + stats.streams() + ",\"chunks\":" + stats.chunks());
    out.put(",\"bytes\":" + stats.bytes() + ",\"entries\":" + stats.entries() + "}\n");
  }

  static void volume(LogqlContext execution, Asked asked, OutputBuffer out) {
    LokiParameters parameters = asked.parameters().ofVolumes();
    long _ = parameters.instantQuery();
    Range range = parameters.range();
    if (range.fromNanos() == range.untilNanos()) {
      LokiJson.vector(List.of(), range.untilNanos(), execution, out);
      return;
    }
    Steps steps = Steps.at(range.untilNanos());
    long window = range.untilNanos() - range.fromNanos();
    LokiJson.vector(series(execution, asked, steps, window), range.untilNanos(), execution, out);
  }

  static void volumeRange(LogqlContext execution, Asked asked, OutputBuffer out) {
    Steps steps = asked.parameters().ofVolumes().rangeQuery();
    LokiJson.matrix(series(execution, asked, steps, steps.stepNanos()), steps, execution, out);
  }

  private static List<LogqlSeries> series(
      LogqlContext execution, Asked asked, Steps steps, long windowNanos) {
    LokiParameters parameters = asked.parameters().ofVolumes();
    long limit = parameters.limit();
    String target = parameters.text("targetLabels");
    String aggregateBy = parameters.text("aggregateBy");
    Volumes volumes = new Volumes(execution);
    if (aggregateBy == null || aggregateBy.equals("series")) {
      Stream<String> labels = target == null ? Stream.of() : Stream.of(target.split(",", -1));
      List<String> named = labels.map(String::strip).filter(each -> !each.isEmpty()).toList();
      return volumes.volume(lines(asked), named, steps, windowNanos, limit);
    }
    if (aggregateBy.equals("labels")) {
      return volumes.volumeOfLabels(lines(asked), steps, windowNanos, limit);
    }
    throw new QueryException.Refused(
        "query", "invalid aggregation option: must be series or labels, got " + aggregateBy);
  }

  static void patterns(LogqlContext execution, Asked asked, OutputBuffer out) {
    Range range = asked.parameters().range();
    long step = asked.parameters().steps().stepNanos();
    new LinePatterns(execution, lines(asked))
        .write(range.fromNanos(), range.untilNanos(), step, out);
  }

  static void labels(LogqlContext execution, Asked asked, OutputBuffer out) {
    Range range = asked.parameters().range();
    LabelCatalog catalog = new LabelCatalog(execution, range.fromNanos(), range.untilNanos());
    out.put("{\"detectedLabels\":[");
    String comma = "";
    for (Map.Entry<String, Integer> label :
        catalog.cardinalities(lines(asked).matchers()).entrySet()) {
      out.put(comma + "{\"label\":");
      LokiJson.text(label.getKey(), out);
      out.put(",\"cardinality\":" + label.getValue() + "}");
      comma = ",";
    }
    out.put("]}\n");
  }

  private static DetectedFields detected(LogqlContext execution, Asked asked) {
    LokiParameters parameters = asked.parameters();
    Range range = parameters.range();
    long most = parameters.fieldLines(LINES_DEFAULT);
    Steps _ = parameters.steps(); // refused as in Loki, and not used
    DetectedFields fields = new DetectedFields(execution);
    fields.read(lines(asked), range.fromNanos(), range.untilNanos(), most);
    return fields;
  }

  static void fields(LogqlContext execution, Asked asked, OutputBuffer out) {
    LokiParameters parameters = asked.parameters();
    long limit = parameters.fieldLimit(FIELDS_DEFAULT);
    out.put("{\"fields\":[");
    String comma = "";
    for (DetectedFields.Field field : detected(execution, asked).fields(limit)) {
      out.put(comma + "{\"label\":");
      LokiJson.text(field.label(), out);
      out.put(",\"type\":\"" + field.type() + "\",\"cardinality\":" + field.cardinality());
      out.put(",\"parsers\":");
      if (field.parsers().isEmpty()) {
        out.put("null");
      } else {
        LokiJson.texts(field.parsers(), out);
      }
      if (!field.jsonPath().isEmpty()) {
        out.put(",\"jsonPath\":");
        LokiJson.texts(field.jsonPath(), out);
      }
      out.put('}');
      comma = ",";
    }
    out.put("],\"limit\":" + limit + "}\n");
  }

  static void fieldValues(LogqlContext execution, Asked asked, OutputBuffer out) {
    long limit = asked.parameters().fieldLimit(FIELDS_DEFAULT);
    out.put("{\"values\":");
    LokiJson.texts(detected(execution, asked).values(asked.name(), limit), out);
    out.put(",\"limit\":" + limit + "}\n");
  }
}
