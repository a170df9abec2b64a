package io.widerow.ingest.receive.splunk;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.SenderTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes the objects of `/services/collector/event`, which stand one after the other with or
/// without white space between them. Each stands for itself. `sourcetype` is the type, `time` the
/// time in seconds, `event` the text: a string, or the first of `message`, `msg` and `log` in it
/// that is one. The rest of `event` and the members of `fields` are attributes under their names.
/// Clients drop refused events, so an invalid `time` is an attribute, too.
///
/// An object that is no JSON costs itself alone where its end can be found by its brackets, else
/// all that follows.
///
/// - Threads: one.
///
/// Source: Splunk's "Format events for HTTP Event Collector".
public final class HecDecoder {
  /// Why an event is refused that has no member `event`.
  static final String NO_EVENT = "Event field is required";

  /// Why an event is refused whose `event` is empty.
  static final String BLANK = "Event field cannot be blank";

  static final byte[] DEFAULT_TYPE = ascii("splunk");
  private static final byte[] BODY = ascii("body");
  private static final byte[] TIME = ascii("time");
  private static final byte[] EVENT = ascii("event");
  private static final byte[] FIELDS = ascii("fields");
  private static final byte[] SOURCETYPE = ascii("sourcetype");
  private static final byte[][] TEXTS = {ascii("message"), ascii("msg"), ascii("log")};
  private static final AttributeLevels LEVELS =
      new AttributeLevels("", AttributeLevels.ATTRIBUTES, "fields.");
  private static final int OF_EVENT = 1; // levels
  private static final int OF_FIELDS = 2;
  private static final int NONE = -1;

  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final int bodyName = tape.constant(BODY);
  private final JsonAttributes attributes = new JsonAttributes(tape);
  private final JsonAttributes.Taker envelope = this::member;
  private final JsonAttributes.Taker inEvent = this::memberOfEvent;
  private final JsonAttributes.Taker plain = (_, _) -> false;
  private final byte @Nullable [] wantedType;
  private final SenderTime time = new SenderTime();
  private long nowNanos;
  private boolean typeInScratch;
  private int typeOffset;
  private int typeBytes;
  private boolean hasEvent;
  private boolean blank;
  private int textAt; // the attribute of `event` that is the text
  private int textRank;

  /// @param wantedType of all events; null for what they say
  public HecDecoder(@Nullable String wantedType) {
    this.wantedType = wantedType == null ? null : wantedType.getBytes(StandardCharsets.UTF_8);
  }

  /// Decodes the objects in `[offset, limit)`.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  public void decode(byte[] body, int offset, int limit, IncomingBatch batch) {
    JsonScanner json = new JsonScanner(body, offset, limit, false);
    while (true) {
      json.peek();
      if (json.at >= limit) {
        return;
      }
      int start = json.at;
      try {
        nowNanos = batch.wallNanos;
        read(json);
        write(json, batch);
      } catch (JsonScanner.Bad bad) {
        batch.refuse("%s at byte %d".formatted(bad.getMessage(), json.at));
        json.at = end(body, start, limit);
      }
    }
  }

  /// Where the object at `start` ends by its brackets; `limit` when that is unknown.
  private static int end(byte[] body, int start, int limit) {
    int depth = 0;
    boolean quoted = false;
    for (int at = start; at < limit; at++) {
      int b = body[at];
      if (quoted) {
        at += b == '\\' ? 1 : 0;
        quoted = b != '"';
      } else if (b == '"') {
        quoted = true;
      } else if (b == '{' || b == '[') {
        depth++;
      } else if ((b == '}' || b == ']') && --depth <= 0) {
        return at + 1;
      }
    }
    return limit;
  }

  private void read(JsonScanner json) throws JsonScanner.Bad {
    tape.begin(json.bytes);
    json.loneSurrogates = 0;
    time.clear();
    typeBytes = NONE;
    hasEvent = false;
    blank = false;
    textAt = NONE;
    textRank = Integer.MAX_VALUE;
    attributes.object(json, envelope);
  }

  /// Stores or refuses the event that was read.
  private void write(JsonScanner json, IncomingBatch batch) {
    if (!hasEvent || blank) {
      batch.refuse(hasEvent ? BLANK : NO_EVENT);
      return;
    }
    byte[] type = wantedType != null ? wantedType : DEFAULT_TYPE;
    int offset = 0;
    int length = type.length;
    if (wantedType == null && typeBytes > 0) {
      type = typeInScratch ? tape.scratch() : json.bytes;
      offset = typeOffset;
      length = typeBytes;
    }
    long nanos = time.take(batch, tape);
    tape.level(0);
    if (json.loneSurrogates > 0) {
      tape.mark(EscapedText.MARK, json.loneSurrogates);
    }
    batch.events.begin(type, offset, length, nanos);
    if (textAt == NONE) {
      tape.writeTo(batch.events);
    } else {
      tape.rename(textAt);
      tape.writeTo(batch.events, BODY);
    }
    boolean _ = batch.end(tape, type, offset, length);
  }

  private boolean member(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    int first = json.peek();
    tape.level(0);
    if (member.isNamed(json, TIME)) {
      time.json(json, tape, EpochText.AUTO, nowNanos);
      return true;
    }
    if (member.isNamed(json, SOURCETYPE) && first == '"') {
      json.string(tape);
      typeInScratch = json.textInScratch;
      typeOffset = json.textOffset;
      typeBytes = json.textBytes;
      if (wantedType != null) { // the sender's is an attribute then
        tape.name(member.nameInScratch(), member.nameOffset(), member.nameBytes());
        tape.string(typeInScratch, typeOffset, typeBytes);
      }
      return true;
    }
    if (member.isNamed(json, EVENT)) {
      event(json, first);
      return true;
    }
    if (member.isNamed(json, FIELDS) && first == '{') {
      tape.level(OF_FIELDS);
      attributes.inline(json, plain);
      return true;
    }
    return false;
  }

  private void event(JsonScanner json, int first) throws JsonScanner.Bad {
    switch (first) {
      case 'n' -> json.word("null");
      case '{' -> {
        hasEvent = true;
        tape.level(OF_EVENT);
        int before = tape.count();
        attributes.inline(json, inEvent);
        blank = tape.count() == before;
      }
      case '"' -> {
        hasEvent = true;
        json.string(tape);
        blank = json.textBytes == 0;
        tape.name(true, bodyName, BODY.length);
        tape.string(json.textInScratch, json.textOffset, json.textBytes);
      }
      default -> { // the text of a number, a boolean, an array
        hasEvent = true;
        int start = json.at;
        json.skip(tape, 1);
        tape.name(true, bodyName, BODY.length);
        tape.string(false, start, json.at - start);
      }
    }
  }

  private boolean memberOfEvent(JsonScanner json, JsonAttributes member) {
    if (json.peek() == '"') {
      for (int rank = 0; rank < Math.min(TEXTS.length, textRank); rank++) {
        if (member.isNamed(json, TEXTS[rank])) {
          textRank = rank;
          textAt = tape.count();
        }
      }
    }
    return false;
  }
}
