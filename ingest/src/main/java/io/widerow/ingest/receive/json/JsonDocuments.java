package io.widerow.ingest.receive.json;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.Swar;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads JSON in which an event is not a line: objects over several lines, arrays of objects, and
/// the envelope `{"Records":[...]}` in which cloud services deliver their logs.
///
/// An object that is JSON but no event costs itself only. After text that is not JSON, reading goes
/// on with the next line that starts with an object.
///
/// - Threads: one.
record JsonDocuments(JsonScanner json, JsonLinesDecoder decoder, IncomingBatch batch) {
  private static final byte[] RECORDS = "Records".getBytes(StandardCharsets.US_ASCII);

  /// True when the text is no lines: it starts with an array, or with an object that goes on after
  /// its first line.
  static boolean isDocument(byte[] body, int offset, int limit, AttributeTape scratch) {
    JsonScanner all = new JsonScanner(body, offset, limit, false);
    int first = all.peek();
    if (first != '{') {
      return first == '[';
    }
    scratch.begin(body);
    JsonScanner line = new JsonScanner(body, all.at, limit, true);
    try {
      line.skip(scratch, 0);
      return false;
    } catch (JsonScanner.Bad bad) {
      return line.peek() == '\n' && line.at < limit;
    }
  }

  /// Reads all objects, alone or in arrays.
  void decode() {
    boolean array = false;
    boolean element = false; // just read: only a comma or the end of the array may follow
    for (int first = json.peek(); json.at < json.limit; first = json.peek()) {
      int start = json.at;
      try {
        if (array && (first == ']' || (first == ',' && element))) {
          json.at++;
          array = first == ',';
          element = false;
        } else if (first == '[' && !array) {
          json.at++;
          array = true;
          element = false;
        } else {
          if (array && element) {
            json.expect(',');
          }
          element = true;
          object();
        }
      } catch (JsonScanner.Bad bad) {
        batch.refuse(String.valueOf(bad.getMessage()));
        json.at = nextObject(start);
        element = false;
      }
    }
    if (array) {
      batch.refuse(JsonScanner.CUT);
    }
  }

  private void object() throws JsonScanner.Bad {
    int end = mayBeEnvelope(json) ? envelopeEnd(json, decoder.tape()) : -1;
    if (end >= 0) {
      envelope(end);
    } else {
      decoder.element(json, batch);
    }
  }

  /// The start of the next line that begins with an object; the end of the text without one.
  private int nextObject(int offset) {
    int line = Swar.newline(json.bytes, offset, json.limit) + 1;
    while (line < json.limit) {
      int at = line;
      while (at < json.limit && (json.bytes[at] == ' ' || json.bytes[at] == '\t')) {
        at++;
      }
      if (at < json.limit && json.bytes[at] == '{') {
        return at;
      }
      line = Swar.newline(json.bytes, at, json.limit) + 1;
    }
    return json.limit;
  }

  /// Whether it is worth to look for an envelope at `json.at`. Costs next to nothing.
  static boolean mayBeEnvelope(JsonScanner json) {
    int at = json.at + 1;
    return at < json.limit
        && json.bytes[json.at] == '{'
        && (json.bytes[at] != '"' || (json.bytes[at + 1] | 0x20) == 'r');
  }

  /// The end of the object at `json.at` when its only member is an array `Records` or `records`;
  /// negative when it is something else.
  ///
  /// @throws JsonScanner.Bad when it is not JSON
  static int envelopeEnd(JsonScanner json, AttributeTape scratch) throws JsonScanner.Bad {
    int start = json.at;
    scratch.begin(json.bytes);
    try {
      json.expect('{');
      if (json.peek() != '"') {
        return -1;
      }
      json.string(scratch);
      if (json.textInScratch
          || json.textBytes != RECORDS.length
          || (json.bytes[json.textOffset] | 0x20) != 'r'
          || !Arrays.equals(
              json.bytes,
              json.textOffset + 1,
              json.textOffset + RECORDS.length,
              RECORDS,
              1,
              RECORDS.length)) {
        return -1;
      }
      json.expect(':');
      if (json.peek() != '[') {
        return -1;
      }
      json.skip(scratch, 1);
      if (json.peek() != '}') {
        return -1;
      }
      return json.at + 1;
    } finally {
      json.at = start;
    }
  }

  /// Reads the objects of the envelope at `json.at`, which is valid JSON.
  ///
  /// @param end of the envelope
  void envelope(int end) throws JsonScanner.Bad {
    int start = json.at;
    if (json.lines) {
      json.at = end;
      if (json.peek() != '\n') {
        throw new JsonScanner.Bad(JsonScanner.NOT_JSON);
      }
      json.at = start;
    }
    json.expect('{');
    json.string(decoder.tape());
    json.expect(':');
    json.expect('[');
    while (json.peek() != ']') {
      decoder.element(json, batch);
      if (json.peek() == ',') {
        json.at++;
      }
    }
    json.at = end;
  }
}
