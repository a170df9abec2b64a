package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.AttributeName;
import io.widerow.ingest.config.Age;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.query.result.FieldCheck;
import io.widerow.query.result.RollupParameters;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.RollupControl;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The rollups that are defined, over HTTP: `GET /v1/rollups` lists them, `PUT /v1/rollups/NAME`
/// defines one, `DELETE /v1/rollups/NAME` removes one. A store on a cluster keeps none: 501.
///
/// - Threads: any event loop; changes are made on the server's blocking executor.
public final class RollupService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String PATH = "/v1/rollups";
  private static final String OF_CLUSTER =
      "a store on a cluster keeps no rollups: aggregates are computed from events";

  private final EventStore store;
  private final MaintenanceRoutes<RollupControl> routes;

  public RollupService(EventStore store) {
    this.store = store;
    this.routes = MaintenanceRoutes.of(PATH, store, OF_CLUSTER, EmbeddedStore::rollups);
  }

  public List<HttpRoute> routes() {
    return List.of(
        routes.get("", Tokens.Scope.QUERY, RollupService::list),
        routes.one(HttpMethod.PUT, "/{name}", this::set),
        routes.one(HttpMethod.DELETE, "/{name}", RollupService::unset));
  }

  /// `GET /v1/rollups`: one line for each rollup.
  private static HttpResponse list(RollupControl rollups, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    StringBuilder lines = new StringBuilder();
    rollups.all().forEach(rollup -> append(lines, rollups.standing(rollup)));
    return MaintenanceRoutes.lines(lines);
  }

  /// `PUT /v1/rollups/NAME?type=GLOB&by=a,b&stats=count,p99(ms)&every=1m&keep=400d`.
  private HttpResponse set(RollupControl rollups, String name, QueryParams given) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    given.names().forEach(each -> parameters.put(each, given.getAll(each)));
    RollupDefinition rollup = RollupParameters.parse(name, parameters);
    rollups.set(rollup);
    String line = append(new StringBuilder(), rollups.standing(rollup)).toString();
    LOG.log(Level.INFO, "a rollup was defined: {0}", line.strip());
    return HttpResponses.json(HttpStatus.OK, line + FieldCheck.line(warnings(rollup)));
  }

  /// The warnings about fields that a rollup names and no event of its types has.
  private List<String> warnings(RollupDefinition rollup) {
    Set<AttributeName> names = new LinkedHashSet<>(rollup.shape().by());
    rollup.shape().fields().forEach(field -> names.add(field.name()));
    names.remove(io.widerow.event.Level.FIELD);
    try (StoreView view = store.view()) {
      RangeQuery query = RangeQuery.ALL.withTypes(new TypeGlobs(List.of(rollup.glob())));
      return FieldCheck.of(view, query, names);
    }
  }

  /// `DELETE /v1/rollups/NAME`.
  private static HttpResponse unset(RollupControl rollups, String name, QueryParams given)
      throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    rollups.unset(name);
    LOG.log(Level.INFO, "the rollup {0} was removed", name);
    return MaintenanceRoutes.unset(name);
  }

  private static StringBuilder append(StringBuilder json, RollupControl.Standing standing) {
    RollupDefinition rollup = standing.rollup();
    boolean hours = rollup.shape().minutes() == RollupShape.MINUTES_AN_HOUR;
    HttpResponses.appendString(json.append("{\"rollup\":"), rollup.name());
    HttpResponses.appendString(json.append(",\"type\":"), rollup.glob());
    HttpResponses.appendString(json.append(",\"by\":"), RollupParameters.by(rollup));
    HttpResponses.appendString(json.append(",\"stats\":"), rollup.stats());
    json.append(",\"every\":\"").append(hours ? "1h" : "1m");
    json.append("\",\"segments\":").append(standing.segments());
    json.append(",\"without\":").append(standing.without());
    json.append(",\"cold\":").append(standing.cold());
    Duration keep = rollup.keep();
    json.append(",\"keep\":\"").append(keep == null ? "events" : Age.text(keep));
    return json.append("\",\"kept\":").append(standing.keptEvents()).append("}\n");
  }
}
