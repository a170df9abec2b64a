package io.widerow.ingest.receive.elastic;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.RequestRefused;
import org.jspecify.annotations.Nullable;

/// The common parts of responses to clients of Elasticsearch: the header by which official clients
/// recognize the server, the media type that the client accepts, and the form of errors.
final class ElasticResponses {
  private static final String PRODUCT = "x-elastic-product";
  private static final String PLAIN = "application/json";
  private static final String VENDOR = "application/vnd.elasticsearch+json";
  private static final String VERSION = "compatible-with=";

  /// The form of Elasticsearch's errors.
  static final ErrorRenderer ERRORS = (context, refused) -> error(context.request(), refused);

  private ElasticResponses() {}

  static ResponseHeadersBuilder headers(HttpStatus status, @Nullable HttpRequest request) {
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(status)
            .add(PRODUCT, "Elasticsearch")
            .set(HttpHeaderNames.CONTENT_TYPE, media(request));
    if (status.code() == 401) {
      headers.add(HttpHeaderNames.WWW_AUTHENTICATE, "Basic realm=\"security\", charset=\"UTF-8\"");
    }
    HttpResponses.addAdvice(headers);
    return headers;
  }

  /// The media type that the client accepts, with the version that it names.
  private static String media(@Nullable HttpRequest request) {
    String accepted = request == null ? "" : request.headers().get(HttpHeaderNames.ACCEPT, "");
    int vendor = accepted.indexOf(VENDOR);
    int version = vendor < 0 ? -1 : accepted.indexOf(VERSION, vendor) + VERSION.length();
    if (version < VERSION.length() || version >= accepted.length()) {
      return PLAIN;
    }
    char number = accepted.charAt(version);
    return number >= '7' && number <= '9' ? VENDOR + ";" + VERSION + number : PLAIN;
  }

  static HttpResponse json(HttpStatus status, @Nullable HttpRequest request, String json) {
    return HttpResponse.of(headers(status, request).build(), HttpData.ofUtf8(json));
  }

  /// Refuses a request. Without room the response is 429, as from Elasticsearch.
  static HttpResponse error(@Nullable HttpRequest request, RequestRefused refused) {
    HttpStatus status = refused.isOverload() ? HttpStatus.TOO_MANY_REQUESTS : refused.status();
    StringBuilder cause = new StringBuilder("\"type\":\"").append(type(status));
    HttpResponses.appendString(cause.append("\",\"reason\":"), refused.reason());
    String json =
        "{\"error\":{\"root_cause\":[{%s}],%s},\"status\":%d}\n"
            .formatted(cause, cause, status.code());
    return json(status, request, json);
  }

  private static String type(HttpStatus status) {
    return switch (status.code()) {
      case 400 -> "illegal_argument_exception";
      case 401, 403 -> "security_exception";
      case 404 -> "index_not_found_exception";
      case 413 -> "content_too_long_exception";
      case 415 -> "media_type_header_exception";
      case 429 -> "es_rejected_execution_exception";
      default -> "cluster_block_exception";
    };
  }
}
