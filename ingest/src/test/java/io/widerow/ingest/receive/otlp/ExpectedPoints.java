package io.widerow.ingest.receive.otlp;

import static io.widerow.ingest.receive.otlp.ExpectedEvents.ATTRIBUTE;
import static io.widerow.ingest.receive.otlp.ExpectedEvents.METADATA;
import static io.widerow.ingest.receive.otlp.ExpectedEvents.OWN;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.widerow.ingest.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The events that metrics of the generated classes become.
final class ExpectedPoints {
  private final ResourceMetrics resource;
  private final List<MemoryStore.Stored> events = new ArrayList<>();

  private ExpectedPoints(ResourceMetrics resource) {
    this.resource = resource;
  }

  static List<MemoryStore.Stored> of(ResourceMetrics metrics) {
    ExpectedPoints points = new ExpectedPoints(metrics);
    for (ScopeMetrics scope : metrics.getScopeMetricsList()) {
      for (Metric metric : scope.getMetricsList()) {
        points.metric(scope, metric);
      }
    }
    points.targetInfo();
    return points.events;
  }

  private void targetInfo() {
    boolean identified = false;
    boolean described = false;
    for (KeyValue each : resource.getResource().getAttributesList()) {
      boolean has =
          each.getKey().equals("service.name") || each.getKey().equals("service.instance.id");
      identified |= has && !each.getValue().getStringValue().isEmpty();
      described |=
          !has
              && !each.getKey().equals("service.namespace")
              && each.getValue().getValueCase() != AnyValue.ValueCase.VALUE_NOT_SET
              && each.getValue().getValueCase() != AnyValue.ValueCase.STRING_VALUE_STRINDEX;
    }
    if (identified && described && !events.isEmpty()) {
      long latest = events.stream().mapToLong(MemoryStore.Stored::timeNanos).max().orElseThrow();
      ExpectedEvents event = new ExpectedEvents();
      event.put(OWN, "widerow.labels", "*otlp");
      event.put(OWN, "value", 1.0);
      event.around(
          resource.getResource(),
          resource.getSchemaUrl(),
          InstrumentationScope.getDefaultInstance(),
          "");
      events.add(event.stored("target_info", latest));
    }
  }

  private void metric(ScopeMetrics scope, Metric metric) {
    switch (metric.getDataCase()) {
      case GAUGE ->
          metric.getGauge().getDataPointsList().forEach(point -> number(scope, metric, point));
      case SUM ->
          metric.getSum().getDataPointsList().forEach(point -> number(scope, metric, point));
      case HISTOGRAM ->
          metric
              .getHistogram()
              .getDataPointsList()
              .forEach(point -> histogram(scope, metric, point));
      case EXPONENTIAL_HISTOGRAM ->
          metric
              .getExponentialHistogram()
              .getDataPointsList()
              .forEach(point -> exponential(scope, metric, point));
      case SUMMARY ->
          metric.getSummary().getDataPointsList().forEach(point -> summary(scope, metric, point));
      case DATA_NOT_SET -> {}
    }
  }

  private ExpectedEvents begin(Metric metric, long start, int flags) {
    ExpectedEvents event = new ExpectedEvents();
    event.putUnlessEmpty(OWN, "widerow.labels", "*otlp");
    event.putUnlessEmpty(OWN, "description", metric.getDescription());
    event.putUnlessEmpty(OWN, "unit", metric.getUnit());
    event.all(METADATA, metric.getMetadataList());
    AggregationTemporality temporality =
        switch (metric.getDataCase()) {
          case SUM -> metric.getSum().getAggregationTemporality();
          case HISTOGRAM -> metric.getHistogram().getAggregationTemporality();
          case EXPONENTIAL_HISTOGRAM ->
              metric.getExponentialHistogram().getAggregationTemporality();
          default -> AggregationTemporality.AGGREGATION_TEMPORALITY_UNSPECIFIED;
        };
    if (temporality.getNumber() > 0) {
      String name = temporality.name().substring("AGGREGATION_TEMPORALITY_".length());
      event.put(OWN, "temporality", name.toLowerCase(Locale.ROOT));
    }
    if (metric.hasSum()) {
      event.put(OWN, "monotonic", metric.getSum().getIsMonotonic());
    }
    event.putUnlessZero(OWN, "start", start);
    if ((flags & 1) != 0) {
      event.put(OWN, "stale", true);
    }
    event.putUnlessZero(OWN, "flags", flags & ~1);
    return event;
  }

