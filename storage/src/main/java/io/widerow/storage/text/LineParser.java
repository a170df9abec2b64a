package io.widerow.storage.text;

import io.widerow.storage.codec.ByteWords;
import java.util.Arrays;

/// A lexical parser that splits lines into constant and variable parts. Variables are: a quoted
/// string, a time of day, a word with a digit in it, a lone hyphen, and the value after an equals
/// sign. Everything else is constant.
///
/// ```
///   83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 -
///   ^^^^^^^^^^^^ ^ ^  ^^^^^^^^^^^ ^^^^^^^^ ^^^^^   ^^^^^^^^^^^^^^^   ^^^ ^
/// ```
///
/// - Threads: one.
/// - Memory: [ByteSource#SLACK] bytes must follow the texts.
final class LineParser {
  static final int VARIABLES_MAX = 1_000;

  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;
  private static final byte DELIMITER = 0;
  private static final byte LETTER = 1;
  private static final byte DIGIT = 2;
  private static final byte QUOTE = 3;
  private static final byte[] CLASS = classes();

  /// A quote and a line end differ in two bits; without these both, and hardly anything else in a
  /// log, is this character. So one comparison finds either.
  private static final long CLOSING_DIFFER = 0x2828_2828_2828_2828L;

  private static final char CLOSING_SHARED = 2;

  static {
    assert ('"' ^ '\n') == 0x28 && ('"' & '\n') == CLOSING_SHARED;
  }

  /// The variables of all lines parsed so far.
  int[] offsets = new int[1024];

  int[] lengths = new int[1024];
  int count;

  private static byte[] classes() {
    byte[] classes = new byte[256];
    Arrays.fill(classes, LETTER);
    for (char delimiter : "\t\n\r []{}()'=,;:<>|&\0".toCharArray()) {
      classes[delimiter] = DELIMITER;
    }
    for (char digit = '0'; digit <= '9'; digit++) {
      classes[digit] = DIGIT;
    }
    classes['"'] = QUOTE;
    return classes;
  }

  void clear() {
    count = 0;
  }

  /// Parses a line, adds its variables, and returns a hash of its constant parts.
  long parse(byte[] text, int offset, int length) {
    int limit = offset + length;
    int from = count;
    long hash = PRIME;
    int at = offset;
    int constant = offset; // start of the constant part around `at`
    while (at < limit && count - from < VARIABLES_MAX) {
      byte kind = CLASS[text[at] & 0xff];
      if (kind == DELIMITER) {
        at++;
      } else if (kind == QUOTE) {
        int end = closing(text, ++at, limit);
        if (end >= 0) {
          add(at, end - at);
          hash = hash(hash, text, constant, at);
          constant = end;
          at = end + 1;
        }
      } else {
        int end = wordEnd(text, at, limit);
        if (end < 0 || varies(text, offset, at, end)) {
          end = Math.abs(end);
          add(at, end - at);
          hash = hash(hash, text, constant, at);
          constant = end;
        }
        at = end;
      }
    }
    return hash(hash, text, constant, limit);
  }

  /// Continues the hash of a line's constant parts.
  private static long hash(long before, byte[] text, int from, int limit) {
    long hash = (before ^ ByteWords.hash(text, from, limit - from)) * PRIME;
    return hash ^ (hash >>> 31);
  }

  /// End of the word or time of day at `at`; negative when it has a digit.
  private static int wordEnd(byte[] text, int at, int limit) {
    long digits = 0;
    int end = at;
    while (end < limit) {
      long word = ByteWords.load(text, end);
      int plain = Math.min(ByteWords.before(~ByteWords.words(word) & ByteWords.HIGH), limit - end);
      digits |= ByteWords.digits(word) & ByteWords.first(plain);
      end += plain;
      if (plain < Long.BYTES) {
        if (end == limit || CLASS[text[end] & 0xff] != LETTER) {
          break;
        }
        end++;
      }
    }
    if (end == at + 2 && digits != 0 && end < limit && text[end] == ':') {
      if (isTime(text, at, 12, limit)) {
        return -(at + 12);
      }
      if (isTime(text, at, 8, limit)) {
        return -(at + 8);
      }
    }
    return digits != 0 ? -end : end;
  }

  /// End of the variable at `at`, a word or time of day; negative when there is none.
  static int variableEnd(byte[] text, int offset, int at, int limit) {
    if (at >= limit) {
      return -1;
    }
    int end = wordEnd(text, at, limit);
    return end < 0 ? -end : end > at && varies(text, offset, at, end) ? end : -1;
  }

  /// True when a time of day is here and no word continues after it: a token must not extend past a
  /// variable.
  private static boolean isTime(byte[] text, int at, int length, int limit) {
    if (at + length > limit || !PieceFormat.isTime(text, at, length)) {
      return false;
    }
    return at + length == limit || CLASS[text[at + length] & 0xff] == DELIMITER;
  }

  private static boolean varies(byte[] text, int offset, int at, int end) {
    return (end == at + 1 && text[at] == '-') || (at > offset && text[at - 1] == '=');
  }

  /// Where the quote that was opened before `at` closes in the same line; negative when it does
  /// not.
  static int closing(byte[] text, int at, int limit) {
    for (int i = at; i < limit; i += Long.BYTES) {
      long marks = ByteWords.equal(ByteWords.load(text, i) & ~CLOSING_DIFFER, CLOSING_SHARED);
      for (; marks != 0; marks &= marks - 1) {
        int end = i + ByteWords.before(marks);
        if (end >= limit || text[end] == '\n') {
          return -1;
        }
        if (text[end] == '"') {
          return end;
        }
      }
    }
    return -1;
  }

  /// Makes room for `more` variables.
  void room(int more) {
    if (offsets.length - count < more) {
      offsets = Arrays.copyOf(offsets, 2 * (count + more));
      lengths = Arrays.copyOf(lengths, 2 * (count + more));
    }
  }

  void add(int offset, int length) {
    room(1);
    offsets[count] = offset;
    lengths[count++] = length;
  }
}
