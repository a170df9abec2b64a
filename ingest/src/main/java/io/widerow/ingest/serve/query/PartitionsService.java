package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.lane.LaneRing;
import io.widerow.ingest.serve.reply.QuerySlots;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.TypeGlobs;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.PartitionCatalog;
import io.widerow.storage.embedded.PartitionCatalog.LaneFigures;
import java.util.List;
import java.util.regex.Pattern;

/// `GET /v1/partitions`: the wide rows of a store and their contents, and with `layout=true` their
/// lanes, segments and damage. The response comes from the catalog in memory; no event is read. The
/// catalog of a store on a cluster has less detail.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
final class PartitionsService {
  private static final List<String> KNOWN = List.of("type", "from", "to", "layout", "by", "limit");
  private static final int LIMIT_DEFAULT = 20_000;
  private static final int LIMIT_MAX = 1_000_000;
  private static final Pattern NUMBER = Pattern.compile("\\d{1,7}");

  /// Answers at a time: each is on the heap as a whole.
  private static final int ANSWERS_MAX = 2;

  /// Memory of a partition: its catalog entry and at most three copies of its line.
  private static final long PARTITION_BYTES = 800;

  private final QueryResources resources;
  private final List<LaneRing> rings;
  private final QuerySlots slots = new QuerySlots(ANSWERS_MAX);

  PartitionsService(QueryResources resources, List<LaneRing> rings) {
    this.resources = resources;
    this.rings = rings;
  }

  public List<HttpRoute> routes() {
    return List.of(QueryErrors.get("/v1/partitions", this::partitions));
  }

  /// The request: which partitions, in which detail, and how many at most.
  private record Wanted(
      TypeGlobs types,
      long fromNanos,
      long untilNanos,
      boolean layout,
      PartitionLines.Folding by,
      int limit) {
    boolean has(PartitionKey key) {
      return key.untilNanos() > fromNanos && key.fromNanos() < untilNanos && types.test(key.type());
    }
  }

  private HttpResponse partitions(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), KNOWN);
    Wanted wanted = wanted(context.queryParams());
    return slots.answer(context, () -> answer(context, wanted));
  }

  private Wanted wanted(QueryParams given) throws RequestRefused {
    TypeGlobs types = new TypeGlobs(given.getAll("type"));
    if (types.globs().contains("")) {
      throw RequestRefused.bad("type: is empty");
    }
    long now = resources.store().nowNanos();
    String from = Parameters.single(given, "from");
    String to = Parameters.single(given, "to");
    long fromNanos = from == null ? Long.MIN_VALUE : TimeText.parse("from", from, now);
    long untilNanos = to == null ? Long.MAX_VALUE : TimeText.parse("to", to, now);
    if (fromNanos >= untilNanos) {
      throw RequestRefused.bad(
          "to: %s is not after from, %s".formatted(to, from == null ? "the beginning" : from));
    }
    boolean layout = Parameters.flag(given, "layout");
    return new Wanted(types, fromNanos, untilNanos, layout, folding(given), limit(given, layout));
  }

  private static PartitionLines.Folding folding(QueryParams given) throws RequestRefused {
    String by = Parameters.single(given, "by");
    boolean day = false;
    boolean type = false;
    for (String each : by == null ? List.<String>of() : List.of(by.split(",", -1))) {
      switch (each.strip()) {
        case "day" -> day = true;
        case "type" -> type = true;
        default ->
            throw RequestRefused.bad("by: must be day, type or both, got '%s'".formatted(by));
      }
    }
    return new PartitionLines.Folding(day, type);
  }

  /// The map has a limit unless another is given; the plain list has none.
  private static int limit(QueryParams given, boolean layout) throws RequestRefused {
    String text = Parameters.single(given, "limit");
    if (text == null) {
      return layout ? LIMIT_DEFAULT : Integer.MAX_VALUE;
    }
    int limit = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > LIMIT_MAX) {
      throw RequestRefused.bad(
          "limit: must be a whole number from 1 to %d, got '%s'".formatted(LIMIT_MAX, text));
    }
    return limit;
  }

  private HttpResponse answer(ServiceRequestContext context, Wanted wanted) {
    PartitionLines lines = new PartitionLines();
    try {
      if (resources.store() instanceof EmbeddedStore embedded) {
        write(embedded, wanted, lines, context);
      } else {
        writeElsewhere(wanted, lines, context);
      }
    } catch (RequestRefused refused) {
      return HttpResponses.error(refused.status(), refused.reason());
    } catch (QueryException | StorageException failed) {
      return QueryErrors.of(failed);
    }
    return HttpResponses.lines(HttpData.ofUtf8(lines.toString()));
  }

  /// Counts partitions until the response is in the socket.
  private void hold(int partitions, ServiceRequestContext context) {
    long bytes = PARTITION_BYTES * partitions;
    var _ =
        context
            .log()
            .whenComplete()
            .thenRun(() -> resources.memory().hold(-bytes)); // refused ones, too
    resources.memory().hold(bytes);
  }

  private void write(
      EmbeddedStore embedded, Wanted wanted, PartitionLines lines, ServiceRequestContext context)
      throws RequestRefused {
    PartitionWeights weights = embedded.layout().weights();
    PartitionCatalog catalog = embedded.partitions();
    PartitionCatalog.Listing listing =
        catalog.listing(wanted.types, wanted.fromNanos, wanted.untilNanos);
    hold(listing.entries().size(), context);
    if (wanted.layout) {
      writeLanes(catalog.lanes(), lines);
    }
    if (!wanted.by.isNone()) {
      requireWithin(lines.folded(listing.entries(), weights, wanted.by), wanted);
    } else {
      requireWithin(listing.entries().size(), wanted);
      for (PartitionCatalog.Entry entry : listing.entries()) {
        if (wanted.layout) {
          lines.layout(entry, weights, embedded.lanes());
        } else {
          lines.partition(entry, weights);
        }
      }
    }
    if (wanted.layout) {
      listing.segments().forEach(lines::segment);
      embedded.statistics().damage().stream()
          .filter(damage -> damage.kind().isOfEvents())
          .forEach(damage -> lines.damage(damage, wanted::has));
    }
  }

  private void writeElsewhere(Wanted wanted, PartitionLines lines, ServiceRequestContext context)
      throws RequestRefused {
    if (!wanted.by.isNone()) {
      throw RequestRefused.bad("by: a store on a cluster has no numbers to sum up");
    }
    List<PartitionInfo> found;
    try (StoreView view = resources.store().view()) {
      long from = Math.max(wanted.fromNanos, TimeUuid.NANOS_MIN);
      long until = Math.min(wanted.untilNanos, TimeUuid.NANOS_LIMIT);
      found = from < until ? view.partitions(wanted.types, from, until) : List.of();
    }
    requireWithin(found.size(), wanted);
    hold(found.size(), context);
    if (wanted.layout) {
      writeLanes(List.of(), lines);
    }
    found.forEach(info -> lines.partitionElsewhere(info, wanted.layout));
  }

  private void writeLanes(List<LaneFigures> figures, PartitionLines lines) {
    for (int lane = 0; lane < rings.size(); lane++) {
      lines.lane(lane, rings.get(lane), figures);
    }
  }

  private static void requireWithin(int lines, Wanted wanted) throws RequestRefused {
    if (lines > wanted.limit) {
      throw RequestRefused.bad(
          "limit: there are %d, more than %d: query fewer types or a shorter time, or sum up with"
                  .formatted(lines, wanted.limit)
              + " by=day or by=type");
    }
  }
}
