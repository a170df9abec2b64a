package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.intake.Intake;
import io.widerow.storage.Durability;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Makes the routes of protocols that write over HTTP. What all of them share is here: requests
/// from web pages are refused, and the sender may ask for a durability. The rest is the work of
/// [IntakeRequest] and of the protocol.
///
/// - Threads: any event loop.
public final class WriteRoutes {
  private final Intake intake;
  private final Durability durabilityDefault;

  public WriteRoutes(Intake intake, Durability durabilityDefault) {
    this.intake = intake;
    this.durabilityDefault = durabilityDefault;
  }

  /// A path to which events are posted.
  ///
  /// @param protocols makes the protocol of each request
  public HttpRoute post(String path, WriteProtocol.Factory protocols) {
    return HttpRoute.post(
        path, Tokens.Scope.INGEST, (context, request) -> take(context, request, protocols));
  }

  private HttpResponse take(
      ServiceRequestContext context, HttpRequest request, WriteProtocol.Factory protocols) {
    try {
      requireNoBrowser(request);
      WriteProtocol protocol = protocols.of(context, request);
      return IntakeRequest.take(intake, context, request, protocol, durability(context, request));
    } catch (RequestRefused refused) {
      return HttpAnswers.error(refused.status(), refused.reason());
    }
  }

  /// A web page of another site must not write through a user's browser.
  private static void requireNoBrowser(HttpRequest request) throws RequestRefused {
    if (request.headers().contains(HttpHeaderNames.ORIGIN)) {
      throw new RequestRefused(HttpStatus.FORBIDDEN, "requests from web pages are refused");
    }
  }

  private Durability durability(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    @Nullable String asked = context.queryParam("durability");
    if (asked == null) {
      asked = request.headers().get("widerow-durability");
    }
    return asked == null ? durabilityDefault : durability(asked);
  }

  private static Durability durability(String asked) throws RequestRefused {
    return switch (asked.toLowerCase(Locale.ROOT)) {
      case "disk" -> Durability.DISK;
      case "os" -> Durability.OS;
      case "memory" -> Durability.MEMORY;
      default ->
          throw new RequestRefused(
              HttpStatus.BAD_REQUEST, "durability must be disk, os or memory, got " + asked);
    };
  }
}
