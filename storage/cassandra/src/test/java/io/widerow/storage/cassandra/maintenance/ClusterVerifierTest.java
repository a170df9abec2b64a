package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.faults.TestEvent;
import io.widerow.storage.Damage;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.maintenance.ClusterVerifier.Verification;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Every kind of damage is found and named by its key, and nothing else is.
class ClusterVerifierTest {
  private static final PartitionKey PARTITION = TestCluster.PARTITION;

  private final TestCluster cluster = new TestCluster(new Random(5), 2);
  private final List<Long> done = new ArrayList<>();
  private ClusterMerger.Merged merged = ClusterMerger.Merged.UNKNOWN;

  @BeforeEach
  void someIsMergedAndSomeIsNot() {
    for (int round = 0; round < 4; round++) {
      cluster.apply(round % 2, 100, round);
    }
    merged =
        ClusterMergerTest.merge(cluster.memory, ClusterMergerTest.merger(cluster.memory, 0, 1));
    cluster.apply(0, 100, 4);
  }

  private Verification verify(Keyspace keyspace, boolean probing) {
    done.clear();
    ClusterPolicies policies = new ClusterPolicies(keyspace, () -> 0);
    return ClusterVerifier.verify(
        keyspace,
        policies,
        _ -> true,
        probing,
        PARTITION.untilNanos(),
        (partitions, known, bytes, _) -> {
          assertTrue(partitions <= known);
          assertTrue(bytes > 0);
          done.add(partitions);
        });
  }

  private void requireOnly(SegmentKey key, String found) {
    List<Damage> damage = verify(cluster.memory, true).damage();
    assertEquals(
        List.of(key + ": corrupt at byte 0: " + found),
        damage.stream().map(Damage::sentence).toList());
  }

  private SegmentKey part(int part) {
    return merged.rows().get(part).key();
  }

  private void delete(SegmentKey key) {
    List<DirectoryRow> rows = cluster.directory().rows();
    Map<SegmentKey, ByteBuffer> values = new HashMap<>();
    for (DirectoryRow row : rows) {
      values.put(row.key(), cluster.memory.value(row.key(), true).join());
    }
    cluster.memory.delete(PARTITION, key.tier(), key.daemon(), key.seq(), key.seq()).join();
    for (DirectoryRow row : rows) {
      SegmentKey other = row.key();
      if (other.tier() == key.tier()
          && other.daemon() == key.daemon()
          && other.seq() == key.seq()
          && other.part() != key.part()) {
        cluster.memory.write(row, values.getOrDefault(other, ByteBuffer.allocate(0)), 0).join();
      }
    }
  }

  @Test
  void aWholeKeyspaceHasNoDamage() {
    Verification found = verify(cluster.memory, true);
    assertEquals(List.of(), found.damage());
    assertEquals(1, found.partitions());
    assertEquals(List.of(1L), done);
    long hidden = ClusterMerger.obsolete(cluster.directory()).size();
    assertEquals(cluster.directory().rows().size() - hidden, found.segments());
    assertEquals(
        List.of(hidden + " segments that merges have covered or given up; deleted by a daemon"),
        found.remarks());
    assertTrue(found.blocks() >= found.segments());
    assertTrue(found.events() >= 400 && found.bytes() > 1_000, found::toString);
  }

  @Test
  void aRoundThatIsBeingAppliedIsNoDamage() {
    TestCluster.write(
        cluster.memory,
        new SegmentKey(PARTITION, SegmentKey.APPLIED, 0, Stamp.of(1, 99), 1),
        cluster.round(0, 5, 3));
    Verification found = verify(cluster.memory, false);
    assertEquals(List.of(), found.damage());
    assertEquals("1 segments of rounds that are being applied", found.remarks().getLast());
  }

  @Test
  void aMissingPartIsFound() {
    delete(part(1));
    requireOnly(part(2), "the part before is missing");
  }

  @Test
  void aMergeInForceWithoutRowsIsFound() {
    SegmentKey first = part(0);
    cluster.memory.delete(PARTITION, 1, first.daemon(), first.seq(), first.seq()).join();
    assertEquals(1, verify(cluster.memory, true).damage().size());
  }

