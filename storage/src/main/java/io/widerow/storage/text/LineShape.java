package io.widerow.storage.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.widerow.storage.codec.ByteSource;
import java.util.Arrays;

/// The shape of a log line: its constant parts, as its template in a segment has them, and `<_>`
/// for each variable. A quoted name before a colon, as in JSON, is a constant here.
///
/// ```
///   GET /a/17 took 12 ms, user="ann"      GET <_> took <_> ms, user="<_>"
///   {"level":"info","n":7}                {"level":"<_>","n":<_>}
/// ```
///
/// - Threads: one.
public final class LineShape {
  private static final byte[] HOLE = "<_>".getBytes(US_ASCII);

  private final LineParser parser = new LineParser();
  private byte[] text = new byte[1 << 8];
  private byte[] shape = new byte[1 << 8];
  private int length;

  /// Room for a line of so many bytes from 0 on.
  public byte[] room(int bytes) {
    if (text.length - ByteSource.SLACK < bytes) {
      text = Arrays.copyOf(text, 2 * bytes + ByteSource.SLACK);
    }
    return text;
  }

  /// Makes the shape of the line of so many bytes in [#room].
  ///
  /// @param isCut whether the line continues after these bytes, in a last variable
  public void make(int bytes, boolean isCut) {
    parser.clear();
    long _ = parser.parse(text, 0, bytes);
    length = 0;
    int at = 0;
    for (int i = 0; i < parser.count; i++) {
      int offset = parser.offsets[i];
      int end = offset + parser.lengths[i];
      if (!isName(offset, end, bytes)) {
        put(text, at, offset);
        put(HOLE, 0, HOLE.length);
        at = end;
      }
    }
    put(text, at, bytes);
    if (isCut) {
      put(HOLE, 0, HOLE.length);
    }
  }

  private boolean isName(int offset, int end, int limit) {
    return offset > 0
        && text[offset - 1] == '"'
        && end + 1 < limit
        && text[end] == '"'
        && text[end + 1] == ':';
  }

  private void put(byte[] from, int offset, int limit) {
    int more = limit - offset;
    if (shape.length - length < more) {
      shape = Arrays.copyOf(shape, 2 * (length + more));
    }
    System.arraycopy(from, offset, shape, length, more);
    length += more;
  }

  /// The shape made last: [#length] bytes from 0 on, until the next one is made.
  public byte[] bytes() {
    return shape;
  }

  public int length() {
    return length;
  }
}
