package io.widerow.ingest.receive.json;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads the text of an entry as `journalctl -o json` writes it: an array of its bytes when it is
/// not UTF-8 or has control characters, an array of texts when an entry has the field several
/// times.
///
/// ```
///   "MESSAGE":[104,105,233]        body "hi\xE9"
///   "MESSAGE":["one","two"]        body "one", body.2 "two"
/// ```
///
/// - Threads: one.
final class JournalText {
  private static final byte[] NAME = "MESSAGE".getBytes(StandardCharsets.US_ASCII);
  private static final String AGAIN = "body.";
  private static final int BYTE_MAX = 0xff;

  private JournalText() {}

  static boolean isNamed(byte[] source, int offset, int length) {
    return Arrays.equals(source, offset, offset + length, NAME, 0, NAME.length);
  }

  /// Puts the value of the array at `json.at` on the tape, which has its name, and all further
  /// texts with names of their own.
  ///
  /// @return false, with `json.at` unchanged and no value on the tape, when it is another array
  static boolean put(JsonScanner json, AttributeTape tape) throws JsonScanner.Bad {
    int start = json.at;
    json.expect('[');
    boolean read = json.peek() == '"' ? texts(json, tape, start) : bytes(json, tape);
    if (!read) {
      json.at = start;
    }
    return read;
  }

  private static boolean bytes(JsonScanner json, AttributeTape tape) throws JsonScanner.Bad {
    int from = tape.scratchLimit();
    while (true) {
      int first = json.peek();
      if (first < '0' || first > '9') {
        return false;
      }
      json.number();
      if (!json.whole || json.wholeValue > BYTE_MAX) {
        return false;
      }
      tape.appendScratch((int) json.wholeValue);
      if (json.peek() == ']') {
        json.at++;
        tape.string(true, from, tape.scratchLimit() - from);
        return true;
      }
      json.expect(',');
    }
  }

  private static boolean texts(JsonScanner json, AttributeTape tape, int start)
      throws JsonScanner.Bad {
    if (!isAllTexts(json, tape)) {
      return false;
    }
    json.at = start + 1;
    for (int number = 1; ; number++) {
      json.peek();
      json.string(tape);
      boolean inScratch = json.textInScratch;
      int offset = json.textOffset;
      int length = json.textBytes;
      if (number > 1) {
        byte[] name = (AGAIN + number).getBytes(StandardCharsets.US_ASCII);
        int at = tape.scratchLimit();
        tape.appendScratch(name, 0, name.length);
        tape.name(true, at, name.length);
      }
      tape.string(inScratch, offset, length);
      if (json.peek() == ']') {
        json.at++;
        return true;
      }
      json.expect(',');
    }
  }

  private static boolean isAllTexts(JsonScanner json, AttributeTape tape) throws JsonScanner.Bad {
    int surrogates = json.loneSurrogates; // they are counted when the texts are put
    while (json.peek() == '"') {
      json.string(tape);
      if (json.peek() == ']') {
        json.loneSurrogates = surrogates;
        return true;
      }
      json.expect(',');
    }
    json.loneSurrogates = surrogates;
    return false;
  }
}
