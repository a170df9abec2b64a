package io.widerow.query.parse;

import io.widerow.event.AttributeName;
import java.nio.charset.StandardCharsets;

/// Pairs `key=value key="a \"quoted\" value"`, with the rules of LogQL's parser: of keys that occur
/// twice the first counts, keys without a value are left out, and so is text that is no pair.
record LogfmtFormat() implements TextFormat {
  private static final int HEX_DIGITS = 4;

  @Override
  public boolean parse(ParsedText text) {
    byte[] bytes = text.bytes();
    int limit = text.length();
    int at = 0;
    while (true) {
      while (at < limit && isSpace(bytes[at])) {
        at++;
      }
      if (at == limit) {
        return text.count() > 0;
      }
      int start = at;
      while (at < limit && isKey(bytes[at])) {
        at++;
      }
      if (at == start || (at < limit && bytes[at] == '"')) {
        at = wordEnd(bytes, Math.max(at, start + 1), limit);
      } else if (at < limit && bytes[at] == '=') {
        int keyEnd = at++;
        if (at < limit && bytes[at] == '"') {
          at = quoted(text, start, keyEnd, at + 1);
          bytes = text.bytes();
        } else {
          int end = wordEnd(bytes, at, limit);
          put(text, start, keyEnd, at, end);
          at = end;
        }
      }
    }
  }

  private static void put(ParsedText text, int key, int keyEnd, int from, int until) {
    AttributeName name = from == until ? null : text.nameOf(key, keyEnd);
    if (name != null) {
      text.putFirst(name, from, until);
    }
  }

  private static boolean isSpace(byte here) {
    return here >= 0 && here <= ' ';
  }

  private static boolean isKey(byte here) {
    return !isSpace(here) && here != '=' && here != '"';
  }

  private static int wordEnd(byte[] bytes, int from, int limit) {
    int end = from;
    while (end < limit && !isSpace(bytes[end])) {
      end++;
    }
    return end;
  }

  /// Reads a value up to its closing quote, and returns the place after it; the end of the text
  /// when it is not closed.
  private static int quoted(ParsedText text, int key, int keyEnd, int from) {
    int close = text.quoteEnd(from);
    if (close < 0) {
      return text.length();
    }
    if (text.indexOf('\\', from, close) < 0) {
      put(text, key, keyEnd, from, close);
      return close + 1;
    }
    int made = text.made();
    for (int i = from; i < close; i++) {
      byte here = text.bytes()[i];
      if (here != '\\') {
        text.make(here);
        continue;
      }
      here = text.bytes()[++i];
      switch (here) {
        case 'n' -> text.make((byte) '\n');
        case 'r' -> text.make((byte) '\r');
        case 't' -> text.make((byte) '\t');
        case 'u' -> {
          int units = unicode(text, i, close);
          i += units * (HEX_DIGITS + 2) - (units > 0 ? 2 : 0);
        }
        default -> text.make(here);
      }
    }
    AttributeName name = text.nameOf(key, keyEnd);
    if (name != null && text.find(name) < 0) {
      text.put(name, made, text.made());
    }
    return close + 1;
  }

  /// Makes the character of `\\uXXXX`, of two for a surrogate pair. Returns how many were read; of
  /// none the `u` stays.
  private static int unicode(ParsedText text, int u, int limit) {
    int code = hex(text, u + 1, limit);
    if (code < 0) {
      text.make((byte) 'u');
      return 0;
    }
    int next = u + 1 + HEX_DIGITS;
    boolean high = code < 0x10000 && Character.isHighSurrogate((char) code);
    int low = high && text.isAt("\\u", next) ? hex(text, next + 2, limit) : -1;
    if (low >= 0 && Character.isLowSurrogate((char) low)) {
      text.make(utf8(Character.toCodePoint((char) code, (char) low)));
      return 2;
    }
    boolean half = Character.isSurrogate((char) code);
    text.make(half ? new byte[] {'?'} : utf8(code));
    return 1;
  }

  private static byte[] utf8(int code) {
    return Character.toString(code).getBytes(StandardCharsets.UTF_8);
  }

  private static int hex(ParsedText text, int from, int limit) {
    if (from + HEX_DIGITS > limit) {
      return -1;
    }
    int code = 0;
    for (int i = from; i < from + HEX_DIGITS; i++) {
      int digit = Character.digit(text.bytes()[i], 16);
      if (digit < 0) {
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "logfmt";
  }
}
