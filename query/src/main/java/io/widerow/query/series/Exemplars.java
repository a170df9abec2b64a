package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.QueryExecution;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Finds the exemplars of series: events of their own from remote write, and parts of data points
/// of OTLP.
///
/// - Threads: one, that of the execution.
/// - Memory: the found ones, counted by the execution.
public final class Exemplars {
  private static final String PREFIX = "exemplar.";
  private static final AttributeName OF_OTLP = AttributeName.of("exemplars");
  private static final AttributeName VALUE = AttributeName.of("exemplar");
  private static final int BYTES = 300; // of one, with its texts

  private final QueryExecution execution;
  private final SeriesSelector selector;
  private final SeriesTable table;
  private final AttributeValue scratch = new AttributeValue();
  private final SortedMap<Labels, List<Exemplar>> found = new TreeMap<>();

  /// An exemplar.
  public record Exemplar(Labels labels, double value, long millis) {}

  private Exemplars(QueryExecution execution, SeriesSelector selector) {
    this.execution = execution;
    this.selector = selector;
    this.table = new SeriesTable(execution, selector, new SeriesSet(execution, selector, false));
  }

  /// The exemplars of the series that a selector keeps, in the order of time.
  public static SortedMap<Labels, List<Exemplar>> read(
      QueryExecution execution, SeriesSelector selector, SeriesScan.Range range) {
    Exemplars exemplars = new Exemplars(execution, selector);
    if (range.fromNanos() < range.untilNanos()) {
      Filter some = new Filter.Or(List.of(new Filter.Exists(VALUE), new Filter.Exists(OF_OTLP)));
      Filter types = SeriesFilter.types(selector.matchers());
      RangeQuery query =
          RangeQuery.ALL
              .withRange(range.fromNanos(), range.untilNanos())
              .withFilter(new Filter.And(List.of(types, some)));
      try (RangeReader reader = execution.open(query)) {
        while (reader.nextWhenReady() == Step.EVENT) {
          exemplars.take(reader.event());
        }
      }
    }
    return exemplars.found;
  }

  private void take(EventView event) {
    if (event.find(VALUE, scratch) && scratch.kind() == AttributeKind.DOUBLE) {
      ofRemoteWrite(event, scratch.asDouble());
    } else if (event.find(OF_OTLP, scratch) && scratch.kind() == AttributeKind.STRING) {
      ofOtlp(event, scratch.toString());
    }
  }

  private void ofRemoteWrite(EventView event, double value) {
    SortedMap<String, String> series = new TreeMap<>();
    SortedMap<String, String> own = new TreeMap<>();
    event.forEach(
        new AttributeValue(),
        (name, text) -> {
          String sent = name.toString();
          if (text.kind() != AttributeKind.STRING) {
            return;
          }
          if (sent.startsWith(PREFIX)) {
            own.put(sent.substring(PREFIX.length()), text.toString());
          } else if (sent.startsWith(SeriesSelector.PREFIX)) {
            series.put(sent.substring(SeriesSelector.PREFIX.length()), text.toString());
          } else {
            series.putIfAbsent(sent, text.toString());
          }
        });
    series.put(Labels.NAME, event.type());
    Labels labels = SeriesNames.asked(selector.matchers(), Labels.of(series));
    if (labels != null) {
      add(labels, new Exemplar(Labels.of(own), value, event.timeNanos() / 1_000_000));
    }
  }

  private void ofOtlp(EventView event, String json) {
    List<JsonNode> all;
    try {
      all = JsonNode.parse(json, JsonNode.DEPTH_MAX, execution::holdPassing).items();
    } catch (JsonException none) { // an attribute of another protocol
      return;
    }
    for (JsonNode each : all == null ? List.<JsonNode>of() : all) {
      Map<String, JsonNode> members = each.members();
      JsonNode value = members == null ? null : members.get("value");
      Double number = value == null ? null : number(value);
      if (members == null || number == null) {
        continue;
      }
      SampledSeries series = table.seriesOf(event, number);
      if (series != null) {
        JsonNode time = members.get("time_unix_nano");
        long nanos = time == null ? event.timeNanos() : nanos(time, event.timeNanos());
        add(series.labels(), new Exemplar(ownLabels(members), number, nanos / 1_000_000));
      }
    }
  }

  private static @Nullable Double number(JsonNode value) {
    double[] numbers = NumberList.of(("[" + value + "]").getBytes(StandardCharsets.UTF_8));
    return numbers.length == 1 ? numbers[0] : null;
  }

  private static long nanos(JsonNode time, long otherwise) {
    try {
      return Long.parseLong(time.toString());
    } catch (NumberFormatException none) {
      return otherwise;
    }
  }

  private static Labels ownLabels(Map<String, JsonNode> members) {
    SortedMap<String, String> labels = new TreeMap<>();
    JsonNode attributes = members.get("attributes");
    if (attributes != null) {
      attributes.texts().forEach((name, text) -> labels.put(OtlpNames.label(name), text));
    }
    for (String id : List.of("trace_id", "span_id")) {
      JsonNode text = members.get(id);
      if (text != null) {
        labels.put(id, text.toString());
      }
    }
    labels.values().removeIf(String::isEmpty);
    return Labels.of(labels);
  }

  private void add(Labels series, Exemplar exemplar) {
    execution.hold(BYTES);
    found.computeIfAbsent(series, _ -> new ArrayList<>()).add(exemplar);
  }
}
