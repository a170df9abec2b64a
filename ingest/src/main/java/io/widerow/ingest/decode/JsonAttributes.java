package io.widerow.ingest.decode;

import io.widerow.event.Rejection;
import java.util.Arrays;

/// Puts the members of a JSON object on a tape: objects within it are flattened, with names joined
/// by dots; an array is its JSON text, and so is an object that is nested too deep or whose names
/// are too long together; a number that no long and no double holds is the string of its digits;
/// null is left out. A protocol takes the members that are more than an attribute itself.
///
/// - Threads: one.
public final class JsonAttributes {
  private static final String MANY = Rejection.EVENT_TOO_LARGE.reason();

  private final AttributeTape tape;
  private final NamePrefix prefix = new NamePrefix();

  // The name of the member that is being read.
  private boolean nameInScratch;
  private int nameOffset;
  private int nameBytes;

  /// Takes members of an object that are more than an attribute.
  @FunctionalInterface
  public interface Taker {
    /// Looks at a member, whose name is at [JsonAttributes#nameOffset] of
    /// [JsonAttributes#nameSource], and whose value is at `json.at`.
    ///
    /// @return true when it has read the value; false to have it put on the tape
    boolean take(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad;
  }

  public JsonAttributes(AttributeTape tape) {
    this.tape = tape;
  }

  /// Reads the object at `json.at`, and puts its members on the tape.
  ///
  /// @param taker sees the members of this object, not those of objects within it
  public void object(JsonScanner json, Taker taker) throws JsonScanner.Bad {
    prefix.clear();
    members(json, 1, taker);
  }

  /// Puts the members of the object at `json.at` on the tape with their own names, without that of
  /// the member that is being read.
  ///
  /// @param taker sees them
  public void inline(JsonScanner json, Taker taker) throws JsonScanner.Bad {
    members(json, 2, taker);
  }

  /// The name of the member that is being read is in this array.
  public byte[] nameSource(JsonScanner json) {
    return nameInScratch ? tape.scratch() : json.bytes;
  }

  public boolean nameInScratch() {
    return nameInScratch;
  }

  public int nameOffset() {
    return nameOffset;
  }

  public int nameBytes() {
    return nameBytes;
  }

  /// Leaves out the first bytes of the name of the member that is being read.
  public void cutName(int bytes) {
    nameOffset += bytes;
    nameBytes -= bytes;
  }

  /// Whether the member that is being read has this name.
  public boolean isNamed(JsonScanner json, byte[] name) {
    return nameBytes == name.length
        && Arrays.equals(
            nameSource(json), nameOffset, nameOffset + nameBytes, name, 0, name.length);
  }

  private void members(JsonScanner json, int depth, Taker taker) throws JsonScanner.Bad {
    json.expect('{');
    if (json.peek() == '}') {
      json.at++;
      return;
    }
    while (true) {
      json.string(tape);
      nameInScratch = json.textInScratch;
      nameOffset = json.textOffset;
      nameBytes = json.textBytes;
      json.expect(':');
      json.peek();
      if (!taker.take(json, this)) {
        value(json, depth);
      }
      if (json.peek() == '}') {
        json.at++;
        return;
      }
      json.expect(',');
    }
  }

  private void value(JsonScanner json, int depth) throws JsonScanner.Bad {
    int first = json.peek();
    if (first == 'n') {
      json.word("null");
      return;
    }
    if (first == '{' && prefix.push(depth, nameSource(json), nameOffset, nameBytes)) {
      int before = prefix.length() - nameBytes - 1;
      members(json, depth + 1, (_, _) -> false);
      prefix.pop(before);
      return;
    }
    if (tape.count() >= FittedEvent.MEMBERS_MAX || tape.isScratchFull()) {
      throw new JsonScanner.Bad(MANY); // here, before they fill the heap
    }
    prefix.name(tape, nameInScratch, json.bytes, nameOffset, nameBytes);
    putValue(json, first, depth, tape);
  }

  /// Puts a value on a tape, which has its name. An object is its text.
  ///
  /// @param first its first byte, which is at `json.at`
  /// @param depth levels of nesting around it
  public static void putValue(JsonScanner json, int first, int depth, AttributeTape tape)
      throws JsonScanner.Bad {
    switch (first) {
      case '"' -> {
        json.string(tape);
        tape.string(json.textInScratch, json.textOffset, json.textBytes);
      }
      case '[', '{' -> {
        int start = json.at;
        int before = json.loneSurrogates; // those in it stay as they are
        json.skip(tape, depth);
        json.loneSurrogates = before;
        tape.json(false, start, json.at - start);
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
        json.number();
        putNumber(json, tape);
      }
    }
  }

  /// Puts the number that was read last on a tape, which has its name.
  public static void putNumber(JsonScanner json, AttributeTape tape) {
    if (json.whole) {
      tape.whole(json.wholeValue);
    } else if (json.wide) { // its digits
      tape.string(false, json.numberOffset, json.numberBytes);
    } else {
      tape.fraction(json.value);
    }
  }
}
