package io.widerow.ingest.decode;

/// Times as loggers put them into JSON. All results are nanoseconds since the Unix epoch, or
/// [Times#NONE].
public final class JsonTimes {
  private static final long YEAR_2001_NANOS = 978_307_200L * Times.NANOS_PER_SECOND;
  private static final long YEAR_2101_NANOS = 4_133_980_800L * Times.NANOS_PER_SECOND;
  private static final long YEAR_2200_NANOS = 7_258_118_400L * Times.NANOS_PER_SECOND;
  private static final double LONGS_END = 0x1p63;

  private JsonTimes() {}

  /// The time that is the value at `json.at`, which is passed over when it is a string or a number.
  ///
  /// @param first byte of the value
  /// @param rank of the name: under any but the first name, a value may mean something else
  public static long read(JsonScanner json, int first, int rank, AttributeTape tape)
      throws JsonScanner.Bad {
    if (first == '"') {
      json.string(tape);
      return ofString(json, rank, tape);
    }
    if (first != '-' && !Times.isDigit((byte) first)) {
      return Times.NONE;
    }
    int start = json.at;
    json.number();
    long nanos = ofNumber(json.bytes, start, json.at, json.whole || json.wide ? 0 : json.value);
    return rank == 0 || isPlausible(nanos) ? nanos : Times.NONE;
  }

  /// The time that is the string read last.
  public static long ofString(JsonScanner json, int rank, AttributeTape tape) {
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    int end = json.textOffset + json.textBytes;
    return rank == 0
        ? ofText(source, json.textOffset, end)
        : guessOfText(source, json.textOffset, end);
  }

  /// Whether a number that might mean something else can be taken for a time: it is in 2001..2100.
  public static boolean isPlausible(long nanos) {
    return nanos >= YEAR_2001_NANOS && nanos < YEAR_2101_NANOS;
  }

  /// As [#ofText], for a text that might mean something else: digits count in 2001..2100 only.
  public static long guessOfText(byte[] bytes, int offset, int limit) {
    long nanos = ofText(bytes, offset, limit);
    if (nanos == Times.NONE || isPlausible(nanos)) {
      return nanos;
    }
    boolean written = limit - offset > 10 && (bytes[offset + 2] == '/' || bytes[offset + 4] == '-');
    return written && nanos >= 0 && nanos < YEAR_2200_NANOS ? nanos : Times.NONE;
  }

  /// A number in the units of [Times#ofEpoch], digit by digit where it has no exponent.
  ///
  /// @param value the same number when it is not whole, else 0
  public static long ofNumber(byte[] bytes, int offset, int limit, double value) {
    long exact = Times.epoch(bytes, offset, limit);
    if (exact != Times.NONE || value <= 0 || value >= LONGS_END) {
      return exact;
    }
    long whole = (long) value;
    long unit = Times.unitNanos(whole);
    return Times.ofUnit(whole, unit) + (long) ((value - whole) * unit);
  }

  /// ISO 8601 with `T` or a space, a fraction after a point or a comma, and a zone or none, which
  /// is UTC; the common log format; or epoch digits.
  public static long ofText(byte[] bytes, int offset, int limit) {
    if (limit > offset + 10 && bytes[offset + 4] == '-') {
      return iso(bytes, offset, limit);
    }
    long clf = Times.clf(bytes, offset, limit);
    return clf != Times.NONE ? clf : Times.epoch(bytes, offset, limit);
  }

  private static long iso(byte[] bytes, int offset, int limit) {
    int zone = offset + 19;
    boolean comma = zone < limit && bytes[zone] == ',';
    long nanos = Times.dateTime(bytes, offset, limit, comma ? ',' : '.');
    if (nanos == Times.NONE) {
      return Times.NONE;
    }
    if (zone < limit && (comma || bytes[zone] == '.')) {
      int digits = Times.fractionLimit(bytes, zone + 1, limit);
      if (digits == zone + 1) {
        return Times.NONE;
      }
      zone = digits;
    }
    if (zone == limit) {
      return nanos;
    }
    zone += bytes[zone] == ' ' ? 1 : 0;
    if (limit - zone == 3
        && bytes[zone] == 'U'
        && bytes[zone + 1] == 'T'
        && bytes[zone + 2] == 'C') {
      return nanos;
    }
    int zoneBytes = Times.zoneBytes(bytes, zone, limit);
    return zoneBytes > 0 && zone + zoneBytes == limit
        ? Times.applyZone(bytes, zone, nanos)
        : Times.NONE;
  }
}
