package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import io.widerow.ingest.MemoryStore;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sends requests of OTLP in all of its forms, and reads the answers.
///
/// @param headers of each request
record OtlpSender(WebClient client, Map<String, String> headers) {
  private static final Map<String, String> PATHS =
      Map.of("log", "/v1/logs", "point", "/v1/metrics", "span", "/v1/traces");
  private static final Map<String, String> SERVICES =
      Map.of("log", "logs.v1.Logs", "point", "metrics.v1.Metrics", "span", "trace.v1.Trace");
  private static final Map<String, String> REJECTED =
      Map.of("log", "LogRecords", "point", "DataPoints", "span", "Spans");
  private static final long TIME = 1_763_665_200_123_456_789L;

  /// A test with a daemon.
  @FunctionalInterface
  interface Test {
    void run(OtlpSender sender, MemoryStore store) throws Exception;
  }

  /// @param code of gRPC, also in the status of HTTP; 0 for success
  /// @param partial the number of refused records and why, of a success; empty when it is unset
  /// @param message of a failure; the body of a success in JSON, else empty
  /// @param retry whether the details of the status have `RetryInfo`
  record Answer(
      Transport form,
      int status,
      int code,
      String partial,
      String message,
      boolean retry,
      @Nullable String retryAfter,
      boolean trailers) {
    void assertRefused(int wantedStatus, int wantedCode, boolean again) {
      assertEquals(form == Transport.GRPC ? 200 : wantedStatus, status, message);
      assertEquals(wantedCode, code, message);
      assertTrue(!message.isEmpty());
      assertEquals(again, retry, "RetryInfo");
      assertEquals(again && form != Transport.GRPC, retryAfter != null, "Retry-After");
    }
  }

  /// A request with so many good records.
  static byte[] good(String kind, Transport form, int count) {
    boolean json = form == Transport.JSON;
    String time = kind.equals("span") ? "startTimeUnixNano" : "timeUnixNano";
    byte[] record =
        json
            ? "{\"%s\":\"%d\"}".formatted(time, TIME + count).getBytes(UTF_8)
            : OtlpRequests.fixed64(field(kind), TIME + count).toByteArray();
    return only(kind, form, count, record);
  }

  private static int field(String kind) {
    return switch (kind) {
      case "log" -> 1;
      case "span" -> 7;
      default -> 3;
    };
  }

  /// A request with a record so many times.
  static byte[] only(String kind, Transport form, int count, byte[] record) {
    if (form == Transport.JSON) {
      String records = String.join(",", Collections.nCopies(count, new String(record, UTF_8)));
      String members =
          switch (kind) {
            case "log" -> "\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[%s]}]}]";
            case "span" -> "\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[%s]}]}]";
            default ->
                "\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"m\","
                    + "\"gauge\":{\"dataPoints\":[%s]}}]}]}]";
          };
      return ("{" + members.formatted(records) + "}").getBytes(UTF_8);
    }
    boolean point = kind.equals("point");
    ByteString one = OtlpRequests.bytes(point ? 1 : 2, ByteString.copyFrom(record));
    ByteString records = ByteString.copyFrom(Collections.nCopies(count, one));
    if (point) {
      records = OtlpRequests.bytes(2, OtlpRequests.text(1, "m"), OtlpRequests.bytes(5, records));
    }
    return OtlpRequests.bytes(1, OtlpRequests.bytes(2, records)).toByteArray();
  }

  Answer send(Transport form, String kind, byte[] request) {
    return later(form, kind, request).join();
  }

  Answer send(Transport form, String kind, String contentType, byte[] request) {
    return execute(form, kind, String.valueOf(PATHS.get(kind)), contentType, request).join();
  }

  CompletableFuture<Answer> later(Transport form, String kind, byte[] request) {
    return switch (form) {
      case PROTOBUF ->
          execute(form, kind, String.valueOf(PATHS.get(kind)), "application/x-protobuf", request);
      case JSON -> execute(form, kind, "/otlp" + PATHS.get(kind), "application/json", request);
      case GRPC -> framed(kind, 0, request);
    };
  }

  Answer sendFramed(String kind, int flag, byte[] message) {
    return framed(kind, flag, message).join();
  }

  private CompletableFuture<Answer> framed(String kind, int flag, byte[] message) {
    ByteBuffer frame = ByteBuffer.allocate(5 + message.length);
    byte[] body = frame.put((byte) flag).putInt(message.length).put(message).array();
    String path = "/opentelemetry.proto.collector.%sService/Export".formatted(SERVICES.get(kind));
    return execute(Transport.GRPC, kind, path, "application/grpc", body);
  }

