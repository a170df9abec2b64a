package io.widerow.storage.cassandra.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.StoreIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: a number belongs to one directory, and no start gives what another one gave. Method:
/// starts of several directories against one keyspace in memory.
class DaemonNumberTest {
  private static final Path A = Path.of("/a");
  private static final Path B = Path.of("/b");
  private static final ApplyOptions AUTO = ApplyOptions.of("host-a");

  private final MemoryDisk disk = new MemoryDisk();
  private final LosingKeyspace keyspace = new LosingKeyspace();

  /// A keyspace that loses answers, or is away.
  private static final class LosingKeyspace extends MemoryKeyspace {
    boolean losesAnswer;
    boolean isAway;

    private static <T extends @Nullable Object> CompletableFuture<T> failed(
        KeyspaceException.Kind kind) {
      return CompletableFuture.failedFuture(new KeyspaceException(kind, "no answer"));
    }

    @Override
    public CompletableFuture<List<DaemonRow>> daemons() {
      return isAway ? failed(KeyspaceException.Kind.UNREACHABLE) : super.daemons();
    }

    @Override
    public CompletableFuture<Boolean> begin(
        int daemon,
        @Nullable DaemonRow before,
        @Nullable UUID owner,
        String host,
        int epoch,
        long reserved) {
      CompletableFuture<Boolean> answer = super.begin(daemon, before, owner, host, epoch, reserved);
      if (losesAnswer) {
        losesAnswer = false;
        return failed(KeyspaceException.Kind.TIMEOUT);
      }
      return answer;
    }
  }

  private RetryingStatements statements() {
    return new RetryingStatements(new Pace.Real());
  }

  private DaemonNumber start(Path directory, ApplyOptions options) {
    DaemonNumber number = DaemonNumber.of(disk, directory, options, keyspace.identity());
    number.start(keyspace, statements());
    return number;
  }

  private DaemonRow row(int daemon) {
    return keyspace.daemons().join().stream()
        .filter(row -> row.daemon() == daemon)
        .findFirst()
        .orElseThrow();
  }

  private void register(int daemon, @Nullable UUID owner) {
    assertTrue(keyspace.begin(daemon, null, owner, "host-" + daemon, 1, 1).join());
  }

  private static void assertSays(StorageException failed, String... words) {
    for (String word : words) {
      assertTrue(String.valueOf(failed.getMessage()).contains(word), failed.getMessage());
    }
  }

  @Test
  void autoTakesTheLeastFreeNumber() {
    register(0, new UUID(0, 1));
    register(1, null);
    register(3, new UUID(0, 3));
    assertEquals(2, start(A, AUTO).daemon(), "1 was released, and is not given again");
    assertEquals(4, start(B, AUTO).daemon());
    assertEquals(2, start(A, AUTO).daemon(), "a directory keeps its number");
  }

  @Test
  void theEpochRisesAndEachStartHasNumbersOfItsOwn() {
    DaemonNumber first = start(A, AUTO);
    DaemonNumber second = start(A, AUTO);
    assertEquals(1, first.epoch());
    assertEquals(2, second.epoch());
    assertEquals(first.limit(), second.from());
    assertEquals(DaemonNumber.BLOCK, second.limit() - second.from());
    assertEquals(second.limit(), row(0).reserved());
    assertEquals(first.owner(), second.owner());
  }

  @Test
  void aNumberOfAnotherOwnerIsRefused() {
    start(A, AUTO.withDaemon(5));
    keyspace.seen(5, 0, 1_764_000_000_000L).join();
    StorageException.Locked other =
        assertThrows(StorageException.Locked.class, () -> start(B, AUTO.withDaemon(5)));
    assertSays(other, "daemon 5", "host-a", "2025-11-24T16:00:00Z");
    StorageException.Incompatible moved =
        assertThrows(StorageException.Incompatible.class, () -> start(A, AUTO.withDaemon(6)));
    assertSays(moved, "daemon 5", "daemon 6");
  }

  @Test
  void aReleasedNumberIsNotGivenAgain() {
    DaemonNumber number = start(A, AUTO);
    DaemonRow row = row(0);
    assertTrue(keyspace.begin(0, row, null, "released", row.epoch(), row.reserved()).join());
    assertSays(assertThrows(StorageException.Locked.class, () -> start(A, AUTO)), "0 was released");
    assertSays(
        assertThrows(StorageException.Locked.class, () -> start(B, AUTO.withDaemon(0))),
        "0 was released");
    assertThrows(
        StorageException.Locked.class, () -> number.check(keyspace, statements(), 0, true));
  }

