package io.widerow.query.output;

import io.widerow.event.AttributeValue;
import io.widerow.event.Digits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/// A growing byte buffer for output. The caller sends its bytes and clears it, and so decides how
/// large it gets (back-pressure).
///
/// - Threads: one.
public final class OutputBuffer {
  private static final int SHORT_BYTES = 64;
  private static final int DIGITS_MAX = 20;

  /// Escaping reserves six times a text at worst, so a long one is escaped piece by piece.
  private static final int PIECE_CHARS = 16 << 10;

  private static final int EIGHT_DIGITS = 100_000_000;
  private static final long DIGIT_BITS = 0x0f0f_0f0f_0f0f_0f0fL; // value bits of ASCII digits
  private static final long LAST_DIGIT = 1L << 56; // the last digit is shown even if it is zero

  /// Most metrics are numbers below this limit. [#SMALL_DIGITS] has for each its ASCII digits, the
  /// first in the lowest byte, and their count in the top byte.
  private static final int SMALL = 1_000;

  private static final int[] SMALL_DIGITS = smallDigits();

  private final LongConsumer memory;
  private byte[] bytes;
  private int length;
  private byte[] scratch = new byte[1 << 10];
  private byte[] raw = scratch; // holds the text being put; may be a caller's array

  public OutputBuffer(int bytesStart) {
    this(bytesStart, _ -> {});
  }

  /// @param memory receives the bytes by which the buffer grows, before it grows, and what it frees
  ///   as a negative number; it may refuse by throwing. At last it has been given the length of the
  ///   array, and gets nothing back
  public OutputBuffer(int bytesStart, LongConsumer memory) {
    this.memory = memory;
    memory.accept(bytesStart);
    bytes = new byte[bytesStart];
  }

  private static int[] smallDigits() {
    int[] digits = new int[SMALL];
    for (int i = 0; i < SMALL; i++) {
      String text = Integer.toString(i);
      digits[i] = text.length() << 24;
      for (int at = 0; at < text.length(); at++) {
        digits[i] |= text.charAt(at) << (at * Byte.SIZE);
      }
    }
    return digits;
  }

  /// The array with the bytes written, from 0 until [#length]. Growing replaces the array.
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  public void clear() {
    length = 0;
  }

  public void truncate(int newLength) {
    assert newLength <= length : newLength + " of " + length;
    length = newLength;
  }

  /// Makes room for so many more bytes at once.
  public void reserve(int more) {
    if (bytes.length - length < more) {
      grow(more);
    }
  }

  /// Both arrays are there while the bytes are copied.
  private void grow(int more) {
    int before = bytes.length;
    int after = Math.max(Math.addExact(length, more), 2 * before);
    memory.accept(after);
    bytes = Arrays.copyOf(bytes, after);
    memory.accept(-before);
  }

  public void put(char ascii) {
    reserve(1);
    bytes[length++] = (byte) ascii;
  }

  void put(char ascii, char next) {
    reserve(2);
    bytes[length] = (byte) ascii;
    bytes[length + 1] = (byte) next;
    length += 2;
  }

