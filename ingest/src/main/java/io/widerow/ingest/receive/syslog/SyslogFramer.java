package io.widerow.ingest.receive.syslog;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.socket.StreamDecoder;

/// Finds the messages in a TCP stream of syslog. Each frame shows how it is framed: one that begins
/// with one to seven digits, a space and `<` is counted (`23 <34>...`, RFC 6587), any other ends
/// with a newline.
///
/// - Threads: one.
public final class SyslogFramer {
  private static final int COUNT_DIGITS_MAX = 7;

  /// No result of [StreamDecoder].
  private static final int NO_COUNT = Integer.MIN_VALUE;

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
    int space = countEnd(bytes, at, end);
    if (space == StreamDecoder.MORE) {
      return StreamDecoder.MORE;
    }
    if (space >= 0) {
      return counted(bytes, at, space, end);
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

  /// Looks for a count at `at`: digits, a space and the priority of a message. A line may begin
  /// with digits, too.
  ///
  /// @return where the space is, [StreamDecoder#MORE] when more bytes are needed, or [#NO_COUNT]
  private static int countEnd(byte[] bytes, int at, int end) {
    if (bytes[at] < '1' || bytes[at] > '9') {
      return NO_COUNT;
    }
    int last = Math.min(end, at + COUNT_DIGITS_MAX);
    int space = at;
    while (space < last && TimeParser.isDigit(bytes[space])) {
      space++;
    }
    if (space == end) {
      return StreamDecoder.MORE;
    }
    if (bytes[space] != ' ') {
      return NO_COUNT;
    }
    if (space + 1 == end) {
      return StreamDecoder.MORE;
    }
    return bytes[space + 1] == '<' ? space : NO_COUNT;
  }

  private int counted(byte[] bytes, int at, int space, int end) {
    int length = TimeParser.digits(bytes, at, space - at);
    if (length > frameBytesMax) {
      return StreamDecoder.BROKEN;
    }
    if (end - space - 1 < length) {
      return StreamDecoder.MORE;
    }
    offset = space + 1;
    limit = offset + length;
    return limit;
  }
}
