package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.SavedText;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.ParameterText;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.RequestParameters;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.SavedControl;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Queries that are saved by name, over HTTP: `GET /v1/queries` lists them, `PUT` saves one,
/// `DELETE` removes one. A query is saved as its parameters, and those of the page's view, so that
/// it is asked and looked at as it was. A store on a cluster keeps none: 501.
///
/// - Threads: any event loop; changes are made on the server's blocking executor.
public final class SavedQueryService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String OF_CLUSTER =
      "a store on a cluster keeps no queries: save them at a daemon with a local store";

  private final MaintenanceRoutes<SavedControl> routes;
  private final LongSupplier epochNanos;

  public SavedQueryService(EventStore store, LongSupplier epochNanos) {
    this.routes =
        MaintenanceRoutes.of(
            "/v1/queries",
            store,
            OF_CLUSTER,
            embedded -> embedded.saved(SavedControl.Kind.QUERIES));
    this.epochNanos = epochNanos;
  }

  public List<HttpRoute> routes() {
    return List.of(
        routes.get("", Tokens.Scope.QUERY, SavedQueryService::list),
        routes.change(HttpMethod.PUT, this::save),
        routes.change(HttpMethod.DELETE, SavedQueryService::unset));
  }

  /// `GET /v1/queries`: one line for each; with `query=NAME` that one, or 404.
  private static HttpResponse list(SavedControl queries, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("query"));
    String name = given.contains("query") ? Parameters.required(given, "query") : null;
    StringBuilder lines = new StringBuilder();
    for (SavedText query : queries.all()) {
      if (name == null || name.equals(query.name())) {
        append(lines, query);
      }
    }
    if (name != null && lines.isEmpty()) {
      return HttpResponses.error(HttpStatus.NOT_FOUND, queries.noneSuch(name));
    }
    return MaintenanceRoutes.lines(lines);
  }

  /// `PUT /v1/queries?query=NAME&type=shop.*&where=...&since=1h`.
  private HttpResponse save(SavedControl queries, QueryParams given) throws RequestRefused {
    String name = Parameters.required(given, "query");
    Map<String, List<String>> all = new LinkedHashMap<>();
    given.names().stream()
        .filter(each -> !each.equals("query"))
        .forEach(each -> all.put(each, given.getAll(each)));
    Map<String, List<String>> asked = new LinkedHashMap<>(all);
    asked.keySet().removeAll(ParameterText.OF_PAGE);
    List<String> known = new ArrayList<>(QueryParameters.names());
    known.addAll(ParameterText.OF_PAGE);
    RequestParameters.requireKnown(all, known);
    QueryParameters _ = QueryParameters.parse(asked, epochNanos.getAsLong());
    if (all.isEmpty()) {
      throw RequestRefused.bad("query: %s is empty; give type, where ...".formatted(name));
    }
    SavedText query = new SavedText(name, ParameterText.encode(all));
    queries.set(query);
    LOG.log(
        Level.INFO,
        "the query {0} was saved: {1}",
        new Object[] {query.name(), query.definition()});
    return HttpResponses.json(HttpStatus.OK, append(new StringBuilder(), query).toString());
  }

  /// `DELETE /v1/queries?query=NAME`.
  private static HttpResponse unset(SavedControl queries, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("query"));
    String name = Parameters.required(given, "query");
    queries.unset(name);
    LOG.log(Level.INFO, "the query {0} was removed", name);
    return MaintenanceRoutes.unset(name);
  }

  private static StringBuilder append(StringBuilder json, SavedText query) {
    HttpResponses.appendString(json.append("{\"query\":"), query.name());
    return HttpResponses.appendString(json.append(",\"parameters\":"), query.definition())
        .append("}\n");
  }
}
