package io.widerow.query;

import io.widerow.event.AttributeValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A growing buffer of bytes that output is written to. The caller takes what is in it and clears
/// it when it likes: how far it may grow is back-pressure, and the caller's.
///
/// - Threads: one.
public final class ByteSink {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int DIGITS_MAX = 20;

  private byte[] bytes;
  private int length;
  private byte[] scratch = new byte[1 << 10];

  public ByteSink(int bytesStart) {
    bytes = new byte[bytesStart];
  }

  /// What was written, from 0 until [#length]. Another array after it has grown.
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  public void clear() {
    length = 0;
  }

  void truncate(int newLength) {
    assert newLength <= length : newLength + " of " + length;
    length = newLength;
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, more), 2 * bytes.length));
    }
  }

  void put(char ascii) {
    reserve(1);
    bytes[length++] = (byte) ascii;
  }

  void put(byte[] source, int offset, int count) {
    reserve(count);
    System.arraycopy(source, offset, bytes, length, count);
    length += count;
  }

  void put(byte[] source) {
    put(source, 0, source.length);
  }

  void put(String text) {
    put(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Puts a string or bytes as they are.
  void put(AttributeValue text) {
    reserve(text.length());
    length = text.copyTo(bytes, length);
  }

  /// Makes room for `count` bytes and returns where they start.
  int claim(int count) {
    reserve(count);
    int at = length;
    length += count;
    return at;
  }

  void putLong(long value) {
    reserve(DIGITS_MAX);
    if (value == Long.MIN_VALUE) {
      put("-9223372036854775808");
      return;
    }
    long rest = value;
    if (rest < 0) {
      bytes[length++] = '-';
      rest = -rest;
    }
    int digits = 1;
    for (long power = 10; digits < 19 && rest >= power; power *= 10) {
      digits++;
    }
    for (int at = length + digits - 1; at >= length; at--) {
      long tenth = rest / 10;
      bytes[at] = (byte) ('0' + (rest - tenth * 10));
      rest = tenth;
    }
    length += digits;
  }

  /// Puts a finite double in the shortest form that reads back as the same double.
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
  void putJson(AttributeValue text) {
    byte[] raw = scratch(text.length());
    text.copyTo(raw, 0);
    putJson(raw, text.length());
  }

  void putJson(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    byte[] raw = scratch(utf8.length);
    System.arraycopy(utf8, 0, raw, 0, utf8.length);
    putJson(raw, utf8.length);
  }

  private byte[] scratch(int count) {
    if (scratch.length < count + Long.BYTES) {
      scratch = new byte[Math.max(count + Long.BYTES, 2 * scratch.length)];
    }
    return scratch;
  }

  /// Copies eight bytes at a time as long as none of them needs an escape, else one at a time.
  private void putJson(byte[] raw, int count) {
    reserve(Math.addExact(Math.multiplyExact(6, count), Long.BYTES));
    byte[] out = bytes;
    int to = length;
    int at = 0;
    while (at < count) {
      long word = (long) LONG.get(raw, at);
      if (at + Long.BYTES <= count && JsonEscape.isPlain(word)) {
        LONG.set(out, to, word);
        at += Long.BYTES;
        to += Long.BYTES;
        continue;
      }
      int behind = Math.min(at + Long.BYTES, count);
      while (at < behind) {
        int here = raw[at] & 0xff;
        if (here == 0xc2 && at + 1 < count && (raw[at + 1] & 0xe0) == 0x80) {
          to = JsonEscape.control(raw[at + 1] & 0xff, out, to); // C1: U+0080 to U+009f
          at += 2;
        } else {
          to = JsonEscape.put(here, out, to);
          at++;
        }
      }
    }
    length = to;
  }

  /// Puts a string or bytes as one value of a line of CSV.
  void putCsv(AttributeValue text) {
    byte[] raw = scratch(text.length());
    text.copyTo(raw, 0);
    putCsv(raw, text.length());
  }

  void putCsv(byte[] text) {
    byte[] raw = scratch(text.length);
    System.arraycopy(text, 0, raw, 0, text.length);
    putCsv(raw, text.length);
  }

  private void putCsv(byte[] raw, int count) {
    boolean formula = count > 0 && CsvEscape.isFormula(raw[0]);
    if (CsvEscape.isPlain(raw, count)) {
      if (formula) {
        put(CsvEscape.GUARD);
      }
      put(raw, 0, count);
    } else {
      putCsvQuoted(raw, count, formula);
    }
  }

  /// Puts all that is in another sink as one value of a line of CSV, between quotes.
  void putCsvQuoted(ByteSink cell) {
    int count = cell.length;
    byte[] raw = scratch(count);
    System.arraycopy(cell.bytes, 0, raw, 0, count);
    putCsvQuoted(raw, count, false);
  }

  private void putCsvQuoted(byte[] raw, int count, boolean formula) {
    reserve(Math.addExact(Math.multiplyExact(2, count), Long.BYTES + 3));
    bytes[length++] = '"';
    if (formula) {
      bytes[length++] = CsvEscape.GUARD;
    }
    length = CsvEscape.copyDoubled(raw, count, bytes, length);
    bytes[length++] = '"';
  }

  /// What was written, read as UTF-8.
  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
