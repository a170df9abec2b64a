package io.widerow.storage.cassandra.keyspace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.storage.SourceRange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: every keyspace does what [Keyspace] says. Method: the same statements, many of them twice,
/// against each implementation; random ones against a model. Each test has partitions, daemons and
/// names of its own, so one keyspace serves all.
abstract class KeyspaceContract {
  private static final int HOUR = 2_000 * 24 * 60;

  /// The keyspace under test.
  abstract Keyspace keyspace();

  static <T extends @Nullable Object> T get(CompletableFuture<T> future) throws Exception {
    return future.get(Await.SECONDS, TimeUnit.SECONDS);
  }

  static String message(Throwable failure) {
    return Objects.toString(failure.getMessage(), "");
  }

  static PartitionKey partition(String type) {
    return new PartitionKey(HOUR, 60, type, 0);
  }

  static DirectoryRow row(PartitionKey partition, int tier, int daemon, long seq, int part, int n) {
    EventId first = EventId.leastOf(partition.fromNanos() + 100L * n);
    EventId last = EventId.leastOf(partition.fromNanos() + 100L * n + 77);
    var key = new SegmentKey(partition, tier, daemon, seq, part);
    return new DirectoryRow(key, first, last, n + 1, 3, n % 2 == 0, 31 * n - 5);
  }

  static ByteBuffer bytes(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(values.length);
    for (int value : values) {
      buffer.put((byte) value);
    }
    return buffer.flip();
  }

  static byte @Nullable [] array(@Nullable ByteBuffer buffer) {
    if (buffer == null) {
      return null;
    }
    byte[] array = new byte[buffer.remaining()];
    buffer.duplicate().get(array);
    return array;
  }

