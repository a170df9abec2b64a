package io.widerow.ingest.receive.prometheus;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The labels of one series in the encoding of version 1.0. They lie in the body, or are written
/// here: labels that version 2.0 names by references, and labels that are not adjacent.
///
/// ```
///   0a length  0a length name  12 length value      once for each label
/// ```
///
/// - Threads: one.
/// - Memory: keeps its buffer, which grows up to [#BYTES_MAX].
final class SeriesHead {
  /// More labels than any event can hold.
  static final int BYTES_MAX = 2 << 20;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int LENGTHS_BYTES_MAX = 3 + 3 * 5; // tags and lengths of a label
  private static final int LABEL = 0x0a;
  private static final int NAME = 0x0a;
  private static final int VALUE = 0x12;
  private static final int VARINT_ONE = 1 << 7;

  private byte[] written = new byte[1 << 10];
  private byte[] bytes = written;
  private int offset;
  private int length;

  /// The array with the labels, and a word of slack after them.
  byte[] bytes() {
    return bytes;
  }

  int offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /// The labels lie in `[from, until)` of the body.
  void take(byte[] body, int from, int until) {
    bytes = body;
    offset = from;
    length = until - from;
  }

  /// Starts labels that are written here.
  ///
  /// @param labels how many there will be
  /// @param textBytes of all their names and values
  void begin(int labels, int textBytes) {
    bytes = written;
    offset = 0;
    length = 0;
    reserve(textBytes + labels * LENGTHS_BYTES_MAX);
  }

  /// Adds a label.
  void add(byte[] body, int name, int nameBytes, int value, int valueBytes) {
    int inside = 4 + nameBytes + valueBytes;
    if (inside < VARINT_ONE) { // most: each length takes a byte
      byte[] to = written;
      int at = length;
      to[at] = LABEL;
      to[at + 1] = (byte) inside;
      to[at + 2] = NAME;
      to[at + 3] = (byte) nameBytes;
      at += 4;
      words(body, name, to, at, nameBytes);
      at += nameBytes;
      to[at] = VALUE;
      to[at + 1] = (byte) valueBytes;
      at += 2;
      words(body, value, to, at, valueBytes);
      length = at + valueBytes;
      return;
    }
    int inner = 2 + varintBytes(nameBytes) + nameBytes + varintBytes(valueBytes) + valueBytes;
    tag(LABEL, inner);
    tag(NAME, nameBytes);
    copy(body, name, nameBytes);
    tag(VALUE, valueBytes);
    copy(body, value, valueBytes);
  }

  /// Adds a label that is a message of version 1.0. There is no limit to them.
  void add(byte[] body, int message, int messageBytes) {
    reserve(messageBytes + LENGTHS_BYTES_MAX);
    tag(LABEL, messageBytes);
    copy(body, message, messageBytes);
  }

  private void reserve(int more) {
    int needed = length + more + 2 * Long.BYTES;
    if (needed > written.length) {
      written = Arrays.copyOf(written, Math.max(needed, 2 * written.length));
      bytes = written;
    }
  }

  private void tag(int tag, int size) {
    written[length++] = (byte) tag;
    int rest = size;
    while (rest >= VARINT_ONE) {
      written[length++] = (byte) (rest | VARINT_ONE);
      rest >>>= 7;
    }
    written[length++] = (byte) rest;
  }

  private static int varintBytes(int size) {
    return size < VARINT_ONE ? 1 : (38 - Integer.numberOfLeadingZeros(size)) / 7;
  }

  private void copy(byte[] source, int from, int count) {
    words(source, from, written, length, count);
    length += count;
  }

  /// Copies word by word: most texts are short, and both arrays have slack.
  private static void words(byte[] source, int from, byte[] to, int at, int count) {
    for (int i = 0; i < count; i += Long.BYTES) {
      LONG.set(to, at + i, (long) LONG.get(source, from + i));
    }
  }
}
