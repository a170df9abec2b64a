package io.widerow.ingest.receive.fluent;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.JsonText;
import io.widerow.ingest.decode.NamePrefix;
import io.widerow.ingest.receive.fluent.MsgpackReader.Bad;
import io.widerow.ingest.receive.fluent.MsgpackReader.Kind;
import java.util.Arrays;

/// Puts a record on a tape. The first of `message`, `log`, `msg`, `body` that is a text is the text
/// of the event; maps are flattened, with names joined by dots; a list is its JSON text; nil is
/// left out; a whole number above 2^63-1 is its digits. Bytes that are UTF-8 are a text: Ruby
/// programs send texts so. A time (extension 0) in a record is its seconds as text, another
/// extension its bytes. A map whose names are too long together is its JSON text; one that is
/// nested too deep is the bytes of its MessagePack.
///
/// - Threads: one.
final class FluentRecord {
  private static final int OWN = 0;
  private static final int RECORD = 1;
  private static final int DEPTH_MAX = 64;
  private static final byte[] BODY = ascii("body");
  private static final byte[][] TEXTS = {
    ascii("message"), ascii("log"), ascii("msg"), ascii("body")
  };
  private static final byte[] TAG = ascii("tag");
  private static final byte[] METADATA = ascii("metadata");

  /// Type of the extension that is a time.
  static final int EVENT_TIME = 0;

  private final AttributeTape tape =
      new AttributeTape(new AttributeLevels("", AttributeLevels.ATTRIBUTES));
  private final int bodyName = tape.constant(BODY);
  private final JsonText json = new JsonText(tape);
  private final NamePrefix prefix = new NamePrefix();
  private long members;

  // The text so far: its rank, its name, its value.
  private int rank;
  private boolean textInScratch;
  private int textOffset;
  private int textBytes;

  // The part of a text or of bytes that was taken last.
  private boolean takenInScratch;
  private int takenOffset;
  private int takenBytes;

  AttributeTape tape() {
    return tape;
  }

  /// Begins an event.
  void begin(MsgpackReader in) {
    tape.begin(in.bytes());
    members = 0;
    rank = TEXTS.length;
    prefix.clear();
  }

  /// Reads Fluent Bit's metadata of an event.
  void metadata(MsgpackReader in) throws Bad {
    boolean _ = prefix.push(METADATA, 0, METADATA.length);
    map(in, "metadata", 2);
    prefix.clear();
  }

  void read(MsgpackReader in) throws Bad {
    map(in, "record", 1);
    tape.level(OWN);
    if (rank < TEXTS.length) {
      tape.name(true, bodyName, BODY.length);
      tape.string(textInScratch, textOffset, textBytes);
    }
  }

  /// Adds the tag of a record that was read, whose type is another one.
  void tag(byte[] tag) {
    if (tag.length == 0) {
      return;
    }
    int name = tape.scratchLimit();
    tape.appendScratch(TAG, 0, TAG.length);
    tape.appendScratch(tag, 0, tag.length);
    tape.level(OWN);
    tape.name(true, name, TAG.length);
    tape.string(true, name + TAG.length, tag.length);
  }

  private void map(MsgpackReader in, String what, int depth) throws Bad {
    if (in.next() != Kind.MAP) {
      throw in.bad("the %s is no map, but %s".formatted(what, in.kind));
    }
    tape.level(RECORD);
    long count = in.length;
    members += count;
    if (members > FittedEvent.MEMBERS_MAX) {
      throw in.bad(Rejection.EVENT_TOO_LARGE.reason() + ": a map");
    }
    for (long i = 0; i < count; i++) {
      if (tape.isScratchFull()) {
        throw in.bad(Rejection.EVENT_TOO_LARGE.reason());
      }
      name(in);
      member(in, depth);
    }
  }

  /// Takes a name, which may be a number.
  private void name(MsgpackReader in) throws Bad {
    int from = tape.scratchLimit();
    switch (in.next()) {
      case TEXT, BYTES -> {
        take(in);
        return;
      }
      case WHOLE -> json.whole(in.whole);
      case UNSIGNED -> json.unsigned(in.whole);
      case FRACTION -> json.fraction(in.fraction);
      case TRUTH -> json.truth(in.truth);
      case NIL -> json.nothing();
      case LIST, MAP, EXTENSION -> {
        packed(in);
        took(from + 1, tape.scratchLimit() - 1); // without its quotes
        return;
      }
    }
    took(from, tape.scratchLimit());
  }

  private void took(int from, int until) {
    takenInScratch = true;
    takenOffset = from;
    takenBytes = until - from;
  }

  /// Takes the text or bytes that were read last.
  private void take(MsgpackReader in) {
    takenInScratch = false;
    takenOffset = in.offset;
    takenBytes = (int) in.length;
  }

  /// Writes the MessagePack of the value that was read last, with everything in it, as base64.
  private void packed(MsgpackReader in) throws Bad {
    int first = in.start;
    in.at = first;
    in.skip();
    json.base64(in.bytes(), first, in.at - first);
  }

  private static boolean isText(MsgpackReader in) {
    return in.kind == Kind.TEXT
        || (in.kind == Kind.BYTES && Utf8.isValid(in.bytes(), in.offset, (int) in.length));
  }