  @Test
  void aSegmentIsReadAsItWasWrittenAndAgainAfterARepeat() throws Exception {
    PartitionKey partition = new PartitionKey(HOUR + 15, 5, "ω \u0000 type", 3);
    DirectoryRow row = row(partition, SegmentKey.APPLIED, 7, Stamp.of(1, 9), 2, 4);
    ByteBuffer value = ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 9}, 1, 3);
    for (int time = 0; time < 2; time++) {
      get(keyspace().write(row, value, 0));
      assertEquals(3, value.remaining(), "the caller's buffer is left alone");
      assertArrayEquals(new byte[] {1, 2, 3}, array(get(keyspace().value(row.key(), true))));
      assertArrayEquals(new byte[] {1, 2, 3}, array(get(keyspace().value(row.key(), false))));
      assertEquals(
          new Directory(partition, 0, Map.of(), List.of(row)),
          get(keyspace().directory(partition)));
    }
    SegmentKey absent = new SegmentKey(partition, 0, 7, Stamp.of(1, 9), 3);
    assertNull(get(keyspace().value(absent, true)));
    assertNull(get(keyspace().value(absent, false)));
    PartitionKey other = partition("nothing");
    assertEquals(new Directory(other, 0, Map.of(), List.of()), get(keyspace().directory(other)));
  }

  @Test
  void aValueOfEightMebibytesIsWritten() throws Exception {
    DirectoryRow row = row(partition("large"), SegmentKey.MERGED, 0, 1, 0, 0);
    byte[] value = new byte[8 << 20];
    new SplittableRandom(8).nextBytes(value);
    get(keyspace().write(row, ByteBuffer.wrap(value), 0));
    assertArrayEquals(value, array(get(keyspace().value(row.key(), true))));
  }

  @Test
  void randomWritesDeletesAndSwapsAreWhatAModelSays() throws Exception {
    var random = new SplittableRandom(20261125);
    var model = new io.widerow.cluster.MemoryKeyspace();
    for (int step = 0; step < 400; step++) {
      PartitionKey partition = partition("model-" + random.nextInt(3));
      int daemon = random.nextInt(3);
      int tier = random.nextInt(2);
      long seq = tier == 0 ? Stamp.of(1 + random.nextInt(2), random.nextInt(6)) : random.nextInt(4);
      long until = seq + random.nextInt(3);
      int dice = random.nextInt(10);
      int generation = random.nextInt(4);
      int next = generation + 1;
      DirectoryRow row = row(partition, tier, daemon, seq, random.nextInt(3), step);
      for (Keyspace one : List.of(model, keyspace())) {
        if (dice < 7) {
          get(one.write(row, bytes(step, step >> 8), 0));
        } else if (dice < 9) {
          get(one.delete(partition, tier, daemon, seq, until));
        }
      }
      if (dice == 9) {
        Map<Integer, Long> covered = Map.of(daemon, seq);
        assertEquals(
            get(model.swap(partition, generation, next, covered)),
            get(keyspace().swap(partition, generation, next, covered)),
            "step " + step);
      }
      if (step % 10 == 9) {
        assertEquals(
            get(model.directory(partition)), get(keyspace().directory(partition)), "step " + step);
        assertArrayEquals(
            array(get(model.value(row.key(), true))),
            array(get(keyspace().value(row.key(), true))),
            "step " + step);
      }
    }
  }

  @Test
  void aDirectoryOfManyPagesIsWhole() throws Exception {
    PartitionKey partition = partition("wide");
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    List<DirectoryRow> expected = new ArrayList<>();
    for (int n = 0; n < 11_000; n++) {
      DirectoryRow row = row(partition, 0, 0, Stamp.of(1, n / 10), n % 10, n);
      expected.add(row);
      writes.add(keyspace().write(row, bytes(n), 0));
      if (writes.size() == 64) {
        get(CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0])));
        writes.clear();
      }
    }
    get(CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0])));
    assertTrue(get(keyspace().swap(partition, 0, 1, Map.of(4, 5L))));
    assertEquals(
        new Directory(partition, 1, Map.of(4, 5L), expected), get(keyspace().directory(partition)));
  }

  @Test
  void ofTwoSwapsOneWinsAndARepeatOfItWinsAgain() throws Exception {
    PartitionKey partition = partition("swap");
    Map<Integer, Long> mine = Map.of(0, 7L, 3, Long.MAX_VALUE);
    assertTrue(get(keyspace().swap(partition, 0, 1, mine)));
    assertTrue(get(keyspace().swap(partition, 0, 1, mine)), "its answer was lost");
    assertFalse(get(keyspace().swap(partition, 0, 1, Map.of(0, 8L))), "another merger");
    assertFalse(get(keyspace().swap(partition, 4, 5, mine)));
    assertEquals(
        new Directory(partition, 1, mine, List.of()), get(keyspace().directory(partition)));
    assertTrue(get(keyspace().swap(partition, 1, 2, Map.of())));
    assertEquals(
        new Directory(partition, 2, Map.of(), List.of()), get(keyspace().directory(partition)));
  }

  @Test
  void aDeletedPartitionIsEmptyAndCanBeWrittenAgain() throws Exception {
    PartitionKey partition = partition("drop");
    DirectoryRow row = row(partition, 0, 1, Stamp.of(1, 1), 0, 1);
    get(keyspace().write(row, bytes(1), 0));
    assertTrue(get(keyspace().swap(partition, 0, 3, Map.of(1, 1L))));
    for (int time = 0; time < 2; time++) {
      get(keyspace().deletePartition(partition));
      assertEquals(
          new Directory(partition, 0, Map.of(), List.of()), get(keyspace().directory(partition)));
      assertNull(get(keyspace().value(row.key(), true)));
    }
    get(keyspace().write(row, bytes(2), 0));
    assertEquals(
        new Directory(partition, 0, Map.of(), List.of(row)), get(keyspace().directory(partition)));
  }

  @Test
  void theCatalogHasWhatWasAddedAndNotRemoved() throws Exception {
    int day = 3_000 * 1_440;
    var minutes = new BucketRow(new Bucket(day + 61 * 5, 5), "a", 1);
    var hour = new BucketRow(new Bucket(day + 300, 60), "a", 4);
    var wider = new BucketRow(new Bucket(day + 120, 120), "b|c", 2);
    var wide = new BucketRow(new Bucket(0, 512 * 1_440), "b", 1);
    List<BucketRow> all = List.of(minutes, hour, wider, wide);
    for (BucketRow row : all) {
      get(keyspace().addBucket(row));
      get(keyspace().addBucket(row));
    }
    var found = new HashSet<BucketRow>();
    for (String span : get(keyspace().spans())) {
      found.addAll(get(keyspace().buckets(span)));
    }
    assertTrue(found.containsAll(all), () -> found.toString());
    String span = "1978-03-20T05";
    assertEquals(Set.of(minutes, hour), Set.copyOf(get(keyspace().buckets(span))));
    assertEquals(List.of(wider), get(keyspace().buckets("1978-03-20")));

    get(keyspace().removeBucket(hour));
    get(keyspace().removeBucket(hour));
    assertEquals(List.of(minutes), get(keyspace().buckets(span)));
    assertTrue(get(keyspace().spans()).contains("1970-01-01"));
    get(keyspace().removeBucket(wide));
    get(keyspace().removeSpan("1970-01-01"));
    assertFalse(get(keyspace().spans()).contains("1970-01-01"));
    assertEquals(List.of(), get(keyspace().buckets("1970-01-01")));
  }

  @Nullable DaemonRow daemon(int number) throws Exception {
    return get(keyspace().daemons()).stream()
        .filter(row -> row.daemon() == number)
        .findFirst()
        .orElse(null);
  }

  @Test
  void anEpochBeginsOnceAndOnlyFromTheRowAsItWasRead() throws Exception {
    Keyspace keyspace = keyspace();
    UUID me = new UUID(5, 5);
    UUID other = new UUID(6, 6);
    assertNull(daemon(300));
    assertTrue(get(keyspace.begin(300, null, me, "host", 1, 1L << 28)));
    assertTrue(get(keyspace.begin(300, null, me, "host", 1, 1L << 28)), "its answer was lost");
    assertFalse(get(keyspace.begin(300, null, other, "elsewhere", 1, 1L << 28)));
    DaemonRow first = Objects.requireNonNull(daemon(300));
    assertEquals(me, first.owner());
    assertEquals("host", first.host());
    assertEquals(DaemonRow.Applied.NOTHING, first.applied());

    assertTrue(get(keyspace.begin(300, first, me, "host2", 2, 2L << 28)));
    assertTrue(get(keyspace.begin(300, first, me, "host2", 2, 2L << 28)), "its answer was lost");
    assertFalse(get(keyspace.begin(300, first, other, "x", 2, 2L << 28)), "a copied directory");
    DaemonRow second = Objects.requireNonNull(daemon(300));
    assertEquals(2, second.epoch());
    assertEquals(2L << 28, second.reserved());

    assertTrue(get(keyspace.begin(300, second, null, "host2", 2, 2L << 28)), "released");
    DaemonRow released = Objects.requireNonNull(daemon(300));
    assertNull(released.owner());
    assertTrue(get(keyspace.begin(300, released, other, "new", 3, 3L << 28)));
    assertEquals(other, Objects.requireNonNull(daemon(300)).owner());
  }

  @Test
  void theGreatestStampStaysInWhateverOrderTheyCome() throws Exception {
    Keyspace keyspace = keyspace();
    assertTrue(get(keyspace.begin(64, null, new UUID(1, 1), "host", 2, 9)));
    var late = new DaemonRow.Applied(Stamp.of(2, 1), 512, List.of(7L, 8L, 9L));
    get(keyspace.applied(64, late));
    get(keyspace.applied(64, new DaemonRow.Applied(Stamp.of(1, 900), 400, List.of(1L))));
    get(keyspace.applied(64, late));
    get(keyspace.seen(64, 1_764_000_000_123L, 1_764_000_009_456L));
    assertEquals(
        new DaemonRow(
            64, new UUID(1, 1), "host", 2, 9, late, 1_764_000_000_123L, 1_764_000_009_456L),
        daemon(64));
  }

  @Test
  void daemonsOfAllNumbersAreListedInOrder() throws Exception {
    Keyspace keyspace = keyspace();
    List<Integer> numbers = List.of(511, 31, 32, 0, 480);
    for (int number : numbers) {
      assertTrue(get(keyspace.begin(number, null, new UUID(2, number), "h", 1, 1)));
    }
    List<Integer> listed = get(keyspace.daemons()).stream().map(DaemonRow::daemon).toList();
    assertTrue(listed.containsAll(numbers));
    assertEquals(listed.stream().sorted().toList(), listed);
  }

  @Test
  void aKeyIsClaimedOnceAndTakenOverOnce() throws Exception {
    Keyspace keyspace = keyspace();
    byte[] key = "a key of 16 byte".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    var mine = new Claim(3, Stamp.of(1, 4), 1L << 40);
    var theirs = new Claim(5, Stamp.of(9, 1), 17);
    assertFalse(get(keyspace.takeOver(key, theirs, mine, 600)), "nobody has it");
    assertEquals(mine, get(keyspace.claim(key, mine, 600)));
    assertEquals(mine, get(keyspace.claim(key, mine, 600)), "its answer was lost");
    assertEquals(mine, get(keyspace.claim(key, theirs, 600)));
    var later = new Claim(3, Stamp.of(1, 5), 1L << 40);
    assertEquals(mine, get(keyspace.claim(key, later, 600)), "the row in force");

    assertFalse(get(keyspace.takeOver(key, later, theirs, 600)));
    assertTrue(get(keyspace.takeOver(key, mine, theirs, 600)));
    assertTrue(get(keyspace.takeOver(key, mine, theirs, 600)), "its answer was lost");
    assertFalse(get(keyspace.takeOver(key, mine, new Claim(6, 1, 1), 600)));
    assertEquals(theirs, get(keyspace.claim(key, mine, 600)));
  }

  private static SourceRange range(
      UUID topic,
      int fromTerm,
      long from,
      int term,
      long next,
      SourceRange.@Nullable Released again) {
    return new SourceRange(topic, 3, again, fromTerm, from, term, next, 5);
  }

  @Test
  void aPositionMovesOnlyFromWhereItIs() throws Exception {
    UUID topic = UUID.randomUUID();
    assertEquals(SourceRows.NONE, get(keyspace().source(topic, 3)));
    SourceRange first = range(topic, SourceRange.NO_TERM, 0, 0, 40, null);
    assertTrue(get(keyspace().advance(first, 1, 0, false)));
    assertFalse(get(keyspace().advance(first, 2, 0, false)), "it has a position now");
    assertEquals(new SourceRows(0, 40, 5, List.of()), get(keyspace().source(topic, 3)));
    SourceRange more = range(topic, 0, 40, 0, 60, null);
    assertTrue(get(keyspace().advance(more, 1, 101, true)));
    assertFalse(get(keyspace().advance(more, 2, 102, true)), "another daemon was first");
    assertFalse(get(keyspace().advance(more, 1, 101, true)), "it was moved before");
    var owed = new SourceRows.Owed(1, 0, 40, 60, 101);
    assertEquals(new SourceRows(0, 60, 5, List.of(owed)), get(keyspace().source(topic, 3)));
    assertTrue(get(keyspace().advance(range(topic, 0, 60, 1, 50, null), 1, 103, false)));
    assertFalse(get(keyspace().advance(range(topic, 0, 50, 0, 70, null), 1, 104, true)), "term");
    assertTrue(get(keyspace().advance(range(topic, 1, 50, 1, 70, null), 2, 105, true)));
    var theirs = new SourceRows.Owed(2, 1, 50, 70, 105);
    assertEquals(new SourceRows(1, 70, 5, List.of(owed, theirs)), get(keyspace().source(topic, 3)));
    var again = new SourceRange.Released(1, 101);
    assertTrue(get(keyspace().advance(range(topic, 1, 40, 1, 45, again), 2, 106, true)));
    assertFalse(get(keyspace().advance(range(topic, 1, 40, 1, 60, again), 4, 1, true)));
    assertEquals(
        List.of(new SourceRows.Owed(1, 0, 45, 60, 101), new SourceRows.Owed(2, 1, 40, 45, 106)),
        get(keyspace().source(topic, 3)).claims());
    assertEquals(SourceRows.NONE, get(keyspace().source(topic, 4)));
  }

  @Test
  void aNotedClaimIsInForceUnlessTheKeyIsClaimed() throws Exception {
    Keyspace keyspace = keyspace();
    List<byte[]> keys = new ArrayList<>();
    List<Claim> mine = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      keys.add(ByteBuffer.allocate(16).putLong(0x6e6f746564L).putLong(i).array());
      mine.add(new Claim(2, Stamp.of(3, 4), 100 + i));
    }
    var theirs = new Claim(9, Stamp.of(1, 1), 7);
    assertEquals(theirs, get(keyspace.claim(keys.get(4), theirs, 600)));
    List<@Nullable Claim> before = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      before.add(i == 4 ? theirs : null);
    }
    assertEquals(before, get(keyspace.claims(keys)));
    for (int time = 0; time < 2; time++) {
      get(keyspace.noteClaims(keys, mine, 600));
      List<@Nullable Claim> after = new ArrayList<>();
      after.addAll(mine);
      after.set(4, theirs);
      assertEquals(after, get(keyspace.claims(keys)), "the claim wins, whichever comes first");
    }
    assertEquals(mine.get(5), get(keyspace.claim(keys.get(5), theirs, 600)), "a note counts");
    assertTrue(get(keyspace.takeOver(keys.get(5), mine.get(5), theirs, 600)));
    get(keyspace.noteClaims(keys, mine, 600)); // a late write of the note
    assertEquals(theirs, get(keyspace.claim(keys.get(5), mine.get(5), 600)));
  }

  @Test
  void whoIsTheOnlyDaemonChangesOnlyFromWhatWasSaidLast() throws Exception {
    Keyspace keyspace = keyspace();
    assertEquals(17, get(keyspace.sole(0, 17)));
    assertEquals(17, get(keyspace.sole(0, 17)), "its answer was lost");
    assertEquals(17, get(keyspace.sole(0, 18)));
    assertEquals(17, get(keyspace.sole(16, 18)));
    assertEquals(17, get(keyspace.sole(17, 17)));
    assertEquals(-1, get(keyspace.sole(17, -1)));
    assertEquals(-1, get(keyspace.sole(17, 17)));
  }

  @Test
  void valuesAreReadTogetherInTheOrderOfTheirKeys() throws Exception {
    PartitionKey partition = partition("together");
    List<SegmentKey> keys = new ArrayList<>();
    for (int seq = 1; seq <= 3; seq++) {
      for (int part = 0; part < 4; part++) {
        DirectoryRow row = row(partition, SegmentKey.APPLIED, 6, Stamp.of(1, seq), part, 1);
        get(keyspace().write(row, bytes(seq, part, 0), 0));
        if (part % 2 == 1) {
          keys.add(row.key());
        }
      }
    }
    keys.add(2, new SegmentKey(partition, SegmentKey.APPLIED, 6, Stamp.of(1, 2), 9));
    List<@Nullable ByteBuffer> values = get(keyspace().values(keys));
    assertEquals(keys.size(), values.size());
    for (int i = 0; i < keys.size(); i++) {
      SegmentKey key = keys.get(i);
      assertArrayEquals(
          key.part() == 9 ? null : array(bytes((int) Stamp.round(key.seq()), key.part(), 0)),
          array(values.get(i)));
    }
  }

  @Test
  void policiesAreSetReplacedAndRemoved() throws Exception {
    Keyspace keyspace = keyspace();
    get(keyspace.policy("contract-a", "1 d"));
    get(keyspace.policy("contract-b", ""));
    get(keyspace.policy("contract-a", "2 d"));
    var expected = new TreeMap<>(Map.of("contract-a", "2 d", "contract-b", ""));
    assertTrue(get(keyspace.policies()).entrySet().containsAll(expected.entrySet()));
    get(keyspace.policy("contract-b", null));
    get(keyspace.policy("contract-b", null));
    assertFalse(get(keyspace.policies()).containsKey("contract-b"));
  }

  @Test
  void aLeaseIsKeptRenewedAndRefusedToOthers() throws Exception {
    Keyspace keyspace = keyspace();
    Duration kept = Duration.ofMinutes(1);
    assertTrue(get(keyspace.lease("contract", 1, kept)));
    assertTrue(get(keyspace.lease("contract", 1, kept)));
    assertFalse(get(keyspace.lease("contract", 2, kept)));
    assertTrue(get(keyspace.lease("contract-2", 2, kept)));
  }

  @Test
  void projectedEventsAreWrittenInAnyNumber() throws Exception {
    PartitionKey partition = partition("projected");
    List<EventRow> events = new ArrayList<>();
    for (int n = 0; n < 2_000; n++) {
      events.add(
          new EventRow(
              EventId.leastOf(partition.fromNanos() + n * 100L),
              n % 3 == 0 ? null : "body " + n,
              Map.of("host", "h" + n % 7),
              n % 2 == 0 ? Map.of() : Map.of("cpu", n / 10.0)));
    }
    get(keyspace().project(partition, List.of(), 0));
    get(keyspace().project(partition, events, 0));
    get(keyspace().project(partition, events, 0));
    assertEquals(2_000, projected(partition));
    get(keyspace().deletePartition(partition));
    assertEquals(0, projected(partition));
  }

  /// Rows of the projection that are there.
  abstract long projected(PartitionKey partition);

  @Test
  void aKeyspaceKnowsItselfItsClockAndItsNodes() throws Exception {
    StoreIdentity identity = keyspace().identity();
    assertNotNull(identity.id());
    assertTrue(identity.secret().matches("[0-9a-f]{64}"), identity.secret());
    assertEquals(1, identity.format());
    long clock = get(keyspace().clockMillis());
    assertTrue(clock > 1_700_000_000_000L, "" + clock);
    KeyspaceHealth health = keyspace().health();
    assertEquals(1, health.nodesUp());
    assertEquals(0, health.nodesDown());
    assertEquals(1, health.replication());
    assertTrue(health.hasQuorum());
  }
}
