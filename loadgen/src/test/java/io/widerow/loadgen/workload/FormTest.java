package io.widerow.loadgen.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.msgpack.core.ExtensionTypeHeader;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.xerial.snappy.Snappy;

/// Goal: each format carries each event with its time and its text or number, as the format's own
/// schema has it. Method: libraries of others read batches that were stamped twice, since a batch
/// is sent more than once.
class FormTest {
  private static final int EVENTS = 40;
  private static final long FROM_NANOS = 1_795_000_000L * Quantity.SECOND + 123_456_789;
  private static final ObjectMapper JSON = new ObjectMapper();

  /// What a reader finds of an event.
  ///
  /// @param said the line, or the number and the labels
  private record Event(String type, long timeNanos, String said) {}

  private static Workload workload(Scenario scenario, int batch) {
    return new Workload(
        scenario, 5, batch, EVENTS, 3, 1, 7, 0.1, Quantity.SECOND, 0.2, FROM_NANOS, 100_000_003);
  }

  private static List<Event> sent(Workload workload, long resolutionNanos) {
    List<Event> events = new ArrayList<>();
    Stamper stamper = new Stamper();
    for (List<Sample> batch : SamplePool.all(workload, workload.slots(1))) {
      for (Sample sample : batch) {
        int sequence = events.size() + EVENTS;
        long timeNanos = workload.timeNanos(sequence, sample.shiftNanos());
        String said =
            sample.body() == null
                ? numbered((double) (Stamp.SEQUENCE_BASE + sequence), tags(sample))
                : stamper.stamped(sample.body(), sequence, timeNanos);
        long kept = timeNanos / resolutionNanos * resolutionNanos;
        events.add(new Event(sample.type(), kept, said));
      }
    }
    return events;
  }

  private static Map<String, String> tags(Sample sample) {
    Map<String, String> tags = new TreeMap<>();
    CounterSamples.tags(sample).forEach(tag -> tags.put(tag.name(), tag.text()));
    return tags;
  }

  private static String numbered(double number, Map<String, String> tags) {
    return "%.0f %s".formatted(number, tags);
  }

  /// Reads a request.
  private interface Reader {
    List<Event> read(byte[] body) throws IOException;
  }

  private static void check(Target target, Reader reader) throws IOException {
    Scenario scenario = target.isSamples() ? Scenario.COUNTER : Scenario.ACCESS;
    Workload workload = workload(scenario, Math.min(10, target.batchEventsMax()));
    List<Event> found = new ArrayList<>();
    long sequence = EVENTS;
    for (PreparedBatch batch : BatchPool.prepare(workload, target, 1).batches()) {
      batch.stamp(new Stamper(), workload, 7 * EVENTS);
      batch.stamp(new Stamper(), workload, sequence);
      sequence += batch.events();
      byte[] body = new byte[batch.bytes().capacity()];
      batch.bytes().get(0, body);
      found.addAll(reader.read(body));
    }
    assertEquals(sent(workload, target.resolutionNanos(scenario)), found, target.label);
  }

  private static long nanos(String seconds) {
    return new BigDecimal(seconds).movePointRight(9).longValueExact();
  }

  @Test
  void otlpLogs() throws IOException {
    check(Target.OTLP, FormTest::otlpLogs);
    check(
        Target.OTLP_GRPC,
        body -> {
          ByteBuffer frame = ByteBuffer.wrap(body);
          assertEquals(0, frame.get());
          assertEquals(body.length - 5, frame.getInt());
          return otlpLogs(Arrays.copyOfRange(body, 5, body.length));
        });
  }

  private static List<Event> otlpLogs(byte[] body) throws IOException {
    List<Event> events = new ArrayList<>();
    for (ResourceLogs logs : ExportLogsServiceRequest.parseFrom(body).getResourceLogsList()) {
      KeyValue service = logs.getResource().getAttributes(0);
      assertEquals("service.name", service.getKey());
      for (LogRecord log : logs.getScopeLogs(0).getLogRecordsList()) {
        String type = service.getValue().getStringValue();
        events.add(new Event(type, log.getTimeUnixNano(), log.getBody().getStringValue()));
      }
    }
    return events;
  }

