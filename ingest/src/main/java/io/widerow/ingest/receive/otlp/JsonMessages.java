package io.widerow.ingest.receive.otlp;

import io.widerow.ingest.receive.otlp.JsonMessage.Kind;
import io.widerow.ingest.receive.otlp.JsonMessage.Role;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The messages of OTLP in JSON.
///
/// Source: opentelemetry-proto 1.11, `common.proto`, `resource.proto`, `logs.proto`,
/// `metrics.proto`, `trace.proto`.
final class JsonMessages {
  private static final JsonMessage ANY = new JsonMessage(Role.PLAIN);
  private static final JsonMessage KEY_VALUE =
      new JsonMessage(Role.PLAIN).text(1, "key").message(2, "value", ANY);
  private static final JsonMessage ARRAY = new JsonMessage(Role.NESTING).messages(1, "values", ANY);
  private static final JsonMessage MAP =
      new JsonMessage(Role.NESTING).messages(1, "values", KEY_VALUE);

  static {
    JsonMessage _ =
        ANY.text(AnyValues.STRING, "stringValue")
            .value(AnyValues.BOOLEAN, "boolValue", Kind.BOOLEAN)
            .value(AnyValues.WHOLE, "intValue", Kind.INT64)
            .fixed(AnyValues.FRACTION, "doubleValue", Kind.DOUBLE)
            .message(AnyValues.ARRAY, "arrayValue", ARRAY)
            .message(AnyValues.MAP, "kvlistValue", MAP)
            .value(AnyValues.BYTES, "bytesValue", Kind.BASE64);
  }

  private static final JsonMessage RESOURCE =
      attributes(new JsonMessage(Role.PLAIN), 1).value(2, "droppedAttributesCount", Kind.UINT32);
  private static final JsonMessage SCOPE =
      attributes(new JsonMessage(Role.PLAIN).text(1, "name").text(2, "version"), 3)
          .value(4, "droppedAttributesCount", Kind.UINT32);

  static final JsonMessage LOGS =
      request("resourceLogs", "scopeLogs", "logRecords", logRecord(new JsonMessage(Role.ALONE)));
  static final JsonMessage METRICS =
      request("resourceMetrics", "scopeMetrics", "metrics", metric(new JsonMessage(Role.ALONE)));
  static final JsonMessage TRACES =
      request("resourceSpans", "scopeSpans", "spans", span(new JsonMessage(Role.ALONE)));

  private JsonMessages() {}

  private static JsonMessage request(
      String resources, String scopes, String records, JsonMessage record) {
    JsonMessage scope =
        new JsonMessage(Role.FRAME)
            .message(1, "scope", SCOPE)
            .messages(2, records, record)
            .text(3, "schemaUrl");
    JsonMessage resource =
        new JsonMessage(Role.FRAME)
            .message(1, "resource", RESOURCE)
            .messages(2, scopes, scope)
            .text(3, "schemaUrl");
    return new JsonMessage(Role.FRAME).messages(1, resources, resource);
  }

  private static JsonMessage attributes(JsonMessage message, int field) {
    return message.attributes(field, "attributes", KEY_VALUE);
  }

  private static JsonMessage logRecord(JsonMessage record) {
    JsonMessage _ =
        record
            .fixed(1, "timeUnixNano", Kind.TIME)
            .fixed(11, "observedTimeUnixNano", Kind.OTHER_TIME)
            .choice(2, "severityNumber", severities())
            .text(3, "severityText")
            .message(5, "body", ANY);
    return attributes(record, 6)
        .value(7, "droppedAttributesCount", Kind.UINT32)
        .fixed(8, "flags", Kind.UINT32)
        .value(9, "traceId", Kind.HEX)
        .value(10, "spanId", Kind.HEX)
        .text(12, "eventName");
  }

  private static String[] severities() {
    Stream<String> levels = Stream.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL");
    return Stream.concat(
            Stream.of("UNSPECIFIED"),
            levels.flatMap(
                level -> IntStream.range(1, 5).mapToObj(i -> i == 1 ? level : level + i)))
        .map("SEVERITY_NUMBER_"::concat)
        .toArray(String[]::new);
  }

  private static JsonMessage metric(JsonMessage metric) {
    JsonMessage exemplar =
        new JsonMessage(Role.PLAIN)
            .attributes(7, "filteredAttributes", KEY_VALUE)
            .fixed(2, "timeUnixNano", Kind.UINT64)
            .fixed(3, "asDouble", Kind.DOUBLE)
            .fixed(6, "asInt", Kind.INT64)
            .value(4, "spanId", Kind.HEX)
            .value(5, "traceId", Kind.HEX);
    JsonMessage number = number(exemplar);
    JsonMessage histogram = histogram(exemplar);
    JsonMessage exponential = exponential(exemplar);
    JsonMessage summary = summary();
    JsonMessage _ =
        metric
            .text(1, "name")
            .text(2, "description")
            .text(3, "unit")
            .message(5, "gauge", data(number))
            .message(7, "sum", temporality(data(number)).value(3, "isMonotonic", Kind.BOOLEAN))
            .message(9, "histogram", temporality(data(histogram)))
            .message(10, "exponentialHistogram", temporality(data(exponential)))
            .message(11, "summary", data(summary));
    return metric.attributes(12, "metadata", KEY_VALUE);
  }

