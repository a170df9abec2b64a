package io.widerow.storage.cassandra.apply;

import io.widerow.storage.cassandra.keyspace.Claim;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Keeps a batch that came to two daemons from being stored twice: its key is claimed before it is
/// written, and belongs to the daemon that claimed it first. The other one leaves its batch out,
/// and keeps it until the first has applied it; when the first was released before, the claim is
/// taken over.
///
/// A daemon that is alone ([SingleDaemonCheck]) notes its claims together instead.
///
/// - Threads: one; any reads the counters.
final class Claims {
  private final Keyspace keyspace;
  private final RetryingStatements statements;
  private final DaemonNumber number;
  private final RoundsFile file;
  private final Batches batches;
  private final ApplyOptions options;
  private final LongAdder claimed = new LongAdder();
  private final LongAdder leftOut = new LongAdder();

  /// Keys of one statement; Cassandra warns of more.
  private static final int TOGETHER = 10;

  /// With fewer keys, claiming each costs no more than verifying that no other daemon has started.
  private static final int NOTED_MIN = 3;

  /// Claims are noted only when this machine's clock differs less from those of the nodes.
  private static final long SKEW_MILLIS_MAX = 600_000;

  private record Asked(PendingBatch batch, Claim mine, RetryingStatements.Try<Claim> answer) {}

  Claims(
      Keyspace keyspace,
      RetryingStatements statements,
      DaemonNumber number,
      RoundsFile file,
      Batches batches,
      ApplyOptions options) {
    this.keyspace = keyspace;
    this.statements = statements;
    this.number = number;
    this.file = file;
    this.batches = batches;
    this.options = options;
  }

  /// Claims the batches of a round, and writes down which are left out.
  ///
  /// @param nowSeconds the time now, in seconds since the Unix epoch
  /// @param skewMillis lead of this machine's clock over the clocks of the nodes
  /// @throws KeyspaceException when a batch is so old that its claim may be forgotten
  List<PendingBatch.LeftOut> claim(Round round, long nowSeconds, long skewMillis) {
    List<PendingBatch.LeftOut> left = new ArrayList<>();
    List<PendingBatch> all = batches.between(round.from(), round.to());
    all.forEach(batch -> requireKnown(batch, nowSeconds));
    boolean alone = number.sole().mayBe() && Math.abs(skewMillis) <= SKEW_MILLIS_MAX;
    claimEach(alone && all.size() >= NOTED_MIN ? noteUnclaimed(all, round) : all, round, left);
    if (left.isEmpty()) {
      file.rounds().leftOut(round.stamp(), left);
    } else {
      file.leftOut(round.stamp(), left);
    }
    claimed.add(all.size() - left.size());
    leftOut.add(left.size());
    return left;
  }

  /// Claims unclaimed keys, as the only daemon.
  ///
  /// @return batches that have to be claimed each: somebody has their keys, or this daemon is not
  ///   alone any more
  private List<PendingBatch> noteUnclaimed(List<PendingBatch> all, Round round) {
    List<PendingBatch> taken = new ArrayList<>();
    List<PendingBatch> free = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    List<RetryingStatements.Try<List<@Nullable Claim>>> asked = new ArrayList<>();
    List<List<PendingBatch>> groups = groupsOf(all);
    for (List<PendingBatch> group : groups) {
      List<byte[]> wanted = group.stream().map(PendingBatch::keyBytes).toList();
      asked.add(statements.start("look for keys of batches", () -> keyspace.claims(wanted)));
    }
    for (int i = 0; i < groups.size(); i++) {
      List<@Nullable Claim> found = asked.get(i).await();
      for (int at = 0; at < found.size(); at++) {
        PendingBatch batch = groups.get(i).get(at);
        if (found.get(at) == null && keys.add(batch.key())) { // a repeat may be in the same round
          free.add(batch);
        } else {
          taken.add(batch);
        }
      }
    }
    note(free, round);
    return free.isEmpty() || number.sole().isStill(keyspace, statements) ? taken : all;
  }

