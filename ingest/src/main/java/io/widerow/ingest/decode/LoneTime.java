package io.widerow.ingest.decode;

import java.time.ZoneId;

/// Reads a text that is a time and nothing else: a member of a JSON object, a word of a line, a
/// parameter. Every entrance reads its texts here.
///
/// | form | as |
/// |---|---|
/// | ISO 8601, with or without seconds, a fraction, a zone | `2026-11-28T16:00:00.5+01:00` |
/// | its basic form | `20261128T160000Z` |
/// | its reduced forms: the first time in them | `2026-11-28T16`, `2026-11-28`, `2026-11` |
/// | an epoch | see [EpochText] |
/// | any other form that [TimestampDetector] finds in a line | `Sat, 28 Nov 2026 16:00:00 GMT` |
///
/// - Threads: one.
/// - Memory: allocates only the name of a region.
public final class LoneTime {
  private final TimestampDetector sight;
  private final SenderLocalTimes local;
  private final ZoneText zones = new ZoneText();

  /// @param zone of times without one
  public LoneTime(ZoneId zone) {
    sight = new TimestampDetector(zone);
    local = new SenderLocalTimes(zone);
  }

  /// The time of the text in `[offset, limit)`; spaces around it do not count.
  ///
  /// @param unitNanos unit of a number in nanoseconds, or [EpochText#AUTO]
  /// @param nowNanos completes times without a year
  /// @return nanoseconds since the Unix epoch, perhaps outside of what an event may have;
  ///   [TimeParser#NONE] when the text is no time
  public long nanos(byte[] bytes, int offset, int limit, long unitNanos, long nowNanos) {
    int from = begin(bytes, offset, limit);
    int until = end(bytes, from, limit);
    if (until - from > 4 && bytes[from + 4] == '-') {
      long iso = iso(bytes, from, until);
      return iso != TimeParser.NONE ? iso : other(bytes, from, until, nowNanos);
    }
    long epoch = EpochText.nanos(bytes, from, until, unitNanos);
    return epoch != TimeParser.NONE ? epoch : other(bytes, from, until, nowNanos);
  }

  /// Whether the text in `[offset, limit)` is the number of an epoch; spaces around it do not
  /// count.
  static boolean isEpoch(byte[] bytes, int offset, int limit) {
    int from = begin(bytes, offset, limit);
    return EpochText.nanos(bytes, from, end(bytes, from, limit), EpochText.AUTO) != TimeParser.NONE;
  }

  /// The first byte in `[offset, limit)` that is no space; `limit` when there is none.
  private static int begin(byte[] bytes, int offset, int limit) {
    int from = offset;
    while (from < limit && isSpace(bytes[from])) {
      from++;
    }
    return from;
  }

  /// One past the last byte in `[offset, limit)` that is no space; `offset` when there is none.
  private static int end(byte[] bytes, int offset, int limit) {
    int until = limit;
    while (offset < until && isSpace(bytes[until - 1])) {
      until--;
    }
    return until;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\t';
  }

  private long other(byte[] bytes, int offset, int limit, long nowNanos) {
    long nanos = sight.whole(bytes, offset, limit, nowNanos);
    return nanos != TimeParser.NONE ? nanos : reduced(bytes, offset, limit);
  }

  /// The usual forms of ISO 8601: nothing of them is looked up.
  private long iso(byte[] bytes, int offset, int limit) {
    int zone = offset + 19;
    boolean comma = zone < limit && bytes[zone] == ',';
    long nanos = TimeParser.dateTime(bytes, offset, limit, comma ? ',' : '.');
    if (nanos == TimeParser.NONE) {
      return TimeParser.NONE;
    }
    if (zone < limit && (comma || bytes[zone] == '.')) {
      int digits = TimeParser.fractionLimit(bytes, zone + 1, limit);
      if (digits == zone + 1) {
        return TimeParser.NONE;
      }
      zone = digits;
    }
    if (zone == limit) {
      return local.ofLocal(nanos);
    }
    boolean zoned = limit - zone == TimeParser.zoneBytes(bytes, zone, limit);
    return zoned ? TimeParser.applyZone(bytes, zone, nanos) : TimeParser.NONE;
  }

  /// Reads `2026-11`, `2026-11-28`, `2026-11-28T16` and `2026-11-28T16+01`: the first time of it.
  private long reduced(byte[] bytes, int offset, int limit) {
    int length = limit - offset;
    if (length < 7 || bytes[offset + 4] != '-') {
      return TimeParser.NONE;
    }
    int year = TimeParser.digits(bytes, offset, 4);
    int month = TimeParser.digits(bytes, offset + 5, 2);
    boolean hasDay = length > 7;
    boolean hasHour = length > 11;
    if ((hasDay && (length < 10 || bytes[offset + 7] != '-')) || (hasHour && length < 13)) {
      return TimeParser.NONE;
    }
    int day = hasDay ? TimeParser.digits(bytes, offset + 8, 2) : 1;
    int hour = hasHour ? TimeParser.digits(bytes, offset + 11, 2) : 0;
    boolean apart = length > 10 && (bytes[offset + 10] | 0x20) != 't';
    if (!TimeParser.isDate(year, month, day) || hour < 0 || hour > 23 || apart) {
      return TimeParser.NONE;
    }
    long nanos = TimeParser.nanosOf(year, month, day, 3_600L * hour);
    int zoneAt = offset + 13;
    if (!hasHour || zoneAt == limit) {
      return local.ofLocal(nanos);
    }
    int zone = zones.read(bytes, zoneAt, limit);
    boolean read = zones.at == limit && Math.abs(zone) <= TimeParser.DAY_SECONDS;
    return read ? nanos - zone * TimeParser.NANOS_PER_SECOND : TimeParser.NONE;
  }
}
