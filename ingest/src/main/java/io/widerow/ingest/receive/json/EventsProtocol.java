package io.widerow.ingest.receive.json;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `POST /v1/events`: JSON lines or plain text.
///
/// | parameter | for | meaning |
/// |---|---|---|
/// | `type` | both | type of events without one |
/// | `type-field` | JSON | the member that is the type; none: `type` |
/// | `time-field` | JSON | the member that is the time; none: the names of [JsonNames] |
/// | `body-field` | JSON | the member that is the text; none: the names of [JsonNames] |
/// | `id-field` | JSON | the member that is the event's own id; none: `_id` |
/// | `key-field` | JSON | the member that is the event's key; none: `_key` |
/// | `values` | JSON | `exact`: objects of [io.widerow.event.AttributeValue.ExactJson] are values |
/// | `ts` | text | form of a line's time: a name or a pattern of [TimePattern]; none: `auto` |
/// | `at` | text | byte offset in the line at which a pattern of `ts` begins; none: any word |
/// | `zone` | text | zone of times without one, `UTC` by default |
/// | `start` | text | what begins a record: `time`, or an RE2 expression; none: every line |
/// | `durability` | both | level of the acknowledgement, see [WriteRoutes] |
public final class EventsProtocol implements WriteProtocol {
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String CURL =
      "; with curl add -H 'content-type: application/x-ndjson' for JSON, or -H 'content-type:"
          + " text/plain' for text, and use --data-binary: -d removes the ends of lines";

  private static final List<String> OF_JSON =
      List.of(
          "body-field durability id-field key-field time-field type type-field values"
              .split(" ", -1));
  private static final List<String> OF_TEXT =
      List.of("at", "durability", "start", "ts", "type", "zone");

  private final JsonShapePool shapes;
  private final @Nullable JsonLinesDecoder json;
  private final @Nullable TextLinesDecoder text;
  private final String kind; // of the body; empty for JSON lines

  private EventsProtocol(
      JsonShapePool shapes,
      @Nullable JsonLinesDecoder json,
      @Nullable TextLinesDecoder text,
      String kind) {
    this.shapes = shapes;
    this.json = json;
    this.text = text;
    this.kind = kind;
  }

  public static List<HttpRoute> routes(WriteRoutes write) {
    JsonShapePool shapes = new JsonShapePool(Runtime.getRuntime().availableProcessors());
    return List.of(
        write.post(
            "/v1/events",
            (context, request) ->
                of(shapes, request.headers().contentType(), context.queryParams())));
  }

  private static EventsProtocol of(
      JsonShapePool shapes, @Nullable MediaType contentType, QueryParams parameters)
      throws RequestRefused {
    boolean isText = contentType != null && contentType.is(MediaType.PLAIN_TEXT);
    Parameters.requireKnown(parameters, isText ? OF_TEXT : OF_JSON);
    String kind = contentType == null ? "none" : contentType.type() + "/" + contentType.subtype();
    return switch (kind) {
      case "application/x-ndjson", "application/jsonl" ->
          new EventsProtocol(shapes, json(parameters, false), null, "");
      case "application/json" -> new EventsProtocol(shapes, json(parameters, true), null, kind);
      case "text/plain" -> new EventsProtocol(shapes, null, text(parameters), kind);
      default ->
          throw new RequestRefused(
              HttpStatus.UNSUPPORTED_MEDIA_TYPE,
              "Content-Type must be application/x-ndjson or text/plain, got "
                  + kind
                  + (kind.equals(FORM) ? CURL : ""));
    };
  }

  private static JsonLinesDecoder json(QueryParams parameters, boolean documents)
      throws RequestRefused {
    String values = parameters.get("values", "");
    if (!values.isEmpty() && !values.equals("exact")) {
      throw RequestRefused.bad("values: must be exact, got " + values);
    }
    String type = parameters.get("type-field", "");
    String time = parameters.get("time-field", "");
    String text = parameters.get("body-field", "");
    String id = parameters.get("id-field", "");
    String key = parameters.get("key-field", "");
    boolean known = (type + time + text + id + key).isEmpty();
    JsonNames names = known ? JsonNames.KNOWN : JsonNames.of(type, time, text, id, key);
    return new JsonLinesDecoder(parameters.get("type", ""), names, documents, !values.isEmpty());
  }

  private static TextLinesDecoder text(QueryParams parameters) throws RequestRefused {
    String type = parameters.get("type", "");
    if (type.isEmpty()) {
      throw RequestRefused.bad("text needs the parameter type");
    }
    try {
      ZoneId zone = ZoneId.of(parameters.get("zone", "UTC"));
      String at = parameters.get("at");
      int offset = at == null ? -1 : Integer.parseInt(at);
      if (at != null && offset < 0) {
        throw new IllegalArgumentException("at must not be negative, got " + offset);
      }
      TimePattern pattern = TimePattern.of(parameters.get("ts", "auto"), offset, zone);
      return new TextLinesDecoder(
          type, pattern, TextLinesDecoder.Start.of(parameters.get("start")));
    } catch (IllegalArgumentException
        | DateTimeException
        | com.google.re2j.PatternSyntaxException bad) {
      throw RequestRefused.bad(String.valueOf(bad.getMessage()));
    }
  }

  /// Lines of JSON are text, too, and a document of several lines may have lines that are objects.
  @Override
  public String decidingHeaders() {
    return kind.isEmpty() ? "" : "content-type: " + kind;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) {
    if (json != null) {
      JsonShapes known = shapes.take(json.names());
      try {
        json.decode(body, 0, length, batch, known);
      } finally {
        shapes.give(known);
      }
    } else if (text != null) {
      text.decode(body, 0, length, batch);
    }
  }

  @Override
  public boolean decodesMore() {
    return json != null;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    return HttpResponses.stored(stored);
  }

  @Override
  public HttpStatus late(HttpStatus stored) {
    return HttpStatus.ACCEPTED;
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return HttpResponses.error(refused.status(), refused.reason());
  }
}
