package io.widerow.storage.cassandra.apply;

import io.widerow.event.PartitionKey;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.live.StoreClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Applies what the store on this machine took in to the keyspace, round by round:
///
/// ```
///   cut           how far the lanes are, then a view: the round ends where the view does
///   write down    the round, forced, in the RoundsFile
///   claims        all keys of its batches; what another daemon has is left out, and that too is
///                 written down
///   write         catalog, segments with their rows of the directory, rows for users of CQL
///   applied       one row: from here every reader shows the round, whole
///   release       the store on this machine forgets it; who waits for it is told
/// ```
///
/// A round that a restart makes again is read from a later view, which may hide an event that was
/// written again since. Such a round is applied together with the next one, which has the newer
/// write.
///
/// - Threads: one calls [#step] or [#run]; any reads the figures.
/// - Memory: values in flight, one view, the batches that are not applied.
public final class Applier implements AutoCloseable {
  private static final long SEEN_MILLIS = 5_000;
  private static final long SKEW_MILLIS = 30_000;
  private static final long PAUSE_MILLIS_MIN = 25;
  private static final long PAUSE_MILLIS_MAX = 1_000;
  private static final long REFUSED_MILLIS = 5_000;

  private final Parts parts;
  private final EmbeddedStore local;
  private final Keyspace keyspace;
  private final DaemonNumber number;
  private final RoundsFile file;
  private final Rounds rounds;
  private final Statements statements;
  private final RoundWriter writer;
  private final Claims claims;
  private boolean started;
  private long seenMillis;
  private long skewAskedMillis;
  private long[] reached; // groups of lanes that are applied
  private volatile long skewMillis;
  private volatile long pendingSinceMillis;
  private volatile long roundSinceMillis;
  private volatile LaneArrivals appliedTo;
  private volatile long appliedStamp;
  private volatile @Nullable StorageException lost;

  /// What an applier works with.
  ///
  /// @param local store on this machine, a spool
  /// @param keyspace where to
  /// @param number of the daemon
  /// @param file rounds written down
  /// @param batches with keys that are not applied
  /// @param lanes of the local store
  /// @param clock of the machine
  /// @param pace how to wait
  /// @param statements of the daemon
  /// @param ttlSeconds after which the cluster drops a partition's rows by itself; 0 for never
  /// @param onLost told when the write side has ended: another daemon has the number, or this
  ///   machine's disk fails
  public record Parts(
      EmbeddedStore local,
      Keyspace keyspace,
      DaemonNumber number,
      RoundsFile file,
      Batches batches,
      List<? extends LaneProgress> lanes,
      ApplyOptions options,
      StoreClock clock,
      Pace pace,
      Statements statements,
      ToIntFunction<PartitionKey> ttlSeconds,
      Consumer<StorageException> onLost) {
    public Parts {
      lanes = List.copyOf(lanes);
    }
  }

  public Applier(Parts parts) {
    this.parts = parts;
    this.local = parts.local();
    this.keyspace = parts.keyspace();
    this.number = parts.number();
    this.file = parts.file();
    this.rounds = file.rounds();
    this.statements = parts.statements();
    this.writer = new RoundWriter(keyspace, statements, parts.options(), parts.ttlSeconds());
    this.claims = new Claims(keyspace, statements, number, file, parts.batches(), parts.options());
    this.reached = new long[parts.lanes().size()];
    this.appliedTo = rounds.lastApplied().to();
    this.appliedStamp = rounds.lastApplied().stamp();
    local.release(rounds.releasable());
    // A power cut may have taken events of a round that is written down and was written in part:
    // no other event may get their numbers.
    local.arriveFrom(limitMax(rounds.last().to()));
    roundOfStart();
  }

