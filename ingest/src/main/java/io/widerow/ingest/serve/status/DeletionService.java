package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.result.FieldCheck;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.DeletionControl.Digest;
import io.widerow.storage.embedded.DeletionControl.Standing;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Deletion by filter with a proof: `POST /v1/admin/delete` plans, `POST /v1/admin/delete/d-7`
/// runs, `GET /v1/admin/delete/d-7` shows the proof, `GET .../d-7/verify` reads every file again,
/// and `GET /v1/admin/delete` lists all. A store on a cluster has no such thing: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public final class DeletionService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String PATH = "/v1/admin/delete";
  private static final Pattern ID = Pattern.compile("d-(\\d{1,9})");
  private static final String OF_CLUSTER =
      "events of a store on a cluster are deleted there: this is for a store on one machine";

  private final MaintenanceRoutes<EmbeddedStore> routes;
  private final Path snapshots;
  private final List<String> backups;
  private final ColdCopies cold;
  private final Path quarantine;

  /// Finds places of old segments.
  @FunctionalInterface
  public interface ColdCopies {
    /// The places that may still have some files.
    ///
    /// @param files that a deletion has removed
    /// @param endedNanos when it was done, nanoseconds since the Unix epoch
    List<String> of(List<String> files, long endedNanos);
  }

  /// @param data directory of the store
  /// @param snapshots directory of its snapshots
  /// @param backups places to which it is backed up
  /// @param cold finds those of old segments
  public DeletionService(
      EventStore store, Path data, Path snapshots, List<String> backups, ColdCopies cold) {
    this.backups = List.copyOf(backups);
    this.cold = cold;
    this.routes = MaintenanceRoutes.of(PATH, store, OF_CLUSTER, embedded -> embedded);
    this.snapshots = snapshots;
    this.quarantine = data.resolve("quarantine");
  }

  public List<HttpRoute> routes() {
    return List.of(
        routes.get("", Tokens.Scope.ADMIN, this::list),
        routes.work("", this::plan),
        routes.one(HttpMethod.POST, "/{id}", this::run),
        routes.one(HttpMethod.GET, "/{id}", this::show),
        routes.one(HttpMethod.GET, "/{id}/verify", this::verify));
  }

  private HttpResponse plan(EmbeddedStore store, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("type", "from", "to", "where"));
    var range = TypesAndTimes.of(given, store);
    String where = Parameters.single(given, "where");
    if ((where == null || where.isBlank()) && range.types().globs().isEmpty()) {
      throw new IllegalArgumentException(
          "where: is missing; give a filter, such as user = \"u17\"");
    }
    long now = store.nowNanos();
    Filter filter =
        where == null || where.isBlank() ? new Filter.Everything() : FilterParser.parse(where, now);
    var asked =
        new DeletionControl.Asked(
            range.types().globs(),
            range.fromNanos(),
            range.untilNanos(),
            where == null ? "" : where,
            filter);
    try (StoreView view = store.view()) {
      DeletionControl.Plan plan = plan(store, asked, view);
      StringBuilder json = new StringBuilder("{\"id\":\"d-").append(plan.id());
      json.append("\",\"events\":").append(plan.events());
      json.append(",\"ahead\":").append(plan.ahead());
      json.append(",\"partitions\":").append(plan.partitions());
      json.append(",\"figures\":").append(plan.figures());
      json.append(",\"figureEvents\":").append(plan.figureEvents()).append("}\n");
      LOG.log(Level.INFO, "a deletion was planned: {0}", json.toString().strip());
      return HttpResponses.json(HttpStatus.OK, json.toString());
    }
  }

  /// @throws IllegalArgumentException when nothing matches, with what may be misspelt
  private static DeletionControl.Plan plan(
      EmbeddedStore store, DeletionControl.Asked asked, StoreView view) {
    try {
      return store.deletions().plan(asked, view);
    } catch (IllegalArgumentException refused) {
      RangeQuery query =
          RangeQuery.ALL
              .withTypes(new TypeGlobs(asked.globs()))
              .withRange(Math.max(asked.fromNanos(), TimeUuid.NANOS_MIN), asked.untilNanos());
      List<String> warnings = FieldCheck.of(view, query, Filters.named(asked.filter()));
      if (warnings.isEmpty()) {
        throw refused;
      }
      throw new IllegalArgumentException(
          refused.getMessage() + "; " + String.join("; ", warnings), refused);
    }
  }

  private HttpResponse list(EmbeddedStore store, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    StringBuilder lines = new StringBuilder();
    store.deletions().all().forEach(each -> append(lines, each));
    return MaintenanceRoutes.lines(lines);
  }

  private HttpResponse run(EmbeddedStore store, String id, QueryParams given)
      throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    Standing begun = store.deletions().run(number(id));
    LOG.log(Level.INFO, "the deletion {0} begins", id);
    return answer(begun);
  }

  private HttpResponse show(EmbeddedStore store, String id, QueryParams given)
      throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    return answer(store.deletions().standing(number(id)));
  }

  private HttpResponse verify(EmbeddedStore store, String id, QueryParams given)
      throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    long left = store.deletions().verify(number(id));
    return HttpResponses.json(
        HttpStatus.OK, "{\"id\":\"%s\",\"matches\":%d}\n".formatted(id, left));
  }

  private static int number(String id) {
    Matcher parts = ID.matcher(id);
    if (!parts.matches()) {
      throw new IllegalArgumentException("id: must be like d-7, got '%s'".formatted(id));
    }
    return Integer.parseInt(parts.group(1));
  }

  private HttpResponse answer(Standing standing) {
    return HttpResponses.json(HttpStatus.OK, append(new StringBuilder(), standing).toString());
  }

  private StringBuilder append(StringBuilder json, Standing standing) {
    boolean done = standing.state().equals("done");
    List<String> copies = done ? names(snapshots, standing.endedNanos()) : List.of();
    List<String> damaged = new ArrayList<>(standing.damaged());
    damaged.addAll(names(quarantine, Long.MAX_VALUE));
    List<String> elsewhere =
        done ? cold.of(standing.filesRemoved(), standing.endedNanos()) : List.of();
    boolean but =
        !copies.isEmpty()
            || !elsewhere.isEmpty()
            || !damaged.isEmpty()
            || !standing.journals().isEmpty()
            || !backups.isEmpty();
    json.append("{\"id\":\"d-").append(standing.id()).append("\",\"filter\":");
    HttpResponses.appendString(json, standing.where());
    json.append(",\"removed\":").append(standing.removed());
    json.append(",\"partitions\":").append(standing.partitions());
    append(json.append(",\"kept\":"), standing.kept());
    append(json.append(",\"keptBefore\":"), standing.keptBefore());
    appendNames(json.append(",\"files\":{\"removed\":"), standing.filesRemoved());
    appendNames(json.append(",\"written\":"), standing.filesWritten());
    json.append("},\"journalsGoneTo\":{");
    String comma = "";
    for (var lane : standing.journalsGoneTo().entrySet()) {
      json.append(comma).append('"').append(lane.getKey()).append("\":").append(lane.getValue());
      comma = ",";
    }
    json.append("},\"journals\":").append(standing.journals());
    appendNames(json.append(",\"snapshots\":"), copies);
    appendNames(json.append(",\"quarantine\":"), damaged);
    appendNames(json.append(",\"backups\":"), done ? backups : List.of());
    appendNames(json.append(",\"cold\":"), elsewhere);
    boolean waits = standing.state().equals("waiting");
    appendNames(json.append(",\"waitsFor\":"), waits ? standing.damaged() : List.of());
    String state = done && but ? "done-but" : standing.state();
    return json.append(",\"state\":\"").append(state).append("\"}\n");
  }

  private static void append(StringBuilder json, Digest digest) {
    json.append("{\"events\":").append(digest.events());
    json.append(",\"digest\":\"").append(digest.digest()).append("\"}");
  }

  private static void appendNames(StringBuilder json, List<String> names) {
    json.append('[');
    for (int i = 0; i < names.size(); i++) {
      HttpResponses.appendString(json.append(i == 0 ? "" : ","), names.get(i));
    }
    json.append(']');
  }

  /// Returns the names of the files in a directory that are older than an instant.
  private static List<String> names(Path directory, long beforeNanos) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(directory)) {
      List<String> names = new ArrayList<>();
      for (Path path : paths.sorted().toList()) {
        long millis = Files.getLastModifiedTime(path).toMillis();
        if (beforeNanos == Long.MAX_VALUE || millis <= beforeNanos / 1_000_000) {
          names.add(String.valueOf(path.getFileName()));
        }
      }
      return names;
    } catch (IOException unreadable) {
      throw new StorageException.Failed(directory, "list", unreadable);
    }
  }
}
