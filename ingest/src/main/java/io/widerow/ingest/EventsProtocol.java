package io.widerow.ingest;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `POST /v1/events`: JSON lines or plain text.
///
/// | parameter | for | meaning |
/// |---|---|---|
/// | `type` | both | type of events without one |
/// | `time-field` | JSON | the member that is the time; none: the names of [JsonNames] |
/// | `body-field` | JSON | the member that is the text; none: the names of [JsonNames] |
/// | `id-field` | JSON | the member that is the event's own id; none: `_id` |
/// | `ts` | text | form of a line's time: a name or a pattern of [TimePattern]; none: arrival |
/// | `at` | text | byte offset in the line at which a pattern of `ts` begins |
/// | `zone` | text | zone of times without one, `UTC` by default |
/// | `start` | text | what begins a record: `time`, or an RE2 expression; none: every line |
final class EventsProtocol implements WriteProtocol {
  private final @Nullable JsonLinesDecoder json;
  private final @Nullable TextLinesDecoder text;

  private EventsProtocol(@Nullable JsonLinesDecoder json, @Nullable TextLinesDecoder text) {
    this.json = json;
    this.text = text;
  }

  static List<HttpRoute> routes(WriteRoutes write) {
    return List.of(
        write.post(
            "/v1/events",
            (context, request) -> of(request.headers().contentType(), context.queryParams())));
  }

  private static EventsProtocol of(@Nullable MediaType contentType, QueryParams parameters)
      throws RequestRefused {
    String kind = contentType == null ? "none" : contentType.type() + "/" + contentType.subtype();
    return switch (kind) {
      case "application/x-ndjson", "application/jsonl" ->
          new EventsProtocol(json(parameters, false), null);
      case "application/json" -> new EventsProtocol(json(parameters, true), null);
      case "text/plain" -> new EventsProtocol(null, text(parameters));
      default ->
          throw new RequestRefused(
              HttpStatus.UNSUPPORTED_MEDIA_TYPE,
              "Content-Type must be application/x-ndjson or text/plain, got " + kind);
    };
  }

  private static JsonLinesDecoder json(QueryParams parameters, boolean documents) {
    String time = parameters.get("time-field", "");
    String text = parameters.get("body-field", "");
    String id = parameters.get("id-field", "");
    boolean known = time.isEmpty() && text.isEmpty() && id.isEmpty();
    JsonNames names = known ? JsonNames.KNOWN : JsonNames.of(time, text, id);
    return new JsonLinesDecoder(parameters.get("type", ""), names, documents);
  }

  private static TextLinesDecoder text(QueryParams parameters) throws RequestRefused {
    String type = parameters.get("type", "");
    if (type.isEmpty()) {
      throw new RequestRefused(HttpStatus.BAD_REQUEST, "text needs the parameter type");
    }
    try {
      ZoneId zone = ZoneId.of(parameters.get("zone", "UTC"));
      int offset = Integer.parseInt(parameters.get("at", "0"));
      if (offset < 0) {
        throw new IllegalArgumentException("at must not be negative, got " + offset);
      }
      TimePattern pattern = TimePattern.of(parameters.get("ts", ""), offset, zone);
      return new TextLinesDecoder(
          type, pattern, TextLinesDecoder.Start.of(parameters.get("start")));
    } catch (IllegalArgumentException
        | DateTimeException
        | com.google.re2j.PatternSyntaxException bad) {
      throw new RequestRefused(HttpStatus.BAD_REQUEST, String.valueOf(bad.getMessage()));
    }
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) {
    if (json != null) {
      json.decode(body, 0, length, batch);
    } else if (text != null) {
      text.decode(body, 0, length, batch);
    }
  }

  @Override
  public HttpResponse answer(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Stored stored -> HttpAnswers.stored(stored);
      case Outcome.Overloaded() -> refuse(RequestRefused.overloaded());
      case Outcome.DiskFull(String why) -> HttpAnswers.error(HttpStatus.INSUFFICIENT_STORAGE, why);
      case Outcome.Failed(String why) -> refuse(RequestRefused.ended(why));
    };
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return HttpAnswers.error(refused.status(), refused.reason());
  }
}
