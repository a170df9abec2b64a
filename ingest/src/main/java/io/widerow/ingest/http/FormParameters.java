package io.widerow.ingest.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.storage.ScanWatch;
import java.util.function.Function;

/// Reads the parameters of a query, from the URL or from a posted form.
public final class FormParameters {
  private static final int FORM_BYTES_MAX = 1 << 20;
  private static final int SMALL_BYTES_MAX = 16 << 10;

  /// Bytes of heap for a byte of a form: its pieces, the whole, its text and its parameters.
  private static final long BYTES_A_BYTE = 4;

  private FormParameters() {}

  /// Answers a request as soon as all its parameters are there; those of a form come first.
  ///
  /// @param memory for a form while it arrives, shared with queries
  /// @param errors renders the refusal of a form that is too large
  /// @param answer called on an event loop
  public static HttpResponse ask(
      ServiceRequestContext context,
      HttpRequest request,
      ScanWatch.Memory memory,
      ErrorRenderer errors,
      Function<QueryParams, HttpResponse> answer) {
    return ask(context, request, FORM_BYTES_MAX, memory, errors, answer);
  }

  /// The same for a query of a few short parameters.
  public static HttpResponse askSmall(
      ServiceRequestContext context,
      HttpRequest request,
      ErrorRenderer errors,
      Function<QueryParams, HttpResponse> answer) {
    return ask(context, request, SMALL_BYTES_MAX, _ -> {}, errors, answer);
  }

  private static HttpResponse ask(
      ServiceRequestContext context,
      HttpRequest request,
      int bytesMax,
      ScanWatch.Memory memory,
      ErrorRenderer errors,
      Function<QueryParams, HttpResponse> answer) {
    if (request.method() != HttpMethod.POST) {
      return answer.apply(context.queryParams());
    }
    if (request.headers().contentLength() > bytesMax) {
      return errors.of(context, tooLarge(bytesMax));
    }
    long length = request.headers().contentLength();
    long held = BYTES_A_BYTE * (length < 0 ? bytesMax : length);
    if (!memory.tryHold(held)) {
      return errors.of(context, crowded());
    }
    context.setMaxRequestLength(bytesMax);
    return HttpResponse.of(
        request
            .aggregate()
            .handle((whole, failure) -> {
              memory.hold(-held);
              if (failure != null) {
                return Exceptions.peel(failure) instanceof ContentTooLargeException
                    ? errors.of(context, tooLarge(bytesMax))
                    : HttpResponse.ofFailure(failure);
              }
              return answer.apply(both(whole, context.queryParams()));
            }));
  }

  private static QueryParams both(AggregatedHttpRequest whole, QueryParams ofPath) {
    return QueryParams.fromQueryString(whole.contentUtf8()).toBuilder().add(ofPath).build();
  }

  private static RequestRefused crowded() {
    return new RequestRefused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "no memory for the form: running queries hold all query memory; try again");
  }

  private static RequestRefused tooLarge(int bytesMax) {
    return new RequestRefused(
        HttpStatus.REQUEST_ENTITY_TOO_LARGE,
        "a form may have at most %d bytes".formatted(bytesMax));
  }
}
