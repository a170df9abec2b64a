package io.widerow.ingest.receive.datadog;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.List;
import java.util.Set;

/// Datadog's intake of logs. 202 means that the events are durable, and not only queued. When some
/// are refused, the others are stored, and the response is 400 with the first reason.
public final class DatadogProtocol implements WriteProtocol {
  private static final String SENT = "dd-message-timestamp";
  private static final ErrorRenderer ERRORS = (_, refused) -> error(refused);

  private final DatadogDecoder decoder;
  private final String sent; // as the header says it; empty without one

  private DatadogProtocol(DatadogDecoder decoder, String sent) {
    this.decoder = decoder;
    this.sent = sent;
  }

  public static List<HttpRoute> routes(WriteRoutes write) {
    Set<HttpMethod> post = Set.of(HttpMethod.POST);
    return List.of(
        write.of("/api/v2/logs", post, ERRORS, DatadogProtocol::of),
        write.of("/v1/input", post, ERRORS, DatadogProtocol::of),
        write.of("/v1/input/{token}", post, ERRORS, DatadogProtocol::of),
        HttpRoute.get(
                "/api/v1/validate",
                Tokens.Scope.INGEST,
                (_, _) -> HttpResponses.json(HttpStatus.OK, "{\"valid\":true}\n"))
            .withErrors(ERRORS));
  }

  private static DatadogProtocol of(ServiceRequestContext context, HttpRequest request) {
    String sent = request.headers().get(SENT, "");
    return new DatadogProtocol(
        new DatadogDecoder(
            WriteRoutes.type(context, request), sent, DatadogDefaults.of(context.queryParams())),
        sent);
  }

  @Override
  public String decidingHeaders() {
    return sent.isEmpty() ? "" : SENT + ": " + sent;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    decoder.decode(body, 0, length, batch);
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    Refusals refused = stored.refused();
    if (refused.count() == 0) {
      return HttpResponses.json(HttpStatus.ACCEPTED, "{}\n");
    }
    String why =
        "%d of %d events refused, the others are stored; event %d: %s"
            .formatted(
                refused.count(),
                refused.count() + stored.stored(),
                refused.index(0),
                refused.reason(0));
    return form(HttpStatus.BAD_REQUEST, why);
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return error(refused);
  }

  /// Datadog answers 403 to a wrong key as to none.
  private static HttpResponse error(RequestRefused refused) {
    boolean unknown = refused.status().equals(HttpStatus.UNAUTHORIZED);
    return form(unknown ? HttpStatus.FORBIDDEN : refused.status(), refused.reason());
  }

  private static HttpResponse form(HttpStatus status, String why) {
    StringBuilder json = new StringBuilder("{\"errors\":[{\"status\":\"");
    json.append(status.code()).append("\",\"title\":\"").append(status.reasonPhrase());
    HttpResponses.appendString(json.append("\",\"detail\":"), why);
    return HttpResponses.json(status, json.append("}]}\n").toString());
  }
}
