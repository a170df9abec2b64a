package io.widerow.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.UUID;

/// The clustering key as two longs: a version-1 UUID (RFC 9562) in a form that sorts. Its order,
/// time first and then the low eight bytes as signed bytes, is exactly that of Cassandra's
/// `TimeUUIDType`. All methods are static; only methods that return an object allocate.
///
/// An id is `idTime`, the 60-bit count of 100 ns ticks since 1582-10-15 UTC, and `idTail`, the
/// UUID's low eight bytes with the sign bit of every byte but the first flipped. In this form two
/// signed comparisons of longs give the whole order.
///
/// The tail of an id that Widerow assigns, most significant bit first:
///
/// ```
///   UUID byte    8           9          10          11 .. 15
///             +-----------+----------+-----------+------------- ~
///             | 10 rrrrrr | rddddddd | ddcccccM  | c x 40          M: the multicast bit, always 1
///             +-----------+----------+-----------+------------- ~
///   r   7 bits   nanoseconds below the tick, 0..99
///   d   9 bits   number of the daemon, 0..511
///   c  45 bits   arrival counter of the daemon
/// ```
///
/// In bytes 9 to 15 the top bit is stored flipped, so that signed bytes sort as the fields do.
public final class TimeUuid {
  /// Ticks from 1582-10-15 to 1970-01-01.
  public static final long UNIX_EPOCH_TICKS = 0x01b2_1dd2_1381_4000L;

  public static final long NANOS_PER_TICK = 100;
  public static final int DAEMON_LIMIT = 1 << 9;
  public static final long COUNTER_LIMIT = 1L << 45;

  /// The first instant an event may have, 1970-01-01, in nanoseconds since the Unix epoch.
  public static final long NANOS_MIN = 0;

  /// The first instant too late for an event, 2200-01-01, in nanoseconds since the Unix epoch.
  public static final long NANOS_LIMIT = 7_258_118_400L * 1_000_000_000L;

  /// One more than the greatest `idTime`.
  static final long ID_TIME_LIMIT = 1L << 60;

  private static final long TIME_MIN = NANOS_MIN / NANOS_PER_TICK + UNIX_EPOCH_TICKS;
  private static final long TIME_LIMIT = NANOS_LIMIT / NANOS_PER_TICK + UNIX_EPOCH_TICKS;
  private static final long SIGN_FLIPS = 0x0080_8080_8080_8080L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  static final long MULTICAST = 0x0000_0100_0000_0000L;
  private static final int LOW_BITS = 40; // bytes 11 to 15
  private static final long LOW_MASK = (1L << LOW_BITS) - 1;
  private static final int COUNTER_BITS = 45;
  private static final int DAEMON_BITS = 9;
  private static final long TAIL_LEAST = VARIANT; // every signed byte least, except for the variant
  private static final long TAIL_GREATEST = 0xbfff_ffff_ffff_ffffL;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private TimeUuid() {}

  /// The `idTime` of an instant, in ticks, rounded down.
  public static long timeOfNanos(long epochNanos) {
    return Math.floorDiv(epochNanos, NANOS_PER_TICK) + UNIX_EPOCH_TICKS;
  }

  /// The tail of an assigned id.
  ///
  /// @param epochNanos the event's time; only its nanoseconds below the tick are used
  /// @param daemon 0 inclusive to [#DAEMON_LIMIT] exclusive
  /// @param counter taken modulo [#COUNTER_LIMIT]
  public static long tailOf(long epochNanos, int daemon, long counter) {
    assert daemon >= 0 && daemon < DAEMON_LIMIT : "daemon " + daemon;
    long fields =
        (Math.floorMod(epochNanos, NANOS_PER_TICK) << (DAEMON_BITS + COUNTER_BITS))
            | ((long) daemon << COUNTER_BITS)
            | (counter & (COUNTER_LIMIT - 1));
    return spread(fields);
  }

  /// The tail of an own id that is made of a hash.
  ///
  /// @param hash its upper 61 bits are used
  public static long tailOfHash(long hash) {
    return spread(hash >>> 3);
  }

  /// The event time of an assigned id, in nanoseconds since the Unix epoch. Use [#tickNanos] for a
  /// client's id: its bits below the tick mean something else. Over all ids of RFC 9562's variant
  /// the result does not decrease with the order of ids.
  public static long nanosOf(long idTime, long idTail) {
    long nanos = gather(idTail) >>> (DAEMON_BITS + COUNTER_BITS);
    return tickNanos(idTime) + Math.min(nanos, NANOS_PER_TICK - 1);
  }

