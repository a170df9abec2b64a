package io.widerow.cli.ship;

import io.widerow.ingest.decode.Swar;
import java.util.Arrays;

/// The record of one stream that is being put together from lines, or from parts of lines.
///
/// - Threads: one.
final class OpenRecord {
  byte[] text = new byte[1 << 12];
  int length;
  int lines;

  /// The time that the container runtime gave its first line; [TimeParser#NONE] without one.
  long nanos;

  /// Whether it is there.
  boolean open;

  /// Whether its last line continues in the next one.
  boolean unfinished;

  /// Whether the limit cut its last line.
  boolean cut;

  /// Lines of other streams that came since its last one.
  int linesSince;

  // Docker's extra attributes, in the bytes that are being read.
  int attrsOffset;
  int attrsLength;

  void begin(long newNanos) {
    length = 0;
    lines = 0;
    nanos = newNanos;
    open = true;
    unfinished = false;
    cut = false;
    attrsLength = 0;
  }

  void append(byte[] source, int offset, int count) {
    if (text.length - length < count + 1 + Swar.SLACK_BYTES) {
      int needed = length + count + 1 + Swar.SLACK_BYTES;
      text = Arrays.copyOf(text, Math.max(needed, 2 * text.length));
    }
    System.arraycopy(source, offset, text, length, count);
    length += count;
  }

  /// Begins the next line of it.
  void newline() {
    append(new byte[] {'\n'}, 0, 1);
  }

  /// Blank lines at its end are not a part of it.
  void dropBlankEnd() {
    while (length > 0 && text[length - 1] == '\n') {
      length--;
    }
  }
}
