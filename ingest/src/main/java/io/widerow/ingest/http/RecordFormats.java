package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.decode.IncomingBatch;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The decoders of the HTTP endpoints for records that come in another way: a record is decoded as
/// the body of a request with the same parameters.
///
/// - Threads: any.
public final class RecordFormats {
  private static final String JSON = "application/json";
  private static final String PROTOBUF = "application/x-protobuf";

  private final Map<String, WriteProtocol.Factory> endpoints = new ConcurrentHashMap<>();
  private final Map<String, Function<Map<String, String>, Decoder>> others =
      new ConcurrentHashMap<>();

  /// Decodes records. Bad parts of a record are recorded as refused in the batch.
  ///
  /// - Threads: one.
  @FunctionalInterface
  public interface Decoder {
    /// @param body with [io.widerow.ingest.decode.Swar#SLACK_BYTES] readable bytes after `length`
    /// @throws RequestRefused when nothing of the record is to be stored
    void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused;
  }

  void add(String path, WriteProtocol.Factory protocol) {
    endpoints.put(path, protocol);
  }

  /// Adds a format that no endpoint has.
  ///
  /// @param decoders makes one, given the parameters
  public void add(String format, Function<Map<String, String>, Decoder> decoders) {
    others.put(format, decoders);
  }

  /// The decoder of the records of a source.
  ///
  /// @param topic the type of events without one
  /// @param isJson whether the record begins as an object
  /// @throws IllegalArgumentException when the format refuses a parameter
  public Decoder decoder(KafkaOptions source, String topic, boolean isJson) {
    Map<String, String> parameters = new LinkedHashMap<>(source.parameters());
    String format = source.format();
    switch (format) {
      case "json", "text", "gelf", "splunk", "loki" -> parameters.putIfAbsent("type", topic);
      default -> {}
    }
    Function<Map<String, String>, Decoder> other = others.get(format);
    if (other != null) {
      return other.apply(parameters);
    }
    return switch (format) {
      case "json" -> decoder("/v1/events", "application/x-ndjson", parameters);
      case "text" -> decoder("/v1/events", "text/plain", parameters);
      case "line" -> decoder("/write", "text/plain", parameters);
      case "gelf" -> decoder("/gelf", JSON, parameters);
      case "splunk" -> decoder("/services/collector/event", JSON, parameters);
      case "loki" -> decoder("/loki/api/v1/push", isJson ? JSON : PROTOBUF, parameters);
      default -> {
        String path = "/v1/" + parameters.remove("signal");
        yield decoder(path, isJson ? JSON : PROTOBUF, parameters);
      }
    };
  }

  /// The decoder of an endpoint.
  ///
  /// @param parameters those of the endpoint
  /// @throws IllegalArgumentException when the endpoint refuses a parameter
  Decoder decoder(String path, String contentType, Map<String, String> parameters) {
    WriteProtocol.@Nullable Factory protocol = endpoints.get(path);
    if (protocol == null) {
      throw new IllegalArgumentException("no endpoint " + path);
    }
    var query = QueryParams.builder();
    parameters.forEach(query::add);
    String target = parameters.isEmpty() ? path : path + "?" + query.build().toQueryString();
    HttpRequest request =
        HttpRequest.of(
            RequestHeaders.of(HttpMethod.POST, target, HttpHeaderNames.CONTENT_TYPE, contentType));
    ServiceRequestContext context = ServiceRequestContext.of(request);
    WriteProtocol first;
    try {
      first = protocol.of(context, request);
    } catch (RequestRefused refused) {
      throw new IllegalArgumentException(refused.reason(), refused);
    }
    if (first.decodesMore()) {
      return first::decode;
    }
    return (body, length, batch) -> protocol.of(context, request).decode(body, length, batch);
  }
}
