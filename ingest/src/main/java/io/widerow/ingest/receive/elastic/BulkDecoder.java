package io.widerow.ingest.receive.elastic;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.SenderId;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.http.RequestRefused;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes the body of a bulk: a line with an action, then a line with a document, and so on. Every
/// action becomes one event or one refusal, in their order. A bad document costs its item, and so
/// does a bad line of an action: the line after it is its document, unless that is an action, too.
/// A body without any action is refused.
///
/// - Threads: one.
///
/// Source: Elasticsearch's reference, "Bulk API".
public final class BulkDecoder {
  private static final byte[] BODY = ascii("body");
  private static final byte[] INDEX = ascii("_index");
  private static final byte[] ID = ascii("_id");
  private static final byte[] TIMESTAMP = ascii("@timestamp");
  private static final byte[] MESSAGE = ascii("message");
  private static final String TRAILING = "something follows the JSON object";
  private static final String NO_INDEX = "index is missing";
  private static final String NO_SOURCE = "the line with the document is missing";

  /// The prefix of the reason of an item with a bad action.
  static final String BAD_ACTION = "Malformed action/metadata line ";

  private static final String NOT_KEPT = "widerow keeps events: %s is not supported";
  private static final int PLACED_MAX = 1_000; // refusals that say where
  private static final int NAME_SHOWN_MAX = 60;
  private static final int OWN = 0; // levels
  private static final int DOCUMENT = 1;
  private static final int METADATA = 2;
  private static final AttributeLevels LEVELS =
      new AttributeLevels("", AttributeLevels.ATTRIBUTES, "metadata.");

  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final int bodyName = tape.constant(BODY);
  private final int indexName = tape.constant(INDEX);
  private final int idName = tape.constant(ID);
  private final JsonAttributes attributes = new JsonAttributes(tape);
  private final JsonAttributes.Taker taker = this::member;
  private final SenderId senderId = new SenderId();
  private final BulkItems items = new BulkItems();
  private final byte[] defaultIndex;
  private final byte @Nullable [] typeAsked;

  // The action that was read last.
  private BulkAction action = BulkAction.INDEX;
  private byte[] named = new byte[64]; // the index that an action names
  private byte[] index; // that, or the default
  private int indexBytes;
  private byte[] id = new byte[64];
  private int idBytes;
  private int lineAt; // of its line, to know an equal one
  private int lineBytes;
  private boolean known; // it names an action that is
  private int actions; // of the body, with a name that is known
  private int lines; // counted so far
  private int linesEnd; // of those

  // The document that is being read.
  private boolean inMember;
  private final SenderTime time = new SenderTime();
  private long nowNanos;

  /// @param defaultIndex of actions that name none; null for none
  /// @param typeAsked of all events, whatever their index; null for none
  public BulkDecoder(@Nullable String defaultIndex, @Nullable String typeAsked) {
    this.defaultIndex =
        defaultIndex == null ? new byte[0] : defaultIndex.getBytes(StandardCharsets.UTF_8);
    this.typeAsked = typeAsked == null ? null : typeAsked.getBytes(StandardCharsets.UTF_8);
    this.index = this.defaultIndex;
  }

  /// The actions of the body.
  BulkItems items() {
    return items;
  }

  /// Decodes a body. Blank lines before an action are passed over.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  /// @throws RequestRefused when there is no action
  public void decode(byte[] body, int limit, IncomingBatch batch) throws RequestRefused {
    int start = ByteOrderMark.skip(body, 0, limit);
    JsonScanner json = new JsonScanner(body, start, limit, true);
    String firstBad = "";
    actions = 0;
    lines = 1;
    linesEnd = 0;
    while (json.at < limit) {
      if (json.peek() == '\n') {
        json.at++;
        continue;
      }
      String bad = action(json);
      if (!bad.isEmpty()) {
        firstBad = firstBad.isEmpty() ? bad : firstBad;
        batch.refuse(bad);
      } else if (action.hasSource) {
        source(json, batch);
      } else {
        batch.refuse(NOT_KEPT.formatted(action.shown));
      }
    }
    if (items.count() == 0) {
      throw RequestRefused.bad("no requests added: the body is empty");
    }
    if (actions == 0) {
      throw RequestRefused.bad(firstBad + "; nothing of the request is stored");
    }
  }