  /// The start of the id's tick, in nanoseconds since the Unix epoch. The time must fit into a long
  /// of nanoseconds: that of an event does, that of an arbitrary client id may not.
  public static long tickNanos(long idTime) {
    return (idTime - UNIX_EPOCH_TICKS) * NANOS_PER_TICK;
  }

  public static int daemonOf(long idTail) {
    return (int) (gather(idTail) >>> COUNTER_BITS) & (DAEMON_LIMIT - 1);
  }

  public static long counterOf(long idTail) {
    return gather(idTail) & (COUNTER_LIMIT - 1);
  }

  /// The least tail of RFC 9562's variant.
  public static long tailLeast() {
    return TAIL_LEAST;
  }

  /// The greatest tail of RFC 9562's variant.
  public static long tailGreatest() {
    return TAIL_GREATEST;
  }

  /// True when the id's tick is one that an event may have: 1970 (inclusive) to 2200 (exclusive).
  static boolean isEventTime(long idTime) {
    return idTime >= TIME_MIN && idTime < TIME_LIMIT;
  }

  /// True when the two longs form a version-1 UUID.
  public static boolean isId(long idTime, long idTail) {
    return idTime >= 0 && idTime < ID_TIME_LIMIT && isTail(idTail);
  }

  static boolean isTail(long idTail) {
    return idTail >>> 62 == 2; // the variant, which is never flipped
  }

  /// Compares two ids: negative when the first is less, zero when equal, positive when greater.
  public static int compare(long idTimeA, long idTailA, long idTimeB, long idTailB) {
    int byTime = Long.compare(idTimeA, idTimeB);
    return byTime != 0 ? byTime : Long.compare(idTailA, idTailB);
  }

  public static long mostSignificantBits(long idTime) {
    assert idTime >= 0 && idTime < ID_TIME_LIMIT : "time " + idTime;
    return (idTime << 32) | ((idTime >>> 16) & 0xffff_0000L) | 0x1000L | (idTime >>> 48);
  }

  public static long leastSignificantBits(long idTail) {
    return idTail ^ SIGN_FLIPS;
  }

  static long timeOfMostSignificantBits(long bits) {
    return ((bits & 0x0fffL) << 48) | ((bits & 0xffff_0000L) << 16) | (bits >>> 32);
  }

  static long tailOfLeastSignificantBits(long bits) {
    return bits ^ SIGN_FLIPS;
  }

  /// True for a version-1 UUID of RFC 9562's variant. Only these sort by time.
  static boolean isTimeUuid(long mostSignificantBits, long leastSignificantBits) {
    return ((mostSignificantBits >>> 12) & 0xf) == 1 && (leastSignificantBits >>> 62) == 2;
  }

  public static UUID toUuid(long idTime, long idTail) {
    return new UUID(mostSignificantBits(idTime), leastSignificantBits(idTail));
  }

  /// Writes the 36 characters of the UUID at `offset`.
  public static void print(long idTime, long idTail, byte[] out, int offset) {
    long high = mostSignificantBits(idTime);
    long low = leastSignificantBits(idTail);
    long middle = Digits.hex((int) high);
    long tail = Digits.hex((int) (low >>> 32));
    LONG.set(out, offset, Digits.hex((int) (high >>> 32)));
    out[offset + 8] = '-';
    INT.set(out, offset + 9, (int) middle);
    out[offset + 13] = '-';
    INT.set(out, offset + 14, (int) (middle >>> 32));
    out[offset + 18] = '-';
    INT.set(out, offset + 19, (int) tail);
    out[offset + 23] = '-';
    INT.set(out, offset + 24, (int) (tail >>> 32));
    LONG.set(out, offset + 28, Digits.hex((int) low));
  }

  /// Spreads 61 field bits around the variant and the multicast bit, into the sortable form of a
  /// tail.
  private static long spread(long fields) {
    long lsb =
        VARIANT
            | ((fields >>> 47) << 48) // 14 bits: bytes 8 and 9
            | (((fields >>> LOW_BITS) & 0x7f) << 41) // 7 bits: byte 10 above the multicast bit
            | (fields & LOW_MASK);
    // The sortable form equals the fields except for the multicast bit, which is set in the UUID.
    return lsb | MULTICAST;
  }

  private static long gather(long idTail) {
    return (((idTail >>> 48) & 0x3fff) << 47)
        | (((idTail >>> 41) & 0x7f) << LOW_BITS)
        | (idTail & LOW_MASK);
  }
}
