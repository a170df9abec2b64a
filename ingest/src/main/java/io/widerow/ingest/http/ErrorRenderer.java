package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;

/// Renders the refusal of a whole request in the form of one protocol, also before the protocol's
/// code sees the request, for example for a missing token.
///
/// - Threads: any event loop.
@FunctionalInterface
public interface ErrorRenderer {
  /// `{"error":"..."}`.
  ErrorRenderer JSON = (_, refused) -> HttpResponses.error(refused.status(), refused.reason());

  /// As Prometheus has it: `{"status":"error","errorType":"bad_data","error":"..."}`.
  ErrorRenderer PROMETHEUS =
      (_, refused) ->
          prometheus(
              refused.status(),
              switch (refused.status().code()) {
                case 401, 403 -> "unauthorized";
                case 404 -> "not_found";
                case 422 -> "execution";
                case 500 -> "internal";
                case 503 -> "unavailable";
                default -> "bad_data";
              },
              refused.reason());

  /// An error of Prometheus' API.
  ///
  /// @param type such as `timeout`
  static HttpResponse prometheus(HttpStatus status, String type, String reason) {
    StringBuilder json = new StringBuilder("{\"status\":\"error\",\"errorType\":\"").append(type);
    HttpResponses.appendString(json.append("\",\"error\":"), reason);
    return HttpResponses.json(status, json.append("}\n").toString());
  }

  /// The answer to a request of which nothing is stored.
  HttpResponse of(ServiceRequestContext context, RequestRefused refused);
}
