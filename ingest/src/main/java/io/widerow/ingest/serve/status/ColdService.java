package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.TypeGlob;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.TimeText;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.objects.ColdMover;
import io.widerow.storage.objects.ObjectsException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Segments that are kept elsewhere: `GET /v1/admin/cold` lists them, `POST /v1/admin/cold/recall`
/// fetches those of a range back. Without the key `cold`: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public record ColdService(
    Supplier<@Nullable ColdControl> cold, Supplier<@Nullable ColdMover> mover) {
  private static final String NONE = "no segment is kept elsewhere: set the key cold";
  private static final String PATH = "/v1/admin/cold";
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  public List<HttpRoute> routes() {
    return List.of(
        new MaintenanceRoutes<>(PATH, cold, NONE).get("", Tokens.Scope.ADMIN, ColdService::list),
        new MaintenanceRoutes<>(PATH, mover, NONE).work("/recall", ColdService::recall));
  }

  private static Predicate<ColdControl.Cold> wanted(QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("from", "to", "type"));
    Instant now = Instant.now();
    long nowNanos = now.getEpochSecond() * NANOS_PER_SECOND + now.getNano();
    String from = given.get("from", "");
    String to = given.get("to", "");
    long fromNanos = from.isEmpty() ? Long.MIN_VALUE : TimeText.parse("from", from, nowNanos);
    long toNanos = to.isEmpty() ? Long.MAX_VALUE : TimeText.parse("to", to, nowNanos);
    List<String> globs = given.getAll("type");
    return each ->
        each.untilNanos() > fromNanos
            && each.fromNanos() < toNanos
            && (globs.isEmpty()
                || each.types().stream()
                    .anyMatch(
                        type -> globs.stream().anyMatch(glob -> TypeGlob.matches(glob, type))));
  }

  private static HttpResponse list(ColdControl cold, QueryParams given) throws RequestRefused {
    StringBuilder lines = new StringBuilder("{\"cold\":[");
    String comma = "";
    for (ColdControl.Cold each : cold.all().stream().filter(wanted(given)).toList()) {
      lines.append(comma);
      comma = ",";
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"segment\":\"%016x\",\"from\":\"%s\",\"until\":\"%s\",\"events\":%d,\"bytes\":%d",
              each.id(),
              text(each.fromNanos()),
              text(each.untilNanos()),
              each.events(),
              each.bytes()));
      HttpResponses.appendString(lines.append(",\"place\":"), each.place());
      HttpResponses.appendString(lines.append(",\"object\":"), each.object());
      lines.append('}');
    }
    return HttpResponses.json(HttpStatus.OK, lines.append("]}\n").toString());
  }

  private static Instant text(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS_PER_SECOND));
  }

  private static HttpResponse recall(ColdMover mover, QueryParams given) throws RequestRefused {
    Predicate<ColdControl.Cold> wanted = wanted(given);
    try {
      ColdMover.Recalled done = mover.recall(wanted);
      return HttpResponses.json(
          HttpStatus.OK,
          "{\"segments\":%d,\"bytes\":%d}\n".formatted(done.segments(), done.bytes()));
    } catch (ObjectsException failure) {
      return HttpResponses.error(
          HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(failure.getMessage()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return HttpResponses.error(HttpStatus.SERVICE_UNAVAILABLE, "the daemon is stopping");
    }
  }

  /// The member of `/v1/status`; empty without the key.
  String summary() {
    ColdMover moving = mover.get();
    if (moving == null) {
      return "";
    }
    ColdMover.Status now = moving.status();
    StringBuilder json = new StringBuilder(",\"cold\":{\"state\":\"").append(now.state());
    HttpResponses.appendString(json.append("\",\"at\":"), now.at());
    json.append(
        ",\"segments\":%d,\"bytes\":%d,\"pendingBytes\":%d"
            .formatted(now.segments(), now.bytes(), now.pendingBytes()));
    json.append(",\"reason\":");
    String reason = now.reason();
    if (reason == null) {
      json.append("null");
    } else {
      HttpResponses.appendString(json, reason);
    }
    return json.append('}').toString();
  }
}
