package io.widerow.ingest.receive.otlp;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonText;
import io.widerow.ingest.decode.NamePrefix;
import io.widerow.ingest.decode.ProtobufReader;
import java.util.Arrays;

/// Puts `KeyValue` messages on a tape: a map within them is flattened, with names joined by dots;
/// an array is its JSON text; a value that is not set is left out.
///
/// - Threads: one.
/// - Memory: keeps its arrays.
final class AnyValues {
  /// Levels of maps and arrays within one value; deeper ones are kept as their bytes. Protobuf's
  /// own libraries refuse more than about 33: three messages a level, 100 in all.
  static final int DEPTH_MAX = 33;

  static final int UNSET = 0;
  static final int STRING = 1;
  static final int BOOLEAN = 2;
  static final int WHOLE = 3;
  static final int FRACTION = 4;
  static final int ARRAY = 5;
  static final int MAP = 6;
  static final int BYTES = 7;

  private final ProtobufReader in;
  private final AttributeTape tape;
  private final JsonText json;
  private final NamePrefix prefix = new NamePrefix();
  private final byte[] watched;

  // The key and the value of the message read last.
  int keyOffset;
  int keyLength;
  private int valueStart; // negative without a value
  private int valueEnd;
  int kind;
  long bits;
  int offset;
  int length;
  private boolean sawWatched;

  /// @param watched a name; [#sawWatched] returns whether an attribute has it
  AnyValues(ProtobufReader in, AttributeTape tape, JsonText json, byte[] watched) {
    this.in = in;
    this.tape = tape;
    this.json = json;
    this.watched = watched;
  }

  /// Puts the `KeyValue` that the reader stands before on the tape. Afterwards key and value are in
  /// the fields, unless the value is a map.
  void attribute() throws ProtobufReader.Bad {
    prefix.clear();
    keyValue(0);
  }

  /// Whether an attribute has this name since the last [#forget].
  boolean sawWatched() {
    return sawWatched;
  }

  /// Resets [#sawWatched].
  void forget() {
    sawWatched = false;
  }

  boolean isKey(byte[] name) {
    return keyLength == name.length
        && Arrays.equals(in.bytes(), keyOffset, keyOffset + keyLength, name, 0, name.length);
  }

  /// Puts the members of the map in `[start, end)` on the tape, with their own names.
  ///
  /// @param except the offset of the key of a member that is left out; negative for none
  void members(int start, int end, int except) throws ProtobufReader.Bad {
    prefix.clear();
    int at = in.at();
    int limit = in.limit();
    in.read(start, end);
    while (in.next()) {
      if (in.field() != 1) {
        in.skip();
        continue;
      }
      readKeyValue();
      if (keyOffset != except) {
        putAny(1);
      }
    }
    in.read(at, limit);
  }

  /// The first of the names that a string of the map in `[start, end)` has.
  ///
  /// @return the offset of its key, with the value in the fields; negative when there is none
  int find(int start, int end, byte[][] names) throws ProtobufReader.Bad {
    int at = in.at();
    int limit = in.limit();
    int best = names.length;
    int found = -1;
    int foundOffset = 0;
    int foundLength = 0;
    in.read(start, end);
    while (in.next()) {
      if (in.field() != 1) {
        in.skip();
        continue;
      }
      readKeyValue();
      for (int i = 0; i < best; i++) {
        if (isKey(names[i]) && isString()) {
          best = i;
          found = keyOffset;
          foundOffset = offset;
          foundLength = length;
        }
      }
    }
    in.read(at, limit);
    offset = foundOffset;
    length = foundLength;
    return found;
  }

  private boolean isString() throws ProtobufReader.Bad {
    if (valueStart < 0) {
      return false;
    }
    read(valueStart, valueEnd);
    return kind == STRING;
  }

  private void keyValue(int depth) throws ProtobufReader.Bad {
    readKeyValue();
    putAny(depth);
  }

  private void putAny(int depth) throws ProtobufReader.Bad {
    if (valueStart < 0) {
      kind = UNSET;
      return;
    }
    read(valueStart, valueEnd);
    switch (kind) {
      case UNSET -> {}
      case MAP -> map(depth);
      default -> {
        if (tape.isScratchFull()) {
          throw new ProtobufReader.Bad(Rejection.EVENT_TOO_LARGE.reason());
        }
        sawWatched |= prefix.length() == 0 && isKey(watched);
        prefix.name(tape, false, in.bytes(), keyOffset, keyLength);
        value(depth);
      }
    }
  }

  /// Reads where the key and the value of a `KeyValue` are.
  private void readKeyValue() throws ProtobufReader.Bad {
    int outer = in.enter();
    keyOffset = in.at();
    keyLength = 0;
    valueStart = -1;
    while (in.next()) {
      switch (in.field()) {
        case 1 -> {
          in.text();
          keyOffset = in.offset();
          keyLength = in.length();
        }
        case 2 -> {
          in.text();
          valueStart = in.offset();
          valueEnd = valueStart + in.length();
        }
        default -> in.skip();
      }
    }
    in.leave(outer);
  }

