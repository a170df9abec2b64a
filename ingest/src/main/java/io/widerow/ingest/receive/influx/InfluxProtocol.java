package io.widerow.ingest.receive.influx;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.series.SeriesCache;
import io.widerow.ingest.series.SeriesCaches;
import io.widerow.storage.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Line protocol, with the responses that clients of InfluxDB expect: `POST /write` for version 1,
/// `/api/v2/write` for version 2, `/api/v3/write_lp` for version 3. Good lines are stored even when
/// others are bad, unless a client of version 3 sends `accept_partial=false`.
public final class InfluxProtocol implements WriteProtocol {
  private static final int LISTED_MAX = 1_000;

  private final LineProtocolDecoder decoder;
  private final SeriesCaches series;
  private final InfluxVersion version;
  private final boolean partial;
  private final boolean noSync;
  private boolean allOrNothing; // nothing is stored because of bad lines

  public static List<HttpRoute> routes(WriteRoutes write) {
    Runtime runtime = Runtime.getRuntime();
    SeriesCaches series = new SeriesCaches(runtime.maxMemory(), runtime.availableProcessors());
    return List.of(
        route(write, "/api/v2/write", InfluxVersion.TWO, series),
        route(write, "/write", InfluxVersion.ONE, series),
        route(write, "/api/v3/write_lp", InfluxVersion.THREE, series));
  }

  private static HttpRoute route(
      WriteRoutes write, String path, InfluxVersion version, SeriesCaches series) {
    ErrorRenderer errors = (_, refused) -> version.error(refused.status(), refused.reason());
    return write.of(
        path,
        Set.of(HttpMethod.POST),
        errors,
        (context, _) -> new InfluxProtocol(series, version, context.queryParams()));
  }

  private InfluxProtocol(SeriesCaches series, InfluxVersion version, QueryParams parameters)
      throws RequestRefused {
    this.series = series;
    this.version = version;
    boolean third = version == InfluxVersion.THREE;
    String precision = parameters.get("precision", third ? "auto" : "ns");
    long unit = third ? unitOfThree(precision) : unitNanos(precision);
    decoder = new LineProtocolDecoder(unit, third ? LISTED_MAX : 1);
    partial = !third || isTrue(parameters, "accept_partial", true);
    noSync = third && isTrue(parameters, "no_sync", false);
  }

  private static boolean isTrue(QueryParams parameters, String name, boolean absent)
      throws RequestRefused {
    @Nullable String given = parameters.get(name);
    if (given == null) {
      return absent;
    }
    return switch (given) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw RequestRefused.bad("%s must be true or false, got %s".formatted(name, given));
    };
  }

  private static long unitOfThree(String precision) throws RequestRefused {
    return switch (precision) {
      case "auto" -> LineProtocolDecoder.AUTO;
      case "nanosecond" -> 1;
      case "microsecond" -> 1_000;
      case "millisecond" -> 1_000_000;
      case "second" -> TimeParser.NANOS_PER_SECOND;
      case "ns", "n", "us", "u", "ms", "s" -> unitNanos(precision);
      default ->
          throw RequestRefused.bad(
              "precision must be auto, second, millisecond, microsecond or nanosecond, got "
                  + precision);
    };
  }

  private static long unitNanos(String precision) throws RequestRefused {
    return switch (precision) {
      case "ns", "n", "" -> 1;
      case "us", "u", "µ" -> 1_000;
      case "ms" -> 1_000_000;
      case "s" -> TimeParser.NANOS_PER_SECOND;
      case "m" -> 60 * TimeParser.NANOS_PER_SECOND;
      case "h" -> 3_600 * TimeParser.NANOS_PER_SECOND;
      default ->
          throw RequestRefused.bad("precision must be ns, us, ms, s, m or h, got " + precision);
    };
  }

  /// A client of version 3 may ask not to wait for the disk.
  @Override
  public Durability durability(Durability configured) {
    return noSync ? Durability.MEMORY : configured;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    SeriesCache known = series.take();
    try {
      decoder.decode(body, 0, length, batch, known);
    } finally {
      series.give(known);
    }
    if (!partial && batch.refused.count() > 0) {
      allOrNothing = true;
      throw RequestRefused.bad(batch.refused.reason(0));
    }
  }

  /// Clients of version 3 try again after a 503, and not after a 507.
  @Override
  public HttpStatus diskFull() {
    return version == InfluxVersion.THREE
        ? HttpStatus.SERVICE_UNAVAILABLE
        : HttpStatus.INSUFFICIENT_STORAGE;
  }

  @Override
  public boolean decodesMore() {
    return true;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    Refusals refused = stored.refused();
    if (refused.count() == 0) {
      return HttpResponse.of(HttpStatus.NO_CONTENT);
    }
    if (version == InfluxVersion.THREE) {
      return InfluxVersion.badLines(true, lines(refused), refused.count());
    }
    List<LineProtocolDecoder.RefusedLine> bad = decoder.refusedLines();
    String why = // without a bad line the refusals are those of the store
        bad.isEmpty()
            ? "point %d: %s".formatted(refused.index(0) + 1, refused.reason(0))
            : "unable to parse '%s': %s (line %d)"
                .formatted(bad.getFirst().text(), bad.getFirst().reason(), bad.getFirst().number());
    String partly = stored.stored() > 0 ? "partial write: " : "";
    return version.error(
        HttpStatus.BAD_REQUEST, "%s%s dropped=%d".formatted(partly, why, refused.count()));
  }

  /// Returns the refused lines; for lines that only the store refused, their points.
  private List<LineProtocolDecoder.RefusedLine> lines(Refusals refused) {
    List<LineProtocolDecoder.RefusedLine> lines = decoder.refusedLines();
    if (lines.size() >= Math.min(refused.count(), LISTED_MAX)) {
      return lines;
    }
    List<LineProtocolDecoder.RefusedLine> points = new ArrayList<>();
    for (int i = 0; i < Math.min(refused.listed(), LISTED_MAX); i++) {
      String point = "point " + (refused.index(i) + 1);
      points.add(
          new LineProtocolDecoder.RefusedLine(refused.index(i) + 1, point, refused.reason(i)));
    }
    return points;
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return allOrNothing
        ? InfluxVersion.badLines(false, decoder.refusedLines(), decoder.refusedLines().size())
        : version.error(refused.status(), refused.reason());
  }
}