  /// Reads the value of the name that was taken.
  private void member(MsgpackReader in, int depth) throws Bad {
    boolean nameInScratch = takenInScratch;
    int nameOffset = takenOffset;
    int nameBytes = takenBytes;
    int first = in.at;
    Kind kind = in.next();
    if (kind == Kind.NIL) {
      return;
    }
    if (kind == Kind.MAP) {
      in.at = first;
      map(in, nameInScratch, nameOffset, nameBytes, depth);
      return;
    }
    if (depth == 1 && (kind == Kind.TEXT || kind == Kind.BYTES)) {
      byte[] source = nameInScratch ? tape.scratch() : in.bytes();
      int better = rank(source, nameOffset, nameBytes);
      if (better < rank) {
        displace();
        take(in);
        rank = better;
        textInScratch = takenInScratch;
        textOffset = takenOffset;
        textBytes = takenBytes;
        return;
      }
    }
    if (kind == Kind.LIST) {
      int from = tape.scratchLimit();
      in.at = first;
      element(in, depth);
      int bytes = tape.scratchLimit() - from;
      prefix.name(tape, nameInScratch, in.bytes(), nameOffset, nameBytes);
      tape.json(true, from, bytes);
      return;
    }
    value(in, nameInScratch, nameOffset, nameBytes);
  }

  /// Reads the map that is the value of the name that was taken.
  private void map(
      MsgpackReader in, boolean nameInScratch, int nameOffset, int nameBytes, int depth)
      throws Bad {
    int before = prefix.length();
    byte[] source = nameInScratch ? tape.scratch() : in.bytes();
    if (depth == DEPTH_MAX) {
      int first = in.at;
      in.skip();
      prefix.name(tape, nameInScratch, in.bytes(), nameOffset, nameBytes);
      tape.bytes(false, first, in.at - first);
    } else if (prefix.push(source, nameOffset, nameBytes)) {
      map(in, "member", depth + 1);
      prefix.pop(before);
    } else {
      int from = tape.scratchLimit();
      element(in, depth);
      int bytes = tape.scratchLimit() - from;
      prefix.name(tape, nameInScratch, in.bytes(), nameOffset, nameBytes);
      tape.json(true, from, bytes);
    }
  }

  private int rank(byte[] source, int offset, int length) {
    for (int i = 0; i < rank; i++) {
      byte[] name = TEXTS[i];
      if (Arrays.equals(name, 0, name.length, source, offset, offset + length)) {
        return i;
      }
    }
    return rank;
  }

  /// The text so far becomes an attribute: one with a better name has come.
  private void displace() {
    if (rank < TEXTS.length) {
      int from = tape.scratchLimit();
      tape.appendScratch(TEXTS[rank], 0, TEXTS[rank].length);
      tape.name(true, from, TEXTS[rank].length);
      tape.string(textInScratch, textOffset, textBytes);
    }
  }

  private void value(MsgpackReader in, boolean nameInScratch, int nameOffset, int nameBytes) {
    int from = tape.scratchLimit();
    boolean digits = in.kind == Kind.UNSIGNED;
    boolean time = isTime(in);
    if (digits) {
      json.unsigned(in.whole);
    } else if (time) {
      time(in);
    } else if (in.kind == Kind.TEXT) {
      take(in);
    }
    int written = tape.scratchLimit() - from;
    prefix.name(tape, nameInScratch, in.bytes(), nameOffset, nameBytes);
    if (digits || time) {
      tape.string(true, from, written);
      return;
    }
    switch (in.kind) {
      case TRUTH -> tape.truth(in.truth);
      case WHOLE -> tape.whole(in.whole);
      case FRACTION -> tape.fraction(in.fraction);
      case TEXT -> tape.string(takenInScratch, takenOffset, takenBytes);
      default -> {
        if (isText(in)) {
          tape.string(false, in.offset, (int) in.length);
        } else {
          tape.bytes(false, in.offset, (int) in.length);
        }
      }
    }
  }

  private static boolean isTime(MsgpackReader in) {
    return in.kind == Kind.EXTENSION && in.extension == EVENT_TIME && in.length == Long.BYTES;
  }

  private void time(MsgpackReader in) {
    json.whole(in.unsigned32(in.offset));
    tape.appendScratch('.');
    long nanos = in.unsigned32(in.offset + Integer.BYTES);
    for (long unit = 100_000_000; unit > 0; unit /= 10) {
      tape.appendScratch((int) ('0' + nanos / unit % 10));
    }
  }

  /// Writes a value within a list as JSON.
  private void element(MsgpackReader in, int depth) throws Bad {
    switch (in.next()) {
      case NIL -> json.nothing();
      case TRUTH -> json.truth(in.truth);
      case WHOLE -> json.whole(in.whole);
      case UNSIGNED -> json.unsigned(in.whole);
      case FRACTION -> json.fraction(in.fraction);
      case TEXT -> quoted(in);
      case BYTES, EXTENSION -> opaque(in);
      case LIST, MAP -> {
        boolean map = in.kind == Kind.MAP;
        long count = in.length;
        if (depth > DEPTH_MAX) {
          packed(in);
          return;
        }
        json.raw(map ? '{' : '[');
        for (long i = 0; i < count; i++) {
          if (i > 0) {
            json.raw(',');
          }
          if (map) {
            key(in);
            json.raw(':');
          }
          element(in, depth + 1);
        }
        json.raw(map ? '}' : ']');
      }
    }
  }

  private void key(MsgpackReader in) throws Bad {
    switch (in.next()) {
      case TEXT, BYTES -> quoted(in);
      case WHOLE, UNSIGNED, FRACTION, TRUTH, NIL -> {
        json.raw('"');
        in.at = in.start;
        element(in, 0);
        json.raw('"');
      }
      case LIST, MAP, EXTENSION -> packed(in);
    }
  }

  private void opaque(MsgpackReader in) {
    if (isText(in)) {
      quoted(in);
    } else if (isTime(in)) {
      time(in);
    } else {
      json.base64(in.bytes(), in.offset, (int) in.length);
    }
  }

  private void quoted(MsgpackReader in) {
    take(in);
    byte[] source = takenInScratch ? tape.scratch() : in.bytes();
    json.quoted(source, takenOffset, takenBytes);
  }
}