  private static JsonMessage data(JsonMessage point) {
    return new JsonMessage(Role.FRAME).messages(1, "dataPoints", point);
  }

  private static JsonMessage temporality(JsonMessage data) {
    String prefix = "AGGREGATION_TEMPORALITY_";
    return data.choice(
        2,
        "aggregationTemporality",
        prefix + "UNSPECIFIED",
        prefix + "DELTA",
        prefix + "CUMULATIVE");
  }

  private static JsonMessage point(int attributes) {
    return attributes(new JsonMessage(Role.ALONE), attributes)
        .fixed(2, "startTimeUnixNano", Kind.OTHER_TIME)
        .fixed(3, "timeUnixNano", Kind.TIME);
  }

  private static JsonMessage number(JsonMessage exemplar) {
    return point(7)
        .fixed(4, "asDouble", Kind.DOUBLE)
        .fixed(6, "asInt", Kind.INT64)
        .messages(5, "exemplars", exemplar)
        .value(8, "flags", Kind.UINT32);
  }

  private static JsonMessage histogram(JsonMessage exemplar) {
    return point(9)
        .fixed(4, "count", Kind.UINT64)
        .fixed(5, "sum", Kind.DOUBLE)
        .numbers(6, "bucketCounts", Kind.UINT64, true)
        .numbers(7, "explicitBounds", Kind.DOUBLE, true)
        .messages(8, "exemplars", exemplar)
        .value(10, "flags", Kind.UINT32)
        .fixed(11, "min", Kind.DOUBLE)
        .fixed(12, "max", Kind.DOUBLE);
  }

  private static JsonMessage exponential(JsonMessage exemplar) {
    JsonMessage buckets =
        new JsonMessage(Role.PLAIN)
            .value(1, "offset", Kind.SINT32)
            .numbers(2, "bucketCounts", Kind.UINT64, false);
    return point(1)
        .fixed(4, "count", Kind.UINT64)
        .fixed(5, "sum", Kind.DOUBLE)
        .value(6, "scale", Kind.SINT32)
        .fixed(7, "zeroCount", Kind.UINT64)
        .message(8, "positive", buckets)
        .message(9, "negative", buckets)
        .value(10, "flags", Kind.UINT32)
        .messages(11, "exemplars", exemplar)
        .fixed(12, "min", Kind.DOUBLE)
        .fixed(13, "max", Kind.DOUBLE)
        .fixed(14, "zeroThreshold", Kind.DOUBLE);
  }

  private static JsonMessage summary() {
    JsonMessage quantile =
        new JsonMessage(Role.PLAIN)
            .fixed(1, "quantile", Kind.DOUBLE)
            .fixed(2, "value", Kind.DOUBLE);
    return point(7)
        .fixed(4, "count", Kind.UINT64)
        .fixed(5, "sum", Kind.DOUBLE)
        .messages(6, "quantileValues", quantile)
        .value(8, "flags", Kind.UINT32);
  }

  private static JsonMessage span(JsonMessage span) {
    JsonMessage event =
        attributes(
                new JsonMessage(Role.PLAIN).fixed(1, "timeUnixNano", Kind.UINT64).text(2, "name"),
                3)
            .value(4, "droppedAttributesCount", Kind.UINT32);
    JsonMessage link =
        attributes(ids(new JsonMessage(Role.PLAIN)).text(3, "traceState"), 4)
            .value(5, "droppedAttributesCount", Kind.UINT32)
            .fixed(6, "flags", Kind.UINT32);
    String code = "STATUS_CODE_";
    JsonMessage status =
        new JsonMessage(Role.PLAIN)
            .text(2, "message")
            .choice(3, "code", code + "UNSET", code + "OK", code + "ERROR");
    JsonMessage _ =
        ids(span)
            .text(3, "traceState")
            .value(4, "parentSpanId", Kind.HEX)
            .fixed(16, "flags", Kind.UINT32)
            .text(5, "name")
            .choice(6, "kind", kinds())
            .fixed(7, "startTimeUnixNano", Kind.TIME)
            .fixed(8, "endTimeUnixNano", Kind.OTHER_TIME);
    return attributes(span, 9)
        .value(10, "droppedAttributesCount", Kind.UINT32)
        .messages(11, "events", event)
        .value(12, "droppedEventsCount", Kind.UINT32)
        .messages(13, "links", link)
        .value(14, "droppedLinksCount", Kind.UINT32)
        .message(15, "status", status);
  }

  private static JsonMessage ids(JsonMessage message) {
    return message.value(1, "traceId", Kind.HEX).value(2, "spanId", Kind.HEX);
  }

  private static String[] kinds() {
    return Stream.of("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
        .map("SPAN_KIND_"::concat)
        .toArray(String[]::new);
  }
}
