package io.widerow.ingest;

import io.widerow.event.EventBatch;
import org.jspecify.annotations.Nullable;

/// The series of line protocol that came lately, found by the heads of their lines. Who sends
/// metrics sends the same measurements and tags again and again: of a line with a known head only
/// the fields are read, and its record is a copy of the last one with other numbers.
///
/// ```
///   cpu,host=a,region=eu usage_idle=97i,usage_user=2i 1434055562000000000
///   |<----- head ----->|
///     hash: two places     -> KnownSeries: head, record, fields
/// ```
///
/// Where there are more series than places, one of some that find both theirs taken gets one, so
/// that the others stay known when all come in turn; where few are known at all, nothing is looked
/// up for a while. Heads with escapes are not known.
///
/// - Threads: one at a time.
/// - Memory: up to [#BYTES_MAX].
final class SeriesCache {
  private static final int PLACES = 4096;
  static final long BYTES_MAX = 4 << 20;
  private static final int HEAD_BYTES_MAX = 1 << 10;
  private static final int RECORD_BYTES_MAX = 1 << 11;
  private static final int FIELDS_MAX = 64;

  /// One of so many series that find no place free takes one.
  private static final int TURNS = 8;

  /// Lines after which it is seen whether looking pays, and without looking when it does not.
  private static final int WATCHED_LINES = 4096;

  private static final int PAUSE_LINES = 8 * WATCHED_LINES;

  /// It pays when one of so many is known.
  private static final int KNOWN_MIN = 4;

  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;

  private final @Nullable KnownSeries[] table = new KnownSeries[PLACES];
  private long heldBytes;
  private int turn;
  private int looked;
  private int known;
  private int paused;

  // The head that was looked for last.
  private int headOffset;
  private int headBytes; // 0: there is none that could be known
  private long hash;

  /// The series of the line at `offset`; null when it is not known.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes behind `limit`
  @Nullable KnownSeries find(byte[] body, int offset, int limit) {
    headBytes = 0;
    if (paused > 0) {
      paused--;
      return null;
    }
    if (looked == WATCHED_LINES) {
      paused = known < WATCHED_LINES / KNOWN_MIN ? PAUSE_LINES : 0;
      looked = 0;
      known = 0;
    }
    looked++;
    if (!measure(body, offset, limit)) {
      return null;
    }
    for (int i = 0; i < 2; i++) {
      KnownSeries series = table[place() ^ i];
      if (series != null && series.is(hash, body, offset, headBytes)) {
        known++;
        return series;
      }
    }
    return null;
  }

  /// Memory of the series, about.
  long heldBytes() {
    return heldBytes;
  }

  /// Bytes of the head that was looked for last.
  int headBytes() {
    return headBytes;
  }

  /// Finds the end of the head and its hash. False when it has escapes or is too long.
  private boolean measure(byte[] body, int offset, int limit) {
    long mixed = 0;
    for (int at = offset; at < limit && at - offset < HEAD_BYTES_MAX; at += Long.BYTES) {
      long word = Swar.word(body, at);
      int bytes = Swar.headEnd(word);
      if (bytes < Long.BYTES) {
        int end = at + bytes;
        if (end >= limit || body[end] != ' ') {
          return false;
        }
        mixed = mix(mixed, word & ~(-1L << (Byte.SIZE * bytes)));
        headOffset = offset;
        headBytes = end - offset;
        hash = mix(mixed, headBytes);
        return true;
      }
      mixed = mix(mixed, word);
    }
    return false;
  }

  private static long mix(long hash, long word) {
    long mixed = (hash ^ word) * PRIME;
    return mixed ^ (mixed >>> 32);
  }

  private int place() {
    return (int) (hash >>> 8) & (PLACES - 1);
  }

  /// Knows the series that was looked for last, and not found, from now on, if there is a place for
  /// it.
  ///
  /// @param events that took its event last
  /// @param tape that has the event's attributes
  /// @param tags how many of them are tags
  void learn(EventBatch events, AttributeTape tape, int tags, byte[] body) {
    int fields = tape.count() - tags;
    if (headBytes == 0 || fields > FIELDS_MAX || events.lastBytes() > RECORD_BYTES_MAX) {
      return;
    }
    int place = freePlace();
    if (place < 0) {
      return;
    }
    KnownSeries series = table[place];
    if (series == null) {
      series = new KnownSeries();
      table[place] = series;
    }
    heldBytes -= series.heldBytes();
    series.take(events, tape, tags, hash, body, headOffset, headBytes);
    heldBytes += series.heldBytes();
    if (heldBytes > BYTES_MAX) {
      heldBytes -= series.heldBytes();
      table[place] = null;
    }
  }

  /// A place for the series; negative when it gets none.
  private int freePlace() {
    int first = place();
    boolean room = heldBytes < BYTES_MAX;
    for (int i = 0; i < 2; i++) {
      KnownSeries other = table[first ^ i];
      boolean isOwn = other != null && other.hasHash(hash);
      if (isOwn || (room && other == null)) {
        return first ^ i;
      }
    }
    turn = (turn + 1) % TURNS;
    if (turn != 0) {
      return -1;
    }
    int second = first ^ 1;
    return table[second] != null ? second : table[first] != null ? first : -1;
  }
}
