package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.ingest.http.HttpRoute;
import java.util.List;
import java.util.Locale;

/// `GET /`: says what this is, which endpoints there are and which scope each needs, for somebody
/// who opens the address in a browser or with curl. It says nothing about the data.
///
/// - Threads: any event loop.
public final class IndexService {
  private final String text;
  private final String json;

  private IndexService(List<HttpRoute> routes) {
    StringBuilder lines = new StringBuilder();
    StringBuilder list = new StringBuilder("{\"name\":\"widerow\",\"version\":");
    HttpAnswers.appendString(list, BuildVersion.value()).append(",\"endpoints\":[");
    for (HttpRoute route : routes) {
      HttpMethod method = method(route);
      lines.append("  %-4s %-22s %s%n".formatted(method, route.path(), scope(route)));
      list.append(list.charAt(list.length() - 1) == '[' ? "" : ",").append("{\"method\":\"");
      HttpAnswers.appendString(list.append(method).append("\",\"path\":"), route.path());
      HttpAnswers.appendString(list.append(",\"scope\":"), scope(route)).append('}');
    }
    text =
        """
        Widerow %s, an event store for logs and metrics.

        Send an event and ask for it:

          echo '{"type":"hello","body":"first event"}' |
              curl -H 'content-type: application/x-ndjson' --data-binary @- URL/v1/events
          curl 'URL/v1/query?type=hello'
          curl URL/v1/types

        With tokens: -H 'Authorization: Bearer TOKEN'. Endpoints, and the scope that a token needs:

        %s
        `widerow query --help` asks from a terminal. More in the documents of the program:
        ingest/PROTOCOLS.md (sending), query/QUERY.md (asking), ingest/OPERATIONS.md (running).
        """
            .formatted(BuildVersion.value(), lines);
    json = list.append("]}\n").toString();
  }

  /// @param routes all others
  public static List<HttpRoute> routes(List<HttpRoute> routes) {
    IndexService index = new IndexService(routes);
    return List.of(HttpRoute.probe("/", index::index));
  }

  private static HttpMethod method(HttpRoute route) {
    return route.methods().contains(HttpMethod.GET) ? HttpMethod.GET : HttpMethod.POST;
  }

  private static String scope(HttpRoute route) {
    Tokens.Scope scope = route.scope();
    return scope == null ? "-" : scope.name().toLowerCase(Locale.ROOT);
  }

  private HttpResponse index(ServiceRequestContext context, HttpRequest request) {
    String accepted = request.headers().get(HttpHeaderNames.ACCEPT, "");
    return accepted.contains("application/json")
        ? HttpAnswers.json(HttpStatus.OK, json)
        : HttpResponse.of(HttpStatus.OK, MediaType.PLAIN_TEXT_UTF_8, HttpData.ofUtf8(text));
  }
}