  /// Reads the line of an action, to the end of the line.
  ///
  /// @return why it is bad, then its document was passed over, too; empty when it is good
  private String action(JsonScanner json) {
    int start = json.at;
    if (isLastLine(json, start)) {
      items.addAlike();
      json.at = start + lineBytes + 1;
      return "";
    }
    known = false;
    try {
      tape.begin(json.bytes);
      index = defaultIndex;
      indexBytes = defaultIndex.length;
      idBytes = BulkItems.NO_ID;
      json.expect('{');
      action = kind(json);
      known = true;
      actions++;
      json.expect(':');
      if (json.peek() != '{') {
        throw new JsonScanner.Bad("expected an object after the action");
      }
      metadata(json);
      json.expect('}');
      if (json.peek() != '\n') {
        throw new JsonScanner.Bad(TRAILING);
      }
    } catch (JsonScanner.Bad bad) {
      return badAction(json, start, String.valueOf(bad.getMessage()));
    }
    byte[] asked = typeAsked;
    if (indexBytes == 0 && asked != null) {
      items.add(action, asked, 0, asked.length, id, 0, idBytes);
    } else {
      items.add(action, index, 0, indexBytes, id, 0, idBytes);
    }
    lineAt = start;
    lineBytes = idBytes == BulkItems.NO_ID ? json.at - start : 0;
    json.at++;
    return "";
  }

  /// Passes over the line of a bad action, and over its document.
  private String badAction(JsonScanner json, int start, String why) {
    boolean placed = items.count() < PLACED_MAX;
    String reason =
        placed
            ? "%s[%d] at byte %d: %s"
                .formatted(BAD_ACTION, lineNumber(json.bytes, start), json.at, why)
            : BAD_ACTION + why;
    action = known ? action : BulkAction.INDEX;
    items.add(action, index, 0, indexBytes, id, 0, BulkItems.NO_ID);
    lineBytes = 0;
    json.at = Math.min(json.limit, Swar.newline(json.bytes, start, json.limit) + 1);
    if ((!known || action.hasSource) && !isAction(json)) {
      json.at = Math.min(json.limit, Swar.newline(json.bytes, json.at, json.limit) + 1);
    }
    return reason;
  }

  /// Whether the line at `json.at` begins as that of an action does.
  private boolean isAction(JsonScanner json) {
    int start = json.at;
    try {
      json.expect('{');
      BulkAction _ = kind(json);
      json.expect(':');
      return json.peek() == '{';
    } catch (JsonScanner.Bad another) {
      return false;
    } finally {
      json.at = start;
    }
  }

  /// Whether the line at `start` has the same bytes as that of the last action, without an id.
  private boolean isLastLine(JsonScanner json, int start) {
    int end = start + lineBytes;
    return lineBytes > 0
        && end < json.limit
        && json.bytes[end] == '\n'
        && Arrays.equals(json.bytes, start, end, json.bytes, lineAt, lineAt + lineBytes);
  }

  private BulkAction kind(JsonScanner json) throws JsonScanner.Bad {
    json.string(tape);
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    int end = json.textOffset + json.textBytes;
    for (BulkAction each : BulkAction.ALL) {
      if (Arrays.equals(source, json.textOffset, end, each.name, 0, each.name.length)) {
        return each;
      }
    }
    throw new JsonScanner.Bad("expected one of [create, delete, index, update]");
  }

  private void metadata(JsonScanner json) throws JsonScanner.Bad {
    json.expect('{');
    if (json.peek() == '}') {
      json.at++;
      return;
    }
    while (true) {
      json.string(tape);
      byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
      boolean isIndex = isText(json, source, INDEX);
      boolean isId = isText(json, source, ID);
      json.expect(':');
      int first = json.peek();
      if (first == 'n' || !(isIndex || isId)) {
        json.skip(tape, 2);
      } else if (isIndex) {
        text(json, "_index");
        named = copy(json, named);
        index = named;
        indexBytes = json.textBytes;
      } else {
        ownId(json, first);
      }
      if (json.peek() == '}') {
        json.at++;
        return;
      }
      json.expect(',');
    }
  }

  private static boolean isText(JsonScanner json, byte[] source, byte[] name) {
    int end = json.textOffset + json.textBytes;
    return Arrays.equals(source, json.textOffset, end, name, 0, name.length);
  }

  /// Reads a string that is not empty.
  private void text(JsonScanner json, String name) throws JsonScanner.Bad {
    if (json.peek() != '"') {
      throw new JsonScanner.Bad(name + " must be a string");
    }
    json.string(tape);
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    if (json.textBytes == 0 || !Utf8.isValid(source, json.textOffset, json.textBytes)) {
      throw new JsonScanner.Bad(name + " must be UTF-8 and not empty");
    }
  }

  /// Reads an id: a string, or a number, which is taken as its digits.
  private void ownId(JsonScanner json, int first) throws JsonScanner.Bad {
    if (first == '"') {
      text(json, "_id");
    } else {
      json.requireNumber(first);
      json.number();
      json.textInScratch = false;
      json.textOffset = json.numberOffset;
      json.textBytes = json.numberBytes;
    }
    id = copy(json, id);
    idBytes = json.textBytes;
  }

