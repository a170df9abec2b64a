package io.widerow.ingest.decode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads the tokens of JSON text (RFC 8259). Where each line is a text of its own, a newline is the
/// end of it and no white space. It builds no trees and no strings. A number or a string is in the
/// fields until the next one is read.
///
/// - Threads: one.
public final class JsonScanner {
  /// Objects in each other whose members become attributes; a deeper one is kept as its text.
  public static final int DEPTH_MAX = 64;

  /// Brackets in each other that are read at all.
  static final int NESTED_MAX = 10_000;

  static final int NUMBER_BYTES_MAX = 1_000;

  private static final double[] POWERS_OF_TEN = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };
  public static final long EXACT_MAX = 1L << 53;

  /// Ten to the power of `exponent`, exactly. Doubles hold those from 0 to 22.
  public static double powerOfTen(int exponent) {
    return POWERS_OF_TEN[exponent];
  }

  public final byte[] bytes;
  public final int limit;
  public final boolean lines;
  public int at;

  // Where the bytes of the string read last are.
  public boolean textInScratch;
  public int textOffset;
  public int textBytes;

  /// Halves of surrogate pairs without the other half, kept as the text of their escape. The
  /// decoder sets it back.
  public int loneSurrogates;

  // The number read last.
  public boolean whole;
  public boolean wide; // one that no long and no double holds; `value` is 0
  public long wholeValue;
  public double value;
  public int numberOffset;
  public int numberBytes;

  /// Stops a scan. It has no stack trace, because bad input is common.
  public static final class Bad extends Exception {
    private static final long serialVersionUID = 1L;

    public Bad(String reason) {
      super(reason, null, false, false);
    }
  }

  public static final String NOT_JSON = "not valid JSON";
  public static final String CUT = "the JSON text ends too soon";
  private static final String CONTROL = "a control character in a JSON string";
  private static final String ESCAPE = "a bad escape in a JSON string";
  private static final String NUMBER = "a bad number";
  private static final String DEPTH = "JSON nested deeper than %d levels".formatted(NESTED_MAX);
  private static final byte[] NAN = "NaN".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] INFINITY = "Infinity".getBytes(StandardCharsets.US_ASCII);

  /// @param limit end of the text; [Swar#SLACK_BYTES] bytes after it are readable
  /// @param lines whether a newline ends a text, else it is white space
  public JsonScanner(byte[] bytes, int offset, int limit, boolean lines) {
    assert limit + Swar.SLACK_BYTES <= bytes.length : "no slack after " + limit;
    this.bytes = bytes;
    this.at = offset;
    this.limit = limit;
    this.lines = lines;
  }

  /// Skips white space and returns the next byte without consuming it; a newline at the end.
  public int peek() {
    while (at < limit) {
      int b = bytes[at];
      if (b != ' ' && b != '\t' && b != '\r' && (b != '\n' || lines)) {
        return b;
      }
      at++;
    }
    return '\n';
  }

  public void expect(int wanted) throws Bad {
    int found = peek();
    if (found != wanted) {
      throw new Bad(found == '\n' ? CUT : NOT_JSON);
    }
    at++;
  }

  /// Consumes `true`, `false` or `null`.
  public void word(String text) throws Bad {
    for (int i = 0; i < text.length(); i++) {
      if (at + i >= limit || bytes[at + i] != text.charAt(i)) {
        throw new Bad(NOT_JSON);
      }
    }
    at += text.length();
  }

  /// Reads a string. One with escapes is unescaped into the scratch of `tape`.
  public void string(AttributeTape tape) throws Bad {
    expect('"');
    int start = at;
    at = Swar.stringEnd(bytes, at, limit);
    if (at < limit && bytes[at] == '"') {
      textInScratch = false;
      textOffset = start;
      textBytes = at++ - start;
      return;
    }
    textInScratch = true;
    textOffset = tape.scratchLimit();
    tape.appendScratch(bytes, start, at - start);
    unescape(tape);
    textBytes = tape.scratchLimit() - textOffset;
  }

  /// Appends the rest of a string to the scratch of `tape`, unescaped.
  private void unescape(AttributeTape tape) throws Bad {
    TapeScratch scratch = tape.scratch;
    while (true) {
      at = scratch.appendJson(bytes, at, limit);
      int end = at < limit ? bytes[at] : '\n';
      if (end == '"') {
        at++;
        return;
      }
      if (end != '\\') {
        throw new Bad(end == '\n' ? CUT : CONTROL);
      }
      at++;
      int escape = at < limit ? bytes[at++] : 0;
      if (escape != 'u') { // the others are unescaped by now
        throw new Bad(ESCAPE);
      }
      unicode(tape);
    }
  }

  private void unicode(AttributeTape tape) throws Bad {
    int unit = hex4();
    if (unit < Character.MIN_SURROGATE || unit > Character.MAX_SURROGATE) {
      appendCodePoint(unit, tape);
      return;
    }
    boolean mayPair =
        unit <= Character.MAX_HIGH_SURROGATE
            && at + 6 <= limit
            && bytes[at] == '\\'
            && bytes[at + 1] == 'u';
    if (mayPair) {
      int next = at;
      at += 2;
      int low = hex4();
      if (low >= Character.MIN_LOW_SURROGATE && low <= Character.MAX_LOW_SURROGATE) {
        appendCodePoint(Character.toCodePoint((char) unit, (char) low), tape);
        return;
      }
      at = next;
    }
    tape.appendScratch('\\'); // UTF-8 has no form for it
    tape.appendScratch('u');
    for (int shift = 12; shift >= 0; shift -= 4) {
      tape.appendScratch(Character.forDigit((unit >>> shift) & 0xf, 16));
    }
    loneSurrogates++;
  }

  private int hex4() throws Bad {
    if (at + 4 > limit) {
      throw new Bad(ESCAPE);
    }
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      int b = bytes[at++];
      int digit = b >= 0 && b < 0x80 ? Character.digit(b, 16) : -1;
      if (digit < 0) {
        throw new Bad(ESCAPE);
      }
      unit = (unit << 4) | digit;
    }
    return unit;
  }

  private static void appendCodePoint(int point, AttributeTape tape) {
    if (point < 0x80) {
      tape.appendScratch(point);
    } else if (point < 0x800) {
      tape.appendScratch(0xc0 | (point >> 6));
      tape.appendScratch(0x80 | (point & 0x3f));
    } else if (point < 0x1_0000) {
      tape.appendScratch(0xe0 | (point >> 12));
      tape.appendScratch(0x80 | ((point >> 6) & 0x3f));
      tape.appendScratch(0x80 | (point & 0x3f));
    } else {
      tape.appendScratch(0xf0 | (point >> 18));
      tape.appendScratch(0x80 | ((point >> 12) & 0x3f));
      tape.appendScratch(0x80 | ((point >> 6) & 0x3f));
      tape.appendScratch(0x80 | (point & 0x3f));
    }
  }

  /// Reads a number: a long when it is whole and fits, a double when it has a fraction or an
  /// exponent. One that does not fit is only marked as `wide`: a double would round it, or be
  /// infinite or 0. `NaN`, `Infinity` and `-Infinity`, which some programs write, are doubles.
  public void number() throws Bad {
    int start = at;
    boolean negative = bytes[at] == '-';
    at += negative ? 1 : 0;
    int digits = at;
    long mantissa = skipDigits(0);
    if (at == digits || (bytes[digits] == '0' && at - digits > 1)) {
      constant(start, negative);
      return;
    }
    int significant = at - digits;
    int scale = 0;
    whole = true;
    wide = false;
    if (at < limit && bytes[at] == '.') {
      whole = false;
      int point = ++at;
      mantissa = skipDigits(mantissa);
      scale = point - at;
      if (scale == 0) {
        throw new Bad(NUMBER);
      }
      significant -= scale;
    }
    if (at < limit && (bytes[at] | 0x20) == 'e') {
      whole = false;
      scale += exponent();
    }
    numberOffset = start;
    numberBytes = at - start;
    if (numberBytes > NUMBER_BYTES_MAX) {
      widen();
      return;
    }
    convert(start, negative, mantissa, significant, scale);
  }

  private void widen() {
    whole = false;
    wide = true;
    value = 0;
  }

  /// Reads a double that JSON has no digits for.
  private void constant(int start, boolean negative) throws Bad {
    int first = start + (negative ? 1 : 0);
    boolean infinite = isWord(INFINITY, first);
    if (!infinite && (negative || !isWord(NAN, first))) {
      throw new Bad(NUMBER);
    }
    whole = false;
    wide = false;
    value = !infinite ? Double.NaN : negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    at = first + (infinite ? INFINITY : NAN).length;
    numberOffset = start;
    numberBytes = at - start;
  }

  private boolean isWord(byte[] word, int from) {
    return from + word.length <= limit
        && Arrays.equals(bytes, from, from + word.length, word, 0, word.length);
  }

  private void convert(int start, boolean negative, long mantissa, int significant, int scale) {
    if (whole && significant <= 18) {
      wholeValue = negative ? -mantissa : mantissa;
      return;
    }
    if (significant <= 18 && mantissa <= EXACT_MAX && Math.abs(scale) <= 22) {
      double exact = // both operands are exact, so one operation rounds correctly (Clinger)
          scale < 0 ? mantissa / POWERS_OF_TEN[-scale] : mantissa * POWERS_OF_TEN[scale];
      value = negative ? -exact : exact;
      return;
    }
    String text = new String(bytes, start, at - start, StandardCharsets.US_ASCII);
    if (whole) {
      try {
        wholeValue = Long.parseLong(text);
        return;
      } catch (NumberFormatException tooLarge) {
        widen();
        return;
      }
    }
    value = Double.parseDouble(text);
    if (Double.isInfinite(value) || (value == 0 && !isZero(start))) {
      widen();
    }
  }

  /// Whether the number at `offset` has no digit but 0 before its exponent.
  private boolean isZero(int offset) {
    for (int i = offset; i < at && (bytes[i] | 0x20) != 'e'; i++) {
      if (bytes[i] >= '1' && bytes[i] <= '9') {
        return false;
      }
    }
    return true;
  }

  private long skipDigits(long sofar) {
    long number = sofar;
    while (at < limit && TimeParser.isDigit(bytes[at])) {
      number = 10 * number + bytes[at++] - '0'; // may overflow; such numbers are parsed again
    }
    return number;
  }

  private int exponent() throws Bad {
    at++;
    boolean negative = at < limit && bytes[at] == '-';
    if (at < limit && (negative || bytes[at] == '+')) {
      at++;
    }
    int digits = at;
    long number = skipDigits(0);
    if (at == digits) {
      throw new Bad(NUMBER);
    }
    int bounded = at - digits > 6 ? 1_000_000 : (int) number;
    return negative ? -bounded : bounded;
  }

  /// Checks a value and skips it.
  ///
  /// @param depth levels of nesting around the value
  public void skip(AttributeTape tape, int depth) throws Bad {
    TapeScratch scratch = tape.scratch;
    int open = 0;
    while (true) {
      int first = peek();
      if (first == '{' || first == '[') {
        if (depth + ++open > NESTED_MAX) {
          throw new Bad(DEPTH);
        }
        at++;
        scratch.open(open, first == '{');
        if (peek() != scratch.close(open)) {
          skipName(tape, first == '{');
          continue;
        }
      } else {
        skipScalar(tape, first);
      }
      while (open > 0 && peek() == scratch.close(open)) {
        at++;
        open--;
      }
      if (open == 0) {
        return;
      }
      expect(',');
      skipName(tape, scratch.close(open) == '}');
    }
  }

  private void skipName(AttributeTape tape, boolean ofObject) throws Bad {
    if (ofObject) {
      string(tape);
      expect(':');
    }
  }

  private void skipScalar(AttributeTape tape, int first) throws Bad {
    switch (first) {
      case '"' -> string(tape);
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> {
        requireNumber(first);
        number();
      }
    }
  }

  public void requireNumber(int first) throws Bad {
    if (first != '-'
        && !TimeParser.isDigit((byte) first)
        && !isWord(NAN, at)
        && !isWord(INFINITY, at)) {
      throw new Bad(first == '\n' ? CUT : NOT_JSON);
    }
  }
}
