package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.RetentionPolicy;
import io.widerow.ingest.config.Age;
import io.widerow.ingest.config.Size;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.filter.FilterParser;
import io.widerow.storage.EventStore;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.RetentionSettings.Going;
import io.widerow.storage.RetentionSettings.Standing;
import io.widerow.storage.RetentionSettings.Where;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The retention policies over HTTP: `GET /v1/retention` lists them, `PUT` sets one, `DELETE`
/// removes one, and `GET /v1/retention/plan` lists the partitions that one would drop. With `where`
/// each is about a policy for the events that a filter keeps. The policies of a store on a cluster
/// hold for all of its daemons.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public final class RetentionService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String PATH = "/v1/retention";
  private static final String NONE = "this store has no policies that can be changed";

  private final MaintenanceRoutes<RetentionSettings> routes;
  private final EventStore store;
  private final Duration grace;

  /// @param grace of policies that name none
  public RetentionService(EventStore store, Duration grace) {
    this.routes = new MaintenanceRoutes<>(PATH, store::retention, NONE);
    this.store = store;
    this.grace = grace;
  }

  public List<HttpRoute> routes() {
    return List.of(
        routes.get("", Tokens.Scope.ADMIN, this::list),
        routes.change(HttpMethod.PUT, this::set),
        routes.change(HttpMethod.DELETE, this::unset),
        routes.get("/plan", Tokens.Scope.ADMIN, this::plan));
  }

  /// `GET /v1/retention`: one line for each policy, by precedence, those with a filter last.
  private HttpResponse list(RetentionSettings retention, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    StringBuilder lines = new StringBuilder();
    for (Standing standing : retention.standings()) {
      append(lines, standing);
    }
    return MaintenanceRoutes.lines(lines);
  }

  /// `PUT /v1/retention?type=GLOB&age=7d&bytes=10GiB&where=FILTER&grace=15m`.
  private HttpResponse set(RetentionSettings retention, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "age", "bytes", "where", "grace"));
    Where where = where(given);
    RetentionPolicy policy = policy(given, retention.grace(grace, where));
    String line = append(new StringBuilder(), retention.set(policy, where)).toString();
    LOG.log(Level.INFO, "retention was set: {0}", line.strip());
    return HttpResponses.json(HttpStatus.OK, line);
  }

  /// Null without a filter.
  private @Nullable Where where(QueryParams given) throws RequestRefused {
    String text = Parameters.single(given, "where");
    if (text != null && text.isBlank()) {
      throw new IllegalArgumentException(
          "where: is empty; give a filter, such as level <= debug, or leave it out");
    }
    return text == null
        ? null
        : new Where(text.strip(), FilterParser.parse(text.strip(), store.nowNanos()));
  }

  /// `DELETE /v1/retention?type=GLOB&where=FILTER`.
  private HttpResponse unset(RetentionSettings retention, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "where"));
    String glob = Parameters.required(given, "type");
    Where where = where(given);
    retention.unset(glob, where);
    LOG.log(
        Level.INFO,
        "retention was unset: {0}{1}",
        new Object[] {glob, where == null ? "" : " where " + where.text()});
    return MaintenanceRoutes.unset(glob);
  }

  /// `GET /v1/retention/plan?type=GLOB&age=7d&bytes=10GiB&where=FILTER`: a line for each partition
  /// that would go, and one with the sums.
  private HttpResponse plan(RetentionSettings retention, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "age", "bytes", "where"));
    Where where = where(given);
    RetentionPolicy policy = policy(given, retention.grace(grace, where));
    List<Going> all = retention.plan(policy, where);
    StringBuilder lines = new StringBuilder();
    long partitions = 0;
    long events = 0;
    long bytes = 0;
    for (Going going : all) {
      HttpResponses.appendString(lines.append("{\"partition\":"), going.key().toString());
      appendCounts(lines, going.events(), going.bytes());
      partitions++;
      events += going.events();
      bytes += going.bytes();
    }
    lines.append("{\"partitions\":").append(partitions);
    appendCounts(lines, events, bytes);
    return MaintenanceRoutes.lines(lines);
  }

  private static void appendCounts(StringBuilder json, long events, long bytes) {
    json.append(",\"events\":").append(events).append(",\"bytes\":").append(bytes).append("}\n");
  }

  private static RetentionPolicy policy(QueryParams given, Duration grace) throws RequestRefused {
    String glob = Parameters.required(given, "type");
    String age = Parameters.single(given, "age");
    String bytes = Parameters.single(given, "bytes");
    String own = Parameters.single(given, "grace");
    if (age == null && bytes == null) {
      throw new IllegalArgumentException(
          "age: is missing for '%s'; give an age, such as 7d or forever, or bytes".formatted(glob));
    }
    return new RetentionPolicy(
        glob,
        age == null ? null : Age.parse("age:", age).duration(),
        bytes == null ? RetentionPolicy.UNLIMITED : Size.parse("bytes", bytes),
        own == null ? grace : Age.parseGrace("grace:", own),
        RetentionPolicy.Source.API);
  }

  private static StringBuilder append(StringBuilder json, Standing standing) {
    String where = standing.where();
    RetentionPolicy policy = standing.policy();
    HttpResponses.appendString(json.append("{\"type\":"), policy.glob());
    HttpResponses.appendString(json.append(",\"where\":"), where);
    json.append(",\"age\":\"").append(Age.text(policy.age()));
    boolean limited = policy.bytes() != RetentionPolicy.UNLIMITED;
    json.append("\",\"bytes\":").append(limited ? policy.bytes() : "null");
    json.append(",\"grace\":\"").append(Age.text(policy.grace()));
    json.append("\",\"source\":\"").append(policy.source().name().toLowerCase(Locale.ROOT));
    json.append("\",\"types\":").append(standing.types());
    json.append(",\"atRest\":").append(standing.bytes());
    json.append(",\"hiddenPartitions\":").append(standing.hidden().partitions());
    json.append(",\"hiddenEvents\":").append(standing.hidden().events());
    json.append(",\"hiddenBytes\":").append(standing.hidden().bytes());
    json.append(",\"dropsAt\":");
    if (standing.dropsAtNanos() == 0) {
      return json.append("null}\n");
    }
    Instant at = Instant.ofEpochSecond(Math.ceilDiv(standing.dropsAtNanos(), 1_000_000_000L));
    return json.append('"').append(at).append("\"}\n");
  }
}