  private void end(ScopeMetrics scope, Metric metric, ExpectedEvents event, long time) {
    event.around(
        resource.getResource(), resource.getSchemaUrl(), scope.getScope(), scope.getSchemaUrl());
    events.add(event.stored(metric.getName(), time));
  }

  private static void exemplars(ExpectedEvents event, List<Exemplar> exemplars) {
    event.putList("exemplars", exemplars.stream().map(ExpectedText::exemplar).toList());
  }

  private static List<String> unsigned(List<Long> counts) {
    return counts.stream().map(Long::toUnsignedString).toList();
  }

  private void number(ScopeMetrics scope, Metric metric, NumberDataPoint point) {
    ExpectedEvents event = begin(metric, point.getStartTimeUnixNano(), point.getFlags());
    event.all(ATTRIBUTE, point.getAttributesList());
    boolean stale = (point.getFlags() & 1) != 0;
    if (point.hasAsInt() && !stale) {
      event.put(OWN, "value", point.getAsInt());
    } else if (point.hasAsDouble() && !stale) {
      event.put(OWN, "value", point.getAsDouble());
    }
    exemplars(event, point.getExemplarsList());
    end(scope, metric, event, point.getTimeUnixNano());
  }

  private void histogram(ScopeMetrics scope, Metric metric, HistogramDataPoint point) {
    ExpectedEvents event = begin(metric, point.getStartTimeUnixNano(), point.getFlags());
    event.all(ATTRIBUTE, point.getAttributesList());
    event.put(OWN, "count", point.getCount());
    if (point.hasSum()) {
      event.put(OWN, "sum", point.getSum());
    }
    if (point.hasMin()) {
      event.put(OWN, "min", point.getMin());
    }
    if (point.hasMax()) {
      event.put(OWN, "max", point.getMax());
    }
    event.putList("buckets", unsigned(point.getBucketCountsList()));
    event.putList(
        "bounds", point.getExplicitBoundsList().stream().map(ExpectedText::fraction).toList());
    exemplars(event, point.getExemplarsList());
    end(scope, metric, event, point.getTimeUnixNano());
  }

  private void exponential(ScopeMetrics scope, Metric metric, ExponentialHistogramDataPoint point) {
    ExpectedEvents event = begin(metric, point.getStartTimeUnixNano(), point.getFlags());
    event.all(ATTRIBUTE, point.getAttributesList());
    event.put(OWN, "count", point.getCount());
    event.put(OWN, "scale", (long) point.getScale());
    event.put(OWN, "zero_count", point.getZeroCount());
    if (point.getZeroThreshold() != 0) {
      event.put(OWN, "zero_threshold", point.getZeroThreshold());
    }
    if (point.hasSum()) {
      event.put(OWN, "sum", point.getSum());
    }
    if (point.hasMin()) {
      event.put(OWN, "min", point.getMin());
    }
    if (point.hasMax()) {
      event.put(OWN, "max", point.getMax());
    }
    buckets(event, "positive", point.getPositive());
    buckets(event, "negative", point.getNegative());
    exemplars(event, point.getExemplarsList());
    end(scope, metric, event, point.getTimeUnixNano());
  }

  private static void buckets(
      ExpectedEvents event, String name, ExponentialHistogramDataPoint.Buckets buckets) {
    if (buckets.getBucketCountsCount() > 0) {
      event.put(OWN, name + "_offset", (long) buckets.getOffset());
      event.putList(name, unsigned(buckets.getBucketCountsList()));
    }
  }

  private void summary(ScopeMetrics scope, Metric metric, SummaryDataPoint point) {
    ExpectedEvents event = begin(metric, point.getStartTimeUnixNano(), point.getFlags());
    event.all(ATTRIBUTE, point.getAttributesList());
    event.put(OWN, "count", point.getCount());
    event.put(OWN, "sum", point.getSum());
    if (point.getQuantileValuesCount() > 0) {
      event.put(
          OWN,
          "quantiles",
          point.getQuantileValuesList().stream()
              .map(at -> quantile(at.getQuantile()) + ExpectedText.fraction(at.getValue()))
              .collect(Collectors.joining(",", "{", "}")));
    }
    end(scope, metric, event, point.getTimeUnixNano());
  }

  private static String quantile(double quantile) {
    String text = quantile == 1 ? "1" : Double.toString(quantile);
    return "\"" + text + "\":";
  }
}
