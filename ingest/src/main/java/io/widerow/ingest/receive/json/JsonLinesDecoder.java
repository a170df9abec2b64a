package io.widerow.ingest.receive.json;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.Times;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes JSON lines: each line is one object, and each object one event. At the top level `ts` is
/// the time (RFC 3339, or a number in the unit that [Times#ofEpoch] finds), `type` the type, and
/// `id` a version-1 UUID; every other member is an attribute. Nested objects are flattened, with
/// their names joined by dots; an array is kept as its JSON text; a whole number of more than 64
/// bits as the string of its digits; null is left out.
///
/// A bad line is refused and decoding goes on with the next one. Blank lines are not counted. A
/// byte order mark before a line is not a part of it.
///
/// - Threads: one.
public final class JsonLinesDecoder {
  private static final byte[] NO_TYPE = new byte[0];
  private static final String NOT_AN_OBJECT = "not a JSON object";
  private static final String TRAILING = "something follows the JSON object";
  private static final String TS = "ts must be an RFC 3339 time or an epoch number";
  private static final String TYPE = "type must be a string";
  private static final String ID = "id must be a version-1 UUID";
  private static final String TWICE = "a member is given twice";
  private static final String MANY = Rejection.TOO_MANY_ATTRIBUTES.reason();
  private static final String NAME = Rejection.ATTRIBUTE_NAME_INVALID.reason();
  private static final String NO_TYPE_REASON = "no type: neither a member nor a parameter";

  private final AttributeTape tape = new AttributeTape();
  private final byte[] defaultType;
  private byte[] prefix = new byte[256]; // names of the enclosing objects, each with a dot
  private int prefixBytes;
  private int members; // including nulls, which count for the limit too

  // The event being read.
  private long timeNanos;
  private @Nullable EventId id;
  private boolean typeInScratch;
  private int typeOffset;
  private int typeBytes;

  /// @param defaultType type of events without one; empty for none
  public JsonLinesDecoder(String defaultType) {
    this.defaultType =
        defaultType.isEmpty() ? NO_TYPE : defaultType.getBytes(StandardCharsets.UTF_8);
  }

