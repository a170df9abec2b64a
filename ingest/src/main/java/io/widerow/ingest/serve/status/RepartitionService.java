package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.RepartitionControl.Asked;
import io.widerow.storage.embedded.RepartitionControl.Misfit;
import io.widerow.storage.embedded.RepartitionControl.Plan;
import io.widerow.storage.embedded.RepartitionControl.Report;
import java.util.List;
import java.util.Locale;

/// `POST /v1/admin/repartition?type=GLOB&from=&to=&dry=true|false`: writes closed partitions that
/// weigh too much or too little again under other keys, and answers when that is done; with `dry`
/// it lists them and changes nothing. One works at a time, another is answered 409. A store on a
/// cluster keeps its keys: 501.
///
/// - Threads: any event loop; the request waits on the server's blocking executor.
public final class RepartitionService {
  private static final String PATH = "/v1/admin/repartition";
  private static final String OF_CLUSTER =
      "the partitions of a store on a cluster keep their keys: this is for a store on one machine";

  private final MaintenanceRoutes<EmbeddedStore> routes;
  private final OneAtATime work = new OneAtATime("repartition");

  public RepartitionService(EventStore store) {
    this.routes = MaintenanceRoutes.of(PATH, store, OF_CLUSTER, embedded -> embedded);
  }

  public List<HttpRoute> routes() {
    return List.of(routes.work("", this::repartition));
  }

  private HttpResponse repartition(EmbeddedStore embedded, QueryParams given)
      throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "from", "to", "dry"));
    boolean dry = Parameters.flag(given, "dry");
    var range = TypesAndTimes.of(given, embedded);
    var asked =
        new Asked(
            range.types(), range.fromNanos(), range.untilNanos(), embedded.layout().weights());
    if (dry) {
      return MaintenanceRoutes.lines(lines(embedded.repartition().plan(asked)));
    }
    return work.run(
        range,
        () ->
            append(new StringBuilder(), embedded.repartition().run(asked), "\"same\"").toString());
  }

  private static StringBuilder lines(Plan plan) {
    StringBuilder lines = new StringBuilder();
    for (Misfit misfit : plan.misfits()) {
      HttpResponses.appendString(lines.append("{\"partition\":"), misfit.key().toString());
      lines.append(",\"events\":").append(misfit.events());
      lines.append(",\"bytes\":").append(misfit.bytes());
      lines.append(",\"weight\":").append(String.format(Locale.ROOT, "%.4f", misfit.weight()));
      lines.append("}\n");
    }
    return append(lines, plan.report(), "null");
  }

  private static StringBuilder append(StringBuilder json, Report report, String digest) {
    json.append("{\"partitions\":").append(report.partitions());
    json.append(",\"before\":").append(report.before());
    json.append(",\"after\":").append(report.after());
    return json.append(",\"digest\":").append(digest).append("}\n");
  }
}
