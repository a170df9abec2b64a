package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.objects.ColdMover;
import io.widerow.storage.objects.ObjectsException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Segments that are kept elsewhere: `GET /v1/admin/cold` lists them, a line each, and `POST
/// /v1/admin/cold/recall` fetches them back, and `POST /v1/admin/cold/verify` looks at their
/// objects; all of these those of `type`, `from` and `to`. Without the key `cold`: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
///
/// @param store null without the key
/// @param mover null without the key
public record ColdService(
    Supplier<@Nullable EmbeddedStore> store, Supplier<@Nullable ColdMover> mover) {
  private static final String NONE = "no segment is kept elsewhere: set the key cold";

  public List<HttpRoute> routes() {
    var routes = new MaintenanceRoutes<>("/v1/admin/cold", store, NONE);
    return List.of(
        routes.get("", Tokens.Scope.ADMIN, ColdService::list),
        routes.work("/recall", this::recall),
        routes.work("/verify", this::verify));
  }

  private static Predicate<ColdControl.Cold> wanted(
      EmbeddedStore store, QueryParams given, List<String> more) throws RequestRefused {
    List<String> known = new ArrayList<>(List.of("type", "from", "to"));
    known.addAll(more);
    Parameters.requireKnown(given, known);
    var range = TypesAndTimes.of(given, store);
    return each ->
        each.untilNanos() > range.fromNanos()
            && each.fromNanos() < range.untilNanos()
            && each.types().stream().anyMatch(range.types());
  }

  private static HttpResponse list(EmbeddedStore store, QueryParams given) throws RequestRefused {
    StringBuilder lines = new StringBuilder();
    for (ColdControl.Cold each :
        store.cold().all().stream().filter(wanted(store, given, List.of())).toList()) {
      append(lines, each).append("}\n");
    }
    return MaintenanceRoutes.lines(lines);
  }

  /// The members of a segment, without the end of the object.
  private static StringBuilder append(StringBuilder json, ColdControl.Cold each) {
    json.append(
        String.format(
            Locale.ROOT,
            "{\"segment\":\"%016x\",\"from\":\"%s\",\"until\":\"%s\",\"events\":%d,\"bytes\":%d",
            each.id(),
            Instant.EPOCH.plusNanos(each.fromNanos()),
            Instant.EPOCH.plusNanos(each.untilNanos()),
            each.events(),
            each.bytes()));
    HttpResponses.appendString(json.append(",\"place\":"), each.place());
    return HttpResponses.appendString(json.append(",\"object\":"), each.object());
  }

  private HttpResponse verify(EmbeddedStore store, QueryParams given) throws RequestRefused {
    ColdMover moving = Objects.requireNonNull(mover.get(), "there is a store with cold segments");
    Predicate<ColdControl.Cold> wanted = wanted(store, given, List.of("read"));
    String read = Parameters.single(given, "read");
    if (read != null && !read.equals("true") && !read.equals("false")) {
      throw new IllegalArgumentException("read: must be true or false, got " + read);
    }
    try {
      ColdMover.Verified done = moving.verify(wanted, "true".equals(read));
      StringBuilder json = new StringBuilder();
      json.append("{\"segments\":").append(done.segments());
      json.append(",\"bytes\":").append(done.bytes()).append(",\"damaged\":[");
      for (ColdMover.Bad bad : done.bad()) {
        json.append(json.charAt(json.length() - 1) == '[' ? "" : ",");
        append(json, bad.segment());
        HttpResponses.appendString(json.append(",\"found\":"), bad.found()).append('}');
      }
      return HttpResponses.json(HttpStatus.OK, json.append("]}\n").toString());
    } catch (ObjectsException failure) {
      return HttpResponses.error(
          HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(failure.getMessage()));
    }
  }

  private HttpResponse recall(EmbeddedStore store, QueryParams given) throws RequestRefused {
    ColdMover moving = Objects.requireNonNull(mover.get(), "there is a store with cold segments");
    Predicate<ColdControl.Cold> wanted = wanted(store, given, List.of());
    try {
      ColdMover.Recalled done = moving.recall(wanted);
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
        ",\"segments\":%d,\"bytes\":%d,\"pendingBytes\":%d,\"cacheBytes\":%d"
            .formatted(now.segments(), now.bytes(), now.pendingBytes(), now.cacheBytes()));
    HttpResponses.appendString(json.append(",\"cacheReason\":"), now.cacheReason());
    HttpResponses.appendString(json.append(",\"reason\":"), now.reason());
    return json.append('}').toString();
  }
}