  /// Copies a few bytes, the usual case, without a call into the runtime: eight at a time. The last
  /// copy of eight overlaps the one before.
  public void put(byte[] source, int offset, int count) {
    reserve(count);
    if (count > SHORT_BYTES) {
      System.arraycopy(source, offset, bytes, length, count);
    } else if (count >= Long.BYTES) {
      int last = count - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        EscapedCopy.store(EscapedCopy.load(source, offset + i), bytes, length + i);
      }
      EscapedCopy.store(EscapedCopy.load(source, offset + last), bytes, length + last);
    } else {
      for (int i = 0; i < count; i++) {
        bytes[length + i] = source[offset + i];
      }
    }
    length += count;
  }

  public void put(byte[] source) {
    put(source, 0, source.length);
  }

  public void put(String text) {
    put(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Puts a string or bytes unchanged.
  void put(AttributeValue text) {
    reserve(text.length());
    length = text.copyTo(bytes, length);
  }

  /// Reserves `count` bytes, which the caller must write, and returns their offset.
  int claim(int count) {
    reserve(count);
    int at = length;
    length += count;
    return at;
  }

  /// Puts a decimal number.
  public void putLong(long value) {
    reserve(DIGITS_MAX + Long.BYTES);
    long rest = value;
    if (rest < 0) {
      if (rest == Long.MIN_VALUE) {
        put("-9223372036854775808");
        return;
      }
      bytes[length++] = '-';
      rest = -rest;
    }
    if (rest < SMALL) {
      int digits = SMALL_DIGITS[(int) rest];
      EscapedCopy.store(digits, bytes, length);
      length += digits >>> 24;
    } else if (rest < EIGHT_DIGITS) {
      putFirstDigits((int) rest);
    } else {
      putLongDigits(rest);
    }
  }

  private void putLongDigits(long rest) {
    long high = rest / EIGHT_DIGITS;
    int low = (int) (rest - high * EIGHT_DIGITS);
    if (high < EIGHT_DIGITS) {
      putFirstDigits((int) high);
    } else {
      long highest = high / EIGHT_DIGITS;
      putFirstDigits((int) highest);
      putEightDigits((int) (high - highest * EIGHT_DIGITS));
    }
    putEightDigits(low);
  }

  /// Puts a number without leading zeros. It writes all eight bytes; later output overwrites those
  /// after the last digit.
  private void putFirstDigits(int number) {
    long digits = Digits.decimal(number);
    int zeros = Long.numberOfTrailingZeros((digits & DIGIT_BITS) | LAST_DIGIT) / Byte.SIZE;
    EscapedCopy.store(digits >>> (zeros * Byte.SIZE), bytes, length);
    length += Long.BYTES - zeros;
  }

  private void putEightDigits(int number) {
    EscapedCopy.store(Digits.decimal(number), bytes, length);
    length += Long.BYTES;
  }

  /// Puts a finite double in the shortest form that parses to the same double.
  void putDouble(double value) {
    long whole = (long) value;
    if (whole == value && whole != 0 && Math.abs(whole) < 10_000_000) {
      putLong(whole);
      put('.');
      put('0');
    } else {
      put(Double.toString(value));
    }
  }

  /// Puts the inside of a JSON string.
  public void putJson(AttributeValue text) {
    int from = locate(text);
    putJson(raw, from, text.length());
  }

  public void putJson(String text) {
    int from = 0;
    while (text.length() - from > PIECE_CHARS) {
      int until = from + PIECE_CHARS;
      until -= Character.isHighSurrogate(text.charAt(until - 1)) ? 1 : 0;
      putJsonPiece(text.substring(from, until));
      from = until;
    }
    putJsonPiece(from == 0 ? text : text.substring(from));
  }

  private void putJsonPiece(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    byte[] copy = scratch(utf8.length);
    System.arraycopy(utf8, 0, copy, 0, utf8.length);
    putJsonPiece(copy, 0, utf8.length);
  }

  /// Puts a JSON array of strings.
  public void putJson(List<String> texts) {
    String separator = "[\"";
    for (String text : texts) {
      put(separator);
      putJson(text);
      separator = "\",\"";
    }
    put(texts.isEmpty() ? "[]" : "\"]");
  }

  /// Sets `raw` to an array that holds a text and at least eight more bytes: the text's own array
  /// if it has one, else a copy.
  ///
  /// @return offset of the text
  private int locate(AttributeValue text) {
    long start = text.memory().address() + text.offset(); // an offset when the text is in an array
    Object base = text.memory().heapBase().orElse(null);
    if (base instanceof byte[] array && start + text.length() + Long.BYTES <= array.length) {
      raw = array;
      return (int) start;
    }
    raw = scratch(text.length());
    return text.copyTo(raw, 0) - text.length();
  }

  private byte[] scratch(int count) {
    if (scratch.length < count + Long.BYTES) {
      int after = Math.max(count + Long.BYTES, 2 * scratch.length);
      memory.accept(after - scratch.length);
      scratch = new byte[after];
    }
    return scratch;
  }

  private void putJson(byte[] text, int from, int count) {
    int at = from;
    int limit = from + count;
    while (limit - at > PIECE_CHARS) {
      int until = at + PIECE_CHARS;
      while (until > at + PIECE_CHARS - Long.BYTES && (text[until] & 0xc0) == 0x80) {
        until--; // not inside of a character
      }
      putJsonPiece(text, at, until - at);
      at = until;
    }
    putJsonPiece(text, at, limit - at);
  }

  /// Copies eight bytes at a time. Where not all eight are printable ASCII, copies them one by one.
  private void putJsonPiece(byte[] text, int from, int count) {
    reserve(Math.addExact(Math.multiplyExact(6, count), 2 * Long.BYTES));
    byte[] out = bytes;
    int to = length;
    int limit = from + count;
    int at = from;
    while (at < limit) {
      int left = limit - at;
      long word = EscapedCopy.load(text, at);
      if (left >= Long.BYTES && JsonEscape.isPlain(word)) { // nearly all words
        EscapedCopy.store(word, out, to);
        to += Long.BYTES;
        at += Long.BYTES;
        continue;
      }
      long mask = EscapedCopy.first(left);
      word = (word & mask) | (JsonEscape.SPACES & ~mask);
      if (JsonEscape.isPrintable(word)) {
        to = EscapedCopy.put(word, JsonEscape.backslashed(word), (byte) '\\', out, to);
        at += Long.BYTES;
        continue;
      }
      int end = Math.min(at + Long.BYTES, limit);
      while (at < end) {
        int here = text[at] & 0xff;
        if (here == 0xc2 && at + 1 < limit && (text[at + 1] & 0xe0) == 0x80) {
          to = JsonEscape.control(text[at + 1] & 0xff, out, to); // C1: U+0080 to U+009f
          at += 2;
        } else {
          to = JsonEscape.put(here, out, to);
          at++;
        }
      }
    }
    length = to - (at - limit); // without the spaces after the end
  }

  /// Puts a string or bytes as one CSV value.
  ///
  /// @param safe whether a formula gets a quote in front
  void putCsv(AttributeValue text, boolean safe) {
    int from = locate(text);
    putCsv(raw, from, text.length(), safe);
  }

  void putCsv(byte[] text, boolean safe) {
    byte[] copy = scratch(text.length);
    System.arraycopy(text, 0, copy, 0, text.length);
    putCsv(copy, 0, text.length, safe);
  }

  private void putCsv(byte[] text, int from, int count, boolean safe) {
    reserve(Math.addExact(count, Long.BYTES + 1));
    boolean formula = safe && count > 0 && CsvEscape.isFormula(text[from]);
    int at = length;
    if (formula) {
      bytes[at++] = CsvEscape.GUARD;
    }
    if (CsvEscape.copyPlain(text, from, count, bytes, at)) {
      length = at + count;
    } else {
      putCsvQuoted(text, from, count, formula);
    }
  }

  /// Puts the content of another sink as one CSV value in quotes.
  void putCsvQuoted(OutputBuffer cell) {
    cell.reserve(Long.BYTES);
    putCsvQuoted(cell.bytes, 0, cell.length, false);
  }

  private void putCsvQuoted(byte[] text, int from, int count, boolean formula) {
    reserve(Math.addExact(Math.multiplyExact(2, count), Long.BYTES + 3));
    bytes[length++] = '"';
    if (formula) {
      bytes[length++] = CsvEscape.GUARD;
    }
    length = CsvEscape.copyDoubled(text, from, count, bytes, length);
    bytes[length++] = '"';
  }

  /// The bytes written, decoded as UTF-8.
  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