  @Test
  void otlpMetrics() throws IOException {
    check(
        Target.OTLP_METRICS,
        body -> {
          List<Event> events = new ArrayList<>();
          ExportMetricsServiceRequest request = ExportMetricsServiceRequest.parseFrom(body);
          Metric metric = request.getResourceMetrics(0).getScopeMetrics(0).getMetrics(0);
          for (NumberDataPoint point : metric.getGauge().getDataPointsList()) {
            Map<String, String> tags = new TreeMap<>();
            point
                .getAttributesList()
                .forEach(tag -> tags.put(tag.getKey(), tag.getValue().getStringValue()));
            events.add(
                new Event(
                    metric.getName(),
                    point.getTimeUnixNano(),
                    numbered(point.getAsDouble(), tags)));
          }
          return events;
        });
  }

  @Test
  void otlpJson() throws IOException {
    check(
        Target.OTLP_JSON,
        body -> {
          JsonNode logs = JSON.readTree(body).at("/resourceLogs/0");
          String type = logs.at("/resource/attributes/0/value/stringValue").asText();
          List<Event> events = new ArrayList<>();
          for (JsonNode log : logs.at("/scopeLogs/0/logRecords")) {
            long nanos = Long.parseLong(log.get("timeUnixNano").textValue());
            events.add(new Event(type, nanos, log.at("/body/stringValue").asText()));
          }
          return events;
        });
  }

  private static FieldDescriptorProto field(
      String name, int number, FieldDescriptorProto.Type type, String of) {
    FieldDescriptorProto.Builder field =
        FieldDescriptorProto.newBuilder().setName(name).setNumber(number).setType(type);
    field.setLabel(
        of.isEmpty()
            ? FieldDescriptorProto.Label.LABEL_OPTIONAL
            : FieldDescriptorProto.Label.LABEL_REPEATED);
    return of.isEmpty() ? field.build() : field.setTypeName(of).build();
  }

  private static DescriptorProto message(String name, FieldDescriptorProto... fields) {
    return DescriptorProto.newBuilder().setName(name).addAllField(List.of(fields)).build();
  }

  private static Descriptor schema(String root, DescriptorProto... messages) {
    try {
      FileDescriptorProto file =
          FileDescriptorProto.newBuilder().addAllMessageType(List.of(messages)).build();
      return FileDescriptor.buildFrom(file, new FileDescriptor[0]).findMessageTypeByName(root);
    } catch (DescriptorValidationException wrong) {
      throw new AssertionError(wrong);
    }
  }

  private static DynamicMessage parse(Descriptor schema, byte[] block) throws IOException {
    DynamicMessage message =
        DynamicMessage.parseFrom(schema, CodedInputStream.newInstance(Snappy.uncompress(block)));
    assertEquals(Map.of(), message.getUnknownFields().asMap());
    return message;
  }

  private static Object get(Object message, int number) {
    DynamicMessage of = (DynamicMessage) message;
    return of.getField(of.getDescriptorForType().findFieldByNumber(number));
  }

  private static List<?> all(Object message, int number) {
    return (List<?>) get(message, number);
  }

  @Test
  void loki() throws IOException {
    Descriptor schema =
        schema(
            "PushRequest",
            message(
                "PushRequest",
                field("streams", 1, FieldDescriptorProto.Type.TYPE_MESSAGE, "Stream")),
            message(
                "Stream",
                field("labels", 1, FieldDescriptorProto.Type.TYPE_STRING, ""),
                field("entries", 2, FieldDescriptorProto.Type.TYPE_MESSAGE, "Entry")),
            message(
                "Entry",
                field("timestamp", 1, FieldDescriptorProto.Type.TYPE_MESSAGE, "Timestamp"),
                field("line", 2, FieldDescriptorProto.Type.TYPE_STRING, "")),
            message(
                "Timestamp",
                field("seconds", 1, FieldDescriptorProto.Type.TYPE_INT64, ""),
                field("nanos", 2, FieldDescriptorProto.Type.TYPE_INT32, "")));
    check(
        Target.LOKI,
        block -> {
          Object stream = all(parse(schema, block), 1).get(0);
          String type = ((String) get(stream, 1)).replaceFirst("\\{service_name=\"(.*)\"}", "$1");
          List<Event> events = new ArrayList<>();
          for (Object entry : all(stream, 2)) {
            Object time = all(entry, 1).get(0);
            long nanos = (Long) get(time, 1) * Quantity.SECOND + (Integer) get(time, 2);
            events.add(new Event(type, nanos, (String) get(entry, 2)));
          }
          return events;
        });
    check(
        Target.LOKI_JSON,
        body -> {
          JsonNode stream = JSON.readTree(body).at("/streams/0");
          String type = stream.at("/stream/service_name").asText();
          List<Event> events = new ArrayList<>();
          for (JsonNode value : stream.get("values")) {
            long nanos = Long.parseLong(value.get(0).textValue());
            events.add(new Event(type, nanos, value.get(1).textValue()));
          }
          return events;
        });
  }

