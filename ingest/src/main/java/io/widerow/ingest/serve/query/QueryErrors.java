package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.HttpService;
import io.netty.util.AsciiString;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.ingest.serve.reply.ReplyThreads;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.storage.StorageException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/// Errors before the first row, as responses, and warnings, as headers. A later error ends the
/// response.
final class QueryErrors {
  private static final AsciiString WARNING = HttpHeaderNames.of(RemoteResponse.WARNING);
  private static final Pattern NOT_ASCII = Pattern.compile("[^ -~]");

  private QueryErrors() {}

  /// An endpoint that reads; parameters that are no query get 400.
  static HttpRoute get(String path, HttpService service) {
    return HttpRoute.get(
        path,
        Tokens.Scope.QUERY,
        (context, request) -> {
          try {
            return service.serve(context, request);
          } catch (QueryException refused) {
            return of(HttpStatus.BAD_REQUEST, refused);
          }
        });
  }

  /// Work whose failure is the response, unless the response has begun and is aborted.
  static ReplyThreads.Work refusing(ReplyThreads.Work work) {
    return reply -> {
      try {
        work.answer(reply);
      } catch (QueryException | StorageException failed) {
        reply.refuse(of(failed));
        throw failed;
      }
    };
  }

  /// Writes a piece and clears it. Returns false when the reader is gone.
  ///
  /// @throws QueryException.Stopped when the reader left or took nothing for too long
  static boolean write(QueryReply reply, OutputBuffer piece) {
    try {
      return reply.write(piece.bytes(), piece.length());
    } catch (ExecutionException | TimeoutException gone) {
      throw new QueryException.Stopped("the reader is gone: " + gone.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new QueryException.Stopped("interrupted while writing the response");
    } finally {
      piece.clear();
    }
  }

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
    return HttpResponses.error(status, String.valueOf(failed.getMessage()));
  }

  private static HttpResponse expired(QueryException.Expired expired) {
    StringBuilder json = new StringBuilder("{\"error\":");
    HttpResponses.appendString(json, String.valueOf(expired.getMessage()));
    if (expired.first != null) {
      HttpResponses.appendString(json.append(",\"first\":"), expired.first);
    }
    return HttpResponse.of(
        ResponseHeaders.of(HttpStatus.GONE, HttpHeaderNames.CONTENT_TYPE, MediaType.JSON_UTF_8),
        HttpData.ofUtf8(json.append("}\n").toString()));
  }
}
