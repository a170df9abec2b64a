package io.widerow.cli.ship;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/// Builds JSON lines as bytes. Strings are copied as bytes: bytes that are not UTF-8 are copied
/// unchanged, and the daemon stores them escaped.
///
/// - Threads: one.
final class JsonBuffer {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int ESCAPED_BYTES_MAX = 6;

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int FRACTION_DIGITS = 9;

  private long secondLast = Long.MIN_VALUE;
  private byte[] secondText = {};
  private byte[] bytes;
  private int length;

  JsonBuffer(int bytesStart) {
    bytes = new byte[bytesStart];
  }

  int length() {
    return length;
  }

  byte[] copy(int count) {
    return Arrays.copyOf(bytes, count);
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, more), 2 * bytes.length));
    }
  }

  /// Puts ASCII as it is.
  void put(String ascii) {
    put(ascii.getBytes(StandardCharsets.US_ASCII));
  }

  void put(byte[] source) {
    put(source, 0, source.length);
  }

  void put(byte[] source, int offset, int count) {
    reserve(count);
    System.arraycopy(source, offset, bytes, length, count);
    length += count;
  }

  /// Puts a string with its quotes.
  void putString(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    putString(utf8, 0, utf8.length);
  }

  /// Puts a string with its quotes.
  void putString(byte[] source, int offset, int count) {
    reserve(count + 2);
    bytes[length++] = '"';
    int limit = offset + count;
    int plain = offset;
    for (int at = offset; at < limit; at++) {
      int b = source[at];
      if ((b >= 0 && b < ' ') || b == '"' || b == '\\') {
        put(source, plain, at - plain);
        plain = at + 1;
        escape(b);
      }
    }
    put(source, plain, limit - plain);
    reserve(1);
    bytes[length++] = '"';
  }

  private void escape(int b) {
    reserve(ESCAPED_BYTES_MAX);
    bytes[length++] = '\\';
    switch (b) {
      case '\n' -> bytes[length++] = 'n';
      case '\t' -> bytes[length++] = 't';
      case '"', '\\' -> bytes[length++] = (byte) b;
      default -> {
        bytes[length++] = 'u';
        bytes[length++] = '0';
        bytes[length++] = '0';
        bytes[length++] = HEX[b >>> 4];
        bytes[length++] = HEX[b & 0xf];
      }
    }
  }

  /// Puts a time as a string of RFC 3339.
  ///
  /// @param epochNanos nanoseconds since the Unix epoch
  void putTime(long epochNanos) {
    long second = Math.floorDiv(epochNanos, SECOND_NANOS);
    if (second != secondLast) {
      String text = Instant.ofEpochSecond(second).toString(); // of all its events at once
      secondText =
          ("\"" + text.substring(0, text.length() - 1)).getBytes(StandardCharsets.US_ASCII);
      secondLast = second;
    }
    put(secondText);
    long nanos = epochNanos - second * SECOND_NANOS;
    if (nanos != 0) {
      reserve(1 + FRACTION_DIGITS);
      bytes[length] = '.';
      for (int digit = FRACTION_DIGITS; digit > 0; digit--) {
        bytes[length + digit] = (byte) ('0' + nanos % 10);
        nanos /= 10;
      }
      length += 1 + FRACTION_DIGITS;
    }
    put("Z\"");
  }
}
