package io.widerow.ingest.receive.otlp;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/// Random messages of OTLP, with names that are equal across levels, nested and empty values, and
/// every field that is stored.
final class RandomMessages {
  private static final String[] NAMES = {
    "a",
    "b",
    "é€😀",
    "level",
    "service.name",
    "id",
    "ts",
    "type",
    "scope.name",
    "body",
    "message",
    "msg",
    "a.b",
    "value",
    "trace_id",
    "count",
    "attributes.a",
    "resource.a"
  };
  private static final String[] TEXTS = {
    "", "x", "hello world", "quote \" and \\ and \n\r\t\u0001 €😀", "1234567890".repeat(30)
  };
  private static final long TIME = 1_763_665_200_000_000_000L;

  private final SplittableRandom random;

  RandomMessages(long seed) {
    random = new SplittableRandom(seed);
  }

  boolean chance(int oneOf) {
    return random.nextInt(oneOf) == 0;
  }

  private String text() {
    return TEXTS[random.nextInt(TEXTS.length)];
  }

  private long whole() {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> random.nextInt(1_000);
      case 2 -> Long.MIN_VALUE;
      case 3 -> Long.MAX_VALUE;
      default -> random.nextLong();
    };
  }

  private long count() {
    return chance(3) ? 0 : chance(2) ? random.nextLong(1, 1_000) : random.nextLong() >>> 1;
  }

  private double fraction() {
    return switch (random.nextInt(7)) {
      case 0 -> 0;
      case 1 -> -0.0;
      case 2 -> Double.NaN;
      case 3 -> chance(2) ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
      case 4 -> random.nextInt(-1_000, 1_000);
      case 5 -> random.nextDouble() * 1e300;
      default -> random.nextDouble();
    };
  }

  private ByteString bytes(int most) {
    byte[] bytes = new byte[random.nextInt(most + 1)];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private ByteString id(int length) {
    byte[] bytes = new byte[chance(4) ? 0 : length];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private long time() {
    return TIME + random.nextLong(1_000_000_000_000L);
  }

  private <T> List<T> some(int most, Supplier<T> make) {
    List<T> all = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      all.add(make.get());
    }
    return all;
  }

  AnyValue any(int depth) {
    AnyValue.Builder value = AnyValue.newBuilder();
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> value.build();
      case 1 -> value.setStringValue(text()).build();
      case 2 -> value.setBoolValue(chance(2)).build();
      case 3 -> value.setIntValue(whole()).build();
      case 4 -> value.setDoubleValue(fraction()).build();
      case 5 -> value.setBytesValue(bytes(20)).build();
      case 6 ->
          value
              .setArrayValue(ArrayValue.newBuilder().addAllValues(some(3, () -> any(depth - 1))))
              .build();
      default -> value.setKvlistValue(map(depth - 1)).build();
    };
  }

  private KeyValueList map(int depth) {
    return KeyValueList.newBuilder().addAllValues(some(3, () -> attribute(depth))).build();
  }

  private KeyValue attribute(int depth) {
    KeyValue.Builder made = KeyValue.newBuilder().setKey(NAMES[random.nextInt(NAMES.length)]);
    AnyValue value = any(depth);
    boolean type = made.getKey().equals("service.name") && value.getStringValue().length() > 100;
    return chance(20) || type ? made.build() : made.setValue(value).build();
  }

  private List<KeyValue> attributes() {
    return some(6, () -> attribute(3));
  }

  private Resource resource() {
    Resource.Builder resource = Resource.newBuilder().addAllAttributes(attributes());
    if (chance(2)) {
      resource.addAttributes(
          KeyValue.newBuilder()
              .setKey("service.name")
              .setValue(AnyValue.newBuilder().setStringValue("shop")));
    }
    return resource.setDroppedAttributesCount(random.nextInt(2)).build();
  }

  private InstrumentationScope scope() {
    return InstrumentationScope.newBuilder()
        .setName(chance(2) ? "" : "lib")
        .setVersion(chance(2) ? "" : "1.2")
        .addAllAttributes(attributes())
        .setDroppedAttributesCount(random.nextInt(2))
        .build();
  }

  private String schema() {
    return chance(2) ? "" : "https://example.org/schema";
  }

  ResourceLogs logs() {
    ResourceLogs.Builder logs = ResourceLogs.newBuilder().setSchemaUrl(schema());
    if (!chance(5)) {
      logs.setResource(resource());
    }
    return logs.addAllScopeLogs(
            some(
                3,
                () ->
                    ScopeLogs.newBuilder()
                        .setScope(scope())
                        .setSchemaUrl(schema())
                        .addAllLogRecords(some(4, this::log))
                        .build()))
        .build();
  }

  private LogRecord log() {
    LogRecord.Builder record =
        LogRecord.newBuilder()
            .setTimeUnixNano(chance(5) ? 0 : time())
            .setObservedTimeUnixNano(chance(2) ? 0 : time())
            .setSeverityNumber(SeverityNumber.forNumber(random.nextInt(25)))
            .setSeverityText(chance(2) ? "" : "Warn")
            .addAllAttributes(attributes())
            .setDroppedAttributesCount(random.nextInt(3))
            .setFlags(chance(2) ? 0 : random.nextInt())
            .setTraceId(id(16))
            .setSpanId(id(8))
            .setEventName(chance(2) ? "" : "login");
    return chance(8) ? record.build() : record.setBody(any(3)).build();
  }

  ResourceMetrics metrics() {
    ResourceMetrics.Builder metrics = ResourceMetrics.newBuilder().setSchemaUrl(schema());
    if (!chance(5)) {
      metrics.setResource(resource());
    }
    return metrics
        .addAllScopeMetrics(
            some(
                3,
                () ->
                    ScopeMetrics.newBuilder()
                        .setScope(scope())
                        .setSchemaUrl(schema())
                        .addAllMetrics(some(4, this::metric))
                        .build()))
        .build();
  }

  private Metric metric() {
    Metric.Builder metric =
        Metric.newBuilder()
            .setName("m" + random.nextInt(5))
            .setDescription(chance(2) ? "" : "what it is")
            .setUnit(chance(2) ? "" : "ms")
            .addAllMetadata(some(2, () -> attribute(1)));
    AggregationTemporality temporality = AggregationTemporality.forNumber(random.nextInt(3));
    return switch (random.nextInt(5)) {
      case 0 -> metric.setGauge(Gauge.newBuilder().addAllDataPoints(some(3, this::number))).build();
      case 1 ->
          metric
              .setSum(
                  Sum.newBuilder()
                      .setIsMonotonic(chance(2))
                      .setAggregationTemporality(temporality)
                      .addAllDataPoints(some(3, this::number)))
              .build();
      case 2 ->
          metric
              .setHistogram(
                  Histogram.newBuilder()
                      .setAggregationTemporality(temporality)
                      .addAllDataPoints(some(3, this::histogram)))
              .build();
      case 3 ->
          metric
              .setExponentialHistogram(
                  ExponentialHistogram.newBuilder()
                      .setAggregationTemporality(temporality)
                      .addAllDataPoints(some(3, this::exponential)))
              .build();
      default ->
          metric.setSummary(Summary.newBuilder().addAllDataPoints(some(3, this::summary))).build();
    };
  }

  private Exemplar exemplar() {
    Exemplar.Builder made =
        Exemplar.newBuilder()
            .addAllFilteredAttributes(attributes())
            .setTimeUnixNano(chance(3) ? 0 : time())
            .setSpanId(id(8))
            .setTraceId(id(16));
    return switch (random.nextInt(3)) {
      case 0 -> made.build();
      case 1 -> made.setAsInt(whole()).build();
      default -> made.setAsDouble(fraction()).build();
    };
  }

  private int flags() {
    return chance(2) ? 0 : random.nextInt(4);
  }

  private long start() {
    return chance(2) ? 0 : time();
  }

  private NumberDataPoint number() {
    NumberDataPoint.Builder point =
        NumberDataPoint.newBuilder()
            .addAllAttributes(attributes())
            .setStartTimeUnixNano(start())
            .setTimeUnixNano(time())
            .addAllExemplars(some(2, this::exemplar))
            .setFlags(flags());
    return switch (random.nextInt(5)) {
      case 0 -> point.build();
      case 1, 2 -> point.setAsInt(whole()).build();
      default -> point.setAsDouble(fraction()).build();
    };
  }

  private HistogramDataPoint histogram() {
    HistogramDataPoint.Builder point =
        HistogramDataPoint.newBuilder()
            .addAllAttributes(attributes())
            .setStartTimeUnixNano(start())
            .setTimeUnixNano(time())
            .setCount(count())
            .addAllBucketCounts(some(20, this::count))
            .addAllExplicitBounds(some(20, this::fraction))
            .addAllExemplars(some(2, this::exemplar))
            .setFlags(flags());
    if (chance(2)) {
      point.setSum(fraction()).setMin(fraction());
    }
    return chance(2) ? point.build() : point.setMax(fraction()).build();
  }

  private ExponentialHistogramDataPoint exponential() {
    ExponentialHistogramDataPoint.Builder point =
        ExponentialHistogramDataPoint.newBuilder()
            .addAllAttributes(attributes())
            .setStartTimeUnixNano(start())
            .setTimeUnixNano(time())
            .setCount(count())
            .setScale(random.nextInt(-10, 20))
            .setZeroCount(count())
            .setZeroThreshold(chance(2) ? 0 : random.nextDouble())
            .addAllExemplars(some(2, this::exemplar))
            .setFlags(flags());
    if (chance(2)) {
      point.setSum(fraction()).setMax(fraction());
    }
    if (!chance(4)) {
      point.setPositive(buckets());
    }
    return chance(2) ? point.build() : point.setNegative(buckets()).setMin(fraction()).build();
  }

  private ExponentialHistogramDataPoint.Buckets buckets() {
    return ExponentialHistogramDataPoint.Buckets.newBuilder()
        .setOffset(random.nextInt(-5, 5))
        .addAllBucketCounts(some(30, this::count))
        .build();
  }

  private SummaryDataPoint summary() {
    return SummaryDataPoint.newBuilder()
        .addAllAttributes(attributes())
        .setStartTimeUnixNano(start())
        .setTimeUnixNano(time())
        .setCount(count())
        .setSum(fraction())
        .addAllQuantileValues(
            some(
                3,
                () ->
                    SummaryDataPoint.ValueAtQuantile.newBuilder()
                        .setQuantile(chance(3) ? 1 : random.nextDouble())
                        .setValue(fraction())
                        .build()))
        .setFlags(flags())
        .build();
  }

  ResourceSpans spans() {
    ResourceSpans.Builder spans = ResourceSpans.newBuilder().setSchemaUrl(schema());
    if (!chance(5)) {
      spans.setResource(resource());
    }
    return spans
        .addAllScopeSpans(
            some(
                3,
                () ->
                    ScopeSpans.newBuilder()
                        .setScope(scope())
                        .setSchemaUrl(schema())
                        .addAllSpans(some(4, this::span))
                        .build()))
        .build();
  }

  private Span span() {
    Span.Builder span =
        Span.newBuilder()
            .setTraceId(id(16))
            .setSpanId(id(8))
            .setTraceState(chance(2) ? "" : "k=v")
            .setParentSpanId(id(8))
            .setFlags(chance(2) ? 0 : random.nextInt())
            .setName(chance(4) ? "" : "GET /x")
            .setKind(Span.SpanKind.forNumber(random.nextInt(6)))
            .setStartTimeUnixNano(time())
            .setEndTimeUnixNano(chance(5) ? 0 : time())
            .addAllAttributes(attributes())
            .setDroppedAttributesCount(random.nextInt(2))
            .addAllEvents(some(3, this::event))
            .setDroppedEventsCount(random.nextInt(2))
            .addAllLinks(some(3, this::link))
            .setDroppedLinksCount(random.nextInt(2));
    if (chance(2)) {
      span.setStatus(
          Status.newBuilder()
              .setMessage(chance(2) ? "" : "broken")
              .setCode(Status.StatusCode.forNumber(random.nextInt(3))));
    }
    return span.build();
  }

  private Span.Event event() {
    return Span.Event.newBuilder()
        .setTimeUnixNano(chance(3) ? 0 : time())
        .setName(text())
        .addAllAttributes(attributes())
        .setDroppedAttributesCount(random.nextInt(2))
        .build();
  }

  private Span.Link link() {
    return Span.Link.newBuilder()
        .setTraceId(id(16))
        .setSpanId(id(8))
        .setTraceState(chance(2) ? "" : "k=v")
        .addAllAttributes(attributes())
        .setDroppedAttributesCount(random.nextInt(2))
        .setFlags(chance(2) ? 0 : random.nextInt())
        .build();
  }
}
