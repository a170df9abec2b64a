package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.doctor.Conditions;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.storage.ClockReport;
import io.widerow.storage.EventStore;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Reports the state of the machine's clock, and has the endpoint by which an operator accepts a
/// clock that jumped.
///
/// - Threads: any event loop; [#tellChange] by one thread.
public final class ClockService {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final EventStore store;
  private final MaintenanceRoutes<EventStore> routes;
  private ClockReport.State told = ClockReport.State.RIGHT; // used by the reporting thread

  public ClockService(EventStore store) {
    this.store = store;
    this.routes = new MaintenanceRoutes<>(Conditions.ACCEPT_CLOCK, () -> store, "");
  }

  public List<HttpRoute> routes() {
    return List.of(routes.work("", ClockService::accept));
  }

  /// `POST /v1/admin/accept-clock`.
  private static HttpResponse accept(EventStore store, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    ClockReport before = store.clock();
    store.acceptClock();
    Instant now = Instant.now();
    LOG.log(
        Level.WARNING,
        "the clock is accepted as it is, {0}{1}",
        new Object[] {now, before.sentence().isEmpty() ? "" : "; before: " + before.sentence()});
    StringBuilder json = new StringBuilder("{\"accepted\":\"").append(now);
    HttpResponses.appendString(json.append("\",\"before\":"), before.sentence());
    return HttpResponses.json(HttpStatus.OK, json.append("}\n").toString());
  }

  /// Logs that the clock became wrong or right again. Called about once a second.
  public void tellChange() {
    ClockReport now = store.clock();
    if (now.state() != told) {
      boolean right = now.state() == ClockReport.State.RIGHT;
      LOG.log(
          right ? Level.INFO : Level.WARNING,
          "{0}",
          right ? "the clock is right" : Conditions.clockSentence(now));
      told = now.state();
    }
  }
}
