package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.netty.util.AsciiString;
import java.util.List;

/// Guards the endpoints of Loki's API: a request of another tenant than that of this daemon is
/// refused, so that tenants never share their data by mistake. A request without a tenant is one of
/// this daemon.
///
/// - Threads: any.
public final class LokiTenants {
  private static final AsciiString HEADER = HttpHeaderNames.of("x-scope-orgid");
  private static final String ANY = "*";

  private final String tenant;

  /// @param tenant whose header may be sent; `*` for any
  public LokiTenants(String tenant) {
    this.tenant = tenant;
  }

  /// The same routes, for this tenant only.
  public List<HttpRoute> guard(List<HttpRoute> routes) {
    return tenant.equals(ANY) ? routes : routes.stream().map(this::guard).toList();
  }

  private HttpRoute guard(HttpRoute route) {
    return new HttpRoute(
        route.path(),
        route.methods(),
        route.scope(),
        new SimpleDecoratingHttpService(route.service()) {
          @Override
          public HttpResponse serve(ServiceRequestContext context, HttpRequest request)
              throws Exception {
            String asked = request.headers().get(HEADER);
            return asked == null || asked.equals(tenant)
                ? unwrap().serve(context, request)
                : route.errors().of(context, refused(asked));
          }
        },
        route.errors());
  }

  private RequestRefused refused(String asked) {
    return new RequestRefused(
        HttpStatus.UNAUTHORIZED,
        "X-Scope-OrgID: tenant %s is not that of this daemon, got %s; set loki-tenants"
            .formatted(tenant, asked));
  }
}
