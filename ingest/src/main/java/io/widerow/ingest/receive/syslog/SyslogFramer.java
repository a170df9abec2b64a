package io.widerow.ingest.receive.syslog;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.Times;
import io.widerow.ingest.socket.StreamDecoder;

/// Finds the messages in a TCP stream of syslog. Each frame shows how it is framed: one that begins
/// with a digit is counted (`23 <34>...`, RFC 6587), any other ends with a newline.
///
/// - Threads: one.
public final class SyslogFramer {
  private final int frameBytesMax;

  /// Where the found message begins; `limit` is where it ends.
  public int offset;

  public int limit;

  public SyslogFramer(int frameBytesMax) {
    this.frameBytesMax = frameBytesMax;
  }

  /// Looks for a frame at `at` and sets `offset` and `limit` to its message.
  ///
  /// @return where the next frame begins, [StreamDecoder#MORE] or [StreamDecoder#BROKEN]
  public int next(byte[] bytes, int at, int end) {
    if (at >= end) {
      return StreamDecoder.MORE;
    }
    if (bytes[at] >= '1' && bytes[at] <= '9') {
      return counted(bytes, at, end);
    }
    int newline = Swar.newline(bytes, at, end);
    if (newline - at > frameBytesMax) {
      return StreamDecoder.BROKEN;
    }
    if (newline == end) {
      return StreamDecoder.MORE;
    }
    offset = at;
    limit = newline > at && bytes[newline - 1] == '\r' ? newline - 1 : newline;
    return newline + 1;
  }

  private int counted(byte[] bytes, int at, int end) {
    int digit = at;
    int length = 0;
    while (digit < end && Times.isDigit(bytes[digit])) {
      length = 10 * length + bytes[digit++] - '0';
      if (length > frameBytesMax) {
        return StreamDecoder.BROKEN;
      }
    }
    if (digit == end) {
      return StreamDecoder.MORE;
    }
    if (bytes[digit] != ' ') {
      return StreamDecoder.BROKEN;
    }
    if (end - digit - 1 < length) {
      return StreamDecoder.MORE;
    }
    offset = digit + 1;
    limit = offset + length;
    return limit;
  }
}
