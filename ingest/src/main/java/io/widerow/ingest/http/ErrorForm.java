package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;

/// How one protocol says that a request is refused as a whole, also before its own code sees the
/// request: without a token, say.
///
/// - Threads: any event loop.
@FunctionalInterface
public interface ErrorForm {
  /// `{"error":"..."}`.
  ErrorForm JSON = (_, refused) -> HttpAnswers.error(refused.status(), refused.reason());

  /// The answer to a request of which nothing is stored.
  HttpResponse of(ServiceRequestContext context, RequestRefused refused);
}