  @Test
  void aValueThatIsMissingDamagedOrAnothersIsFound() {
    SegmentKey bad = part(1);
    ByteBuffer other = cluster.memory.value(part(2), true).join();
    for (int kind = 0; kind < 3; kind++) {
      int how = kind;
      Keyspace keyspace =
          WatchedKeyspace.of(
              cluster.memory,
              (statement, arguments, inner) -> {
                if (!statement.equals("value") || !arguments[0].equals(bad)) {
                  return inner.call();
                }
                ByteBuffer value = cluster.memory.value(bad, true).join();
                if (how == 0 || value == null) {
                  return CompletableFuture.completedFuture(null);
                }
                value.put(value.limit() / 2, (byte) (value.get(value.limit() / 2) ^ 1));
                return CompletableFuture.completedFuture(how == 1 ? value : other);
              });
      Verification found = verify(keyspace, false);
      assertEquals(1, found.damage().size(), found::toString);
      Damage damage = found.damage().getFirst();
      assertEquals(bad.toString(), damage.file().toString());
      assertEquals(merged.rows().get(1).events(), damage.events());
    }
  }

  @Test
  void aValueWithoutARowOfTheDirectoryIsFoundWhenAsked() {
    SegmentKey last = merged.rows().getLast().key();
    SegmentKey after =
        new SegmentKey(PARTITION, last.tier(), last.daemon(), last.seq(), last.part() + 1);
    Keyspace keyspace =
        WatchedKeyspace.of(
            cluster.memory,
            (statement, arguments, inner) ->
                statement.equals("value") && arguments[0].equals(after)
                    ? CompletableFuture.completedFuture(ByteBuffer.allocate(1))
                    : inner.call());
    assertEquals(List.of(), verify(keyspace, false).damage());
    assertEquals(
        after + ": corrupt at byte 0: there is a value, and the directory has no row",
        verify(keyspace, true).damage().getFirst().sentence());
  }

  @Test
  void anEventThatIsAppliedAndCoveredAtOnceIsFound() {
    // A merge that forgot to say what it covers.
    int next = Generations.next(cluster.directory(), 0, new Random(1));
    List<TestEvent> events = cluster.expected(TestCluster.view(cluster.memory), false);
    TestCluster.write(
        cluster.memory, new SegmentKey(PARTITION, SegmentKey.MERGED, 0, next, 0), events);
    cluster.memory.swap(PARTITION, merged.generation(), next, Map.of()).join();
    Verification found = verify(cluster.memory, true);
    assertTrue(found.damage().size() >= 5, found::toString);
    assertTrue(
        found.damage().stream().allMatch(damage -> damage.found().contains("is shown twice")),
        found::toString);
  }

  @Test
  void aWrongCountIsFound() {
    ByteBuffer value = cluster.memory.value(merged.rows().getFirst().key(), true).join();
    DirectoryRow first = merged.rows().getFirst();
    DirectoryRow wrong =
        new DirectoryRow(
            first.key(),
            first.first(),
            first.last(),
            first.events() + 1,
            first.bytes(),
            first.own(),
            first.crc());
    cluster.memory.write(wrong, value == null ? ByteBuffer.allocate(0) : value, 0).join();
    List<Damage> damage = verify(cluster.memory, false).damage();
    assertEquals(1, damage.size(), damage::toString);
    assertTrue(damage.getFirst().found().contains("events"), damage::toString);
  }

  @Test
  void aMergeMeanwhileIsNoDamage() {
    int[] values = {0};
    Keyspace keyspace =
        WatchedKeyspace.of(
            cluster.memory,
            (statement, _, inner) -> {
              if (statement.equals("value") && values[0]++ == 2) {
                ClusterMerger merger = ClusterMergerTest.merger(cluster.memory, 1, 9);
                merger.clean(PARTITION, ClusterMergerTest.merge(cluster.memory, merger));
              }
              return inner.call();
            });
    Verification found = verify(keyspace, false);
    assertEquals(List.of(), found.damage());
    assertTrue(values[0] > 3);
  }

  @Test
  void whatIsPastItsRetentionIsNotLookedAt() {
    new ClusterPolicies(cluster.memory, () -> 0).set("log", Duration.ofNanos(1));
    PartitionKey other = new PartitionKey(PARTITION.bucketMinutes(), 60, "other", 0);
    cluster.memory.addBucket(new BucketRow(Bucket.of(other), "other", 3)).join();
    ClusterPolicies policies = new ClusterPolicies(cluster.memory, () -> 0);
    List<PartitionKey> seen = new ArrayList<>();
    ClusterVerifier.verify(
        cluster.memory,
        policies,
        key -> key.shard() != 1,
        false,
        PARTITION.untilNanos() + 1,
        (_, _, _, partition) -> seen.add(partition));
    assertEquals(List.of(other, new PartitionKey(PARTITION.bucketMinutes(), 60, "other", 2)), seen);
  }
}
