package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.transform.StoredTransform;
import io.widerow.ingest.transform.TransformMistake;
import io.widerow.ingest.transform.TransformSet;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.ReparseControl.Asked;
import io.widerow.storage.embedded.ReparseControl.Report;
import java.util.List;

/// `POST /v1/admin/reparse?type=GLOB&from=&to=&dry=true|false`, with transforms as the body:
/// changes stored events by them, or counts those that would change. One runs at a time. A store on
/// a cluster: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public final class ReparseService {
  private static final String PATH = "/v1/admin/reparse";
  private static final long FILE_BYTES_MAX = 1 << 20;
  private static final String OF_CLUSTER =
      "the events of a store on a cluster stay as they are: this is for a store on one machine";

  private final MaintenanceRoutes<EmbeddedStore> routes;
  private final OneAtATime work = new OneAtATime("reparse");

  public ReparseService(EventStore store) {
    this.routes = MaintenanceRoutes.of(PATH, store, OF_CLUSTER, embedded -> embedded);
  }

  public List<HttpRoute> routes() {
    return List.of(routes.work(FILE_BYTES_MAX, this::reparse));
  }

  private HttpResponse reparse(EmbeddedStore embedded, String text, QueryParams given)
      throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "from", "to", "dry"));
    boolean dry = Parameters.flag(given, "dry");
    String _ = Parameters.required(given, "type"); // never all types by mistake
    var range = TypesAndTimes.of(given, embedded);
    TransformSet set;
    try {
      set = TransformSet.parse(text, embedded.nowNanos());
    } catch (TransformMistake mistake) {
      throw RequestRefused.bad("transforms: " + mistake.getMessage());
    }
    if (set.size() == 0) {
      throw RequestRefused.bad("transforms: the body has no rule");
    }
    try (var change = new StoredTransform(set)) {
      var asked = new Asked(range.types(), range.fromNanos(), range.untilNanos(), change);
      return dry
          ? plan(embedded, asked)
          : work.run(range, () -> json(embedded.reparse().run(asked)));
    }
  }

  private static HttpResponse plan(EmbeddedStore embedded, Asked asked) {
    try (StoreView view = embedded.view()) {
      return HttpResponses.json(HttpStatus.OK, json(embedded.reparse().plan(asked, view)));
    }
  }

  private static String json(Report report) {
    return ("{\"events\":%d,\"partitions\":%d,\"files\":%d,\"before\":\"%s\",\"after\":\"%s\","
            + "\"open\":%d,\"damaged\":%d}\n")
        .formatted(
            report.events(),
            report.partitions(),
            report.files(),
            report.before(),
            report.after(),
            report.open(),
            report.damaged());
  }
}
