package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: ids order by time and arrival, their fields round-trip, and the bounds of instants
/// separate them. Method: random fields with neighbours, and the edges one by one.
class EventIdTest {
  private static final long COUNTER_LAST = TimeUuid.COUNTER_LIMIT - 1;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void fieldsComeBackAndOrderTheId(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      long nanos = random.nextLong(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT - 1_000);
      int daemon = random.nextInt(TimeUuid.DAEMON_LIMIT);
      long counter = random.nextLong(COUNTER_LAST);
      EventId id = assigned(nanos, daemon, counter);

      assertEquals(nanos, TimeUuid.nanosOf(id.time(), id.tail()));
      assertEquals(daemon, TimeUuid.daemonOf(id.tail()));
      assertEquals(counter, TimeUuid.counterOf(id.tail()));
      assertEquals(1, id.toUuid().version());
      assertEquals(2, id.toUuid().variant());
      assertTrue((id.toUuid().node() & (1L << 40)) != 0, "multicast bit");
      assertEquals(id, EventId.parse(id.toString()));

      assertBefore(id, assigned(nanos, daemon, counter + 1));
      assertBefore(assigned(nanos, daemon, COUNTER_LAST), assigned(nanos + 1, 0, 0));
      assertBefore(
          assigned(nanos, daemon, counter), assigned(nanos + 1 + random.nextInt(300), daemon, 0));
      if (daemon > 0) {
        assertBefore(assigned(nanos, daemon - 1, COUNTER_LAST), assigned(nanos, daemon, 0));
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void timeRisesWithTheOrderOfAllIds(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      EventId a = anyIdNear(random, TimeUuid.timeOfNanos(1_000_000_000_000L));
      EventId b = anyIdNear(random, TimeUuid.timeOfNanos(1_000_000_000_000L));
      int byId = a.compareTo(b);
      int byTime = Long.compare(nanosOf(a), nanosOf(b));

      assertTrue(byTime == 0 || byTime == Integer.signum(byId), a + " " + b);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void boundsOfAnInstantHoldItsIdsAndNoOthers(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      long nanos = random.nextLong(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
      EventId least = EventId.leastOf(nanos);
      EventId greatest = EventId.greatestOf(nanos);

      assertBefore(least, greatest);
      assertEquals(EventId.leastOf(nanos + 1), greatest.next());
      assertBefore(EventId.greatestOf(nanos - 1), least);
      assertBefore(least, assigned(nanos, 0, 0));
      assertTrue(assigned(nanos, TimeUuid.DAEMON_LIMIT - 1, COUNTER_LAST).compareTo(greatest) <= 0);
      assertEquals(least, EventId.parse(least.toString()));
      assertEquals(greatest, EventId.parse(greatest.toString()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        Long.MIN_VALUE,
        -1,
        0,
        1,
        99,
        100,
        TimeUuid.NANOS_LIMIT - 1,
        TimeUuid.NANOS_LIMIT,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE
      })
  void boundsWorkForAnythingALongCanHold(long nanos) {
    EventId least = EventId.leastOf(nanos);
    EventId greatest = EventId.greatestOf(nanos);

    assertBefore(least, greatest);
    assertBefore(EventId.LEAST, least);
    assertBefore(greatest, EventId.LIMIT);
    if (nanos != Long.MAX_VALUE) {
      assertEquals(EventId.leastOf(nanos + 1), greatest.next());
    }
  }

  @Test
  void nextVisitsOnlyIdsThatAUuidCanStandFor() {
    EventId last = new EventId(7, TimeUuid.tailGreatest());

    assertEquals(new EventId(8, TimeUuid.tailLeast()), last.next());
    assertEquals(last.next(), EventId.parse(last.next().toString()));
    assertEquals(
        EventId.LIMIT, new EventId(TimeUuid.ID_TIME_LIMIT - 1, TimeUuid.tailGreatest()).next());
  }

  @Test
  void limitIsABoundAndNoId() {
    assertEquals("limit", EventId.LIMIT.toString());
    assertThrows(IllegalStateException.class, EventId.LIMIT::toUuid);
    assertThrows(IllegalStateException.class, EventId.LIMIT::next);
    assertThrows(IllegalArgumentException.class, () -> new EventId(1, 0));
    assertThrows(IllegalArgumentException.class, () -> new EventId(-1, TimeUuid.tailLeast()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "6ba7b810-9dad-41d1-80b4-00c04fd430c8", // version 4
        "6ba7b810-9dad-11d1-c0b4-00c04fd430c8", // variant 6
        "6ba7b8109dad-11d1-80b4-00c04fd430c8-",
        "+ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "-ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "6ba7b810-9dad-11d1-80b4-00c04fd430cg",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c\uff11", // a digit outside ASCII
        "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
        "06ba7b810-9dad-11d1-80b4-0c04fd430c8"
      })
  void refusesTextThatIsNoTimeUuid(String text) {
    var refusal = assertThrows(IllegalArgumentException.class, () -> EventId.parse(text));
    assertTrue(String.valueOf(refusal.getMessage()).contains(text), refusal.getMessage());
  }

  @Test
  void parsesEitherCase() {
    EventId id = EventId.parse("6BA7B810-9DAD-11D1-80B4-00C04FD430C8");

    assertEquals(UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), id.toUuid());
    assertFalse(id.equals(EventId.LEAST));
  }

  /// Ten million ids of a daemon whose clock moves by less than a tick, or stands still.
  @Test
  void tenMillionIdsRiseStrictly() {
    long nanos = 1_700_000_000_000_000_000L;
    long timeLast = 0;
    long tailLast = 0;
    for (long counter = 0; counter < 10_000_000; counter++) {
      nanos += (counter & 7) == 0 ? 13 : 0;
      long time = TimeUuid.timeOfNanos(nanos);
      long tail = TimeUuid.tailOf(nanos, 511, counter);
      if (TimeUuid.compare(timeLast, tailLast, time, tail) >= 0) {
        throw new AssertionError("id " + counter + " does not rise");
      }
      timeLast = time;
      tailLast = tail;
    }
  }

  private static EventId assigned(long nanos, int daemon, long counter) {
    return new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, daemon, counter));
  }

  private static EventId anyIdNear(SplittableRandom random, long time) {
    long tail = (random.nextLong() & 0x3fff_ffff_ffff_ffffL) | Long.MIN_VALUE;
    return new EventId(time + random.nextInt(3), tail);
  }

  private static long nanosOf(EventId id) {
    return TimeUuid.nanosOf(id.time(), id.tail());
  }

  private static void assertBefore(EventId a, EventId b) {
    assertTrue(a.compareTo(b) < 0, () -> a + " is not before " + b);
    assertTrue(b.compareTo(a) > 0, () -> b + " is not after " + a);
  }
}