  private void note(List<PendingBatch> free, Round round) {
    List<RetryingStatements.Try<Void>> noted = new ArrayList<>();
    for (List<PendingBatch> group : groupsOf(free)) {
      List<byte[]> keys = group.stream().map(PendingBatch::keyBytes).toList();
      List<Claim> claims = group.stream().map(batch -> mine(batch, round)).toList();
      noted.add(
          statements.start(
              "note the keys of batches",
              () -> keyspace.noteClaims(keys, claims, options.keys().seconds())));
    }
    noted.forEach(RetryingStatements.Try::await);
  }

  private static <T> List<List<T>> groupsOf(List<T> all) {
    List<List<T>> groups = new ArrayList<>();
    for (int from = 0; from < all.size(); from += TOGETHER) {
      groups.add(all.subList(from, Math.min(all.size(), from + TOGETHER)));
    }
    return groups;
  }

  private Claim mine(PendingBatch batch, Round round) {
    return new Claim(number.daemon(), round.stamp(), batch.counterFrom());
  }

  private void claimEach(List<PendingBatch> some, Round round, List<PendingBatch.LeftOut> left) {
    ArrayDeque<Asked> flying = new ArrayDeque<>();
    for (PendingBatch batch : some) {
      if (flying.size() == options.pacing().inFlight()) {
        take(flying.removeFirst(), round, left);
      }
      Claim mine = mine(batch, round);
      flying.add(
          new Asked(
              batch,
              mine,
              statements.start(
                  "claim the key of a batch",
                  () -> keyspace.claim(batch.keyBytes(), mine, options.keys().seconds()))));
    }
    while (!flying.isEmpty()) {
      take(flying.removeFirst(), round, left);
    }
  }

  private void requireKnown(PendingBatch batch, long nowSeconds) {
    if (!options.keys().acceptsRepeats()
        && nowSeconds - batch.seconds() > options.keys().seconds()) {
      KeyspaceException old =
          new KeyspaceException(
              KeyspaceException.Kind.REFUSED,
              "a batch of %s has waited for longer than keys are kept, %s: perhaps "
                      .formatted(Instant.ofEpochSecond(batch.seconds()), options.keys().kept())
                  + "another daemon has it; start with --accept-repeats to apply it anyway");
      statements.troubled(String.valueOf(old.getMessage()));
      throw old;
    }
  }

  private static void take(Asked asked, Round round, List<PendingBatch.LeftOut> left) {
    Claim inForce = asked.answer.await();
    if (!inForce.isSameBatch(asked.mine)) {
      left.add(new PendingBatch.LeftOut(asked.batch, inForce, round.stamp(), round.from()));
    }
  }

  /// Looks whether batches that were left out are applied by their daemons. Those of a daemon that
  /// was released before are taken over, into the next round.
  ///
  /// @param nextStamp of the next round
  void settle(LongSupplier nextStamp) {
    for (PendingBatch.LeftOut left : file.rounds().unsettled()) {
      DaemonRow row = row(left.other().daemon());
      if (row != null && row.applied().stamp() >= left.other().stamp()) {
        file.settled(left.batch().counterFrom());
      } else if (row != null && row.owner() == null) {
        takeOver(left, nextStamp.getAsLong());
      } else {
        statements.troubled(
            "daemon %d has a batch that this daemon has too, and has not applied it yet"
                .formatted(left.other().daemon()));
      }
    }
  }

  private void takeOver(PendingBatch.LeftOut left, long stamp) {
    PendingBatch batch = left.batch();
    Claim mine = new Claim(number.daemon(), stamp, batch.counterFrom());
    boolean done =
        statements.once(
            "take over the key of a batch",
            keyspace.takeOver(batch.keyBytes(), left.other(), mine, options.keys().seconds()));
    Claim inForce =
        done
            ? mine
            : statements.once(
                "claim the key of a batch",
                keyspace.claim(batch.keyBytes(), mine, options.keys().seconds()));
    if (inForce.isSameBatch(mine)) {
      file.taken(batch.counterFrom());
    } else {
      file.rounds().replace(left.withOther(inForce));
    }
  }

  private @Nullable DaemonRow row(int daemon) {
    for (DaemonRow row : number.daemons()) {
      if (row.daemon() == daemon) {
        return row;
      }
    }
    return null;
  }

  long claimed() {
    return claimed.sum();
  }

  long leftOut() {
    return leftOut.sum();
  }
}