  private byte[] copy(JsonScanner json, byte[] room) {
    byte[] to = json.textBytes <= room.length ? room : new byte[2 * json.textBytes];
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    System.arraycopy(source, json.textOffset, to, 0, json.textBytes);
    return to;
  }

  /// Returns the number of the line at `offset`, which must not be before the lines already
  /// counted.
  private int lineNumber(byte[] body, int offset) {
    for (; linesEnd < offset; linesEnd++) {
      lines += body[linesEnd] == '\n' ? 1 : 0;
    }
    return lines;
  }

  /// Reads the line of a document, to the end of the line, and stores or refuses its event.
  private void source(JsonScanner json, IncomingBatch batch) {
    int start = json.at;
    boolean typed = indexBytes > 0 || typeAsked != null;
    if (!action.stores() || !typed || start >= json.limit) {
      json.at = Swar.newline(json.bytes, start, json.limit) + 1;
      batch.refuse(
          !action.stores()
              ? NOT_KEPT.formatted(action.shown)
              : start >= json.limit ? NO_SOURCE : NO_INDEX);
      return;
    }
    try {
      Rejection why = document(json, batch);
      if (why != null) {
        inMember = false;
        refuse(batch, why.reason(), json);
      }
    } catch (JsonScanner.Bad bad) {
      refuse(batch, String.valueOf(bad.getMessage()), json);
      json.at = Swar.newline(json.bytes, start, json.limit);
    }
    json.at++;
  }

  /// Reads the document at `json.at`, to the end of its line, and puts it into the batch.
  ///
  /// @return why it cannot be stored as it is; null when it is stored
  private @Nullable Rejection document(JsonScanner json, IncomingBatch batch)
      throws JsonScanner.Bad {
    inMember = false;
    time.clear();
    nowNanos = batch.wallNanos;
    json.loneSurrogates = 0;
    tape.begin(json.bytes);
    tape.level(DOCUMENT);
    if (json.peek() != '{') {
      throw new JsonScanner.Bad(json.peek() == '\n' ? NO_SOURCE : "not a JSON object");
    }
    attributes.object(json, taker);
    if (json.peek() != '\n') {
      throw new JsonScanner.Bad(TRAILING);
    }
    byte[] type = typeAsked;
    int typeBytes;
    if (type == null) {
      type = index;
      typeBytes = IndexName.typeBytes(index, 0, indexBytes);
    } else {
      typeBytes = type.length;
    }
    long nanos = time.take(batch, tape);
    tape.level(METADATA);
    if (indexBytes > 0 && !Arrays.equals(type, 0, typeBytes, index, 0, indexBytes)) {
      put(indexName, INDEX, index, indexBytes);
    }
    if (idBytes != BulkItems.NO_ID) {
      put(idName, ID, id, idBytes);
      batch.events.begin(type, 0, typeBytes, senderId.of(nanos, id, 0, idBytes));
    } else {
      batch.events.begin(type, 0, typeBytes, nanos);
    }
    if (json.loneSurrogates > 0) {
      tape.mark(EscapedText.MARK, json.loneSurrogates);
    }
    tape.writeTo(batch.events);
    return batch.tryEnd(tape, type, 0, typeBytes);
  }

  private void put(int nameAt, byte[] name, byte[] value, int length) {
    int offset = tape.scratchLimit();
    tape.appendScratch(value, 0, length);
    tape.name(true, nameAt, name.length);
    tape.string(true, offset, length);
  }

  private boolean member(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    inMember = true;
    if (!time.isGiven() && member.isNamed(json, TIMESTAMP)) {
      time.json(json, tape, EpochText.AUTO, nowNanos);
      return true;
    }
    if (json.peek() == '"' && member.isNamed(json, MESSAGE)) {
      json.string(tape);
      tape.level(OWN);
      tape.name(true, bodyName, BODY.length);
      tape.string(json.textInScratch, json.textOffset, json.textBytes);
      tape.level(DOCUMENT);
      return true;
    }
    return false;
  }

  /// The first refusals name the field and the place, so that many do not fill the heap.
  private void refuse(IncomingBatch batch, String reason, JsonScanner json) {
    if (batch.refused.count() >= PLACED_MAX) {
      batch.refuse(reason);
      return;
    }
    String field = "document";
    if (inMember) {
      int shown = Math.min(NAME_SHOWN_MAX, attributes.nameBytes());
      byte[] source = attributes.nameSource(json);
      field = new String(source, attributes.nameOffset(), shown, StandardCharsets.UTF_8);
    }
    batch.refuse("%s at byte %d: %s".formatted(field, json.at, reason));
  }
}
