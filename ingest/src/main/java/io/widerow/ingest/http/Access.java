package io.widerow.ingest.http;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceOptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.netty.util.AsciiString;
import io.netty.util.AttributeKey;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.SecurityOptions;
import io.widerow.ingest.config.TokenFile;
import io.widerow.ingest.config.Tokens;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Authenticates and authorizes each request. With tokens, every request must carry one. Without
/// tokens and on a loopback address, the request must name a host of this machine: otherwise a web
/// page whose name resolves to 127.0.0.1 could read and write through a browser (DNS rebinding). A
/// request that a browser sends for a page of another site is refused on every route but probes and
/// the page's files: an image on that page could start the most expensive query, and its owner
/// would not see a result. A path must be written as the endpoint is, without `//`, `;x` or percent
/// signs: a proxy in front that permits some paths only would take other spellings for other paths.
///
/// - Threads: any event loop.
public final class Access {
  private static final AttributeKey<String> PRINCIPAL =
      AttributeKey.valueOf(Access.class, "PRINCIPAL");
  private static final AttributeKey<Set<Tokens.Scope>> SCOPES =
      AttributeKey.valueOf(Access.class, "SCOPES");
  private static final String NEEDS_TOKEN = "needs a token";
  private static final AsciiString SITE = HttpHeaderNames.of("sec-fetch-site");
  private static final AsciiString RESOURCE_POLICY =
      HttpHeaderNames.of("cross-origin-resource-policy");
  private static final String SAVED_BY_PAGE = "/v1/queries";
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");

  /// A client of HTTP/2 may send the rest of a body that was answered early; it is dropped. A
  /// stream that is reset at once makes some clients, that of the JDK among them, lose the
  /// response: instead of a 503, which they would repeat, they see a broken stream.
  private static final ServiceOptions RESET_LATE =
      ServiceOptions.builder()
          .closeHttp2StreamDelayMillis(SECONDS.toMillis(ConnectionGuard.LINGER_SECONDS))
          .build();

  private final @Nullable TokenFile tokens;
  private final boolean hostsChecked;
  private final Set<String> hosts;

  public Access(DaemonConfig config) {
    SecurityOptions security = config.security();
    tokens = security.tokens() == null ? null : new TokenFile(security.tokens());
    hostsChecked = tokens == null && config.httpIsLocal();
    hosts = security.hosts();
  }

  /// The tokens of all clients; null when they need none.
  public @Nullable TokenFile tokens() {
    return tokens;
  }

  /// Reads the tokens again when their file has changed. Called by one thread, periodically.
  public void reload() {
    if (tokens != null) {
      tokens.reload();
    }
  }

  /// The name of the token that a request carries; empty without tokens.
  static String principal(ServiceRequestContext context) {
    String name = context.attr(PRINCIPAL);
    return name == null ? "" : name;
  }

  /// Describes the requester to itself.
  ///
  /// @param name of the token; empty without tokens
  /// @param scopes of the token; all without tokens
  /// @param tokens whether requests need one
  public record Principal(String name, Set<Tokens.Scope> scopes, boolean tokens) {
    public static Principal of(ServiceRequestContext context) {
      Set<Tokens.Scope> scopes = context.attr(SCOPES);
      return scopes == null
          ? new Principal("", Set.of(Tokens.Scope.values()), false)
          : new Principal(principal(context), scopes, true);
    }
  }

  /// The sender of a request.
  ///
  /// @param sender the name of its token, else the address it came from
  /// @param agent its `User-Agent`
  record SenderIdentity(String sender, @Nullable String agent) {}

  static SenderIdentity sender(ServiceRequestContext context) {
    String name = principal(context);
    HttpRequest request = context.request();
    String agent = request == null ? null : request.headers().get(HttpHeaderNames.USER_AGENT);
    return new SenderIdentity(
        name.isEmpty() ? context.clientAddress().getHostAddress() : name, agent);
  }

  /// The service of a route, for requests that may use it; others get the refusal, as do requests
  /// for which the service throws [RequestRefused].
  public HttpService guard(HttpRoute route) {
    return new Guarded(route);
  }

  /// Keeps what the server asks the service itself, such as whether it speaks WebSocket.
  private final class Guarded extends SimpleDecoratingHttpService {
    private final HttpRoute route;

    Guarded(HttpRoute route) {
      super(route.service());
      this.route = route;
    }

    @Override
    public ServiceOptions options() {
      ServiceOptions own = route.service().options();
      return own.equals(ServiceOptions.of()) ? RESET_LATE : own;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) throws Exception {
      Tokens.Scope scope = route.scope();
      if (scope == Tokens.Scope.QUERY || scope == Tokens.Scope.ADMIN) {
        // A stored text must not be taken for a page or a script, or be embedded by another site.
        context.setAdditionalResponseHeader(HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff");
        context.setAdditionalResponseHeader(RESOURCE_POLICY, "same-origin");
      }
      HttpResponse refused = refusal(route, context, request);
      try {
        return refused != null ? refused : unwrap().serve(context, request);
      } catch (RequestRefused bad) {
        return route.errors().of(context, bad);
      }
    }
  }

