package io.widerow.ingest.receive.otlp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import com.google.protobuf.util.JsonFormat;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.ProtobufReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: OTLP of other programs is stored attribute by attribute as in PROTOCOLS.md. Method: random
/// messages of the classes generated from OpenTelemetry's own definitions, written by their code as
/// protobuf, with fields in their order and in the reverse one, and as JSON, and compared with
/// events computed from the messages.
class OtlpOracleTest {
  private static final int ROUNDS = 150;
  private static final Set<String> IDS = Set.of("traceId", "spanId", "parentSpanId");
  private static final Set<String> TEXTS_IN_ORDER = Set.of("exemplars", "events", "links");

  private static List<MemoryStore.Stored> decoded(OtlpDecoder decoder, byte[] body, boolean json) {
    Decoding.Result result =
        Decoding.of(
            body,
            (bytes, limit, batch) -> {
              try {
                if (json) {
                  decoder.decodeJson(bytes, limit, batch);
                } else {
                  decoder.decode(bytes, limit, batch);
                }
              } catch (ProtobufReader.Bad | BadField bad) {
                throw new AssertionError(new String(body, StandardCharsets.UTF_8), bad);
              }
            });
    assertEquals(
        0,
        result.refused().count(),
        () -> result.refused().reason(0) + new String(body, StandardCharsets.UTF_8));
    return result.stored();
  }

  private static void assertAll(
      List<MemoryStore.Stored> expected,
      Supplier<OtlpDecoder> decoders,
      Message request,
      Random random)
      throws IOException {
    byte[] plain = request.toByteArray();
    assertSame(expected, decoded(decoders.get(), plain, false), "protobuf");
    byte[] reversed = reversed(request.toByteString(), 3).toByteArray();
    assertEquals(plain.length, reversed.length);
    assertSame(expected, decoded(decoders.get(), reversed, false), "reversed");
    String json = json(request, random);
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    assertSame(expected, decoded(decoders.get(), body, true), json);
  }

  private static void assertSame(
      List<MemoryStore.Stored> expected, List<MemoryStore.Stored> stored, String form) {
    for (int i = 0; i < Math.min(expected.size(), stored.size()); i++) {
      for (Map.Entry<String, Object> one : expected.get(i).attributes().entrySet()) {
        int at = i;
        assertEquals(
            one.getValue(),
            stored.get(i).attributes().get(one.getKey()),
            () -> "%s of %s: %s".formatted(one.getKey(), expected.get(at), form));
      }
      assertEquals(expected.get(i), stored.get(i), form);
    }
    assertEquals(expected.size(), stored.size(), form);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void logs(long seed) throws IOException {
    RandomMessages messages = new RandomMessages(seed);
    Random random = new Random(seed);
    int seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<ResourceLogs> all = Stream.generate(messages::logs).limit(2).toList();
      List<MemoryStore.Stored> expected =
          all.stream().map(ExpectedEvents::of).flatMap(List::stream).toList();
      assertAll(
          expected,
          () -> new LogDecoder(null),
          ExportLogsServiceRequest.newBuilder().addAllResourceLogs(all).build(),
          random);
      seen += expected.size();
    }
    assertTrue(seen > 3 * ROUNDS, seen + " records");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void metrics(long seed) throws IOException {
    RandomMessages messages = new RandomMessages(seed);
    Random random = new Random(seed);
    int seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<ResourceMetrics> all = Stream.generate(messages::metrics).limit(2).toList();
      List<MemoryStore.Stored> expected =
          all.stream().map(ExpectedPoints::of).flatMap(List::stream).toList();
      assertAll(
          expected,
          () -> new MetricDecoder(null),
          ExportMetricsServiceRequest.newBuilder().addAllResourceMetrics(all).build(),
          random);
      seen += expected.size();
    }
    assertTrue(seen > 3 * ROUNDS, seen + " points");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void spans(long seed) throws IOException {
    RandomMessages messages = new RandomMessages(seed);
    Random random = new Random(seed);
    int seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<ResourceSpans> all = Stream.generate(messages::spans).limit(2).toList();
      List<MemoryStore.Stored> expected =
          all.stream().map(ExpectedEvents::of).flatMap(List::stream).toList();
      assertAll(
          expected,
          () -> new SpanDecoder(null),
          ExportTraceServiceRequest.newBuilder().addAllResourceSpans(all).build(),
          random);
      seen += expected.size();
    }
    assertTrue(seen > 3 * ROUNDS, seen + " spans");
  }

