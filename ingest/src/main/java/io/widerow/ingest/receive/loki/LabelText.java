package io.widerow.ingest.receive.loki;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeTape;

/// Reads the labels of a stream, and puts them on its tape.
///
/// ```
///   { name = "value" , "na.me" = `value` , }
/// ```
///
/// A value is a string of Go, quoted by `"`, `'` or, without escapes, by a backtick. So is a name
/// that is not only of letters, digits, `_`, `:` and `.`.
///
/// Source: grafana/loki `pkg/logql/syntax`, `ParseLabels`; prometheus/prometheus `util/strutil`,
/// `Unquote`.
///
/// - Threads: one.
final class LabelText {
  private static final int OCTAL_DIGITS = 3;

  private byte[] bytes = new byte[0];
  private int at;
  private int limit;
  private boolean copied; // into the scratch, because `bytes` is not the tape's body

  // The string read last.
  private boolean inScratch;
  private int offset;
  private int length;

  /// Reads the labels in `[start, end)` of the body of the tape.
  void read(byte[] body, int start, int end, LokiStream stream) throws BadPart {
    copied = false;
    labels(body, start, end, stream);
  }

  /// Reads labels that are in another array.
  void readCopy(byte[] text, LokiStream stream) throws BadPart {
    copied = true;
    labels(text, 0, text.length, stream);
  }

  private void labels(byte[] body, int start, int end, LokiStream stream) throws BadPart {
    bytes = body;
    at = start;
    limit = end;
    expect('{');
    while (peek() != '}') {
      label(stream);
      if (peek() == ',') {
        at++;
      } else if (peek() != '}') {
        throw bad("a comma or } must follow");
      }
    }
    at++;
    if (peek() >= 0) {
      throw bad("something follows the }");
    }
  }

  private void label(LokiStream stream) throws BadPart {
    AttributeTape tape = stream.tape;
    int first = peek();
    boolean quoted = first == '"' || first == '`' || first == '\'';
    if (quoted) {
      string(tape);
    } else {
      offset = at;
      while (at < limit && isNameByte(bytes[at])) {
        at++;
      }
      plain(tape);
    }
    if (length == 0 && !quoted) {
      throw bad("a name is missing");
    }
    boolean nameInScratch = inScratch;
    int nameOffset = offset;
    int nameBytes = length;
    expect('=');
    peek();
    string(tape);
    if (stream.isFull()) {
      throw bad(Rejection.TOO_MANY_ATTRIBUTES.reason());
    }
    stream.label(nameInScratch, nameOffset, nameBytes, inScratch, offset, length);
  }

  private static boolean isNameByte(byte b) {
    return (b >= 'a' && b <= 'z')
        || (b >= 'A' && b <= 'Z')
        || (b >= '0' && b <= '9')
        || b == '_'
        || b == ':'
        || b == '.';
  }

  private void string(AttributeTape tape) throws BadPart {
    int quote = at < limit ? bytes[at] : -1;
    if (quote != '"' && quote != '`' && quote != '\'') {
      throw bad("a value in quotes is missing");
    }
    offset = ++at;
    while (at < limit && bytes[at] != quote) {
      if (bytes[at] == '\\' && quote != '`') {
        escaped(quote, tape);
        return;
      }
      at++;
    }
    plain(tape);
    close();
  }

  /// The string from `offset` to here has no escapes.
  private void plain(AttributeTape tape) {
    inScratch = copied;
    length = at - offset;
    if (copied) {
      int start = tape.scratchLimit();
      tape.appendScratch(bytes, offset, length);
      offset = start;
    }
  }

  /// Continues with a string that has escapes.
  private void escaped(int quote, AttributeTape tape) throws BadPart {
    int start = tape.scratchLimit();
    tape.appendScratch(bytes, offset, at - offset);
    while (at < limit && bytes[at] != quote) {
      if (bytes[at] == '\\') {
        at++;
        escape(tape);
      } else {
        tape.appendScratch(bytes[at++]);
      }
    }
    inScratch = true;
    offset = start;
    length = tape.scratchLimit() - start;
    close();
  }

  private void close() throws BadPart {
    if (at >= limit) {
      throw bad("a quote is not closed");
    }
    at++;
  }

  private void escape(AttributeTape tape) throws BadPart {
    int escape = at < limit ? bytes[at++] : -1;
    switch (escape) {
      case 'a' -> tape.appendScratch(7);
      case 'b' -> tape.appendScratch('\b');
      case 'f' -> tape.appendScratch('\f');
      case 'n' -> tape.appendScratch('\n');
      case 'r' -> tape.appendScratch('\r');
      case 't' -> tape.appendScratch('\t');
      case 'v' -> tape.appendScratch(11);
      case '\\', '"', '\'' -> tape.appendScratch(escape);
      case 'x' -> tape.appendScratch(digits(2, 16));
      case 'u' -> point(digits(4, 16), tape);
      case 'U' -> point(digits(8, 16), tape);
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        at--;
        int octal = digits(OCTAL_DIGITS, 8);
        if (octal > 255) {
          throw bad("an escape of more than a byte");
        }
        tape.appendScratch(octal);
      }
      default -> throw bad("an escape that Go does not have");
    }
  }

  private void point(int point, AttributeTape tape) throws BadPart {
    if (!Character.isValidCodePoint(point)
        || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
      throw bad("an escape of no character");
    }
    if (point < 0x80) {
      tape.appendScratch(point);
      return;
    }
    int bytesAfter = point < 0x800 ? 1 : point < 0x1_0000 ? 2 : 3;
    int lead = bytesAfter == 1 ? 0xc0 : bytesAfter == 2 ? 0xe0 : 0xf0;
    tape.appendScratch(lead | (point >> (6 * bytesAfter)));
    for (int shift = 6 * (bytesAfter - 1); shift >= 0; shift -= 6) {
      tape.appendScratch(0x80 | ((point >> shift) & 0x3f));
    }
  }

  private int digits(int count, int radix) throws BadPart {
    int value = 0;
    for (int i = 0; i < count; i++) {
      int b = at < limit ? bytes[at++] : -1;
      int digit = b < 0 ? -1 : Character.digit(b, radix);
      if (digit < 0) {
        throw bad("an escape is cut");
      }
      value = value * radix + digit;
    }
    return value;
  }

  /// Skips white space and returns the next byte without consuming it; negative at the end.
  private int peek() {
    while (at < limit) {
      byte b = bytes[at];
      if (b != ' ' && b != '\t' && b != '\n' && b != '\r') {
        return b & 0xff;
      }
      at++;
    }
    return -1;
  }

  private void expect(int wanted) throws BadPart {
    if (peek() != wanted) {
      throw bad("%c is missing".formatted(wanted));
    }
    at++;
  }

  private BadPart bad(String why) {
    return new BadPart("labels", at, why);
  }
}
