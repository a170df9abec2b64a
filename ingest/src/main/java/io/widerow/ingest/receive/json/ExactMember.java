package io.widerow.ingest.receive.json;

import io.widerow.event.AttributeValue.ExactJson;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// Reads the objects of [ExactJson], which stand for bytes and for doubles that JSON lacks.
///
/// - Threads: one.
final class ExactMember {
  private boolean bytes;
  private int offset; // in the scratch of the tape
  private int length;
  private double number;

  /// Reads the object at `json.at`.
  ///
  /// @return false, with `json.at` unchanged, when it is another object
  /// @throws JsonScanner.Bad when it is one of these with a value that is none
  boolean read(JsonScanner json, AttributeTape tape) throws JsonScanner.Bad {
    int start = json.at;
    json.expect('{');
    if (json.peek() == '"') {
      json.string(tape);
      String name = text(json, tape);
      boolean ours = name.equals(ExactJson.BYTES) || name.equals(ExactJson.DOUBLE);
      if (ours) {
        json.expect(':');
        ours = json.peek() == '"';
      }
      if (ours) {
        json.string(tape);
        String value = text(json, tape);
        if (json.peek() == '}') {
          json.at++;
          take(name, value, tape);
          return true;
        }
      }
    }
    json.at = start;
    return false;
  }

  private static String text(JsonScanner json, AttributeTape tape) {
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    return new String(source, json.textOffset, json.textBytes, StandardCharsets.UTF_8);
  }

  private void take(String name, String value, AttributeTape tape) throws JsonScanner.Bad {
    bytes = name.equals(ExactJson.BYTES);
    try {
      if (bytes) {
        byte[] decoded = Base64.getDecoder().decode(value);
        offset = tape.scratchLimit();
        length = decoded.length;
        tape.appendScratch(decoded, 0, length);
      } else {
        number = ExactJson.parseDouble(value);
      }
    } catch (IllegalArgumentException neither) {
      throw new JsonScanner.Bad(
          bytes
              ? ExactJson.BYTES + " must be base64"
              : ExactJson.DOUBLE + " must be a number, NaN, an infinity or 16 hexadecimal digits");
    }
  }

  /// Puts the value that was read last on the tape, which has its name.
  void put(AttributeTape tape) {
    if (bytes) {
      tape.bytes(true, offset, length);
    } else {
      tape.fraction(number);
    }
  }
}