  /// The same message with its fields from the last to the first, also in the messages of field 2,
  /// or of field 1 at the top; those of one field stay in their order.
  private static ByteString reversed(ByteString message, int levels) throws IOException {
    List<ByteString> fields = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    CodedInputStream in = message.newCodedInput();
    int inner = levels == 3 ? 1 : 2;
    while (!in.isAtEnd()) {
      int start = in.getTotalBytesRead();
      int tag = in.readTag();
      int field = WireFormat.getTagFieldNumber(tag);
      numbers.add(field);
      if (levels > 0 && field == inner && WireFormat.getTagWireType(tag) == 2) {
        fields.add(wrapped(inner, reversed(in.readBytes(), levels - 1)));
      } else {
        assertTrue(in.skipField(tag));
        fields.add(message.substring(start, in.getTotalBytesRead()));
      }
    }
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      order.add(i);
    }
    order.sort((one, other) -> numbers.get(other) - numbers.get(one));
    ByteString out = ByteString.EMPTY;
    for (int i : order) {
      out = out.concat(fields.get(i));
    }
    return out;
  }

  private static ByteString wrapped(int field, ByteString message) {
    return UnknownFieldSet.newBuilder()
        .addField(field, UnknownFieldSet.Field.newBuilder().addLengthDelimited(message).build())
        .build()
        .toByteString();
  }

  /// JSON as OTLP has it: ids in hexadecimal digits; enums as numbers or names, whole numbers as
  /// texts or numbers, empty values absent or empty, and members in any order, as it comes.
  private static String json(Message request, Random random) throws IOException {
    JsonFormat.Printer printer = JsonFormat.printer();
    printer = random.nextBoolean() ? printer.printingEnumsAsInts() : printer;
    printer = random.nextBoolean() ? printer.alwaysPrintFieldsWithNoPresence() : printer;
    printer = random.nextBoolean() ? printer.omittingInsignificantWhitespace() : printer;
    JsonElement tree = JsonParser.parseString(printer.print(request));
    return adapted("", tree, true, random).toString();
  }

  private static JsonElement adapted(
      String name, JsonElement element, boolean shuffled, Random random) {
    if (element.isJsonObject()) {
      return object(element.getAsJsonObject(), shuffled, random);
    }
    if (element.isJsonArray()) {
      JsonArray array = new JsonArray();
      boolean any = shuffled && !TEXTS_IN_ORDER.contains(name);
      for (JsonElement one : element.getAsJsonArray()) {
        array.add(adapted(name, one, any, random));
      }
      return array;
    }
    String text = element.getAsString();
    if (IDS.contains(name)) {
      return new JsonPrimitive(HexFormat.of().formatHex(Base64.getDecoder().decode(text)));
    }
    boolean number = // of 64 bits, which are printed as texts
        name.equals("intValue") || name.endsWith("UnixNano") || name.equals("bucketCounts");
    if (number && random.nextBoolean()) {
      return JsonParser.parseString(text);
    }
    return element;
  }

  private static JsonObject object(JsonObject object, boolean shuffled, Random random) {
    List<String> names = new ArrayList<>(object.keySet());
    if (shuffled && random.nextBoolean()) {
      Collections.shuffle(names, random);
    }
    JsonObject out = new JsonObject();
    for (String name : names) {
      if (random.nextInt(10) == 0) {
        out.add(
            "unknown" + name, JsonParser.parseString("{\"a\":[1e999,{\"b\":null}],\"c\":true}"));
      }
      out.add(name, adapted(name, object.get(name), shuffled, random));
    }
    return out;
  }

  @ParameterizedTest
  @ValueSource(strings = {"packed", "unpacked", "both"})
  void bucketsMayBePackedOrNot(String form) {
    ByteString packedCounts = ByteString.copyFrom(new byte[] {7, 0, 0, 0, 0, 0, 0, 0});
    UnknownFieldSet.Field counts = field(form, packedCounts, 7);
    ByteString packedBound = ByteString.copyFrom(new byte[] {0, 0, 0, 0, 0, 0, 0x24, 0x40});
    UnknownFieldSet.Field bounds = field(form, packedBound, Double.doubleToRawLongBits(10));
    UnknownFieldSet histogram =
        UnknownFieldSet.newBuilder().addField(6, counts).addField(7, bounds).build();
    ByteString buckets =
        UnknownFieldSet.newBuilder()
            .addField(
                2,
                form.equals("packed")
                    ? UnknownFieldSet.Field.newBuilder()
                        .addLengthDelimited(ByteString.copyFrom(new byte[] {5, (byte) 0x80, 1}))
                        .build()
                    : UnknownFieldSet.Field.newBuilder().addVarint(5).addVarint(128).build())
            .build()
            .toByteString();
    ByteString metrics =
        wrapped(2, wrapped(9, wrapped(1, histogram.toByteString())))
            .concat(wrapped(2, wrapped(10, wrapped(1, wrapped(8, buckets)))));
    byte[] request = wrapped(1, wrapped(2, named(metrics))).toByteArray();
    List<MemoryStore.Stored> stored = decoded(new MetricDecoder("m"), request, false);
    boolean both = form.equals("both");
    assertEquals(both ? "[7,7]" : "[7]", stored.get(0).attributes().get("buckets"));
    assertEquals(both ? "[10,10]" : "[10]", stored.get(0).attributes().get("bounds"));
    assertEquals("[5,128]", stored.get(1).attributes().get("positive"));
  }

  private static ByteString named(ByteString metrics) {
    return metrics.concat(wrapped(3, ByteString.copyFromUtf8("schema")));
  }

  private static UnknownFieldSet.Field field(String form, ByteString packed, long unpacked) {
    UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
    if (!form.equals("packed")) {
      field.addFixed64(unpacked);
    }
    if (!form.equals("unpacked")) {
      field.addLengthDelimited(packed);
    }
    return field.build();
  }
}
