package io.widerow.ingest.decode;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A copy of a text that is not UTF-8, with each byte that is wrong written as `\xE9`. So a line of
/// unknown encoding is stored, and nothing of it is lost. Its event gets an attribute that says how
/// many bytes were written so.
///
/// - Threads: one.
public final class EscapedText {
  /// The attribute with the number of bytes.
  public static final byte[] MARK = "widerow.escaped".getBytes(StandardCharsets.US_ASCII);

  private static final String DIGITS = "0123456789ABCDEF";

  private final byte[] bytes;
  private final int length;
  private final int escaped;

  private EscapedText(byte[] bytes, int length, int escaped) {
    this.bytes = bytes;
    this.length = length;
    this.escaped = escaped;
  }

  /// The text, with the slack after it that [Swar] needs.
  public byte[] bytes() {
    return bytes;
  }

  /// Bytes of the text.
  public int length() {
    return length;
  }

  /// The number of escaped bytes; 1 or more.
  public int escaped() {
    return escaped;
  }

  /// The copy with which to try again after a refusal; null when that would not help.
  ///
  /// @param why the event was refused
  /// @param quoted whether the text is JSON, in which a backslash is written as two
  public static @Nullable EscapedText of(
      Rejection why, byte[] source, int offset, int limit, boolean quoted) {
    boolean maybe =
        why == Rejection.TEXT_NOT_UTF8
            || why == Rejection.TYPE_INVALID
            || why == Rejection.ATTRIBUTE_NAME_INVALID;
    if (!maybe) {
      return null;
    }
    return copyOf(source, offset, limit, quoted);
  }

  /// Replaces the names and strings on a tape that are not UTF-8 by copies.
  ///
  /// @param first attribute to look at
  /// @return bytes that were escaped; 0 when all is UTF-8, or when an event could not hold a copy
  public static int escape(AttributeTape tape, int first) {
    int escaped = 0;
    for (int i = first; i < tape.count(); i++) {
      int offset = tape.nameOffset(i);
      EscapedText name = copyOf(tape.nameSource(i), offset, offset + tape.nameBytes(i), false);
      if (name != null) {
        int at = tape.scratchLimit();
        tape.appendScratch(name.bytes, 0, name.length);
        tape.replaceName(i, true, at, name.length);
        escaped += name.escaped;
      }
      boolean text = tape.kind(i) == AttributeKind.STRING;
      EscapedText value = text ? copyOfValue(tape, i) : null;
      if (value != null) {
        int at = tape.scratchLimit();
        tape.appendScratch(value.bytes, 0, value.length);
        tape.replace(i, true, at, value.length);
        escaped += value.escaped;
      }
    }
    return escaped;
  }

  private static @Nullable EscapedText copyOfValue(AttributeTape tape, int i) {
    int offset = tape.valueOffset(i);
    return copyOf(tape.valueSource(i), offset, offset + tape.valueBytes(i), tape.isJson(i));
  }

  /// A copy of a text; null when all of it is UTF-8, or when an event could not hold the copy.
  static @Nullable EscapedText copyOf(byte[] source, int offset, int limit, boolean quoted) {
    int wrong = 0;
    for (int at = Utf8.validEnd(source, offset, limit);
        at < limit;
        at = Utf8.validEnd(source, at + 1, limit)) {
      wrong++;
    }
    int longer = quoted ? 4 : 3;
    long length = limit - offset + (long) longer * wrong;
    if (wrong == 0 || length > EventLayout.EVENT_BYTES_MAX) {
      return null;
    }
    byte[] bytes = new byte[(int) length + Swar.SLACK_BYTES];
    copy(source, offset, limit, quoted, bytes);
    return new EscapedText(bytes, (int) length, wrong);
  }

  private static void copy(byte[] source, int offset, int limit, boolean quoted, byte[] out) {
    int to = 0;
    int at = offset;
    while (true) {
      int valid = Utf8.validEnd(source, at, limit);
      System.arraycopy(source, at, out, to, valid - at);
      to += valid - at;
      if (valid == limit) {
        return;
      }
      out[to++] = '\\';
      if (quoted) {
        out[to++] = '\\';
      }
      out[to++] = 'x';
      out[to++] = (byte) DIGITS.charAt((source[valid] >> 4) & 0xf);
      out[to++] = (byte) DIGITS.charAt(source[valid] & 0xf);
      at = valid + 1;
    }
  }
}