  private @Nullable HttpResponse refusal(
      HttpRoute route, ServiceRequestContext context, HttpRequest request) {
    if (!namesOneHost(request.headers())) {
      return refused(
          route, context, HttpStatus.BAD_REQUEST, "a request must name one host, got several");
    }
    if (!isOurHost(request)) {
      return refused(route, context, HttpStatus.FORBIDDEN, "requests for other hosts are refused");
    }
    if (!CanonicalPathFilter.isWrittenAs(route.path(), context.rawPath())) {
      return refused(
          route, context, HttpStatus.BAD_REQUEST, "the path must be written as " + route.path());
    }
    Tokens.Scope scope = route.scope();
    if (scope != null && isCrossSite(request)) {
      return refused(route, context, HttpStatus.FORBIDDEN, RequestRefused.BY_OTHER_SITE);
    }
    if (scope == Tokens.Scope.ADMIN && isWrittenByPage(route, request)) {
      return refused(route, context, HttpStatus.FORBIDDEN, RequestRefused.BY_WEB_PAGE);
    }
    if (tokens == null || scope == null) {
      return null;
    }
    String secret = TokenExtractor.of(context, request.headers());
    Tokens.Token token = secret == null ? null : tokens.tokens().find(secret);
    if (token == null) {
      return refused(route, context, HttpStatus.UNAUTHORIZED, NEEDS_TOKEN);
    }
    if (!token.scopes().contains(scope)) {
      return refused(
          route,
          context,
          HttpStatus.FORBIDDEN,
          "the token has no scope " + scope.name().toLowerCase(Locale.ROOT));
    }
    context.setAttr(PRINCIPAL, token.name());
    context.setAttr(SCOPES, token.scopes());
    return null;
  }

  /// A web page must not change anything through a user's browser, except that the daemon's own
  /// page saves queries. Browsers send `Origin` with every such request that they do not ask about
  /// first.
  private boolean isWrittenByPage(HttpRoute route, HttpRequest request) {
    String origin = request.headers().get(HttpHeaderNames.ORIGIN);
    return request.method() != HttpMethod.GET
        && request.method() != HttpMethod.HEAD
        && origin != null
        && !(route.path().equals(SAVED_BY_PAGE) && isOwnPage(request, origin));
  }

  /// Whether the daemon's own page sent a request. Any page whose name resolves to the daemon looks
  /// like it (DNS rebinding), so a token or a checked host must keep such pages out.
  private boolean isOwnPage(HttpRequest request, String origin) {
    String site = request.headers().get(SITE);
    return (tokens != null || hostsChecked)
        && (site != null
            ? site.equals("same-origin")
            : authorityOf(origin).equalsIgnoreCase(request.authority()));
  }

  /// Whether a browser sends the request for a page of another site. Browsers report that in
  /// `Sec-Fetch-Site` where the connection is local or encrypted, and else in `Origin`, which
  /// requests for images lack. Programs send neither.
  private boolean isCrossSite(HttpRequest request) {
    String site = request.headers().get(SITE);
    if (site != null) {
      return !site.equals("same-origin") && !site.equals("none");
    }
    String origin = request.headers().get(HttpHeaderNames.ORIGIN);
    if (origin == null) {
      return false;
    }
    String authority = authorityOf(origin);
    return !authority.equalsIgnoreCase(request.authority()) && !hosts.contains(host(authority));
  }

  private static String authorityOf(String origin) {
    return origin.substring(origin.indexOf("://") < 0 ? 0 : origin.indexOf("://") + 3);
  }

  private static HttpResponse refused(
      HttpRoute route, ServiceRequestContext context, HttpStatus status, String why) {
    return route.errors().of(context, new RequestRefused(status, why));
  }

  /// A proxy in front may decide by one of two hosts, and the daemon by the other.
  private static boolean namesOneHost(RequestHeaders headers) {
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    String authority = headers.get(HttpHeaderNames.AUTHORITY);
    return hosts.isEmpty()
        || (hosts.size() == 1 && (authority == null || authority.equals(hosts.getFirst())));
  }

  private boolean isOurHost(HttpRequest request) {
    if (!hostsChecked) {
      return true;
    }
    String authority = request.authority();
    if (authority == null) {
      return false;
    }
    String host = host(authority);
    return LOCAL.contains(host) || hosts.contains(host);
  }

  /// An authority without its port, in lower case.
  private static String host(String authority) {
    String host = authority.toLowerCase(Locale.ROOT);
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }
}
