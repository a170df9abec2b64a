package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.EventId;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.QuerySlots;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.EventResult;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `GET /v1/events/{id}`: one event, its position and where it lies. `GET /v1/events/{id}/context`:
/// the events around it in the total order.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
final class EventService {
  private static final int ANSWERS_MAX = 8;
  private static final int AROUND_DEFAULT = 10;
  private static final int AROUND_MAX = 1_000;

  private final QueryResources resources;
  private final QuerySlots slots = new QuerySlots(ANSWERS_MAX);

  EventService(QueryResources resources) {
    this.resources = resources;
  }

  public List<HttpRoute> routes() {
    return List.of(
        HttpRoute.get(
            "/v1/events/{id}", Tokens.Scope.QUERY, (context, _) -> answer(context, false)),
        HttpRoute.get(
            "/v1/events/{id}/context", Tokens.Scope.QUERY, (context, _) -> answer(context, true)));
  }

  /// The request.
  ///
  /// @param type of the event; null for any
  /// @param around how many events before and after; null for the event alone
  private record Wanted(EventId id, @Nullable String type, EventResult.@Nullable Around around) {}

  private HttpResponse answer(ServiceRequestContext context, boolean around) throws RequestRefused {
    Wanted wanted = wanted(context, around);
    return slots.answer(context, () -> find(context, wanted));
  }

  private static Wanted wanted(ServiceRequestContext context, boolean around)
      throws RequestRefused {
    QueryParams given = context.queryParams();
    Parameters.requireKnown(
        given, around ? List.of("type", "before", "after", "same") : List.of("type"));
    String type = Parameters.single(given, "type");
    EventId id;
    try {
      id = EventId.parse(String.valueOf(context.pathParam("id")));
    } catch (IllegalArgumentException notAnId) {
      throw RequestRefused.bad("id: " + notAnId.getMessage());
    }
    if (!around) {
      return new Wanted(id, type, null);
    }
    boolean same = Parameters.flag(given, "same");
    return new Wanted(
        id, type, new EventResult.Around(number(given, "before"), number(given, "after"), same));
  }

  private static int number(QueryParams given, String name) throws RequestRefused {
    String text = Parameters.single(given, name);
    if (text == null) {
      return AROUND_DEFAULT;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= 0 && number <= AROUND_MAX) {
        return number;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw RequestRefused.bad(
        "%s: must be a whole number from 0 to %d, got %s".formatted(name, AROUND_MAX, text));
  }

  private HttpResponse find(ServiceRequestContext context, Wanted wanted) {
    HeldMemory held = new HeldMemory(resources.memory());
    try {
      return find(wanted, held);
    } finally { // until it is in the socket; at once when the client has left
      var _ = context.log().whenComplete().thenRun(held::close);
    }
  }

  private HttpResponse find(Wanted wanted, HeldMemory held) {
    OutputBuffer out;
    try (StoreView view = resources.store().view()) {
      out = new OutputBuffer(1 << 12, held);
      EventResult answer = new EventResult(view, resources.memory());
      boolean found =
          wanted.around == null
              ? answer.event(wanted.id, wanted.type, out)
              : answer.context(wanted.id, wanted.type, wanted.around, out);
      if (!found) {
        return HttpResponses.error(HttpStatus.NOT_FOUND, "no such event: " + wanted.id);
      }
    } catch (QueryException | StorageException failed) {
      return QueryErrors.of(failed);
    }
    return HttpResponses.lines(HttpData.wrap(out.bytes(), 0, out.length()));
  }
}