  /// Puts the members of the map that was read last on the tape. One that is nested too deep is its
  /// bytes, one whose names are too long together is its JSON text.
  ///
  /// @param depth of maps around it
  private void map(int depth) throws ProtobufReader.Bad {
    int start = offset;
    int end = offset + length;
    int before = prefix.length();
    if (depth == DEPTH_MAX) {
      prefix.name(tape, false, in.bytes(), keyOffset, keyLength);
      tape.bytes(false, offset, length);
      return;
    }
    if (!prefix.push(in.bytes(), keyOffset, keyLength)) {
      int key = keyOffset;
      int keyBytes = keyLength;
      int from = tape.scratchLimit();
      text(depth);
      int bytes = tape.scratchLimit() - from;
      prefix.name(tape, false, in.bytes(), key, keyBytes);
      tape.json(true, from, bytes);
      kind = MAP;
      return;
    }
    int at = in.at();
    int limit = in.limit();
    in.read(start, end);
    while (in.next()) {
      if (in.field() == 1) {
        keyValue(depth + 1);
      } else {
        in.skip();
      }
    }
    in.read(at, limit);
    prefix.pop(before);
    kind = MAP;
  }

  /// Reads the `AnyValue` in `[start, end)` into the fields. Of several values the last one counts.
  void read(int start, int end) throws ProtobufReader.Bad {
    int at = in.at();
    int limit = in.limit();
    in.read(start, end);
    kind = UNSET;
    while (in.next()) {
      int field = in.field();
      switch (field) {
        case STRING, ARRAY, MAP, BYTES -> {
          in.text();
          offset = in.offset();
          length = in.length();
          kind = field;
        }
        case BOOLEAN, WHOLE -> {
          bits = in.varint();
          kind = field;
        }
        case FRACTION -> {
          bits = in.fixed64();
          kind = FRACTION;
        }
        default -> in.skip();
      }
    }
    in.read(at, limit);
  }

  /// Puts the value that was read last, which is no map and is set, on the tape, which has its
  /// name.
  private void value(int depth) throws ProtobufReader.Bad {
    switch (kind) {
      case STRING -> tape.string(false, offset, length);
      case BOOLEAN -> tape.truth(bits != 0);
      case WHOLE -> tape.whole(bits);
      case FRACTION -> tape.fraction(Double.longBitsToDouble(bits));
      case BYTES -> tape.bytes(false, offset, length);
      default -> {
        int from = tape.scratchLimit();
        text(depth);
        tape.json(true, from, tape.scratchLimit() - from);
        kind = ARRAY;
      }
    }
  }

  /// Appends the JSON text of the value that was read last to the scratch. An array or a map that
  /// is nested too deep is the base64 of its bytes.
  void text(int depth) throws ProtobufReader.Bad {
    if (depth == DEPTH_MAX && (kind == ARRAY || kind == MAP)) {
      json.base64(in.bytes(), offset, length);
      return;
    }
    switch (kind) {
      case STRING -> json.quoted(in.bytes(), offset, length);
      case BOOLEAN -> json.truth(bits != 0);
      case WHOLE -> json.whole(bits);
      case FRACTION -> json.fraction(Double.longBitsToDouble(bits));
      case BYTES -> json.base64(in.bytes(), offset, length);
      case ARRAY -> array(depth + 1);
      case MAP -> {
        int at = in.at();
        int limit = in.limit();
        in.read(offset, offset + length);
        object(1, depth + 1);
        in.read(at, limit);
      }
      default -> json.nothing();
    }
  }

  private void array(int depth) throws ProtobufReader.Bad {
    int at = in.at();
    int limit = in.limit();
    in.read(offset, offset + length);
    json.raw('[');
    boolean first = true;
    while (in.next()) {
      if (in.field() != 1) {
        in.skip();
        continue;
      }
      in.text();
      int start = in.offset();
      int end = start + in.length();
      if (!first) {
        json.raw(',');
      }
      first = false;
      read(start, end);
      text(depth);
    }
    json.raw(']');
    in.read(at, limit);
  }

  /// Appends the `KeyValue` messages of one field of the message that is being read, as a JSON
  /// object. Reads on to the end of the message.
  void object(int field, int depth) throws ProtobufReader.Bad {
    json.raw('{');
    boolean first = true;
    while (in.next()) {
      if (in.field() != field) {
        in.skip();
        continue;
      }
      readKeyValue();
      if (!first) {
        json.raw(',');
      }
      first = false;
      json.quoted(in.bytes(), keyOffset, keyLength);
      json.raw(':');
      kind = UNSET;
      if (valueStart >= 0) {
        read(valueStart, valueEnd);
      }
      text(depth);
    }
    json.raw('}');
  }
}
