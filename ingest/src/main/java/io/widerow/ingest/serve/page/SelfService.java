package io.widerow.ingest.serve.page;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.Access;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// `GET /v1/self`: what the daemon is, its time, and what the token of the request permits.
///
/// ```
/// {"version":"0.1.0","now":"...","principal":"ann","scopes":["query"],"tokens":true}
/// ```
///
/// - Threads: any event loop.
public record SelfService(String version, LongSupplier epochNanos) {
  /// @param version of the program
  public static List<HttpRoute> routes(String version, LongSupplier epochNanos) {
    SelfService self = new SelfService(version, epochNanos);
    return List.of(
        HttpRoute.get("/v1/self", Tokens.Scope.QUERY, (context, _) -> self.answer(context)));
  }

  private HttpResponse answer(ServiceRequestContext context) throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    Access.Principal principal = Access.Principal.of(context);
    StringBuilder json = new StringBuilder("{\"version\":");
    HttpResponses.appendString(json, version);
    long now = epochNanos.getAsLong();
    json.append(",\"now\":\"").append(Instant.ofEpochSecond(0, now)).append("\",\"principal\":");
    HttpResponses.appendString(json, principal.name()).append(",\"scopes\":[");
    json.append(
        principal.scopes().stream()
            .sorted()
            .map(scope -> '"' + scope.name().toLowerCase(Locale.ROOT) + '"')
            .collect(Collectors.joining(",")));
    json.append("],\"tokens\":").append(principal.tokens()).append("}\n");
    return HttpResponses.json(HttpStatus.OK, json.toString());
  }
}
