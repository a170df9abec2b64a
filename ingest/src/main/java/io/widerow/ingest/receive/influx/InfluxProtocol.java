package io.widerow.ingest.receive.influx;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.SeriesCache;
import io.widerow.ingest.decode.SeriesCaches;
import io.widerow.ingest.decode.Times;
import io.widerow.ingest.http.HttpAnswers;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `POST /api/v2/write` and `POST /write`: line protocol, with the answers that InfluxDB's clients
/// expect. Good lines are stored even when others are bad; the answer names the first bad one.
public final class InfluxProtocol implements WriteProtocol {
  private final LineProtocolDecoder decoder;
  private final SeriesCaches series;
  private final boolean second;

  public static List<HttpRoute> routes(WriteRoutes write) {
    Runtime runtime = Runtime.getRuntime();
    SeriesCaches series = new SeriesCaches(runtime.maxMemory(), runtime.availableProcessors());
    return List.of(
        write.post(
            "/api/v2/write",
            (context, _) -> new InfluxProtocol(series, true, context.queryParam("precision"))),
        write.post(
            "/write",
            (context, _) -> new InfluxProtocol(series, false, context.queryParam("precision"))));
  }

  /// @param second whether the answers are those of InfluxDB 2, else of InfluxDB 1
  /// @param precision unit of timestamps; null for nanoseconds
  private InfluxProtocol(SeriesCaches series, boolean second, @Nullable String precision)
      throws RequestRefused {
    this.series = series;
    this.second = second;
    this.decoder = new LineProtocolDecoder(unitNanos(precision == null ? "ns" : precision));
  }

  private static long unitNanos(String precision) throws RequestRefused {
    return switch (precision) {
      case "ns", "n", "" -> 1;
      case "us", "u", "µ" -> 1_000;
      case "ms" -> 1_000_000;
      case "s" -> Times.NANOS_PER_SECOND;
      case "m" -> 60 * Times.NANOS_PER_SECOND;
      case "h" -> 3_600 * Times.NANOS_PER_SECOND;
      default ->
          throw new RequestRefused(
              HttpStatus.BAD_REQUEST, "precision must be ns, us, ms, s, m or h, got " + precision);
    };
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) {
    SeriesCache known = series.take();
    try {
      decoder.decode(body, 0, length, batch, known);
    } finally {
      series.give(known);
    }
  }

  @Override
  public HttpResponse answer(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Stored stored -> stored(stored);
      case Outcome.Overloaded() -> refuse(RequestRefused.overloaded());
      case Outcome.DiskFull(String why) -> error(HttpStatus.INSUFFICIENT_STORAGE, why);
      case Outcome.Failed(String why) -> refuse(RequestRefused.ended(why));
    };
  }

  private HttpResponse stored(Outcome.Stored stored) {
    Refusals refused = stored.refused();
    if (refused.count() == 0) {
      return HttpResponse.of(HttpStatus.NO_CONTENT);
    }
    String why = decoder.firstBad();
    if (why == null) { // the refusals are of a repeat, or of the store
      why = "point %d: %s".formatted(refused.index(0) + 1, refused.reason(0));
    }
    String partly = stored.stored() > 0 ? "partial write: " : "";
    return error(HttpStatus.BAD_REQUEST, "%s%s dropped=%d".formatted(partly, why, refused.count()));
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return error(refused.status(), refused.reason());
  }

  private HttpResponse error(HttpStatus status, String message) {
    if (!second) {
      return HttpAnswers.error(status, message);
    }
    String code =
        switch (status.code()) {
          case 400, 415 -> "invalid";
          case 413 -> "request too large";
          case 401 -> "unauthorized";
          case 403 -> "forbidden";
          default -> "unavailable";
        };
    StringBuilder json = new StringBuilder("{\"code\":\"").append(code).append("\",\"message\":");
    return HttpAnswers.json(
        status, HttpAnswers.appendString(json, message).append("}\n").toString());
  }
}
