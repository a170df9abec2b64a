package io.widerow.ingest.receive.json;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.JsonTimes;
import io.widerow.ingest.decode.NamePrefix;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes JSON: each object is one event. [JsonNames] lists the members for the type, the time,
/// the text, the id and the key; every other member is an attribute, and so is the key. Nested
/// objects are flattened, with their names joined by dots; an array is kept as its JSON text; a
/// number that no long and no double holds as the string of its digits; null is left out. Of
/// members with equal names the last one keeps the name, see [FittedEvent].
///
/// Usually each line is one object. Text of `application/json` may also be objects over several
/// lines, or an array of objects. An object whose only member is `Records`, an array, stands for
/// the objects in it.
///
/// A bad object is refused, and decoding continues with the next line, or with the next object of
/// an array. Blank lines are not counted. A byte order mark before a line is not a part of it.
///
/// - Threads: one.
public final class JsonLinesDecoder {
  private static final byte[] NO_TYPE = new byte[0];
  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OTHER_BODY =
      (JsonNames.SHOWN_PREFIX + "body").getBytes(StandardCharsets.US_ASCII);
  private static final String NOT_AN_OBJECT = "not a JSON object";
  private static final String ARRAY = "a JSON array: send it as application/json";
  private static final String TRAILING = "something follows the JSON object";
  private static final String MANY = Rejection.EVENT_TOO_LARGE.reason();
  private static final String NO_TYPE_REASON = "no type: neither a member nor a parameter";
  private static final int NONE = -1;
  private static final int NO_RANK = Integer.MAX_VALUE;

  private final AttributeTape tape = new AttributeTape(true);
  private final byte[] defaultType;
  private final JsonNames names;
  private final boolean documents;
  private final @Nullable ExactMember exact; // null when objects are only nested members
  private final NamePrefix prefix = new NamePrefix();
  private @Nullable JsonShapes shapes; // of the lines that it decodes without a pool
  private @Nullable JsonNotes notes; // of the line that is being read; null when none are taken
  private int members; // including nulls, which count for the limit too

  // The name read last.
  private boolean nameInScratch;
  private int nameOffset;
  private int nameBytes;

  // The event being read.
  private final JsonMember time = new JsonMember(); // the one that was taken
  private final SenderTime sender = new SenderTime(); // its value
  private int timeRank;
  private final JsonTimes times = new JsonTimes();
  private long nowNanos;
  private int oddRank; // of a member that is hardly anything but a time, and is not understood
  private boolean oddInScratch;
  private int oddOffset;
  private int oddBytes;
  private int textRank;
  private int textAt; // the attribute that is the text, unless its name is `body` already
  private boolean textIsLine;
  private final JsonIdentity identity;
  private boolean typeInScratch;
  private int typeOffset;
  private int typeBytes;

  /// Decodes lines, with the names that are known without parameters.
  ///
  /// @param defaultType type of events without one; empty for none
  public JsonLinesDecoder(String defaultType) {
    this(defaultType, JsonNames.KNOWN, false);
  }

  /// @param defaultType type of events without one; empty for none
  /// @param documents whether an object may go over several lines, and arrays are taken
  public JsonLinesDecoder(String defaultType, JsonNames names, boolean documents) {
    this(defaultType, names, documents, false);
  }

  /// @param exact whether the objects of [io.widerow.event.AttributeValue.ExactJson] are values
  JsonLinesDecoder(String defaultType, JsonNames names, boolean documents, boolean exact) {
    this.defaultType =
        defaultType.isEmpty() ? NO_TYPE : defaultType.getBytes(StandardCharsets.UTF_8);
    this.names = names;
    this.identity = new JsonIdentity(names);
    this.documents = documents;
    this.exact = exact ? new ExactMember() : null;
  }

