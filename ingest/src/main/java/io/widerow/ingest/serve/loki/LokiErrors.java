package io.widerow.ingest.serve.loki;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.query.QueryException;
import io.widerow.storage.StorageException;

/// Errors in the form from which Grafana takes the message:
///
/// ```
/// {"status":"error","errorType":"bad_data","message":"parse error at line 1, col 5: ..."}
/// ```
final class LokiErrors {
  static final ErrorRenderer FORM = (_, refused) -> of(refused.status(), refused.reason());

  /// Errors of the query itself begin with Loki's words.
  private static final String OF_QUERY = "query: ";

  private LokiErrors() {}

  static HttpResponse of(HttpStatus status, String why) {
    StringBuilder json = new StringBuilder("{\"status\":\"error\",\"errorType\":\"");
    json.append(type(status)).append("\",\"message\":");
    HttpResponses.appendString(json, why);
    return HttpResponses.json(status, json.append("}\n").toString());
  }

  private static String type(HttpStatus status) {
    return switch (status.code()) {
      case 422 -> "execution";
      case 404 -> "not_found";
      case 503, 429 -> "unavailable";
      case 504 -> "timeout";
      case 500 -> "internal";
      default -> "bad_data";
    };
  }

  /// The answer to a query that has failed.
  static HttpResponse of(QueryException failed) {
    HttpStatus status =
        switch (failed) {
          case QueryException.Refused _ -> HttpStatus.BAD_REQUEST;
          case QueryException.OverBudget _ -> HttpStatus.UNPROCESSABLE_ENTITY;
          case QueryException.Stopped _ -> HttpStatus.GATEWAY_TIMEOUT;
          case QueryException.Expired _ -> HttpStatus.BAD_REQUEST;
          case QueryException.Remote _ -> HttpStatus.SERVICE_UNAVAILABLE;
        };
    return of(status, message(failed));
  }

  private static String message(QueryException failed) {
    String message = String.valueOf(failed.getMessage());
    return message.startsWith(OF_QUERY) ? message.substring(OF_QUERY.length()) : message;
  }

  /// The same for a query that is only formatted.
  static HttpResponse ofFormatting(QueryException failed) {
    if (!(failed instanceof QueryException.Refused)) {
      return of(failed);
    }
    StringBuilder json = new StringBuilder("{\"status\":\"invalid-query\",\"error\":");
    HttpResponses.appendString(json, message(failed));
    return HttpResponses.json(HttpStatus.BAD_REQUEST, json.append("}\n").toString());
  }

  /// The response when the store cannot be read.
  static HttpResponse of(StorageException failed) {
    boolean again = failed instanceof StorageException.Unreachable;
    return of(
        again ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.INTERNAL_SERVER_ERROR,
        String.valueOf(failed.getMessage()));
  }
}
