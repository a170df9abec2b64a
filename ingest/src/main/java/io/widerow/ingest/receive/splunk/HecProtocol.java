package io.widerow.ingest.receive.splunk;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Splunk's HTTP Event Collector. A response of 200 means that the events are durable, and not only
/// queued: so every acknowledgement that a client asks for later is true.
///
/// | code | status | because |
/// |---|---|---|
/// | 0 | 200 | stored |
/// | 2, 3 | 401 | no token; no token after `Splunk` |
/// | 4 | 403 | a token that is not known, or without the scope |
/// | 5 | 400 | no data |
/// | 6 | 400 | something is no event; `invalid-event-number` is the first |
/// | 9 | 503, 507 | try again |
/// | 12, 13 | 400 | an event without `event`, or with a blank one |
public final class HecProtocol implements WriteProtocol {
  private static final int INVALID = 6;
  private static final int BUSY = 9;
  private static final String NO_DATA = "No data";

  private final @Nullable HecDecoder events;
  private final @Nullable HecRawDecoder lines;
  private final long ackId; // negative without a channel

  private HecProtocol(@Nullable HecDecoder events, @Nullable HecRawDecoder lines, long ackId) {
    this.events = events;
    this.lines = lines;
    this.ackId = ackId;
  }

  public static List<HttpRoute> routes(WriteRoutes write) {
    AtomicLong acks = new AtomicLong();
    WriteProtocol.Factory events =
        (context, request) ->
            new HecProtocol(
                new HecDecoder(WriteRoutes.type(context, request)),
                null,
                ackId(context, request, acks));
    WriteProtocol.Factory raw =
        (context, request) ->
            new HecProtocol(
                null,
                new HecRawDecoder(context.queryParams(), WriteRoutes.type(context, request)),
                ackId(context, request, acks));
    List<HttpRoute> routes = new ArrayList<>();
    ErrorRenderer errors = HecProtocol::error;
    for (String path : List.of("", "/event", "/event/1.0", "/raw", "/raw/1.0", "/ack")) {
      WriteProtocol.Factory made =
          path.startsWith("/raw") ? raw : path.equals("/ack") ? (_, _) -> new HecAcks() : events;
      routes.add(write.of("/services/collector" + path, Set.of(HttpMethod.POST), errors, made));
    }
    for (String path : List.of("/health", "/health/1.0")) {
      routes.add(
          HttpRoute.probe(
              "/services/collector" + path,
              (_, _) ->
                  HttpResponses.json(
                      HttpStatus.OK, "{\"text\":\"HEC is healthy\",\"code\":17}\n")));
    }
    return List.copyOf(routes);
  }

  private static long ackId(ServiceRequestContext context, HttpRequest request, AtomicLong acks) {
    boolean channel =
        context.queryParam("channel") != null
            || request.headers().contains("x-splunk-request-channel");
    return channel ? acks.getAndIncrement() : -1;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    if (events != null) {
      events.decode(body, 0, length, batch);
    } else if (lines != null) {
      lines.decode(body, 0, length, batch);
    }
    if (batch.decoded() == 0) {
      throw RequestRefused.bad(NO_DATA);
    }
  }

  @Override
  public boolean decodesMore() {
    return events != null;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    Refusals refused = stored.refused();
    if (refused.count() == 0) {
      String ack = ackId < 0 ? "" : ",\"ackId\":" + ackId;
      return HttpResponses.json(HttpStatus.OK, "{\"text\":\"Success\",\"code\":0" + ack + "}\n");
    }
    String reason = refused.reason(0);
    int code =
        switch (reason) {
          case HecDecoder.NO_EVENT -> 12;
          case HecDecoder.BLANK -> 13;
          default -> INVALID;
        };
    String text = code == INVALID ? "Invalid data format: " + reason : reason;
    return form(HttpStatus.BAD_REQUEST, code, text, refused.index(0));
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return of(refused, 4);
  }

  /// Also the refusals that come before a protocol: tokens, parameters.
  private static HttpResponse error(ServiceRequestContext context, RequestRefused refused) {
    HttpRequest request = context.request();
    String given = request == null ? null : request.headers().get("authorization");
    return of(refused, given == null ? 2 : given.strip().indexOf(' ') < 0 ? 3 : 4);
  }

  static HttpResponse of(RequestRefused refused, int tokenCode) {
    int code =
        switch (refused.status().code()) {
          case 401 -> tokenCode;
          case 403 -> 4;
          case 503, 507 -> BUSY;
          default -> refused.reason().equals(NO_DATA) ? 5 : INVALID;
        };
    HttpStatus status = code == 4 ? HttpStatus.FORBIDDEN : refused.status();
    String text =
        switch (refused.status().code()) {
          case 401 ->
              tokenCode == 2
                  ? "Token is required"
                  : tokenCode == 3 ? "Invalid authorization" : "Invalid token";
          case 503 -> "Server is busy: " + refused.reason();
          default -> refused.reason();
        };
    return form(status, code, text, -1);
  }

  private static HttpResponse form(HttpStatus status, int code, String text, int event) {
    StringBuilder json = new StringBuilder("{\"text\":");
    HttpResponses.appendString(json, text).append(",\"code\":").append(code);
    if (event >= 0) {
      json.append(",\"invalid-event-number\":").append(event);
    }
    return HttpResponses.json(status, json.append("}\n").toString());
  }
}
