package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.util.Map;

/// Requests written field by field, so that they may be wrong.
final class OtlpRequests {
  private static final String GOOD_LOG =
      "{\"timeUnixNano\":\"1763665200123456789\",\"body\":{\"stringValue\":\"good\"}}";
  private static final String GOOD_POINT =
      "{\"timeUnixNano\":\"1763665200123456789\",\"attributes\":"
          + "[{\"key\":\"body\",\"value\":{\"stringValue\":\"good\"}}]}";
  private static final String GOOD_SPAN =
      "{\"startTimeUnixNano\":\"1763665200123456789\",\"name\":\"good\"}";
  private static final Map<String, String> DATA =
      Map.of(
          "point",
          "gauge",
          "histogram",
          "histogram",
          "exponential",
          "exponentialHistogram",
          "summary",
          "summary");
  private static final Map<String, Integer> FIELDS =
      Map.of("point", 5, "histogram", 9, "exponential", 10, "summary", 11);
  private static final Map<String, Integer> ATTRIBUTES =
      Map.of("point", 7, "histogram", 9, "exponential", 1, "summary", 7);

  private OtlpRequests() {}

  /// A request with a record between two good ones, whose body is `good`.
  static byte[] around(String kind, boolean json, byte[] record) {
    return json
        ? json(kind, new String(record, ISO_8859_1)).getBytes(ISO_8859_1)
        : protobuf(kind, ByteString.copyFrom(record)).toByteArray();
  }

  private static String json(String kind, String record) {
    String form = "{\"resource%s\":[{\"scope%s\":[{\"%s\":[%s]}]}]}";
    return switch (kind) {
      case "log" ->
          form.formatted("Logs", "Logs", "logRecords", GOOD_LOG + "," + record + "," + GOOD_LOG);
      case "span" ->
          form.formatted("Spans", "Spans", "spans", GOOD_SPAN + "," + record + "," + GOOD_SPAN);
      case "metric" -> {
        String good = "{\"name\":\"m\",\"gauge\":{\"dataPoints\":[" + GOOD_POINT + "]}}";
        yield form.formatted("Metrics", "Metrics", "metrics", good + "," + record + "," + good);
      }
      default -> {
        String points = GOOD_POINT + "," + record + "," + GOOD_POINT;
        String metric =
            "{\"name\":\"m\",\"%s\":{\"dataPoints\":[%s]}}".formatted(DATA.get(kind), points);
        yield form.formatted("Metrics", "Metrics", "metrics", metric);
      }
    };
  }

  static ByteString bytes(int field, ByteString... parts) {
    ByteString all = ByteString.EMPTY;
    for (ByteString part : parts) {
      all = all.concat(part);
    }
    return UnknownFieldSet.newBuilder()
        .addField(field, UnknownFieldSet.Field.newBuilder().addLengthDelimited(all).build())
        .build()
        .toByteString();
  }

  static ByteString text(int field, String text) {
    return bytes(field, ByteString.copyFromUtf8(text));
  }

  static ByteString fixed64(int field, long value) {
    return UnknownFieldSet.newBuilder()
        .addField(field, UnknownFieldSet.Field.newBuilder().addFixed64(value).build())
        .build()
        .toByteString();
  }

  private static ByteString protobuf(String kind, ByteString record) {
    long time = 1_763_665_200_123_456_789L;
    ByteString good =
        switch (kind) {
          case "log" -> fixed64(1, time).concat(bytes(5, text(1, "good")));
          case "span" -> fixed64(7, time).concat(text(5, "good"));
          default -> {
            int attributes = ATTRIBUTES.getOrDefault(kind, 7);
            ByteString body = bytes(attributes, text(1, "body"), bytes(2, text(1, "good")));
            yield fixed64(3, time).concat(body);
          }
        };
    if (kind.equals("metric")) {
      good = text(1, "m").concat(bytes(5, bytes(1, good)));
    }
    Integer data = FIELDS.get(kind);
    if (data != null) {
      ByteString points = bytes(data, bytes(1, good), bytes(1, record), bytes(1, good));
      return bytes(1, bytes(2, bytes(2, text(1, "m"), points)));
    }
    return bytes(1, bytes(2, bytes(2, good), bytes(2, record), bytes(2, good)));
  }
}
