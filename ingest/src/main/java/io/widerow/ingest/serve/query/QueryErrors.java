package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.netty.util.AsciiString;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.query.QueryException;
import io.widerow.query.remote.RemoteAnswer;
import java.util.List;
import java.util.regex.Pattern;

/// Errors before the first row, as responses, and warnings, as headers. A later error ends the
/// response.
final class QueryErrors {
  private static final AsciiString WARNING = HttpHeaderNames.of(RemoteAnswer.WARNING);
  private static final Pattern NOT_ASCII = Pattern.compile("[^ -~]");

  private QueryErrors() {}

  /// Adds each warning as a header, for responses that have no lines of warnings. Signs outside
  /// ASCII become `?`.
  static ResponseHeadersBuilder warn(List<String> warnings, ResponseHeadersBuilder headers) {
    warnings.forEach(warning -> headers.add(WARNING, NOT_ASCII.matcher(warning).replaceAll("?")));
    return headers;
  }

  /// @param failed a [QueryException], or a [io.widerow.storage.StorageException]
  static HttpResponse of(RuntimeException failed) {
    return switch (failed) {
      case QueryException.Expired expired -> expired(expired);
      case QueryException.Refused _ -> of(HttpStatus.BAD_REQUEST, failed);
      default -> of(HttpStatus.SERVICE_UNAVAILABLE, failed); // asked again, it may be answered
    };
  }

  private static HttpResponse of(HttpStatus status, RuntimeException failed) {
    return HttpAnswers.error(status, String.valueOf(failed.getMessage()));
  }

  private static HttpResponse expired(QueryException.Expired expired) {
    StringBuilder json = new StringBuilder("{\"error\":");
    HttpAnswers.appendString(json, String.valueOf(expired.getMessage()));
    if (expired.first != null) {
      HttpAnswers.appendString(json.append(",\"first\":"), expired.first);
    }
    return HttpResponse.of(
        ResponseHeaders.of(HttpStatus.GONE, HttpHeaderNames.CONTENT_TYPE, MediaType.JSON_UTF_8),
        HttpData.ofUtf8(json.append("}\n").toString()));
  }
}