  @Test
  void remoteWrite() throws IOException {
    Descriptor schema =
        schema(
            "WriteRequest",
            message(
                "WriteRequest",
                field("timeseries", 1, FieldDescriptorProto.Type.TYPE_MESSAGE, "TimeSeries")),
            message(
                "TimeSeries",
                field("labels", 1, FieldDescriptorProto.Type.TYPE_MESSAGE, "LabelPair"),
                field("samples", 2, FieldDescriptorProto.Type.TYPE_MESSAGE, "Sample")),
            message(
                "LabelPair",
                field("name", 1, FieldDescriptorProto.Type.TYPE_STRING, ""),
                field("value", 2, FieldDescriptorProto.Type.TYPE_STRING, "")),
            message(
                "Sample",
                field("value", 1, FieldDescriptorProto.Type.TYPE_DOUBLE, ""),
                field("timestamp", 2, FieldDescriptorProto.Type.TYPE_INT64, "")));
    check(
        Target.PRW,
        block -> {
          List<Event> events = new ArrayList<>();
          for (Object series : all(parse(schema, block), 1)) {
            List<String> names = new ArrayList<>();
            Map<String, String> labels = new TreeMap<>();
            for (Object label : all(series, 1)) {
              names.add((String) get(label, 1));
              assertNull(labels.put((String) get(label, 1), (String) get(label, 2)));
            }
            assertEquals(List.copyOf(labels.keySet()), names, "in order");
            Object sample = all(series, 2).get(0);
            String type = labels.remove("__name__");
            events.add(
                new Event(
                    String.valueOf(type),
                    (Long) get(sample, 2) * Quantity.MILLI,
                    numbered((Double) get(sample, 1), labels)));
          }
          return events;
        });
  }

  @Test
  void fluent() throws IOException {
    check(
        Target.FLUENT,
        body -> {
          try (MessageUnpacker in = MessagePack.newDefaultUnpacker(body)) {
            assertEquals(3, in.unpackArrayHeader());
            String tag = in.unpackString();
            byte[] entries = in.readPayload(in.unpackBinaryHeader());
            List<Event> events = new ArrayList<>();
            try (MessageUnpacker packed = MessagePack.newDefaultUnpacker(entries)) {
              while (packed.hasNext()) {
                events.add(entry(tag, packed));
              }
            }
            assertEquals(2, in.unpackMapHeader());
            assertEquals("size", in.unpackString());
            assertEquals(events.size(), in.unpackInt());
            assertEquals("chunk", in.unpackString());
            String chunk = in.unpackString();
            assertEquals(body.length, in.getTotalReadBytes());
            assertEquals(FluentForm.CHUNK_BYTES, chunk.length());
            assertEquals(chunk, new String(body, body.length - 32, 32, StandardCharsets.US_ASCII));
            return events;
          }
        });
  }

  private static Event entry(String tag, MessageUnpacker in) throws IOException {
    assertEquals(2, in.unpackArrayHeader());
    ExtensionTypeHeader ext = in.unpackExtensionTypeHeader();
    assertEquals(0, ext.getType());
    ByteBuffer time = ByteBuffer.wrap(in.readPayload(ext.getLength()));
    long nanos = time.getInt() * Quantity.SECOND + time.getInt();
    assertEquals(1, in.unpackMapHeader());
    assertEquals("message", in.unpackString());
    return new Event(tag, nanos, in.unpackString());
  }

