package io.widerow.ingest.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.NearestName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Errors of requests without an endpoint: JSON as for endpoints, with the path and the nearest one
/// for 404, and with the methods for 405.
///
/// - Threads: any event loop.
public final class UnroutedErrors implements ServerErrorHandler {
  private static final int SHOWN_CHARS = 200;

  private final Map<String, Set<HttpMethod>> methods = new TreeMap<>(); // by path

  public UnroutedErrors(List<HttpRoute> routes) {
    for (HttpRoute route : routes) {
      methods.computeIfAbsent(route.path(), _ -> new TreeSet<>()).addAll(route.methods());
    }
  }

  @Override
  public @Nullable HttpResponse onServiceException(ServiceRequestContext context, Throwable cause) {
    return null; // the server's own handling
  }

  @Override
  public AggregatedHttpResponse renderStatus(
      @Nullable ServiceRequestContext context,
      ServiceConfig config,
      @Nullable RequestHeaders headers,
      HttpStatus status,
      @Nullable String description,
      @Nullable Throwable cause) {
    String path = headers == null ? "" : headers.path().replaceAll("\\?.*", "");
    String shown = path.substring(0, Math.min(SHOWN_CHARS, path.length()));
    String why = description == null ? status.reasonPhrase() : description;
    ResponseHeadersBuilder answer =
        ResponseHeaders.builder(status).contentType(MediaType.JSON_UTF_8);
    if (status.equals(HttpStatus.NOT_FOUND)) {
      why = "no such endpoint: " + shown + NearestName.question(shown, methods.keySet(), "");
    } else if (status.equals(HttpStatus.METHOD_NOT_ALLOWED) && headers != null) {
      Set<HttpMethod> allowed = methods.getOrDefault(path, Set.of());
      String list = allowed.toString().replaceAll("[\\[\\]]", "");
      why = "%s: no endpoint for %s".formatted(shown, headers.method());
      if (!list.isEmpty()) {
        why += "; it takes " + list;
        answer.set(HttpHeaderNames.ALLOW, list);
      }
    }
    StringBuilder json = HttpResponses.appendString(new StringBuilder("{\"error\":"), why);
    return AggregatedHttpResponse.of(
        answer.build(), HttpData.ofUtf8(json.append("}\n").toString()));
  }
}
