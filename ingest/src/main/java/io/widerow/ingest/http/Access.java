package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AttributeKey;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.SecurityOptions;
import io.widerow.ingest.config.TokenFile;
import io.widerow.ingest.config.Tokens;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Authenticates and authorizes each request. With tokens, every request must carry one. Without
/// tokens and on a loopback address, the request must name a host of this machine: otherwise a web
/// page whose name resolves to 127.0.0.1 could read and write through a browser (DNS rebinding). A
/// path must be written as the endpoint is, without `//`, `;x` or percent signs: a proxy in front
/// that permits some paths only would take other spellings for other paths.
///
/// - Threads: any event loop.
public final class Access {
  private static final AttributeKey<String> PRINCIPAL =
      AttributeKey.valueOf(Access.class, "PRINCIPAL");
  private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");

  private final @Nullable TokenFile tokens;
  private final boolean hostsChecked;
  private final Set<String> hosts;

  public Access(DaemonConfig config) {
    SecurityOptions security = config.security();
    tokens = security.tokens() == null ? null : new TokenFile(security.tokens());
    hostsChecked = tokens == null && config.httpIsLocal();
    hosts = security.hosts();
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

  /// The service of a route, for requests that may use it; others get the refusal.
  public HttpService guard(HttpRoute route) {
    return (context, request) -> {
      HttpResponse refused = refusal(route, context, request);
      return refused != null ? refused : route.service().serve(context, request);
    };
  }

  private @Nullable HttpResponse refusal(
      HttpRoute route, ServiceRequestContext context, HttpRequest request) {
    if (!isOurHost(request)) {
      return misdirected();
    }
    if (!isWrittenAs(route.path(), context.rawPath())) {
      return HttpAnswers.error(
          HttpStatus.BAD_REQUEST, "the path must be written as " + route.path());
    }
    Tokens.Scope scope = route.scope();
    if (tokens == null || scope == null) {
      return null;
    }
    String secret = secret(request.headers().get(HttpHeaderNames.AUTHORIZATION));
    Tokens.Token token = secret == null ? null : tokens.tokens().find(secret);
    if (token == null) {
      return unauthorized();
    }
    if (!token.scopes().contains(scope)) {
      return HttpAnswers.error(
          HttpStatus.FORBIDDEN, "the token has no scope " + scope.name().toLowerCase(Locale.ROOT));
    }
    context.setAttr(PRINCIPAL, token.name());
    return null;
  }

  /// @param raw the path as it was sent, perhaps with a query
  private static boolean isWrittenAs(String path, String raw) {
    return raw.startsWith(path)
        && (raw.length() == path.length() || raw.charAt(path.length()) == '?');
  }

  private static HttpResponse misdirected() {
    return HttpAnswers.error(HttpStatus.FORBIDDEN, "requests for other hosts are refused");
  }

  private static HttpResponse unauthorized() {
    ResponseHeaders headers =
        ResponseHeaders.builder(HttpStatus.UNAUTHORIZED)
            .contentType(MediaType.JSON_UTF_8)
            .add(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer")
            .build();
    return HttpResponse.of(headers, HttpData.ofUtf8("{\"error\":\"needs a token\"}\n"));
  }

  private boolean isOurHost(HttpRequest request) {
    if (!hostsChecked) {
      return true;
    }
    String authority = request.authority();
    if (authority == null) {
      return false;
    }
    String host = authority.toLowerCase(Locale.ROOT);
    int colon = host.lastIndexOf(':');
    if (colon > host.lastIndexOf(']')) {
      host = host.substring(0, colon);
    }
    return LOCAL.contains(host) || hosts.contains(host);
  }

  /// The token in an `Authorization` header: after `Bearer`, after `Token` (InfluxDB 2), or the
  /// password of `Basic` (InfluxDB 1). Null when there is none.
  private static @Nullable String secret(@Nullable String authorization) {
    if (authorization == null) {
      return null;
    }
    int space = authorization.indexOf(' ');
    String kind = authorization.substring(0, Math.max(space, 0)).toLowerCase(Locale.ROOT);
    String rest = authorization.substring(space + 1).strip();
    return switch (kind) {
      case "bearer", "token" -> rest;
      case "basic" -> password(rest);
      default -> null;
    };
  }

  private static @Nullable String password(String encoded) {
    try {
      String both = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      int colon = both.indexOf(':');
      return colon < 0 ? null : both.substring(colon + 1);
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }
}
