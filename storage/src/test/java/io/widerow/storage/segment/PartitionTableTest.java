package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a table equals the list that it was built from, finds exactly its keys, and refuses what
/// it could not represent. Method: random partitions of several buckets, with names from all of
/// Unicode, compared with a sorted map. The seed is the test's name; to replay one, run with
/// `-Dseed=<n>`.
class PartitionTableTest {
  private static final List<String> TYPES =
      List.of("a", "aa", "b", "cpu", "Ärger", "\uffee", "\ud83d\ude00", "\ud83d\ude01", "\ue000");
  private static final int[] WIDTHS = {1, 60, 1_440};

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  private static PartitionKey key(SplittableRandom random) {
    int width = WIDTHS[random.nextInt(WIDTHS.length)];
    int bucket = 1_440 * random.nextInt(3) + width * random.nextInt(1_440 / width);
    int shard = random.nextBoolean() ? random.nextInt(3) : EventLayout.SHARD_LIMIT - 1;
    return new PartitionKey(bucket, width, TYPES.get(random.nextInt(TYPES.size())), shard);
  }

  private static SegmentSummary.Partition partition(PartitionKey key, SplittableRandom random) {
    long events = random.nextLong(1L << random.nextInt(1, 62));
    var least = new EventId(random.nextLong(1L << 60), TimeUuid.tailLeast());
    return new SegmentSummary.Partition(key, events, least, least.next(), random.nextBoolean());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void itIsTheListThatItWasMadeOf(long seed) {
    var random = new SplittableRandom(seed);
    var model = new TreeMap<PartitionKey, SegmentSummary.Partition>();
    for (int left = random.nextInt(200); left > 0; left--) {
      PartitionKey key = key(random);
      model.put(key, partition(key, random));
    }
    PartitionTable table = PartitionTable.of(model.values());
    assertEquals(List.copyOf(model.values()), table);
    assertEquals(table, PartitionTable.of(new ArrayList<>(table)));
    assertEquals(table.hashCode(), List.copyOf(model.values()).hashCode());
    assertSame(table, PartitionTable.of(table));
    assertEquals(
        model.keySet().stream().map(PartitionKey::type).distinct().count(), table.types().size());
    for (int i = 0; i < 500; i++) {
      PartitionKey key = key(random);
      assertEquals(model.get(key), table.of(key), key::toString);
    }
    assertNull(table.of(new PartitionKey(0, 60, "no such type", 0)));
  }

  @Test
  void oneThatDiffersInAnythingIsAnother() {
    var random = new SplittableRandom(1);
    PartitionKey key = key(random);
    SegmentSummary.Partition one = partition(key, random);
    PartitionTable table = PartitionTable.of(List.of(one));
    EventId other = one.greatest().next();
    for (SegmentSummary.Partition changed :
        List.of(
            new SegmentSummary.Partition(
                key, one.events() + 1, one.least(), one.greatest(), one.ownIds()),
            new SegmentSummary.Partition(key, one.events(), one.least(), other, one.ownIds()),
            new SegmentSummary.Partition(
                key, one.events(), one.least(), one.greatest(), !one.ownIds()))) {
      assertNotEquals(table, PartitionTable.of(List.of(changed)));
    }
    assertNotEquals(table, PartitionTable.of(List.of()));
  }

  @Test
  void whatItCannotShowAgainIsRefused() {
    var random = new SplittableRandom(2);
    var a = partition(new PartitionKey(0, 60, "a", 0), random);
    var b = partition(new PartitionKey(0, 60, "b", 0), random);
    assertThrows(IllegalArgumentException.class, () -> PartitionTable.of(List.of(b, a)));
    assertThrows(IllegalArgumentException.class, () -> PartitionTable.of(List.of(a, a)));
    for (long events : new long[] {-1, Long.MIN_VALUE, 1L << 62}) {
      var bad = new SegmentSummary.Partition(a.key(), events, a.least(), a.greatest(), a.ownIds());
      assertThrows(IllegalArgumentException.class, () -> PartitionTable.of(List.of(bad)));
    }
    PartitionTable table = PartitionTable.of(List.of(a, b));
    assertThrows(IndexOutOfBoundsException.class, () -> table.get(2));
    assertThrows(IndexOutOfBoundsException.class, () -> table.get(-1));
  }
}