  private static long limitMax(LaneArrivals position) {
    return position.laneLimits().stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  /// What came before this start is a round of its own: with another number of shards, a later
  /// write of an id may be in another partition, and must have a greater version.
  private void roundOfStart() {
    try (StoreView view = local.view()) {
      LaneArrivals to = end(view);
      if (!to.laneLimits().equals(rounds.last().to().laneLimits())) {
        file.begun(rounds.last().next(nextStamp(), to, nowNanos() / 1_000, List.of()));
      }
    } catch (StorageException.DiskFull full) {
      statements.troubled(String.valueOf(full.getMessage())); // it is part of the next round
    }
  }

  /// Applies until it is stopped and nothing is left, or no time is left.
  public void run() {
    long pause = PAUSE_MILLIS_MIN;
    try {
      while (lost == null) {
        try {
          boolean done = step();
          pause = PAUSE_MILLIS_MIN;
          if (done && parts.pace().isStopping()) {
            return;
          }
          parts.pace().idle(parts.options().interval().toNanos());
        } catch (KeyspaceException failed) { // noted
          boolean refused = failed.kind == KeyspaceException.Kind.REFUSED;
          parts.pace().pause(refused ? REFUSED_MILLIS : pause);
          pause = Math.min(PAUSE_MILLIS_MAX, 2 * pause);
        } catch (StorageException.DiskFull | StorageException.Corrupt failed) {
          statements.troubled(String.valueOf(failed.getMessage()));
          parts.pace().pause(pause);
          pause = Math.min(PAUSE_MILLIS_MAX, 2 * pause);
        }
      }
    } catch (Pace.Stopped stopped) {
      return;
    } catch (StorageException failed) {
      lose(failed);
    } catch (RuntimeException | Error bug) {
      lose(new StorageException.Failed("events are not applied any more", bug));
      throw bug;
    }
  }

  private void lose(StorageException why) {
    lost = why;
    statements.troubled(String.valueOf(why.getMessage()));
    parts.onLost().accept(why);
  }

  /// Applies everything that is committed now.
  ///
  /// @return true when nothing was left to apply
  /// @throws KeyspaceException when the cluster cannot be asked; the next call goes on
  /// @throws StorageException.Locked when another daemon has the number
  public boolean step() {
    prepare();
    claims.settle(this::nextStamp);
    long since = pendingSinceMillis;
    pendingSinceMillis = 0;
    roundSinceMillis = roundSinceMillis == 0 ? since : roundSinceMillis;
    long[] groups = parts.lanes().stream().mapToLong(LaneProgress::committed).toArray();
    boolean nothing;
    try (StoreView view = local.view()) {
      LaneArrivals to = end(view);
      for (Rounds.Begun begun : rounds.pending()) {
        write(view, begun);
      }
      nothing = to.laneLimits().equals(rounds.last().to().laneLimits());
      if (!nothing || !rounds.takenOver().isEmpty()) {
        Round round = rounds.last().next(nextStamp(), to, nowNanos() / 1_000, rounds.takenOver());
        file.begun(round);
        write(view, rounds.pending().getLast());
      }
    }
    if (!rounds.pending().isEmpty()) {
      publish(rounds.last());
    }
    roundSinceMillis = 0;
    reached = groups;
    release();
    return nothing;
  }

  /// Where the round of a view ends: never before the round before it.
  private LaneArrivals end(StoreView view) {
    LaneArrivals shown = Objects.requireNonNull(LaneArrivals.of(view.arrivals()));
    LaneArrivals last = rounds.last().to();
    boolean alike = shown.laneLimits().size() == last.laneLimits().size();
    long lastMax = limitMax(last);
    List<Long> limits = new ArrayList<>();
    for (int lane = 0; lane < shown.laneLimits().size(); lane++) {
      // After a start with another number of lanes, all that came before is below both.
      long least = alike ? last.laneLimits().get(lane) : lastMax;
      limits.add(Math.max(shown.laneLimits().get(lane), least));
    }
    return new LaneArrivals(shown.segmentLimit(), limits);
  }

  private void prepare() {
    if (!started) {
      number.begin(keyspace, statements);
      local.arriveFrom(number.from());
      for (DaemonRow row : number.daemons()) {
        if (row.daemon() == number.daemon() && row.applied().stamp() > appliedStamp) {
          file.applied(row.applied().stamp()); // the answer was lost, or the note of it
        }
      }
      started = true;
    }
    long now = nowMillis();
    number.check(keyspace, statements, now, !rounds.unsettled().isEmpty());
    number.reserve(keyspace, statements, limitMax(rounds.last().to()));
    if (Math.abs(now - seenMillis) >= SEEN_MILLIS) {
      statements.once("say that it is alive", keyspace.seen(number.daemon(), oldest(), now));
      seenMillis = now;
    }
    if (Math.abs(now - skewAskedMillis) >= SKEW_MILLIS) {
      long theirs = statements.once("read a node's clock", keyspace.clockMillis());
      skewMillis = nowMillis() - theirs;
      skewAskedMillis = now;
    }
  }

  private long nextStamp() {
    long last = rounds.last().stamp();
    int epoch = number.epoch();
    boolean same = last != Stamp.NONE && Stamp.epoch(last) == epoch;
    return Stamp.of(epoch, same ? Stamp.round(last) + 1 : 1);
  }

  private void write(StoreView view, Rounds.Begun begun) {
    Round round = begun.round();
    List<Batch.LeftOut> left = begun.leftOut();
    if (left == null) {
      left = claims.claim(round, TimeUnit.MILLISECONDS.toSeconds(nowMillis()), skewMillis);
    }
    writer.write(
        view, new RoundWriter.Task(round, number.daemon(), number.store().id(), left), nowMillis());
  }

  /// From here on every reader shows the round, and all before it.
  private void publish(Round round) {
    statements.make(
        "tell how far it has applied", () -> keyspace.applied(number.daemon(), round.applied()));
    file.applied(round.stamp());
    parts.batches().forgetBefore(round.to());
    appliedTo = round.to();
    appliedStamp = round.stamp();
  }

  private void release() {
    local.release(rounds.releasable());
    if (!rounds.isHeldBack()) {
      for (int lane = 0; lane < reached.length; lane++) {
        parts.lanes().get(lane).applied(reached[lane]);
      }
    }
  }

  private long nowNanos() {
    return parts.clock().wallNanos();
  }

  private long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos());
  }

  /// Frees native memory; call it when nothing is applied any more.
  @Override
  public void close() {
    writer.close();
  }

  /// Something was committed.
  public void committed() {
    if (pendingSinceMillis == 0) {
      pendingSinceMillis = nowMillis();
    }
  }

  /// When the oldest event came that is not applied, about, in milliseconds since the Unix epoch; 0
  /// when there is none.
  public long oldest() {
    long round = roundSinceMillis;
    return round == 0 ? pendingSinceMillis : round;
  }

  /// What arrived before is applied.
  public LaneArrivals appliedTo() {
    return appliedTo;
  }

  /// The [Stamp] of the last round that is applied.
  public long appliedStamp() {
    return appliedStamp;
  }

  /// How far this machine's clock is ahead of the nodes', in milliseconds.
  public long skewMillis() {
    return skewMillis;
  }

  /// Batches that other daemons had already, since the start.
  public long batchesLeftOut() {
    return claims.leftOut();
  }

  /// Batches whose keys were claimed, since the start.
  public long batchesClaimed() {
    return claims.claimed();
  }
}
