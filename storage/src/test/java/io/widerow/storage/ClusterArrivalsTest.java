package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a position of a cluster survives its text form, decides for each event by the daemon that
/// took it, and is refused where it is malformed or belongs to another kind of store. Method:
/// random positions, all at once for 512 daemons; a list of malformed texts. `-Dseed=<n>` replays.
class ClusterArrivalsTest {
  static List<Long> seeds() {
    return Seeds.of(50);
  }

  private static ClusterArrivals random(SplittableRandom random, int daemons) {
    Map<Integer, ClusterArrivals.Position> positions = new TreeMap<>();
    int lanes = random.nextInt(1, 9);
    for (int daemon = 0; daemon < daemons; daemon++) {
      if (daemons == TimeUuid.DAEMON_LIMIT || random.nextBoolean()) {
        positions.put(
            daemon,
            new ClusterArrivals.Position(
                random.nextLong(),
                random.nextLong(Long.MAX_VALUE),
                LongStream.range(0, lanes).map(_ -> random.nextLong(1L << 45)).boxed().toList()));
      }
    }
    return new ClusterArrivals(positions);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theTextFormSaysAll(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ClusterArrivals position = random(random, random.nextInt(20));
    assertEquals(position, Arrivals.parse(position.toString()));
    ClusterArrivals full = random(random, TimeUuid.DAEMON_LIMIT);
    assertEquals(full, Arrivals.parse(full.toString()));
    assertEquals(full.toString(), Arrivals.parse(full.toString()).toString());
  }

  @Test
  void itIsWrittenAsDocumented() {
    ClusterArrivals position =
        new ClusterArrivals(
            Map.of(
                0x1f,
                new ClusterArrivals.Position(0x100000002L, 0xab00, List.of(10L, 16L)),
                2,
                new ClusterArrivals.Position(1, 2, List.of(3L))));
    assertEquals("c1.2:1:2:3,1f:100000002:ab00:a-10", position.toString());
    assertEquals("c1.", new ClusterArrivals(Map.of()).toString());
    assertEquals(0x100000002L, position.stampOf(0x1f));
    assertEquals(0, position.stampOf(0));
  }

  /// An event as the position sees it.
  private record Event(long version, long idTail) implements EventView {
    @Override
    public long idTime() {
      return TimeUuid.UNIX_EPOCH_TICKS;
    }

    @Override
    public String type() {
      return "t";
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return false;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {}
  }

  private static Event assigned(int daemon, long counter) {
    return new Event(EventLayout.VERSION_ASSIGNED, TimeUuid.tailOf(0, daemon, counter));
  }

  private static Event ofClient(int daemon, long version) {
    return new Event(version << ClusterArrivals.DAEMON_BITS | daemon, TimeUuid.tailOf(0, 511, 1));
  }

  @Test
  void anEventIsNewFromTheLimitOfItsDaemonAndLaneOn() {
    ClusterArrivals position =
        new ClusterArrivals(
            Map.of(
                3,
                new ClusterArrivals.Position(
                    1, 1_000L << ClusterArrivals.DAEMON_BITS, List.of(50L, 70L))));
    for (int shard : new int[] {0, 2, 4}) {
      assertEquals(false, position.isNew(assigned(3, 49), shard));
      assertTrue(position.isNew(assigned(3, 50), shard));
    }
    assertEquals(false, position.isNew(assigned(3, 69), 1));
    assertTrue(position.isNew(assigned(3, 70), 5));
    assertEquals(false, position.isNew(ofClient(3, 999), 0), "the version counts, not the id");
    assertTrue(position.isNew(ofClient(3, 1_000), 0));
    assertTrue(position.isNew(assigned(4, 1), 0), "a daemon that had applied nothing");
    assertTrue(position.isNew(ofClient(4, 1), 1));
  }

  /// An event that is new to a later position is new to every earlier position.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void laterPositionsHaveFewerNewEvents(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Long> limits = new ArrayList<>(List.of(0L, 0L, 0L));
    long version = 0;
    List<ClusterArrivals> rising = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      limits.replaceAll(limit -> limit + random.nextInt(10));
      version += random.nextInt(10);
      rising.add(
          new ClusterArrivals(
              Map.of(
                  7,
                  new ClusterArrivals.Position(
                      i, version << ClusterArrivals.DAEMON_BITS, List.copyOf(limits)))));
    }
    for (int i = 0; i < 200; i++) {
      Event event =
          random.nextBoolean()
              ? assigned(7, random.nextLong(100))
              : ofClient(7, random.nextLong(100));
      int shard = random.nextInt(6);
      boolean wasNew = true;
      for (ClusterArrivals position : rising) {
        boolean isNew = position.isNew(event, shard);
        assertTrue(wasNew || !isNew, event + " becomes new again at " + position);
        wasNew = isNew;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "c1",
        "c1",
        "C1.",
        "c2.",
        "c1.1",
        "c1.1:",
        "c1.1:2",
        "c1.1:2:3",
        "c1.1:2:3:",
        "c1.1:2:3:4:",
        "c1.1:2:3:4:5",
        "c1.1:2:3:4,",
        "c1.,1:2:3:4",
        "c1.1:2:3:4,,2:2:3:4",
        "c1.:2:3:4",
        "c1.1::3:4",
        "c1.1:2::4",
        "c1.1:2:3:-4",
        "c1.1:2:3:4-",
        "c1.1:2:3:4--5",
        "c1.g:2:3:4",
        "c1.1:x:3:4",
        "c1.1:2: 3:4",
        "c1.-1:2:3:4",
        "c1.1:-2:3:4",
        "c1.1:2:-3:4",
        "c1.200:2:3:4",
        "c1.ffffffff:2:3:4",
        "c1.1:12345678912345678:3:4",
        "c1.1:2:3:4;2:2:3:4",
        "c1.+1:2:3:4",
        "c1.1:2:3:+4",
        "c1.1:2:3:4,1:2:3:4",
        "c1.1:2:3:4\n",
        "c1. ",
        "a1.1:2:3:4",
        "c1.1-2"
      })
  void malformedTextIsRefusedWithItsText(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Arrivals.parse(text));
    assertTrue(String.valueOf(refused.getMessage()).contains(text), refused.getMessage());
  }

  @Test
  void aLongTextIsNotRepeatedWhole() {
    String text = "c1." + "1:2:3:4,".repeat(10_000);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Arrivals.parse(text));
    assertTrue(String.valueOf(refused.getMessage()).length() < 300, refused.getMessage());
  }

  @Test
  void theOtherKindOfPositionIsRefusedWithItsText() {
    ClusterArrivals cluster = (ClusterArrivals) Arrivals.parse("c1.1:2:3:4");
    LaneArrivals lanes = (LaneArrivals) Arrivals.parse("a1.5-6");
    assertNull(ClusterArrivals.of(null));
    assertSame(cluster, ClusterArrivals.of(cluster));
    cluster.requireKindOf(new ClusterArrivals(Map.of()));
    lanes.requireKindOf(lanes);
    assertEquals(
        "a position of a store on one machine, and this store is on a cluster: a1.5-6",
        assertThrows(IllegalArgumentException.class, () -> cluster.requireKindOf(lanes))
            .getMessage());
    assertEquals(
        "a position of a store on a cluster, and this store is on one machine: c1.1:2:3:4",
        assertThrows(IllegalArgumentException.class, () -> lanes.requireKindOf(cluster))
            .getMessage());
  }
}
