package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The decoders of the HTTP endpoints for records that come in another way: a record is decoded as
/// the body of a request with the same parameters.
///
/// - Threads: any.
public final class RecordFormats {
  private final Map<String, WriteProtocol.Factory> endpoints = new ConcurrentHashMap<>();

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

  /// The decoder of an endpoint.
  ///
  /// @param parameters those of the endpoint
  /// @throws IllegalArgumentException when the endpoint refuses a parameter
  public Decoder decoder(String path, String contentType, Map<String, String> parameters) {
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
