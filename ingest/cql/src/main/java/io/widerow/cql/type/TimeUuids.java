package io.widerow.cql.type;

import io.widerow.event.TimeUuid;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// Version-1 UUIDs as values of `timeuuid`, their order and their bounds. The bounds of an instant
/// are no ids that an event can have: their last eight bytes are the least and the greatest.
public final class TimeUuids {
  private static final long TAIL_LEAST = 0x8080_8080_8080_8080L;
  private static final long TAIL_GREATEST = 0x7f7f_7f7f_7f7f_7f7fL;
  private static final long TICKS_PER_MILLI = 10_000;
  private static final long MILLIS_MAX = 100_000_000_000_000L; // in 5138; ids end in 5236
  private static final long NODE = new SecureRandom().nextLong();
  private static final AtomicLong LAST_TICK = new AtomicLong();

  private TimeUuids() {}

  public static boolean isVersionOne(UUID id) {
    return id.version() == 1;
  }

  /// Compares by time, then by the last eight bytes as signed bytes, as Cassandra does.
  public static int compare(UUID one, UUID other) {
    int byTime = Long.compare(ticks(one), ticks(other));
    return byTime != 0 ? byTime : Long.compare(tail(one), tail(other));
  }

  /// 100 ns ticks since 1582-10-15: the first of the two longs of an event's id.
  public static long ticks(UUID id) {
    long high = id.getMostSignificantBits();
    return ((high & 0x0fffL) << 48) | ((high & 0xffff_0000L) << 16) | (high >>> 32);
  }

  /// The first half of the UUID of a tick.
  public static long mostSignificantBits(long ticks) {
    return TimeUuid.mostSignificantBits(ticks);
  }

  /// The second of the two longs of an event's id, for a UUID of any variant.
  public static long tail(UUID id) {
    return TimeUuid.leastSignificantBits(id.getLeastSignificantBits()); // undoes itself
  }

  /// The millisecond of a UUID; of one before 1970 that which is nearer to it, as Cassandra has it.
  public static Instant instant(UUID id) {
    return Instant.ofEpochMilli((ticks(id) - TimeUuid.UNIX_EPOCH_TICKS) / TICKS_PER_MILLI);
  }

  /// Not greater than any id of a millisecond.
  public static UUID least(Instant time) {
    return of(ticks(time), TAIL_LEAST);
  }

  /// Not less than any id of a millisecond.
  public static UUID greatest(Instant time) {
    return of(ticks(time) + TICKS_PER_MILLI - 1, TAIL_GREATEST);
  }

  private static long ticks(Instant time) {
    long millis = Math.clamp(time.toEpochMilli(), -MILLIS_MAX, MILLIS_MAX);
    return millis * TICKS_PER_MILLI + TimeUuid.UNIX_EPOCH_TICKS;
  }

  private static UUID of(long ticks, long tailBits) {
    long bounded = Math.clamp(ticks, 0, (1L << 60) - 1);
    return new UUID(TimeUuid.mostSignificantBits(bounded), tailBits);
  }

  /// A new one, of now; each later than the one before.
  public static UUID next(Instant now) {
    long nanos = ChronoUnit.NANOS.between(now.truncatedTo(ChronoUnit.MILLIS), now);
    long ticks = ticks(now) + nanos / TimeUuid.NANOS_PER_TICK;
    long next = LAST_TICK.accumulateAndGet(ticks, (last, time) -> Math.max(last + 1, time));
    return of(next, (NODE & 0x3fff_ffff_ffff_ffffL) | 0x8000_0100_0000_0000L);
  }
}
