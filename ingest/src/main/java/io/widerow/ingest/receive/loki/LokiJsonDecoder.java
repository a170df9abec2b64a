package io.widerow.ingest.receive.loki;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.SenderTime;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes a push request in JSON, in today's form and in that of `/api/prom/push` before Loki 1.
/// Each entry is an event.
///
/// ```
///   {"streams":[{"stream":{"app":"x"},"values":[["1700000000000000000","line",{"trace":"4f"}]]}]}
///   {"streams":[{"labels":"{app=\"x\"}","entries":[{"ts":"2026-11-20T19:15:00Z","line":"..."}]}]}
/// ```
///
/// Members may come in any order, others are ignored. A bad entry is refused alone, bad labels cost
/// the entries of their stream. Metadata that is not a string keeps its kind.
///
/// Source: grafana/loki, `docs/sources/reference/loki-http-api.md`, `pkg/loghttp`.
///
/// - Threads: one.
/// - Memory: allocates nothing for an entry that is stored as it is.
public final class LokiJsonDecoder {
  private static final byte[] STREAMS = ascii("streams");
  private static final byte[] STREAM = ascii("stream");
  private static final byte[] LABELS = ascii("labels");
  private static final byte[] VALUES = ascii("values");
  private static final byte[] ENTRIES = ascii("entries");
  private static final byte[] TS = ascii("ts");
  private static final byte[] TIMESTAMP = ascii("timestamp");
  private static final byte[] LINE = ascii("line");
  private static final byte[] METADATA = ascii("structuredMetadata");
  private static final int NONE = -1;
  private static final int DEPTH = 4; // of an entry

  private final LokiStream stream;
  private final LabelText labels = new LabelText();
  private final JsonAttributes attributes;
  private final JsonAttributes.Taker labelTaker = this::label;
  private final JsonAttributes.Taker plain = (_, _) -> false;

  // The entry that is being read.
  private final SenderTime time = new SenderTime();
  private long nowNanos;
  private boolean lineInScratch;
  private int lineOffset;
  private int lineBytes; // negative: it has none

  /// @param type of all events; null to find it among the labels of each stream
  /// @param detectLevels whether each entry gets the level that is found
  public LokiJsonDecoder(@Nullable String type, boolean detectLevels) {
    stream = new LokiStream(type, detectLevels);
    attributes = new JsonAttributes(stream.tape);
  }

  /// Decodes the request in `[0, limit)`.
  ///
  /// @param body with [io.widerow.ingest.decode.Swar#SLACK_BYTES] readable bytes after `limit`
  /// @throws JsonScanner.Bad when the body is no such JSON; the caller must then drop the batch
  public void decode(byte[] body, int limit, IncomingBatch batch) throws JsonScanner.Bad {
    JsonScanner json = new JsonScanner(body, 0, limit, false);
    stream.begin(body);
    try {
      request(json, batch);
    } catch (JsonScanner.Bad bad) {
      throw new JsonScanner.Bad("%s at byte %d".formatted(bad.getMessage(), json.at));
    }
  }

