package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.server.HttpService;
import io.widerow.ingest.config.Tokens;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One HTTP endpoint. Each protocol has a list of them, and [Access] guards them all.
///
/// @param path literal; or with segments `{name}` that stand for any segment; or `prefix:/x/` for
///   all that begins so. A segment `{token}` is the secret of the request
/// @param scope that a token needs; null for a probe, which needs no token
/// @param service answers the requests that are let through
/// @param errors renders the refusal of other requests
public record HttpRoute(
    String path,
    Set<HttpMethod> methods,
    Tokens.@Nullable Scope scope,
    HttpService service,
    ErrorRenderer errors) {
  /// An endpoint whose errors are JSON.
  public HttpRoute(
      String path, Set<HttpMethod> methods, Tokens.@Nullable Scope scope, HttpService service) {
    this(path, methods, scope, service, ErrorRenderer.JSON);
  }

  /// An endpoint that reads, for `GET` and `HEAD`.
  public static HttpRoute get(String path, Tokens.Scope scope, HttpService service) {
    return new HttpRoute(path, Set.of(HttpMethod.GET, HttpMethod.HEAD), scope, service);
  }

  /// An endpoint that changes something, for `POST`.
  public static HttpRoute post(String path, Tokens.Scope scope, HttpService service) {
    return new HttpRoute(path, Set.of(HttpMethod.POST), scope, service);
  }

  /// An endpoint for probes, for `GET` and `HEAD`. It must not reveal anything.
  public static HttpRoute probe(String path, HttpService service) {
    return new HttpRoute(path, Set.of(HttpMethod.GET, HttpMethod.HEAD), null, service);
  }

  /// The same endpoint with another form of errors.
  public HttpRoute withErrors(ErrorRenderer form) {
    return new HttpRoute(path, methods, scope, service, form);
  }
}
