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
import io.widerow.ingest.http.HttpRoute;
import io.widerow.storage.BuildVersion;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `GET /` in a browser: a page for people, with the name of the program, its endpoints and the
/// scope that each needs. It has nothing about the data. A request that does not accept `text/html`
/// comes from a client of a protocol that has its own response there.
///
/// - Threads: any event loop.
public final class IndexService {
  private final String text;
  private final HttpRoute client;

  private IndexService(List<HttpRoute> routes, HttpRoute client) {
    this.client = client;
    int widest = routes.stream().mapToInt(route -> shown(route.path()).length()).max().orElse(1);
    String line = "  %-6s %-" + widest + "s  %s%n";
    StringBuilder lines = new StringBuilder();
    for (HttpRoute route : routes) {
      lines.append(line.formatted(method(route), shown(route.path()), scope(route)));
    }
    text =
        """
        Widerow %s, an event store for logs and metrics.

        Send an event and query it:

          echo '{"type":"hello","body":"first event"}' |
              curl -H 'content-type: application/x-ndjson' --data-binary @- URL/v1/events
          curl 'URL/v1/query?type=hello'
          curl URL/v1/types

        With tokens: -H 'Authorization: Bearer TOKEN'. Endpoints, and the scope that a token needs:

        %s
        `widerow query --help` describes queries from a terminal. More in the documents:
        ingest/PROTOCOLS.md (sending), query/QUERY.md (queries), ingest/OPERATIONS.md (operation).
        """
            .formatted(BuildVersion.value(), lines);
  }

  /// @param routes all others
  /// @param client serves requests that do not accept a page
  public static List<HttpRoute> routes(List<HttpRoute> routes, HttpRoute client) {
    IndexService index = new IndexService(routes, client);
    return List.of(HttpRoute.probe("/", index::index).withErrors(client.errors()));
  }

  private static HttpMethod method(HttpRoute route) {
    Set<HttpMethod> methods = route.methods();
    if (methods.contains(HttpMethod.GET)) {
      return HttpMethod.GET;
    }
    return methods.contains(HttpMethod.POST) ? HttpMethod.POST : methods.iterator().next();
  }

  private static String shown(String path) {
    return path.startsWith("prefix:") ? path.substring("prefix:".length()) + "*" : path;
  }

  private static String scope(HttpRoute route) {
    Tokens.Scope scope = route.scope();
    return scope == null ? "-" : scope.name().toLowerCase(Locale.ROOT);
  }

  private HttpResponse index(ServiceRequestContext context, HttpRequest request) throws Exception {
    String accepted = request.headers().get(HttpHeaderNames.ACCEPT, "");
    return accepted.contains("text/html")
        ? HttpResponse.of(HttpStatus.OK, MediaType.PLAIN_TEXT_UTF_8, HttpData.ofUtf8(text))
        : client.service().serve(context, request);
  }
}