  private void request(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad {
    boolean any = false;
    json.expect('{');
    while (nextMember(json)) {
      boolean streams = isText(json, STREAMS);
      json.expect(':');
      json.peek();
      if (streams) {
        any = true;
        streams(json, batch);
      } else {
        json.skip(stream.tape, 1);
      }
      endMember(json, '}');
    }
    json.at++;
    json.peek();
    if (json.at < json.limit) {
      throw new JsonScanner.Bad("something follows the JSON object");
    }
    if (!any) {
      throw new JsonScanner.Bad("the member streams is missing");
    }
  }

  /// Reads the name of the next member. Returns false at the end of the object.
  private boolean nextMember(JsonScanner json) throws JsonScanner.Bad {
    if (json.peek() == '}') {
      return false;
    }
    json.string(stream.tape);
    return true;
  }

  /// Passes over the comma after a member or an element, when another one follows.
  private static void endMember(JsonScanner json, int end) throws JsonScanner.Bad {
    if (json.peek() != end) {
      json.expect(',');
      if (json.peek() == end) {
        throw new JsonScanner.Bad(JsonScanner.NOT_JSON);
      }
    }
  }

  private boolean isText(JsonScanner json, byte[] wanted) {
    byte[] source = json.textInScratch ? stream.tape.scratch() : json.bytes;
    return Arrays.equals(
        source, json.textOffset, json.textOffset + json.textBytes, wanted, 0, wanted.length);
  }

  private void streams(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad {
    if (json.peek() == 'n') {
      json.word("null");
      return;
    }
    if (json.peek() != '[') {
      throw new JsonScanner.Bad("the member streams is no array");
    }
    json.at++;
    while (json.peek() != ']') {
      if (json.peek() == '{') {
        stream(json, batch);
      } else {
        LokiStream.refuse(batch, "stream", json.at, "it must be an object");
        json.skip(stream.tape, 2);
      }
      endMember(json, ']');
    }
    json.at++;
  }

  private void stream(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad {
    int start = json.at++;
    boolean found = false; // labels, or that there are none
    boolean any = false;
    BadPart wrong = null;
    stream.begin(json.bytes);
    while (nextMember(json)) {
      boolean isLabels = isText(json, STREAM) || isText(json, LABELS);
      boolean isEntries = isText(json, VALUES) || isText(json, ENTRIES);
      json.expect(':');
      json.peek();
      if (isLabels && !found) {
        wrong = labels(json);
        found = true;
      } else if (isEntries) {
        if (!found) {
          wrong = laterLabels(json, start);
          found = true;
        }
        any = true;
        entries(json, wrong, batch);
      } else {
        json.skip(stream.tape, 3);
      }
      endMember(json, '}');
    }
    json.at++;
    if (!found && !any) {
      LokiStream.refuse(batch, "stream", start, "it has neither labels nor entries");
    }
  }

  /// Finds and reads the labels of a stream whose entries come first.
  private @Nullable BadPart laterLabels(JsonScanner json, int start) throws JsonScanner.Bad {
    int entries = json.at;
    int at = NONE;
    json.skip(stream.tape, 3);
    endMember(json, '}');
    while (at == NONE && nextMember(json)) {
      boolean isLabels = isText(json, STREAM) || isText(json, LABELS);
      json.expect(':');
      json.peek();
      if (isLabels) {
        at = json.at;
      } else {
        json.skip(stream.tape, 3);
        endMember(json, '}');
      }
    }
    BadPart wrong = new BadPart("stream", start, "it has no labels");
    stream.begin(json.bytes);
    if (at != NONE) {
      json.at = at;
      wrong = labels(json);
    } else {
      stream.labelled(0);
    }
    json.at = entries;
    return wrong;
  }

  /// Reads the labels at `json.at`, and passes over them.
  ///
  /// @return why they are refused; null when they are valid
  private @Nullable BadPart labels(JsonScanner json) throws JsonScanner.Bad {
    int start = json.at;
    BadPart wrong = null;
    json.loneSurrogates = 0;
    try {
      readLabels(json);
    } catch (BadPart bad) {
      wrong = bad;
    } catch (JsonScanner.Bad bad) { // it is the end of the request if it is no JSON
      wrong = new BadPart("labels", json.at, String.valueOf(bad.getMessage()));
    }
    if (wrong != null) {
      stream.begin(json.bytes);
      json.at = start;
      json.skip(stream.tape, 3);
      stream.begin(json.bytes);
    }
    stream.labelled(json.loneSurrogates);
    return wrong;
  }

  private void readLabels(JsonScanner json) throws JsonScanner.Bad, BadPart {
    int start = json.at;
    switch (json.peek()) {
      case '{' -> attributes.object(json, labelTaker);
      case '"' -> {
        json.string(stream.tape);
        byte[] source = json.textInScratch ? stream.tape.scratch() : json.bytes;
        int offset = json.textOffset;
        byte[] text = Arrays.copyOfRange(source, offset, offset + json.textBytes);
        try {
          labels.readCopy(text, stream);
        } catch (BadPart bad) {
          throw new BadPart("labels", start + 1 + bad.at, bad.why());
        }
      }
      default -> throw new BadPart("labels", start, "they must be an object or a text");
    }
  }

  /// Takes a label with a string for a value; others keep their kinds.
  private boolean label(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    if (json.peek() != '"') {
      return false;
    }
    if (stream.isFull()) {
      throw new JsonScanner.Bad(Rejection.TOO_MANY_ATTRIBUTES.reason());
    }
    json.string(stream.tape);
    stream.label(
        member.nameInScratch(),
        member.nameOffset(),
        member.nameBytes(),
        json.textInScratch,
        json.textOffset,
        json.textBytes);
    return true;
  }

  /// @param wrong why the labels are refused; null when they are valid
  private void entries(JsonScanner json, @Nullable BadPart wrong, IncomingBatch batch)
      throws JsonScanner.Bad {
    if (json.peek() == 'n') {
      json.word("null");
      return;
    }
    if (json.peek() != '[') {
      LokiStream.refuse(batch, "values", json.at, "they must be an array");
      json.skip(stream.tape, 3);
      return;
    }
    json.at++;
    while (json.peek() != ']') {
      int start = json.at;
      stream.beginEntry();
      try {
        if (wrong != null) {
          throw wrong;
        }
        entry(json, batch);
      } catch (BadPart bad) {
        LokiStream.refuse(batch, bad.part, bad.at, bad.why());
        skip(json, start);
      } catch (JsonScanner.Bad bad) { // it is the end of the request if it is no JSON
        LokiStream.refuse(batch, "entry", json.at, String.valueOf(bad.getMessage()));
        skip(json, start);
      }
      endMember(json, ']');
    }
    json.at++;
  }

  private void skip(JsonScanner json, int start) throws JsonScanner.Bad {
    stream.beginEntry();
    json.at = start;
    json.skip(stream.tape, DEPTH);
  }

  private void entry(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad, BadPart {
    int start = json.at;
    time.clear();
    nowNanos = batch.wallNanos;
    lineBytes = NONE;
    json.loneSurrogates = 0;
    switch (json.peek()) {
      case '[' -> elements(json);
      case '{' -> members(json);
      default -> throw bad(json, "it must be an array");
    }
    if (lineBytes == NONE) {
      throw new BadPart("entry", start, "it has no line");
    }
    stream.end(lineInScratch, lineOffset, lineBytes, time, json.loneSurrogates, start, batch);
  }

  private static BadPart bad(JsonScanner json, String why) {
    return new BadPart("entry", json.at, why);
  }

  private void elements(JsonScanner json) throws JsonScanner.Bad, BadPart {
    json.at++;
    if (json.peek() == ']') {
      throw bad(json, "it has no time");
    }
    time.json(json, stream.tape, 1, nowNanos);
    if (json.peek() == ']') {
      throw bad(json, "it has no line");
    }
    json.expect(',');
    line(json);
    if (json.peek() == ',') {
      json.at++;
      metadata(json);
    }
    if (json.peek() == ',') {
      throw bad(json, "it has more than a time, a line and metadata");
    }
    json.expect(']');
  }

  private void members(JsonScanner json) throws JsonScanner.Bad, BadPart {
    json.at++;
    while (nextMember(json)) {
      boolean isTime = isText(json, TS) || isText(json, TIMESTAMP);
      boolean isLine = isText(json, LINE);
      boolean isMetadata = isText(json, METADATA);
      json.expect(':');
      json.peek();
      if (isTime) {
        time.json(json, stream.tape, 1, nowNanos);
      } else if (isLine) {
        line(json);
      } else if (isMetadata) {
        metadata(json);
      } else {
        json.skip(stream.tape, DEPTH);
      }
      endMember(json, '}');
    }
    json.at++;
  }

  private void line(JsonScanner json) throws JsonScanner.Bad, BadPart {
    if (json.peek() != '"') {
      throw bad(json, "the line must be a text");
    }
    json.string(stream.tape);
    lineInScratch = json.textInScratch;
    lineOffset = json.textOffset;
    lineBytes = json.textBytes;
  }

  private void metadata(JsonScanner json) throws JsonScanner.Bad, BadPart {
    switch (json.peek()) {
      case 'n' -> json.word("null");
      case '{' -> attributes.object(json, plain);
      default -> throw bad(json, "the metadata must be an object");
    }
  }
}