  @Test
  void aCopyOfADirectoryIsRefusedUnlessItNamesTheNumber() {
    start(A, AUTO);
    Path owner = A.resolve(DaemonNumber.OWNER_FILE);
    disk.set(B.resolve(DaemonNumber.OWNER_FILE), disk.bytes(owner));
    DaemonNumber original = start(A, AUTO);
    original.check(keyspace, statements(), 0, true);
    StorageException.Locked copied =
        assertThrows(StorageException.Locked.class, () -> start(B, AUTO));
    assertSays(copied, "copy", "daemon 0", "host-a");
    DaemonNumber copy = start(B, AUTO.withDaemon(0));
    assertEquals(3, copy.epoch());
    assertEquals(original.limit(), copy.from(), "numbers of its own");
    assertSays(
        assertThrows(
            StorageException.Locked.class, () -> original.check(keyspace, statements(), 0, true)),
        "daemon 0",
        "this one stops");
  }

  @Test
  void moreIsReservedWhenHalfIsGiven() {
    DaemonNumber number = start(A, AUTO);
    long limit = number.limit();
    number.reserve(keyspace, statements(), limit - DaemonNumber.BLOCK / 2 - 1);
    assertEquals(limit, number.limit());
    number.reserve(keyspace, statements(), limit - DaemonNumber.BLOCK / 2);
    assertEquals(limit + DaemonNumber.BLOCK, number.limit());
    assertEquals(number.limit(), row(0).reserved());
    keyspace.losesAnswer = true;
    long counter = number.limit() - 1;
    assertThrows(KeyspaceException.class, () -> number.reserve(keyspace, statements(), counter));
    number.reserve(keyspace, statements(), counter);
    assertEquals(limit + 2 * DaemonNumber.BLOCK, number.limit(), "the lost answer is found");
    assertEquals(number.limit(), row(0).reserved());
    assertEquals(number.limit(), start(A, AUTO).from());
  }

  @Test
  void allNumbersMayBeTaken() {
    for (int daemon = 0; daemon < TimeUuid.DAEMON_LIMIT; daemon++) {
      register(daemon, new UUID(0, daemon));
    }
    assertSays(assertThrows(StorageException.Incompatible.class, () -> start(A, AUTO)), "all 512");
  }

  @Test
  void aLostAnswerOfTheFirstStartGoesOn() {
    keyspace.losesAnswer = true;
    assertThrows(StorageException.Unreachable.class, () -> start(A, AUTO));
    DaemonNumber again = start(A, AUTO);
    assertEquals(0, again.daemon(), "the number that it has already");
    assertEquals(2, again.epoch());
    assertEquals(1, keyspace.daemons().join().size());
  }

  @Test
  void aLostAnswerOfALaterStartGoesOnWithTheNextStep() {
    long limit = start(A, AUTO).limit();
    keyspace.losesAnswer = true;
    DaemonNumber number = start(A, AUTO);
    assertFalse(number.isBegun());
    assertEquals(limit, number.limit(), "the known reservation");
    number.begin(keyspace, statements());
    assertTrue(number.isBegun());
    assertEquals(3, number.epoch());
    assertEquals(row(0).reserved(), number.limit());
    assertTrue(number.from() >= limit + DaemonNumber.BLOCK, "that start may have given some");
  }

  @Test
  void withoutTheClusterADirectoryGoesOnWithWhatItHas() {
    keyspace.isAway = true;
    assertThrows(StorageException.Unreachable.class, () -> start(A, AUTO));
    keyspace.isAway = false;
    DaemonNumber known = start(A, AUTO);
    keyspace.isAway = true;
    DaemonNumber number =
        start(A, AUTO.withKeys(new ApplyOptions.BatchKeys(Duration.ofHours(1), false)));
    assertEquals(known.from(), number.from());
    assertEquals(known.epoch(), number.epoch());
  }

  @Test
  void aDirectoryOfAnotherStoreIsRefused() {
    start(A, AUTO);
    UUID other = new UUID(8, 8);
    StorageException.Incompatible refused =
        assertThrows(
            StorageException.Incompatible.class,
            () -> DaemonNumber.of(disk, A, AUTO, new StoreIdentity(other, "00", 1)));
    assertSays(refused, other.toString(), keyspace.identity().id().toString());
  }

  @Test
  void aDamagedOwnerFileIsRefused() {
    start(A, AUTO);
    Path path = A.resolve(DaemonNumber.OWNER_FILE);
    byte[] whole = disk.bytes(path);
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x01;
      disk.set(path, damaged);
      assertThrows(StorageException.Corrupt.class, () -> start(A, AUTO));
    }
  }
}