  /// Decodes the text of `body` in `[offset, limit)`.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  public void decode(byte[] body, int offset, int limit, IncomingBatch batch) {
    JsonShapes own = shapes;
    if (own == null) {
      own = new JsonShapes(names);
      shapes = own;
    }
    decode(body, offset, limit, batch, own);
  }

  /// As [#decode].
  ///
  /// @param known shapes of earlier lines with the same names; null to know none
  void decode(byte[] body, int offset, int limit, IncomingBatch batch, @Nullable JsonShapes known) {
    nowNanos = batch.wallNanos;
    int start = ByteOrderMark.skip(body, offset, limit);
    if (documents && JsonDocuments.isDocument(body, start, limit, tape)) {
      new JsonDocuments(new JsonScanner(body, start, limit, false), this, batch).decode();
      return;
    }
    JsonShapes mayKnow = exact == null ? known : null;
    JsonScanner json = new JsonScanner(body, start, limit, true);
    while (json.at < limit) {
      json.at = ByteOrderMark.skip(body, json.at, limit);
      if (json.peek() == '\n') {
        json.at++;
        continue;
      }
      if (mayKnow != null && mayKnow.write(json, defaultType, tape, batch)) {
        continue;
      }
      int line = json.at;
      try {
        line(json, batch, mayKnow);
      } catch (JsonScanner.Bad bad) {
        batch.refuse(String.valueOf(bad.getMessage()));
        json.at = Swar.newline(body, line, limit);
      }
    }
  }

  private void line(JsonScanner json, IncomingBatch batch, @Nullable JsonShapes known)
      throws JsonScanner.Bad {
    int first = json.peek();
    if (first != '{') {
      throw new JsonScanner.Bad(first == '[' ? ARRAY : NOT_AN_OBJECT);
    }
    if (JsonDocuments.mayBeEnvelope(json)) {
      tape.begin(json.bytes);
      int end = JsonDocuments.envelopeEnd(json, tape);
      if (end >= 0) {
        new JsonDocuments(json, this, batch).envelope(end);
        return;
      }
    }
    int start = json.at;
    notes = known == null ? null : known.begin();
    read(json);
    if (json.peek() != '\n') {
      throw new JsonScanner.Bad(TRAILING);
    }
    if (write(json, batch) && known != null && notes != null) {
      if (textAt != NONE && textIsLine) {
        notes.line(textAt);
      }
      known.learn(json, start, tape, batch.events);
    }
  }

  /// Reads one object. One that is JSON but no event is refused here, and passed over.
  ///
  /// @throws JsonScanner.Bad when it is not JSON
  void element(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad {
    int start = json.at;
    notes = null;
    try {
      if (json.peek() != '{') {
        throw new JsonScanner.Bad(NOT_AN_OBJECT);
      }
      read(json);
    } catch (JsonScanner.Bad bad) {
      json.at = start;
      pass(json);
      batch.refuse(String.valueOf(bad.getMessage()));
      return;
    }
    boolean _ = write(json, batch);
  }

  /// The names of members.
  JsonNames names() {
    return names;
  }

  /// Passes over a value.
  void pass(JsonScanner json) throws JsonScanner.Bad {
    tape.begin(json.bytes);
    json.skip(tape, 0);
  }

  /// Returns the scratch tape for lookahead.
  AttributeTape tape() {
    return tape;
  }

  /// Reads the object at `json.at`.
  private void read(JsonScanner json) throws JsonScanner.Bad {
    tape.begin(json.bytes);
    json.loneSurrogates = 0;
    prefix.clear();
    members = 0;
    sender.clear();
    timeRank = NO_RANK;
    oddRank = NO_RANK;
    textRank = NO_RANK;
    textAt = NONE;
    identity.clear();
    typeBytes = -1;
    object(json, 1);
  }

  /// Writes the object that was read. True when it is stored as it is.
  private boolean write(JsonScanner json, IncomingBatch batch) {
    byte[] type = defaultType;
    int offset = 0;
    int length = defaultType.length;
    if (typeBytes >= 0) {
      type = typeInScratch ? tape.scratch() : json.bytes;
      offset = typeOffset;
      length = typeBytes;
    } else if (length == 0) {
      batch.refuse(NO_TYPE_REASON);
      return false;
    }
    if (timeRank == NO_RANK && oddRank != NO_RANK) {
      sender.read(TimeParser.NONE, oddInScratch, oddOffset, oddBytes);
    }
    if (identity.isNone()) {
      batch.events.begin(type, offset, length, sender.take(batch, tape));
    } else if (!identity.begin(json, tape, type, offset, length, sender, batch)) {
      return false;
    }
    if (textAt != NONE) {
      tape.rename(textAt);
      if (textIsLine) {
        tape.dropNewline(textAt);
      }
    }
    if (json.loneSurrogates > 0) {
      tape.mark(EscapedText.MARK, json.loneSurrogates);
    }
    tape.writeTo(batch.events, BODY);
    return batch.end(tape, type, offset, length) && !sender.isReplaced();
  }

  private void object(JsonScanner json, int depth) throws JsonScanner.Bad {
    json.expect('{');
    if (json.peek() == '}') {
      json.at++;
      return;
    }
    while (true) {
      json.string(tape);
      json.expect(':');
      if (++members > FittedEvent.MEMBERS_MAX || tape.isScratchFull()) {
        throw new JsonScanner.Bad(MANY);
      }
      member(json, depth);
      if (json.peek() == '}') {
        json.at++;
        return;
      }
      json.expect(',');
    }
  }

  /// Reads the value of the name read last.
  private void member(JsonScanner json, int depth) throws JsonScanner.Bad {
    nameInScratch = json.textInScratch;
    nameOffset = json.textOffset;
    nameBytes = json.textBytes;
    int first = json.peek();
    int start = json.at;
    if (first == 'n') {
      json.word("null");
      note(JsonNames.NULL, json, start, depth, tape.count());
      return;
    }
    if (first == '{') {
      if (exact == null || depth > 1 || !takeExact(json, exact)) {
        nested(json, depth);
      }
      return;
    }
    if (prefix.length() > 0) {
      joinName(json);
    }
    int role = depth == 1 || names.nested() ? role(json) : JsonNames.ATTRIBUTE;
    int before = tape.count();
    switch (JsonNames.kind(role)) {
      case JsonNames.TYPE -> type(json, first);
      case JsonNames.ID -> identity.id(json, first, tape);
      case JsonNames.KEY -> {
        if (first == '"') {
          attribute(json, first, depth);
        }
        identity.key(json, first);
      }
      case JsonNames.TIME -> time(json, first, JsonNames.rank(role), depth);
      case JsonNames.TEXT -> text(json, first, JsonNames.rank(role), depth);
      case JsonNames.OTHER_BODY -> {
        nameOffset = tape.scratchLimit();
        nameBytes = OTHER_BODY.length;
        nameInScratch = true;
        tape.appendScratch(OTHER_BODY, 0, OTHER_BODY.length);
        attribute(json, first, depth);
      }
      case JsonNames.SHOWN -> {
        nameOffset += JsonNames.SHOWN_PREFIX.length();
        nameBytes -= JsonNames.SHOWN_PREFIX.length();
        attribute(json, first, depth);
      }
      default -> attribute(json, first, depth);
    }
    note(role, json, start, depth, before);
  }

  /// @param before attributes that were on the tape before the member
  private void note(int role, JsonScanner json, int start, int depth, int before) {
    if (notes != null) {
      int index = tape.count() > before ? before : NONE;
      notes.add(role, depth, json.bytes, start, json.at, index);
    }
  }

  /// Reads a value that is written as an object. False when the object is none, or the member is
  /// one that must have another value.
  private boolean takeExact(JsonScanner json, ExactMember member) throws JsonScanner.Bad {
    int kind = JsonNames.kind(role(json));
    boolean plain = kind == JsonNames.ATTRIBUTE || kind == JsonNames.TEXT;
    if ((!plain && kind != JsonNames.SHOWN) || !member.read(json, tape)) {
      return false;
    }
    int skipped = plain ? 0 : JsonNames.SHOWN_PREFIX.length();
    tape.name(nameInScratch, nameOffset + skipped, nameBytes - skipped);
    member.put(tape);
    return true;
  }

  private int role(JsonScanner json) {
    return names.role(nameInScratch ? tape.scratch() : json.bytes, nameOffset, nameBytes);
  }

  private void nested(JsonScanner json, int depth) throws JsonScanner.Bad {
    if (depth == 1) {
      switch (role(json)) {
        case JsonNames.TYPE -> throw new JsonScanner.Bad(names.notAType());
        case JsonNames.ID -> throw new JsonScanner.Bad(names.notAnId());
        case JsonNames.KEY -> throw new JsonScanner.Bad(names.notAKey());
        default -> {}
      }
    }
    if (depth == 1 && objectTime(json)) {
      return;
    }
    int outer = prefix.length();
    byte[] source = nameInScratch ? tape.scratch() : json.bytes;
    if (prefix.push(depth, source, nameOffset, nameBytes)) {
      object(json, depth + 1);
      prefix.pop(outer);
      return;
    }
    notes = null;
    if (outer > 0) {
      joinName(json);
    }
    attribute(json, '{', depth);
  }

  /// Puts the names of the enclosing objects before the name read last.
  private void joinName(JsonScanner json) {
    byte[] source = nameInScratch ? tape.scratch() : json.bytes;
    nameOffset = prefix.join(tape, source, nameOffset, nameBytes);
    nameInScratch = true;
    nameBytes = tape.scratchLimit() - nameOffset;
  }

  private void type(JsonScanner json, int first) throws JsonScanner.Bad {
    if (first != '"') {
      throw new JsonScanner.Bad(names.notAType());
    }
    if (typeBytes >= 0) { // it was given before
      tape.name(nameInScratch, nameOffset, nameBytes);
      tape.string(typeInScratch, typeOffset, typeBytes);
    }
    json.string(tape);
    typeInScratch = json.textInScratch;
    typeOffset = json.textOffset;
    typeBytes = json.textBytes;
  }

  /// Reads a member that has a name of times. The one of the best rank is taken; a displaced one
  /// becomes an attribute, and so does an invalid time, except under the first name.
  private void time(JsonScanner json, int first, int rank, int depth) throws JsonScanner.Bad {
    if (rank == 0) {
      meantTime(json, first);
      return;
    }
    boolean text = first == '"';
    if (!text && first != '-' && !TimeParser.isDigit((byte) first)) {
      attribute(json, first, depth);
      return;
    }
    int start = json.at;
    long nanos = times.read(json, first, rank, tape, nowNanos);
    if (nanos == TimeParser.NONE || rank > timeRank) {
      odd(json, text, rank);
      tape.name(nameInScratch, nameOffset, nameBytes);
      JsonMember.putValue(json, text, tape);
      return;
    }
    displace();
    timeRank = rank;
    if (text) {
      sender.read(nanos, json.textInScratch, json.textOffset, json.textBytes);
    } else {
      sender.read(nanos, false, start, json.at - start);
    }
    time.take(nameInScratch, nameOffset, nameBytes, json, text);
  }

  /// Takes the member that is meant as the time, whatever its value is.
  private void meantTime(JsonScanner json, int first) throws JsonScanner.Bad {
    displace();
    timeRank = 0;
    int start = json.at;
    sender.json(json, tape, EpochText.AUTO, nowNanos);
    if (first == '"' || first == '-' || TimeParser.isDigit((byte) first)) {
      time.take(nameInScratch, nameOffset, nameBytes, json, first == '"');
    } else {
      takeText(json, start);
    }
  }

  /// Takes the JSON text of the value that began at `start` for the member of the time.
  private void takeText(JsonScanner json, int start) {
    json.textInScratch = false;
    json.textOffset = start;
    json.textBytes = json.at - start;
    time.take(nameInScratch, nameOffset, nameBytes, json, true);
  }

  /// Makes an attribute of the member that was taken for the time.
  private void displace() {
    if (timeRank != NO_RANK) {
      time.putInto(tape);
    }
  }

  /// Remembers a text that is hardly anything but a time, and is not understood.
  private void odd(JsonScanner json, boolean text, int rank) {
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    int end = json.textOffset + json.textBytes;
    if (text && rank < oddRank && JsonTimes.isLikeTime(source, json.textOffset, end)) {
      oddRank = rank;
      oddInScratch = json.textInScratch;
      oddOffset = json.textOffset;
      oddBytes = json.textBytes;
    }
  }

  /// Reads an object that has a name of times, if it is one. Under the first name any is taken.
  private boolean objectTime(JsonScanner json) throws JsonScanner.Bad {
    int role = role(json);
    int rank = JsonNames.rank(role);
    if (JsonNames.kind(role) != JsonNames.TIME || rank > timeRank) {
      return false;
    }
    if (rank == 0) {
      meantTime(json, '{');
    } else {
      int start = json.at;
      long nanos = SenderTime.ofObject(json, tape);
      if (!JsonTimes.isPlausible(nanos)) {
        return false;
      }
      displace();
      json.skip(tape, 1);
      takeText(json, start);
      sender.read(nanos, false, start, json.at - start);
    }
    timeRank = rank;
    notes = null; // no shape has it
    return true;
  }

  /// Reads a member that has a name of texts. The string of the best rank becomes the text.
  private void text(JsonScanner json, int first, int rank, int depth) throws JsonScanner.Bad {
    boolean string = first == '"';
    if (first == '[' && rank <= textRank && journalText(json, rank)) {
      return;
    }
    if (rank > textRank || (!string && rank > 0)) {
      attribute(json, first, depth);
      return;
    }
    textRank = rank;
    textAt = rank == 0 && names.textIsBody() ? NONE : tape.count();
    byte[] source = nameInScratch ? tape.scratch() : json.bytes;
    textIsLine = string && JsonNames.isLine(source, nameOffset, nameBytes);
    attribute(json, first, depth);
  }

  /// Reads a text that is an array. False when the member is another one.
  private boolean journalText(JsonScanner json, int rank) throws JsonScanner.Bad {
    byte[] source = nameInScratch ? tape.scratch() : json.bytes;
    if (!JournalText.isNamed(source, nameOffset, nameBytes)) {
      return false;
    }
    int index = tape.count();
    tape.name(nameInScratch, nameOffset, nameBytes);
    if (!JournalText.put(json, tape)) {
      return false; // the name is given again with the value
    }
    notes = null;
    textRank = rank;
    textAt = index;
    textIsLine = false;
    return true;
  }

  /// Reads the value of the name read last as an attribute.
  private void attribute(JsonScanner json, int first, int depth) throws JsonScanner.Bad {
    tape.name(nameInScratch, nameOffset, nameBytes);
    JsonAttributes.putValue(json, first, depth, tape);
  }
}
