package io.widerow.ingest;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.storage.Durability;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The endpoints that write.
///
/// - Threads: any event loop.
final class WriteServices {
  private final Intake intake;
  private final Durability durabilityDefault;
  private final SeriesCaches series;

  WriteServices(Intake intake, Durability durabilityDefault) {
    this.intake = intake;
    this.durabilityDefault = durabilityDefault;
    Runtime runtime = Runtime.getRuntime();
    this.series = new SeriesCaches(runtime.maxMemory(), runtime.availableProcessors());
  }

  /// `POST /v1/events`.
  HttpResponse events(ServiceRequestContext context, HttpRequest request) {
    try {
      requireNoBrowser(request);
      EventsProtocol protocol =
          EventsProtocol.of(request.headers().contentType(), context.queryParams());
      return intake.take(context, request, protocol, durability(context, request));
    } catch (RequestRefused refused) {
      return HttpAnswers.error(refused.status(), refused.reason());
    }
  }

  /// `POST /api/v2/write`.
  HttpResponse influx2(ServiceRequestContext context, HttpRequest request) {
    return influx(context, request, true);
  }

  /// `POST /write`.
  HttpResponse influx1(ServiceRequestContext context, HttpRequest request) {
    return influx(context, request, false);
  }

  private HttpResponse influx(ServiceRequestContext context, HttpRequest request, boolean second) {
    try {
      requireNoBrowser(request);
      InfluxProtocol protocol = new InfluxProtocol(series, second, context.queryParam("precision"));
      return intake.take(context, request, protocol, durability(context, request));
    } catch (RequestRefused refused) {
      return HttpAnswers.error(refused.status(), refused.reason());
    }
  }

  /// A page from elsewhere must not write through somebody's browser.
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
