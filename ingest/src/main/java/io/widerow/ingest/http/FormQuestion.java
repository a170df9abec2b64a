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
import java.util.function.Function;

/// Questions whose parameters stand in the path, or in a form that is posted.
public final class FormQuestion {
  private static final int FORM_BYTES_MAX = 1 << 20;

  private FormQuestion() {}

  /// Answers a request as soon as all its parameters are there; those of a form come first.
  ///
  /// @param errors says that a form is too large
  /// @param answer called on an event loop
  public static HttpResponse ask(
      ServiceRequestContext context,
      HttpRequest request,
      ErrorForm errors,
      Function<QueryParams, HttpResponse> answer) {
    if (request.method() != HttpMethod.POST) {
      return answer.apply(context.queryParams());
    }
    if (request.headers().contentLength() > FORM_BYTES_MAX) {
      return errors.of(context, tooLarge());
    }
    context.setMaxRequestLength(FORM_BYTES_MAX);
    return HttpResponse.of(
        request
            .aggregate()
            .handle((whole, failure) -> {
              if (failure != null) {
                return Exceptions.peel(failure) instanceof ContentTooLargeException
                    ? errors.of(context, tooLarge())
                    : HttpResponse.ofFailure(failure);
              }
              return answer.apply(both(whole, context.queryParams()));
            }));
  }

  private static QueryParams both(AggregatedHttpRequest whole, QueryParams ofPath) {
    return QueryParams.fromQueryString(whole.contentUtf8()).toBuilder().add(ofPath).build();
  }

  private static RequestRefused tooLarge() {
    return new RequestRefused(
        HttpStatus.REQUEST_ENTITY_TOO_LARGE,
        "a form of at most %d bytes is taken".formatted(FORM_BYTES_MAX));
  }
}
