package io.widerow.event;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The key of a partition (a wide row): all events of one time bucket, one type, one shard.
///
/// Printed as `2026-11-20T19|nginx.access|3` for a bucket of an hour, `2026-11-20|cpu|0` for one of
/// a day, `2026-11-20T19:15+5m|cpu|0` for any other width up to a day, and `2026-10-05+64d|cpu|0`
/// for the wide buckets into which thin history is merged. On disk a key is a byte string whose
/// unsigned order is the order of keys:
///
/// ```
///  0                4               6
///  +----------------+---------------+----------------------------+-------+-------+
///  | bucketMinutes  | widthMinutes  | type, 0x00 as 0x00 0xff    | 00 00 | shard |
///  +----------------+---------------+----------------------------+-------+-------+
///   big-endian       2 bytes, see widthCode                       end     2 bytes, big-endian
/// ```
///
/// @param bucketMinutes start of the bucket in minutes since the Unix epoch, a multiple of the
///   width counted from 1970-01-01; from 1970 inclusive to 2200 exclusive
/// @param widthMinutes width of the bucket: 1 to 1,440 minutes, dividing a day, or one of
///   [Bucket#WIDE_DAYS]
/// @param type 1 to 128 bytes of UTF-8
/// @param shard 0 inclusive to [EventLayout#SHARD_LIMIT] exclusive
public record PartitionKey(int bucketMinutes, int widthMinutes, String type, int shard)
    implements Comparable<PartitionKey> {
  public static final int MINUTES_PER_DAY = 1_440;
  public static final long NANOS_PER_MINUTE = 60_000_000_000L;

  /// The first bucket too late for an event, in minutes since the Unix epoch.
  private static final long BUCKET_MINUTES_LIMIT = TimeUuid.NANOS_LIMIT / NANOS_PER_MINUTE;

  private static final DateTimeFormatter MINUTE = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm");
  private static final Pattern PRINTED =
      Pattern.compile(
          "(\\d{4}-\\d\\d-\\d\\d)(?:T(\\d\\d)(?::(\\d\\d)\\+(\\d{1,4})m)?|\\+(\\d{1,3})d)?"
              + "\\|(.+)\\|(\\d{1,5})",
          Pattern.DOTALL);

  /// Marks a width on disk that counts days.
  private static final int CODE_DAYS = 0x8000;

  public PartitionKey {
    if (!Bucket.isWide(widthMinutes)) {
      requireWidth(widthMinutes);
    }
    if (bucketMinutes < 0
        || bucketMinutes >= BUCKET_MINUTES_LIMIT
        || bucketMinutes % widthMinutes != 0) {
      throw new IllegalArgumentException(
          "bucket starts at minute %d, not at a multiple of %d in 1970..2199"
              .formatted(bucketMinutes, widthMinutes));
    }
    if (!Utf8.isEncodable(type)) {
      throw new IllegalArgumentException("half a surrogate pair in type: " + type);
    }
    int typeBytes = type.getBytes(StandardCharsets.UTF_8).length;
    if (typeBytes < 1 || typeBytes > EventLayout.TYPE_BYTES_MAX) {
      throw new IllegalArgumentException("type of %d bytes: %s".formatted(typeBytes, type));
    }
    if (shard < 0 || shard >= EventLayout.SHARD_LIMIT) {
      throw new IllegalArgumentException("shard " + shard);
    }
  }

  /// A width as it is on disk, in two bytes: minutes up to a day, else days and the highest bit.
  public static int widthCode(int widthMinutes) {
    return widthMinutes <= MINUTES_PER_DAY
        ? widthMinutes
        : CODE_DAYS | widthMinutes / MINUTES_PER_DAY;
  }

  /// The width in minutes of a [#widthCode]; an invalid width when it is none.
  public static int widthOf(int code) {
    int days = code & ~CODE_DAYS;
    return code > CODE_DAYS && Bucket.WIDE_DAYS.contains(days) ? days * MINUTES_PER_DAY : code;
  }

  /// The partition of the same type and shard in another bucket.
  public PartitionKey in(Bucket bucket) {
    return new PartitionKey(bucket.startMinutes(), bucket.widthMinutes(), type, shard);
  }

  /// Refuses a width that is not 1 to 1,440 minutes or does not divide a day.
  ///
  /// @throws IllegalArgumentException with the width in the message
  public static void requireWidth(int widthMinutes) {
    if (widthMinutes < 1 || widthMinutes > MINUTES_PER_DAY || MINUTES_PER_DAY % widthMinutes != 0) {
      throw new IllegalArgumentException(
          "a bucket must be 1 to 1440 minutes wide and divide a day, got " + widthMinutes);
    }
  }

  /// Start of the bucket that contains an instant, in minutes since the Unix epoch.
  public static int bucketOf(long epochNanos, int widthMinutes) {
    long minute = Math.floorDiv(epochNanos, NANOS_PER_MINUTE);
    return Math.toIntExact(minute - Math.floorMod(minute, widthMinutes));
  }

  /// Start of the bucket (inclusive), nanoseconds since the Unix epoch.
  public long fromNanos() {
    return bucketMinutes * NANOS_PER_MINUTE;
  }

  /// End of the bucket (exclusive), nanoseconds since the Unix epoch.
  public long untilNanos() {
    return (bucketMinutes + (long) widthMinutes) * NANOS_PER_MINUTE;
  }

  public byte[] toBytes() {
    byte[] utf8 = type.getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[6 + 2 * utf8.length + 4];
    int at = putBigEndian(key, 0, bucketMinutes, 4);
    at = putBigEndian(key, at, widthCode(widthMinutes), 2);
    for (byte b : utf8) {
      key[at++] = b;
      if (b == 0) {
        key[at++] = (byte) 0xff;
      }
    }
    at += 2;
    at = putBigEndian(key, at, shard, 2);
    return Arrays.copyOf(key, at);
  }

  /// @throws IllegalArgumentException when the bytes are not a key
  public static PartitionKey of(byte[] key) {
    byte[] utf8 = new byte[key.length];
    int typeBytes = 0;
    int at = 6;
    while (at + 1 < key.length && (key[at] != 0 || key[at + 1] == (byte) 0xff)) {
      utf8[typeBytes++] = key[at];
      at += key[at] == 0 ? 2 : 1;
    }
    if (at + 4 != key.length || key[at] != 0 || key[at + 1] != 0) {
      throw new IllegalArgumentException("not a partition key: " + Arrays.toString(key));
    }
    if (!Utf8.isValid(utf8, 0, typeBytes)) {
      throw new IllegalArgumentException("type is not valid UTF-8 in key: " + Arrays.toString(key));
    }
    return new PartitionKey(
        bigEndian(key, 0, 4),
        widthOf(bigEndian(key, 4, 2)),
        new String(utf8, 0, typeBytes, StandardCharsets.UTF_8),
        bigEndian(key, at + 2, 2));
  }

  private static int putBigEndian(byte[] out, int offset, int value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out[offset + i] = (byte) (value >>> (8 * (bytes - 1 - i)));
    }
    return offset + bytes;
  }

  private static int bigEndian(byte[] in, int offset, int bytes) {
    int value = 0;
    for (int i = 0; i < bytes; i++) {
      value = (value << 8) | (in[offset + i] & 0xff);
    }
    return value;
  }

  /// Parses a printed key.
  ///
  /// @throws IllegalArgumentException when the text is not a printed key; the message quotes it
  public static PartitionKey parse(String text) {
    Matcher parts = PRINTED.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not a partition key: " + text);
    }
    String hour = parts.group(2) == null ? "00" : parts.group(2);
    String minute = parts.group(3) == null ? "00" : parts.group(3);
    int width = parts.group(2) == null ? MINUTES_PER_DAY : 60;
    if (parts.group(4) != null) {
      width = Integer.parseInt(parts.group(4));
    } else if (parts.group(5) != null) {
      width = Integer.parseInt(parts.group(5)) * MINUTES_PER_DAY;
    }
    try {
      LocalDateTime start = LocalDateTime.parse(parts.group(1) + "T" + hour + ":" + minute);
      long minutes = start.toEpochSecond(ZoneOffset.UTC) / 60;
      return new PartitionKey(
          Math.toIntExact(minutes), width, parts.group(6), Integer.parseInt(parts.group(7)));
    } catch (DateTimeParseException | ArithmeticException | IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "not a partition key: %s: %s".formatted(text, refused.getMessage()), refused);
    }
  }

  @Override
  public int compareTo(PartitionKey other) {
    if (bucketMinutes != other.bucketMinutes) {
      return Integer.compare(bucketMinutes, other.bucketMinutes);
    }
    if (widthMinutes != other.widthMinutes) {
      return Integer.compare(widthMinutes, other.widthMinutes);
    }
    int byType = Utf8.compare(type, other.type);
    return byType != 0 ? byType : Integer.compare(shard, other.shard);
  }

  @Override
  public String toString() {
    String start =
        MINUTE.format(
            LocalDateTime.ofInstant(Instant.ofEpochSecond(bucketMinutes * 60L), ZoneOffset.UTC));
    String bucket =
        switch (widthMinutes) {
          case MINUTES_PER_DAY -> start.substring(0, 10);
          case 60 -> start.substring(0, 13);
          default ->
              widthMinutes > MINUTES_PER_DAY
                  ? start.substring(0, 10) + "+" + widthMinutes / MINUTES_PER_DAY + "d"
                  : start + "+" + widthMinutes + "m";
        };
    return bucket + "|" + type + "|" + shard;
  }
}