  private CompletableFuture<Answer> execute(
      Transport form, String kind, String path, String contentType, byte[] body) {
    RequestHeadersBuilder builder = RequestHeaders.builder(HttpMethod.POST, path);
    builder.add("content-type", contentType);
    headers.forEach(builder::add);
    return client
        .execute(builder.build(), HttpData.wrap(body))
        .aggregate()
        .thenApply(answer -> read(form, kind, answer));
  }

  private static Answer read(Transport form, String kind, AggregatedHttpResponse answer) {
    try {
      return form == Transport.GRPC ? grpc(answer) : http(form, kind, answer);
    } catch (InvalidProtocolBufferException none) {
      throw new AssertionError(answer.toString(), none);
    }
  }

  private static Answer grpc(AggregatedHttpResponse answer) throws InvalidProtocolBufferException {
    assertEquals("application/grpc", answer.headers().get("content-type"));
    boolean trailers = answer.trailers().contains("grpc-status");
    if (trailers) {
      assertEquals("0", answer.trailers().get("grpc-status"));
      ByteBuffer frame = ByteBuffer.wrap(answer.content().array());
      assertEquals(0, frame.get(), "not packed");
      assertEquals(frame.remaining() - 4, frame.getInt());
      String partial = partial(ByteString.copyFrom(frame));
      return new Answer(Transport.GRPC, answer.status().code(), 0, partial, "", false, null, true);
    }
    int code = answer.headers().getInt("grpc-status", -1);
    byte[] details =
        Base64.getDecoder().decode(answer.headers().get("grpc-status-details-bin", ""));
    UnknownFieldSet status = UnknownFieldSet.parseFrom(details);
    assertEquals(code, status.getField(1).getVarintList().getFirst().intValue());
    assertNotNull(answer.headers().get("grpc-message"));
    return refused(Transport.GRPC, answer, code, status);
  }

  private static Answer refused(
      Transport form, AggregatedHttpResponse answer, int code, UnknownFieldSet status)
      throws InvalidProtocolBufferException {
    String message = status.getField(2).getLengthDelimitedList().getFirst().toStringUtf8();
    boolean retry = false;
    for (ByteString any : status.getField(3).getLengthDelimitedList()) {
      UnknownFieldSet detail = UnknownFieldSet.parseFrom(any);
      String type = detail.getField(1).getLengthDelimitedList().getFirst().toStringUtf8();
      retry |= type.equals("type.googleapis.com/google.rpc.RetryInfo");
    }
    String after = answer.headers().get("retry-after");
    return new Answer(form, answer.status().code(), code, "", message, retry, after, false);
  }

  private static Answer http(Transport form, String kind, AggregatedHttpResponse answer)
      throws InvalidProtocolBufferException {
    int status = answer.status().code();
    String type = answer.headers().get("content-type", "");
    if (type.startsWith("application/json")) {
      return json(kind, answer, status);
    }
    assertEquals("application/x-protobuf", type);
    ByteString body = ByteString.copyFrom(answer.content().array());
    if (status == 200) {
      return new Answer(form, status, 0, partial(body), "", false, null, false);
    }
    UnknownFieldSet fields = UnknownFieldSet.parseFrom(body);
    int code = fields.getField(1).getVarintList().getFirst().intValue();
    return refused(form, answer, code, fields);
  }

  private static Answer json(String kind, AggregatedHttpResponse answer, int status) {
    JsonObject body = JsonParser.parseString(answer.contentUtf8()).getAsJsonObject();
    String after = answer.headers().get("retry-after");
    if (status != 200) {
      return new Answer(
          Transport.JSON,
          status,
          body.get("code").getAsInt(),
          "",
          body.get("message").getAsString(),
          answer.contentUtf8().contains("google.rpc.RetryInfo"),
          after,
          false);
    }
    String partial = "";
    if (body.has("partialSuccess")) {
      JsonObject told = body.getAsJsonObject("partialSuccess");
      String count = told.get("rejected" + REJECTED.get(kind)).getAsString();
      partial = count + " " + told.get("errorMessage").getAsString();
    }
    return new Answer(
        Transport.JSON, status, 0, partial, answer.contentUtf8(), false, after, false);
  }

  private static String partial(ByteString response) throws InvalidProtocolBufferException {
    UnknownFieldSet fields = UnknownFieldSet.parseFrom(response);
    if (!fields.hasField(1)) {
      assertEquals(0, response.size());
      return "";
    }
    UnknownFieldSet partial =
        UnknownFieldSet.parseFrom(fields.getField(1).getLengthDelimitedList().getFirst());
    return partial.getField(1).getVarintList().getFirst()
        + " "
        + partial.getField(2).getLengthDelimitedList().getFirst().toStringUtf8();
  }
}
