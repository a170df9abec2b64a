package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Finds the token in a request, in the place that each protocol uses.
///
/// | place | clients of |
/// |---|---|
/// | `Authorization: Bearer T` | our own endpoints, OTLP, Loki, Prometheus |
/// | `Authorization: Token T` | InfluxDB 2 and 3 |
/// | `Authorization: Splunk T` | Splunk HEC |
/// | `Authorization: ApiKey base64(id:T)` | Elasticsearch |
/// | `Authorization: Basic`, as password | InfluxDB 1, Loki, Elasticsearch, Prometheus |
/// | `DD-API-KEY: T`, or in the path | Datadog |
/// | in the path, or Basic | `systemd-journal-upload` |
final class TokenExtractor {
  private static final String DATADOG = "dd-api-key";

  private TokenExtractor() {}

  /// The token of a request; null when there is none.
  static @Nullable String of(ServiceRequestContext context, RequestHeaders headers) {
    String inPath = context.pathParam("token");
    if (inPath != null) {
      return inPath;
    }
    String authorization = headers.get(HttpHeaderNames.AUTHORIZATION);
    return authorization != null ? ofAuthorization(authorization) : headers.get(DATADOG);
  }

  private static @Nullable String ofAuthorization(String authorization) {
    int space = authorization.indexOf(' ');
    String kind = authorization.substring(0, Math.max(space, 0)).toLowerCase(Locale.ROOT);
    String rest = authorization.substring(space + 1).strip();
    return switch (kind) {
      case "bearer", "token", "splunk" -> rest;
      case "basic", "apikey" -> afterColon(rest);
      default -> null;
    };
  }

  /// What follows the first colon of an encoded pair; null when it is none.
  private static @Nullable String afterColon(String encoded) {
    try {
      String both = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      int colon = both.indexOf(':');
      return colon < 0 ? null : both.substring(colon + 1);
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }
}
