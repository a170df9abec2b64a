package io.widerow.storage.cassandra.apply;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Applies the events of the store on this machine to the keyspace, round by round:
///
/// ```
///   cut           the round ends at the lanes' next Marks when so much waits, else how far the
///                 lanes are, then a view: it ends where the view does
///   write down    the round, forced, in the RoundsFile
///   claims        all keys of its batches; what another daemon has is left out, and that too is
///                 written down. Then the offsets of sources, see SourceClaims
///   write         catalog, segments with their rows of the directory, rows for users of CQL
///   applied       one row: from here every reader shows the round, whole
///   release       the store on this machine forgets it; its waiting callers are notified
/// ```
///
/// A round is read from a view that ends where the round does. It shows the same whenever it is
/// taken, so a round that a restart makes again has the same events, and each round is shown as
/// soon as it is written, though later writes of its ids wait here already. [Marks] says what the
/// end of a round must be.
///
/// - Threads: one calls [#step] or [#run]; any reads the metrics.
/// - Memory: values in flight, one view with the open blocks of one partition's segments in a
///   round, the batches that are not applied.
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
  private final Marks marks;
  private final Map<Long, List<Long>> groupsOf = new HashMap<>(); // by stamp: groups up to its end
  private final RetryingStatements statements;
  private final ClusterClock nodes;
  private final RoundWriter writer;
  private final Claims claims;
  private final SourceClaims sources;
  private boolean started;
  private long seenMillis;
  private long skewAskedMillis;
  private final long[] reached; // groups of lanes that are applied
  private volatile long skewMillis;
  private volatile long pendingSinceMillis;
  private volatile long roundSinceMillis;
  private volatile LaneArrivals appliedTo;
  private volatile long appliedStamp;
  private volatile @Nullable StorageException lost;

  /// The collaborators of an applier.
  ///
  /// @param local store on this machine, a spool
  /// @param keyspace where to
  /// @param number of the daemon
  /// @param file rounds written down
  /// @param batches with keys that are not applied
  /// @param ranges of sources that are not applied
  /// @param marks where rounds may end
  /// @param lanes of the local store
  /// @param clock of the machine
  /// @param pace how to wait
  /// @param statements of the daemon
  /// @param timeToLive how long the cluster keeps rows
  /// @param onLost called when the write side has ended: another daemon has the number, or this
  ///   machine's disk fails
  public record Parts(
      EmbeddedStore local,
      Keyspace keyspace,
      DaemonNumber number,
      RoundsFile file,
      Batches batches,
      SourceRanges ranges,
      Marks marks,
      List<? extends LaneProgress> lanes,
      ApplyOptions options,
      StoreClock clock,
      Pace pace,
      RetryingStatements statements,
      TimeToLive timeToLive,
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
    this.marks = parts.marks();
    this.statements = parts.statements();
    this.nodes = new ClusterClock(parts.clock());
    this.writer = new RoundWriter(keyspace, statements, parts.options(), parts.timeToLive());
    this.claims = new Claims(keyspace, statements, number, file, parts.batches(), parts.options());
    this.sources = new SourceClaims(keyspace, statements, number, parts.ranges());
    this.reached = new long[parts.lanes().size()];
    this.appliedTo = rounds.lastApplied().to();
    this.appliedStamp = rounds.lastApplied().stamp();
    local.release(rounds.releasable());
    // A power cut may have taken events of a round that is written down and was written in part:
    // no other event may get their numbers.
    local.arriveFrom(rounds.last().to().limitMax());
    local.findArrivals();
    try (StoreView view = local.view()) {
      marks.start(end(view), committedGroups());
    }
    roundsOfStart();
  }

  /// Events from before this start are in separate rounds: with another number of shards, a later
  /// write of an id may be in another partition, and must have a greater version. The nodes may be
  /// away, so the time is the last one at which this machine's clock was right.
  private void roundsOfStart() {
    List<Round> all = new ArrayList<>();
    Round last = rounds.last();
    boolean isEmpty = local.pending(last.to()).events() == 0; // a first clock may be wrong
    long sane = isEmpty ? 0 : Math.min(local.saneNanos(), nowNanos());
    long stamp = nextStamp();
    for (Marks.End end = marks.next(last.to()); end != null; end = marks.next(last.to())) {
      last = last.next(stamp, end.to(), sane / 1_000, List.of());
      remember(stamp++, end.groups());
      all.add(last);
    }
    try {
      file.begun(all);
    } catch (StorageException.DiskFull full) {
      statements.troubled(String.valueOf(full.getMessage())); // each is begun when its turn comes
    }
  }

  private List<Long> committedGroups() {
    return parts.lanes().stream().map(LaneProgress::committed).toList();
  }

  private void remember(long stamp, List<Long> groups) {
    if (!groups.isEmpty()) {
      groupsOf.put(stamp, groups);
    }
  }

  /// Applies until it is stopped and nothing is left, or no time is left.
  public void run() {
    long pause = PAUSE_MILLIS_MIN;
    try {
      while (lost == null) {
        try {
          parts.pace().requireTime();
          Applied one = applyOne();
          pause = PAUSE_MILLIS_MIN;
          if (one == Applied.NOTHING && parts.pace().isStopping()) {
            return;
          }
          if (one != Applied.PART) {
            parts.pace().idle(parts.options().pacing().interval().toNanos());
          }
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
  /// @throws KeyspaceException when the cluster cannot be reached; the next call continues
  /// @throws StorageException.Locked when another daemon has the number
  public boolean step() {
    Applied one = applyOne();
    boolean nothing = one == Applied.NOTHING;
    while (one == Applied.PART) {
      one = applyOne();
    }
    return nothing;
  }

  /// The share of a round in the committed events.
  private enum Applied {
    NOTHING,
    PART,
    REST
  }

  /// Applies one round.
  private Applied applyOne() {
    prepare();
    claims.settle(this::nextStamp);
    long since = pendingSinceMillis;
    pendingSinceMillis = 0;
    roundSinceMillis = roundSinceMillis == 0 ? since : roundSinceMillis;
    Applied one = Applied.PART;
    if (rounds.pending().isEmpty()) {
      one = begin();
    }
    if (one != Applied.NOTHING) {
      apply(rounds.pending().getFirst());
    }
    if (one != Applied.PART) {
      roundSinceMillis = 0;
    }
    release();
    return one;
  }

  /// Begins the next round, if there is anything for one.
  private Applied begin() {
    Marks.End end = marks.next(rounds.last().to());
    Applied one = end == null ? Applied.REST : Applied.PART;
    if (end == null) {
      List<Long> groups = committedGroups(); // before the view, which shows them
      try (StoreView view = local.view()) {
        end = new Marks.End(end(view), groups);
      }
      if (end.to().laneLimits().equals(rounds.last().to().laneLimits())
          && rounds.takenOver().isEmpty()) {
        sources.claim(rounds.last().stamp(), rounds.last().to()); // those without events
        sources.settle();
        reach(groups);
        return Applied.NOTHING;
      }
    }
    long stamp = nextStamp();
    file.begun(rounds.last().next(stamp, end.to(), nodes.nanos() / 1_000, rounds.takenOver()));
    remember(stamp, end.groups());
    return one;
  }

  private void reach(List<Long> groups) {
    for (int lane = 0; lane < reached.length; lane++) {
      reached[lane] = Math.max(reached[lane], groups.get(lane));
    }
  }

  private void apply(Rounds.Begun begun) {
    Round round = begun.round();
    try (StoreView view = local.viewBefore(round.to())) {
      write(view, begun);
    }
    publish(round);
    List<Long> groups = groupsOf.remove(round.stamp());
    if (groups != null) {
      reach(groups);
    }
  }

  /// Where the round of a view ends: never before the round before it.
  private LaneArrivals end(StoreView view) {
    LaneArrivals shown = Objects.requireNonNull(LaneArrivals.of(view.arrivals()));
    LaneArrivals last = rounds.last().to();
    boolean alike = shown.laneLimits().size() == last.laneLimits().size();
    long lastMax = last.limitMax();
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
          file.applied(row.applied().stamp()); // the response was lost, or the note of it
        }
      }
      parts.ranges().forgetBefore(rounds.lastApplied().to());
      started = true;
    }
    long now = nowMillis();
    number.check(keyspace, statements, now, !rounds.unsettled().isEmpty());
    number.reserve(keyspace, statements, rounds.last().to().limitMax());
    if (Math.abs(now - seenMillis) >= SEEN_MILLIS) {
      statements.once("say that it is alive", keyspace.seen(number.daemon(), oldest(), now));
      seenMillis = now;
    }
    if (!nodes.isRead() || Math.abs(now - skewAskedMillis) >= SKEW_MILLIS) {
      long theirs = statements.once("read a node's clock", keyspace.clockMillis());
      nodes.read(theirs);
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
    List<PendingBatch.LeftOut> left = begun.leftOut();
    if (left == null) {
      left = claims.claim(round, TimeUnit.MILLISECONDS.toSeconds(nowMillis()), skewMillis);
    }
    long nodesMillis = TimeUnit.NANOSECONDS.toMillis(nodes.nanos());
    writer.write(
        view,
        new RoundWriter.Task(
            round,
            number.daemon(),
            number.store().id(),
            left,
            sources.claim(round.stamp(), round.to()),
            nodesMillis),
        nowMillis());
  }

  /// From here on every reader shows the round, and all before it.
  private void publish(Round round) {
    statements.make(
        "tell how far it has applied", () -> keyspace.applied(number.daemon(), round.applied()));
    file.applied(round.stamp());
    parts.batches().forgetBefore(round.to());
    sources.settle();
    marks.forgetBefore(round.to());
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

  /// Every event that arrived before it is applied.
  public LaneArrivals appliedTo() {
    return appliedTo;
  }

  /// The [Stamp] of the last round that is applied.
  public long appliedStamp() {
    return appliedStamp;
  }

  /// The lead of this machine's clock over the clocks of the nodes, in milliseconds.
  public long skewMillis() {
    return skewMillis;
  }

  /// Batches that other daemons had already, since the start.
  public long batchesLeftOut() {
    return claims.leftOut();
  }

  /// Ranges of sources in which another daemon was first, since the start.
  public long rangesLeftOut() {
    return sources.leftOut();
  }

  /// Batches whose keys were claimed, since the start.
  public long batchesClaimed() {
    return claims.claimed();
  }
}
