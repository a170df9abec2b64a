package io.widerow.ingest.receive.json;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;

/// A member of a JSON object that was read and may become an attribute later: where its name and
/// its value are. Its value is a string, a number, or the text of any other value.
///
/// - Threads: one.
final class JsonMember {
  private boolean nameInScratch;
  private int nameOffset;
  private int nameBytes;
  private boolean string;
  private boolean textInScratch;
  private int textOffset;
  private int textBytes;
  private boolean whole;
  private long wholeValue;
  private double value;
  private boolean wide;
  private int numberOffset;
  private int numberBytes;

  /// Remembers a name, and the value that was read last.
  void take(boolean inScratch, int offset, int bytes, JsonScanner json, boolean isString) {
    nameInScratch = inScratch;
    nameOffset = offset;
    nameBytes = bytes;
    string = isString;
    textInScratch = json.textInScratch;
    textOffset = json.textOffset;
    textBytes = json.textBytes;
    whole = json.whole;
    wholeValue = json.wholeValue;
    value = json.value;
    wide = json.wide;
    numberOffset = json.numberOffset;
    numberBytes = json.numberBytes;
  }

  /// Adds it to the tape that was in use when it was read.
  void putInto(AttributeTape tape) {
    tape.name(nameInScratch, nameOffset, nameBytes);
    if (string) {
      tape.string(textInScratch, textOffset, textBytes);
    } else if (whole) {
      tape.whole(wholeValue);
    } else if (wide) {
      tape.string(false, numberOffset, numberBytes);
    } else {
      tape.fraction(value);
    }
  }

  /// Adds the value that was read last to the tape, which has its name.
  static void putValue(JsonScanner json, boolean isString, AttributeTape tape) {
    if (isString) {
      tape.string(json.textInScratch, json.textOffset, json.textBytes);
    } else {
      JsonAttributes.putNumber(json, tape);
    }
  }
}
