package io.widerow.ingest.receive.otlp;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.lane.BatchOutcome;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// The responses of OTLP. A status of HTTP or of gRPC says whether the sender is to repeat the
/// request: of HTTP only 429, 502, 503 and 504, of gRPC `UNAVAILABLE` here, with `RetryInfo`.
///
/// Source: opentelemetry-proto, `docs/specification.md`; grpc, `PROTOCOL-HTTP2.md`; googleapis,
/// `google/rpc/status.proto`, `error_details.proto`.
final class OtlpResponses {
  static final MediaType GRPC = MediaType.create("application", "grpc");
  static final MediaType PROTOBUF = MediaType.create("application", "x-protobuf");
  private static final int MESSAGE_BYTES_MAX = 1 << 10;
  private static final int UNAVAILABLE = 14;
  private static final String RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

  private OtlpResponses() {}

  /// @param rejected the name of the number of refused records, in JSON
  static HttpResponse stored(Transport transport, String rejected, BatchOutcome.Stored stored) {
    if (transport == Transport.JSON) {
      return HttpResponse.of(HttpStatus.OK, MediaType.JSON, json(rejected, stored.refused()));
    }
    byte[] message = response(stored.refused());
    if (transport == Transport.GRPC) {
      ByteBuffer framed = ByteBuffer.allocate(5 + message.length);
      framed.put((byte) 0).putInt(message.length).put(message);
      return HttpResponse.of(
          ResponseHeaders.builder(HttpStatus.OK).contentType(GRPC).build(),
          HttpData.wrap(framed.array()),
          HttpHeaders.of("grpc-status", "0"));
    }
    return HttpResponse.of(HttpStatus.OK, PROTOBUF, message);
  }

  /// An `ExportLogsServiceResponse`, or one of the other two, which have the same fields.
  private static byte[] response(Refusals refused) {
    if (refused.count() == 0) {
      return new byte[0];
    }
    ByteArrayOutputStream partial = new ByteArrayOutputStream();
    partial.write(1 << 3);
    varint(partial, refused.count());
    bytes(partial, 2, why(refused).getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    bytes(out, 1, partial.toByteArray());
    return out.toByteArray();
  }

  /// The same in JSON, in which numbers of 64 bits are text.
  private static String json(String rejected, Refusals refused) {
    if (refused.count() == 0) {
      return "{}";
    }
    StringBuilder out = new StringBuilder("{\"partialSuccess\":{\"");
    out.append(rejected).append("\":\"").append(refused.count()).append("\",\"errorMessage\":");
    HttpResponses.appendString(out, why(refused));
    return out.append("}}").toString();
  }

  /// The reasons of the first refusals, as many as fit.
  private static String why(Refusals refused) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < refused.listed() && text.length() < MESSAGE_BYTES_MAX; i++) {
      text.append(i == 0 ? "" : "; ").append("record ").append(refused.index(i)).append(": ");
      text.append(refused.reason(i));
    }
    return cut(text.toString());
  }

  private static String cut(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MESSAGE_BYTES_MAX) {
      return text;
    }
    int end = MESSAGE_BYTES_MAX;
    while ((bytes[end] & 0xc0) == 0x80) { // not within a character
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  static HttpResponse refused(Transport transport, RequestRefused refused) {
    boolean again = refused.status().code() >= 500;
    HttpStatus status = again ? HttpStatus.SERVICE_UNAVAILABLE : refused.status();
    int code = code(status.code());
    byte[] message = status(code, cut(refused.reason()), again);
    ResponseHeadersBuilder headers;
    if (transport == Transport.GRPC) {
      headers = ResponseHeaders.builder(HttpStatus.OK).contentType(GRPC);
      headers.addInt("grpc-status", code);
      headers.add("grpc-message", percent(cut(refused.reason())));
      headers.add(
          "grpc-status-details-bin", Base64.getEncoder().withoutPadding().encodeToString(message));
      headers.add("grpc-accept-encoding", "identity,gzip,deflate,zstd");
      return HttpResponse.of(headers.build());
    }
    if (transport == Transport.JSON) {
      message = jsonStatus(code, cut(refused.reason()), again).getBytes(StandardCharsets.UTF_8);
    }
    headers = ResponseHeaders.builder(status);
    headers.contentType(transport == Transport.JSON ? MediaType.JSON : PROTOBUF);
    HttpResponses.addAdvice(headers);
    return HttpResponse.of(headers.build(), HttpData.wrap(message));
  }

  /// The code of `google.rpc.Status` for a status of HTTP.
  private static int code(int status) {
    return switch (status) {
      case 400 -> 3; // INVALID_ARGUMENT
      case 401 -> 16; // UNAUTHENTICATED
      case 403 -> 7; // PERMISSION_DENIED
      case 413 -> 8; // RESOURCE_EXHAUSTED
      case 415 -> 12; // UNIMPLEMENTED
      default -> UNAVAILABLE;
    };
  }

  private static byte[] status(int code, String reason, boolean again) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(1 << 3);
    varint(out, code);
    bytes(out, 2, reason.getBytes(StandardCharsets.UTF_8));
    if (again) {
      ByteArrayOutputStream details = new ByteArrayOutputStream();
      bytes(details, 1, RETRY_INFO.getBytes(StandardCharsets.US_ASCII));
      bytes(details, 2, new byte[] {0x0a, 2, 1 << 3, 1}); // a duration of one second
      bytes(out, 3, details.toByteArray());
    }
    return out.toByteArray();
  }

  private static String jsonStatus(int code, String reason, boolean again) {
    StringBuilder out = new StringBuilder("{\"code\":").append(code).append(",\"message\":");
    HttpResponses.appendString(out, reason);
    if (again) {
      out.append(",\"details\":[{\"@type\":\"").append(RETRY_INFO);
      out.append("\",\"retryDelay\":\"1s\"}]");
    }
    return out.append('}').toString();
  }

  private static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
    out.write((field << 3) | 2);
    varint(out, value.length);
    out.writeBytes(value);
  }

  private static void varint(ByteArrayOutputStream out, int value) {
    int rest = value;
    while (rest >= 0x80) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  private static String percent(String text) {
    StringBuilder encoded = new StringBuilder();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (byte b : bytes) {
      if (b >= ' ' && b <= '~' && b != '%') {
        encoded.append((char) b);
      } else {
        encoded.append("%%%02X".formatted(b & 0xff));
      }
    }
    return encoded.toString();
  }
}
