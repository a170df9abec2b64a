package io.widerow.ingest.series;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.Swar;
import org.jspecify.annotations.Nullable;

/// A cache of recent series, found by their heads: the bytes that name the series in what its
/// sender writes. Metrics agents send the same names and tags again and again. Of a point with a
/// known head only the numbers are parsed, and its record is a copy of the previous one with new
/// numbers.
///
/// ```
///   cpu,host=a,region=eu usage_idle=97i,usage_user=2i 1434055562000000000      line protocol
///   |<----- head ----->|
///   0a 0f 0a 08 __name__ 12 03 cpu 0a 09 0a 04 host 12 01 a | 12 10 09 ...     remote write
///   |<------------------------ head --------------------->|
///     hash: two places     -> KnownSeries: head, record, fields
/// ```
///
/// One cache serves one protocol: equal heads must mean equal series.
///
/// When both places of a new series are taken, only one of [#TURNS] new series replaces another, so
/// that part of the series stays cached when too many come in turn. When few lookups succeed, the
/// cache pauses for a while. Heads with escapes are never cached.
///
/// - Threads: one at a time.
/// - Memory: up to [#BYTES_MAX].
public final class SeriesCache {
  private static final int PLACES = 4096;
  public static final long BYTES_MAX = 4 << 20;
  private static final int HEAD_BYTES_MAX = 1 << 10;
  private static final int RECORD_BYTES_MAX = 1 << 11;
  private static final int FIELDS_MAX = 64;

  /// One of so many new series without a free place replaces another.
  private static final int TURNS = 8;

  /// Lookups after which it is decided whether to pause.
  private static final int WATCHED_LINES = 4096;

  private static final int PAUSE_LINES = 8 * WATCHED_LINES;

  /// The cache pauses when fewer than one of so many lookups succeed.
  private static final int KNOWN_MIN = 4;

  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;

  private final @Nullable KnownSeries[] table = new KnownSeries[PLACES];
  private long heldBytes;
  private int turn;
  private int looked;
  private int known;
  private int paused;
  private int learning; // the place of the series that is being added

  // The head of the last lookup.
  private int headOffset;
  private int headBytes; // 0: it cannot be cached
  private long hash;

  /// The series of the line at `offset`; null when it is unknown.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  public @Nullable KnownSeries find(byte[] body, int offset, int limit) {
    return mayLook() && measure(body, offset, limit) ? look(body) : null;
  }

  /// The series whose head is the `length` bytes at `offset`; null when it is unknown.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after the head
  public @Nullable KnownSeries findHead(byte[] bytes, int offset, int length) {
    if (!mayLook() || length == 0 || length > HEAD_BYTES_MAX) {
      return null;
    }
    int end = offset + length;
    int at = offset;
    long even = 0;
    long odd = 0; // two hashes: their multiplications overlap
    for (; at + 2 * Long.BYTES <= end; at += 2 * Long.BYTES) {
      even = mix(even, Swar.word(bytes, at));
      odd = mix(odd, Swar.word(bytes, at + Long.BYTES));
    }
    long mixed = mix(even, odd);
    if (at + Long.BYTES <= end) {
      mixed = mix(mixed, Swar.word(bytes, at));
      at += Long.BYTES;
    }
    if (at < end) {
      mixed = mix(mixed, Swar.word(bytes, at) & ~(-1L << (Byte.SIZE * (end - at))));
    }
    headOffset = offset;
    headBytes = length;
    hash = mix(mixed, length);
    return look(bytes);
  }

  /// Begins a lookup, unless the cache pauses.
  private boolean mayLook() {
    headBytes = 0;
    if (paused > 0) {
      paused--;
      return false;
    }
    if (looked == WATCHED_LINES) {
      paused = known < WATCHED_LINES / KNOWN_MIN ? PAUSE_LINES : 0;
      looked = 0;
      known = 0;
    }
    looked++;
    return true;
  }

  private @Nullable KnownSeries look(byte[] bytes) {
    for (int i = 0; i < 2; i++) {
      KnownSeries series = table[place() ^ i];
      if (series != null && series.is(hash, bytes, headOffset, headBytes)) {
        known++;
        return series;
      }
    }
    return null;
  }

  /// Approximate memory of the series.
  public long heldBytes() {
    return heldBytes;
  }

  /// Length of the head of the last lookup.
  public int headBytes() {
    return headBytes;
  }

  /// Finds the end of the head and its hash. Returns false when it has escapes or is too long.
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

  /// Adds the series of the last lookup, which failed, if there is a place for it.
  ///
  /// @param events whose last event is of this series
  /// @param tape with the event's attributes
  /// @param tags how many of the attributes are tags
  public void learn(EventBatch events, AttributeTape tape, int tags, byte[] body) {
    KnownSeries series = tape.count() - tags > FIELDS_MAX ? null : placeFor(events);
    if (series != null) {
      series.take(events, tape, tags, hash, body, headOffset, headBytes);
      placed(series);
    }
  }

  /// Adds the series of the last lookup, which failed, if there is a place for it. Of the last
  /// event of `events` all attributes are strings but one, a number: [KnownSeries#number].
  ///
  /// @param bytes in which the head was looked up
  public void learnNumber(EventBatch events, byte[] bytes) {
    KnownSeries series = placeFor(events);
    if (series != null) {
      series.takeNumber(events, hash, bytes, headOffset, headBytes);
      placed(series);
    }
  }

  private @Nullable KnownSeries placeFor(EventBatch events) {
    if (headBytes == 0 || events.lastBytes() > RECORD_BYTES_MAX) {
      return null;
    }
    learning = freePlace();
    if (learning < 0) {
      return null;
    }
    KnownSeries series = table[learning];
    if (series == null) {
      series = new KnownSeries();
      table[learning] = series;
    }
    heldBytes -= series.heldBytes();
    return series;
  }

  private void placed(KnownSeries series) {
    heldBytes += series.heldBytes();
    if (heldBytes > BYTES_MAX) {
      heldBytes -= series.heldBytes();
      table[learning] = null;
    }
  }

  /// The place for the series; negative when it gets none.
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
