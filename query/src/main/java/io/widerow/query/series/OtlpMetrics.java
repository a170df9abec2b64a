package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.StreamLabels;
import io.widerow.event.TypeGlob;
import io.widerow.query.QueryExecution;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.TypeGlobs;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.TypeInfo;
import java.util.ArrayList;
import java.util.List;

/// The metrics of OTLP that a store has, each as its newest data point describes it.
///
/// - Threads: that of the execution.
public final class OtlpMetrics {
  private static final AttributeName UNIT = AttributeName.of("unit");
  private static final AttributeName DESCRIPTION = AttributeName.of("description");
  private static final AttributeName TEMPORALITY = AttributeName.of("temporality");
  private static final AttributeName MONOTONIC = AttributeName.of("monotonic");
  private static final AttributeName COUNT = AttributeName.of("count");
  private static final AttributeName QUANTILES = AttributeName.of("quantiles");

  private OtlpMetrics() {}

  /// A metric.
  ///
  /// @param name as Prometheus shows it, without the suffixes of the series of a histogram
  /// @param type `counter`, `gauge`, `histogram`, `summary`; `unknown` for deltas
  /// @param help its description
  /// @param unit in words, such as `seconds`
  public record Described(String name, String type, String help, String unit) {}

  /// Reads the metrics.
  ///
  /// @param metric one name only; empty for all
  public static List<Described> read(QueryExecution execution, String metric) {
    List<Described> all = new ArrayList<>();
    AttributeValue scratch = new AttributeValue();
    for (TypeInfo type :
        execution
            .view()
            .types(name -> metric.startsWith(OtlpNames.label(name)) || metric.isEmpty())) {
      RangeQuery newest =
          RangeQuery.ALL
              .withTypes(new TypeGlobs(List.of(TypeGlob.of(type.type()))))
              .withFilter(SeriesSelector.is(EventForm.FIELD, StreamLabels.OTLP))
              .withDescending(true)
              .withLimit(1);
      try (RangeReader reader = execution.open(newest)) {
        if (reader.nextWhenReady() == Step.EVENT) {
          Described described = of(reader.event(), scratch);
          if (metric.isEmpty() || metric.equals(described.name)) {
            all.add(described);
          }
        }
      }
    }
    return all;
  }

  private static Described of(EventView event, AttributeValue scratch) {
    String unit = text(event, UNIT, scratch);
    boolean isDelta = text(event, TEMPORALITY, scratch).equals("delta");
    boolean isCounter =
        event.find(MONOTONIC, scratch)
            && scratch.kind() == AttributeKind.BOOLEAN
            && scratch.bits() != 0
            && !isDelta;
    boolean isSummary = event.find(QUANTILES, scratch);
    boolean isHistogram = event.find(COUNT, scratch) && !isSummary;
    String type =
        isDelta
            ? "unknown"
            : isSummary ? "summary" : isHistogram ? "histogram" : isCounter ? "counter" : "gauge";
    return new Described(
        OtlpNames.metric(event.type(), unit, isCounter, !isHistogram && !isSummary),
        type,
        text(event, DESCRIPTION, scratch),
        OtlpNames.unit(unit));
  }

  private static String text(EventView event, AttributeName name, AttributeValue scratch) {
    return event.find(name, scratch) && scratch.kind() == AttributeKind.STRING
        ? scratch.toString()
        : "";
  }
}
