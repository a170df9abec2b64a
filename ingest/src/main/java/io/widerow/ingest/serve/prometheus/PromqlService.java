package io.widerow.ingest.serve.prometheus;

import io.widerow.ingest.http.HttpRoute;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.promql.GoNumber;
import io.widerow.query.promql.LabelNames;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.promql.PromqlPrinter;
import io.widerow.query.promql.PromqlTree;
import io.widerow.query.promql.run.Annotations;
import io.widerow.query.promql.run.PromqlBlocks;
import io.widerow.query.promql.run.PromqlValue;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.query.promql.run.StoreSamples;
import io.widerow.query.series.Exemplars;
import io.widerow.query.series.Labels;
import io.widerow.query.series.SeriesSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Evaluates PromQL: `/api/v1/query`, `/api/v1/query_range`, `/api/v1/query_exemplars`; takes it
/// apart: `/api/v1/parse_query`, `/api/v1/format_query`.
///
/// ```
///   {"status":"success","data":{"resultType":"vector","result":[
///     {"metric":{"__name__":"up","job":"x"},"value":[1763668800,"1"]}]}}
/// ```
///
/// Source: prometheus/prometheus `docs/querying/api.md`.
///
/// - Threads: see [ApiResponses].
final class PromqlService {
  /// How old the latest sample of a series may be.

  private final ApiResponses responses;

  PromqlService(ApiResponses responses) {
    this.responses = responses;
  }

  List<HttpRoute> routes() {
    return List.of(
        responses.route("/api/v1/query", PromqlService::instant),
        responses.route("/api/v1/query_range", PromqlService::range),
        responses.route("/api/v1/query_exemplars", PromqlService::exemplars),
        responses.route("/api/v1/parse_query", PromqlService::parse),
        responses.route("/api/v1/format_query", PromqlService::format));
  }

  private static void instant(ApiResponses.Call call, OutputBuffer json) {
    long now = System.currentTimeMillis();
    evaluate(call, StepTimes.at(call.parameters().millis("time", now)), true, json);
  }

  private static void range(ApiResponses.Call call, OutputBuffer json) {
    CatalogParameters given = call.parameters();
    for (String each : List.of("start", "end", "step")) {
      given.required(each);
    }
    StepTimes steps =
        StepTimes.of(given.millis("start", 0), given.millis("end", 0), given.duration("step", 0));
    evaluate(call, steps, false, json);
  }

  private static void format(ApiResponses.Call call, OutputBuffer json) {
    PromqlExpr expr = PromqlParser.parse("query", call.parameters().required("query"));
    json.put("{\"status\":\"success\",\"data\":");
    ApiResponses.putText(json, PromqlPrinter.print(expr));
    json.put("}\n");
  }

  private static void parse(ApiResponses.Call call, OutputBuffer json) {
    PromqlExpr expr = PromqlParser.parse("query", call.parameters().required("query"));
    json.put("{\"status\":\"success\",\"data\":");
    ApiResponses.putTree(json, PromqlTree.of(expr));
    json.put("}\n");
  }

  private static void exemplars(ApiResponses.Call call, OutputBuffer json) {
    CatalogParameters given = call.parameters();
    PromqlExpr expr = PromqlParser.parse("query", given.required("query"));
    SortedMap<Labels, List<Exemplars.Exemplar>> all = new TreeMap<>();
    for (PromqlExpr.Selector selector : LabelNames.selectors(expr)) {
      all.putAll(
          Exemplars.read(call.execution(), new SeriesSelector(selector.matchers()), given.range()));
    }
    json.put("{\"status\":\"success\",\"data\":[");
    String comma = "";
    for (var series : all.entrySet()) {
      json.put(comma);
      json.put("{\"seriesLabels\":");
      ApiResponses.putLabels(json, series.getKey());
      json.put(",\"exemplars\":[");
      String separator = "";
      for (Exemplars.Exemplar each : series.getValue()) {
        json.put(separator);
        json.put("{\"labels\":");
        ApiResponses.putLabels(json, each.labels());
        json.put(",\"value\":\"" + GoNumber.json(each.value()) + "\",\"timestamp\":");
        json.put(GoNumber.plain(each.millis() / 1e3) + "}");
        separator = ",";
      }
      json.put("]}");
      comma = ",";
    }
    json.put("]}\n");
  }

  private static void evaluate(
      ApiResponses.Call call, StepTimes steps, boolean isInstant, OutputBuffer json) {
    CatalogParameters given = call.parameters();
    String query = given.required("query");
    long limit = given.limit();
    PromqlExpr expr = PromqlParser.parse("query", query);
    Annotations annotations = new Annotations(query);
    PromqlValue value =
        new PromqlBlocks(
                call.execution(),
                StoreSamples.of(call.execution(), expr, given.logLabels()),
                steps,
                given.duration("lookback_delta", StepTimes.LOOKBACK_MILLIS),
                annotations)
            .run(expr);
    json.put("{\"status\":\"success\",\"data\":{\"resultType\":\"");
    PromqlResult result = new PromqlResult(steps, isInstant, limit, json);
    result.put(value);
    json.put(']');
    if (!given.text("stats").isEmpty()) {
      putStatistics(call, json);
    }
    json.put('}');
    List<String> warnings = new ArrayList<>(annotations.warnings());
    if (result.isTruncated()) {
      warnings.add("results truncated due to limit");
    }
    putTexts(json, "warnings", warnings);
    putTexts(json, "infos", annotations.infos());
    json.put("}\n");
  }

  /// The cost of the query. The samples are those that were read.
  private static void putStatistics(ApiResponses.Call call, OutputBuffer json) {
    String seconds = GoNumber.plain(call.execution().elapsedNanos() / 1e9);
    long samples = call.execution().eventsKept();
    json.put(
        (",\"stats\":{\"timings\":{\"evalTotalTime\":%1$s,\"resultSortTime\":0,"
                + "\"queryPreparationTime\":0,\"innerEvalTime\":%1$s,\"execQueueTime\":0,"
                + "\"execTotalTime\":%1$s},\"samples\":{\"totalQueryableSamples\":%2$d,"
                + "\"peakSamples\":%2$d}}")
            .formatted(seconds, samples));
  }

  private static void putTexts(OutputBuffer json, String name, List<String> texts) {
    if (!texts.isEmpty()) {
      json.put(",\"" + name + "\":");
      json.putJson(texts);
    }
  }
}