  @Test
  void documents() throws IOException {
    check(
        Target.BULK,
        body -> {
          List<Event> events = new ArrayList<>();
          MappingIterator<JsonNode> lines = JSON.readerFor(JsonNode.class).readValues(body);
          while (lines.hasNext()) {
            String type = lines.next().at("/create/_index").textValue();
            JsonNode document = lines.next();
            Instant at = Instant.parse(document.get("@timestamp").textValue());
            long nanos = at.getEpochSecond() * Quantity.SECOND + at.getNano();
            events.add(new Event(type, nanos, document.get("message").textValue()));
          }
          return events;
        });
    check(
        Target.HEC,
        body -> {
          List<Event> events = new ArrayList<>();
          MappingIterator<JsonNode> objects = JSON.readerFor(JsonNode.class).readValues(body);
          while (objects.hasNext()) {
            JsonNode object = objects.next();
            long nanos = nanos(object.get("time").textValue());
            String type = object.get("sourcetype").textValue();
            events.add(new Event(type, nanos, object.get("event").textValue()));
          }
          return events;
        });
    check(
        Target.DATADOG,
        body -> {
          List<Event> events = new ArrayList<>();
          for (JsonNode object : JSON.readTree(body)) {
            long nanos = object.get("timestamp").longValue() * Quantity.MILLI;
            String type = object.get("service").textValue();
            events.add(new Event(type, nanos, object.get("message").textValue()));
          }
          return events;
        });
    check(
        Target.GELF,
        body -> {
          String text = new String(body, StandardCharsets.UTF_8);
          JsonNode object = JSON.readTree(text);
          String seconds = text.replaceFirst(".*\"timestamp\":([0-9.]+),.*", "$1");
          String line = object.get("short_message").textValue();
          return List.of(new Event(object.get("_app").textValue(), nanos(seconds), line));
        });
  }

  @Test
  void journal() throws IOException {
    List<String> cursors = new ArrayList<>();
    check(
        Target.JOURNAL,
        body -> {
          List<Event> events = new ArrayList<>();
          for (String entry : new String(body, StandardCharsets.UTF_8).split("\n\n", -1)) {
            if (!entry.isEmpty()) {
              Map<String, String> fields = new TreeMap<>();
              entry
                  .lines()
                  .forEach(line -> fields.put(line.split("=", 2)[0], line.split("=", 2)[1]));
              cursors.add(fields.getOrDefault("__CURSOR", ""));
              long micros = Long.parseLong(fields.getOrDefault("__REALTIME_TIMESTAMP", ""));
              events.add(
                  new Event(
                      fields.getOrDefault("SYSLOG_IDENTIFIER", ""),
                      micros * Quantity.MICRO,
                      fields.getOrDefault("MESSAGE", "")));
            }
          }
          return events;
        });
    assertEquals(EVENTS, cursors.stream().distinct().count());
  }

  @Test
  void metricLines() throws IOException {
    check(Target.STATSD, body -> statsd(new String(body, StandardCharsets.UTF_8)));
    check(
        Target.STATSD_UDP,
        body -> {
          List<Event> events = new ArrayList<>();
          String rest = new String(body, StandardCharsets.UTF_8);
          while (!rest.isEmpty()) {
            int blank = rest.indexOf(' ');
            int limit = blank + 1 + Integer.parseInt(rest.substring(0, blank));
            events.addAll(statsd(rest.substring(blank + 1, limit)));
            rest = rest.substring(limit);
          }
          return events;
        });
    check(
        Target.GRAPHITE,
        body -> {
          List<Event> events = new ArrayList<>();
          for (String line : new String(body, StandardCharsets.UTF_8).lines().toList()) {
            String[] parts = line.split(" ", -1);
            String[] path = parts[0].split(";", 2);
            String said = numbered(Double.parseDouble(parts[1]), tags(path[1].split(";", -1), "="));
            events.add(new Event(path[0], nanos(parts[2]), said));
          }
          return events;
        });
  }

  private static List<Event> statsd(String lines) {
    List<Event> events = new ArrayList<>();
    for (String line : lines.lines().toList()) {
      String[] parts = line.split("\\|", -1);
      String[] sample = parts[0].split(":", 2);
      assertEquals("g", parts[1]);
      Map<String, String> tags = tags(parts[2].substring(1).split(",", -1), ":");
      long nanos = Long.parseLong(parts[3].substring(1)) * Quantity.SECOND;
      events.add(new Event(sample[0], nanos, numbered(Double.parseDouble(sample[1]), tags)));
    }
    return events;
  }

  private static Map<String, String> tags(String[] pairs, String is) {
    Map<String, String> tags = new TreeMap<>();
    for (String pair : pairs) {
      String[] both = pair.split(is, 2);
      tags.put(both[0], both[1]);
    }
    return tags;
  }
}