  /// Decodes the lines of `body` in `[offset, limit)`.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  public void decode(byte[] body, int offset, int limit, IncomingBatch batch) {
    JsonScanner json = new JsonScanner(body, offset, limit);
    while (json.at < limit) {
      json.at = ByteOrderMark.skip(body, json.at, limit);
      if (json.peek() == '\n') {
        json.at++;
        continue;
      }
      int line = json.at;
      try {
        decodeLine(json, batch);
      } catch (JsonScanner.Bad bad) {
        batch.refuse(String.valueOf(bad.getMessage()));
        json.at = Swar.newline(body, line, limit);
      }
    }
  }

  private void decodeLine(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad {
    tape.begin(json.bytes);
    prefixBytes = 0;
    members = 0;
    timeNanos = Times.NONE;
    id = null;
    typeBytes = -1;
    if (json.peek() != '{') {
      throw new JsonScanner.Bad(NOT_AN_OBJECT);
    }
    object(json, 1);
    if (json.peek() != '\n') {
      throw new JsonScanner.Bad(TRAILING);
    }
    write(json.bytes, batch);
  }

  private void write(byte[] body, IncomingBatch batch) {
    byte[] type = defaultType;
    int offset = 0;
    int length = defaultType.length;
    if (typeBytes >= 0) {
      type = typeInScratch ? tape.scratch() : body;
      offset = typeOffset;
      length = typeBytes;
    } else if (length == 0) {
      batch.refuse(NO_TYPE_REASON);
      return;
    }
    EventId own = id;
    if (own != null) {
      batch.events.begin(type, offset, length, own);
      if (timeNanos != Times.NONE && EventId.leastOf(timeNanos).time() != own.time()) {
        batch.events.reject(Rejection.ID_AND_TIME_DIFFER);
      }
    } else {
      long nanos = timeNanos != Times.NONE ? timeNanos : batch.useArrivalTime();
      batch.events.begin(type, offset, length, nanos);
    }
    tape.writeTo(batch.events);
    batch.end();
  }

  private void object(JsonScanner json, int depth) throws JsonScanner.Bad {
    json.requireDepth(depth);
    json.expect('{');
    if (json.peek() == '}') {
      json.at++;
      return;
    }
    while (true) {
      json.string(tape);
      json.expect(':');
      if (++members > EventLayout.ATTRIBUTES_MAX + 3) {
        throw new JsonScanner.Bad(MANY);
      }
      if (depth > 1 || !special(json)) {
        attribute(json, depth);
      }
      if (json.peek() == '}') {
        json.at++;
        return;
      }
      json.expect(',');
    }
  }

  /// Reads a member that is not an attribute. Returns false when the name read last is not of one.
  private boolean special(JsonScanner json) throws JsonScanner.Bad {
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    int at = json.textOffset;
    if (json.textBytes == 2 && source[at] == 't' && source[at + 1] == 's') {
      time(json);
      return true;
    }
    if (json.textBytes == 2 && source[at] == 'i' && source[at + 1] == 'd') {
      ownId(json);
      return true;
    }
    if (json.textBytes == 4
        && source[at] == 't'
        && source[at + 1] == 'y'
        && source[at + 2] == 'p'
        && source[at + 3] == 'e') {
      type(json);
      return true;
    }
    return false;
  }

  private void time(JsonScanner json) throws JsonScanner.Bad {
    int first = json.peek();
    if (first == 'n') {
      json.word("null");
      return;
    }
    if (timeNanos != Times.NONE) {
      throw new JsonScanner.Bad(TWICE);
    }
    if (first == '"') {
      json.string(tape);
      byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
      int end = json.textOffset + json.textBytes;
      timeNanos = Times.rfc3339(source, json.textOffset, end);
      if (timeNanos == Times.NONE) {
        timeNanos = Times.epoch(source, json.textOffset, end);
      }
    } else {
      json.requireNumber(first);
      int start = json.at;
      json.number();
      timeNanos = Times.epoch(json.bytes, start, json.at);
    }
    if (timeNanos == Times.NONE) {
      throw new JsonScanner.Bad(TS);
    }
  }

  private void type(JsonScanner json) throws JsonScanner.Bad {
    int first = json.peek();
    if (first == 'n') {
      json.word("null");
      return;
    }
    if (first != '"') {
      throw new JsonScanner.Bad(TYPE);
    }
    if (typeBytes >= 0) {
      throw new JsonScanner.Bad(TWICE);
    }
    json.string(tape);
    typeInScratch = json.textInScratch;
    typeOffset = json.textOffset;
    typeBytes = json.textBytes;
  }

  private void ownId(JsonScanner json) throws JsonScanner.Bad {
    int first = json.peek();
    if (first == 'n') {
      json.word("null");
      return;
    }
    if (first != '"') {
      throw new JsonScanner.Bad(ID);
    }
    if (id != null) {
      throw new JsonScanner.Bad(TWICE);
    }
    json.string(tape);
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    String text = new String(source, json.textOffset, json.textBytes, StandardCharsets.ISO_8859_1);
    try {
      id = EventId.parse(text);
    } catch (IllegalArgumentException notAnId) {
      throw new JsonScanner.Bad(ID);
    }
  }

  /// Reads the value of the name read last as an attribute.
  private void attribute(JsonScanner json, int depth) throws JsonScanner.Bad {
    boolean nameInScratch = json.textInScratch;
    int nameOffset = json.textOffset;
    int nameBytes = json.textBytes;
    int first = json.peek();
    if (first == '{') {
      int outer = prefixBytes;
      pushPrefix(nameInScratch ? tape.scratch() : json.bytes, nameOffset, nameBytes);
      object(json, depth + 1);
      prefixBytes = outer;
      return;
    }
    if (first == 'n') {
      json.word("null");
      return;
    }
    if (prefixBytes > 0) {
      int joined = tape.scratchLimit();
      tape.appendScratch(prefix, 0, prefixBytes);
      byte[] source = nameInScratch ? tape.scratch() : json.bytes;
      tape.appendScratch(source, nameOffset, nameBytes);
      nameInScratch = true;
      nameOffset = joined;
      nameBytes = tape.scratchLimit() - joined;
    }
    tape.name(nameInScratch, nameOffset, nameBytes);
    value(json, first, depth);
  }

  private void value(JsonScanner json, int first, int depth) throws JsonScanner.Bad {
    switch (first) {
      case '"' -> {
        json.string(tape);
        tape.string(json.textInScratch, json.textOffset, json.textBytes);
      }
      case '[' -> {
        int start = json.at;
        json.skip(tape, depth);
        tape.string(false, start, json.at - start);
      }
      case 't' -> {
        json.word("true");
        tape.truth(true);
      }
      case 'f' -> {
        json.word("false");
        tape.truth(false);
      }
      default -> {
        json.requireNumber(first);
        int start = json.at;
        json.number();
        if (json.whole) {
          tape.whole(json.wholeValue);
        } else if (json.wide) {
          tape.string(false, start, json.at - start); // its digits, which a double would round
        } else {
          tape.fraction(json.value);
        }
      }
    }
  }

  private void pushPrefix(byte[] source, int offset, int length) throws JsonScanner.Bad {
    int needed = prefixBytes + length + 1;
    if (needed > EventLayout.NAME_BYTES_MAX + 1) {
      throw new JsonScanner.Bad(NAME); // here, before many members copy the prefix
    }
    if (needed > prefix.length) {
      prefix = Arrays.copyOf(prefix, Math.max(needed, 2 * prefix.length));
    }
    System.arraycopy(source, offset, prefix, prefixBytes, length);
    prefix[needed - 1] = '.';
    prefixBytes = needed;
  }
}
