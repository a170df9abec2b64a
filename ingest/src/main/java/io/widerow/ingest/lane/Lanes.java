package io.widerow.ingest.lane;

import com.lmax.disruptor.WaitStrategy;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// All lanes of the daemon, and the choice among them. The key of a batch decides its lane; batches
/// without a key go round robin; an event with its own id goes to the lane of that id.
///
/// - Threads: any may call [#write].
/// - Memory: owns the pool of batches.
public final class Lanes implements AutoCloseable {
  private static final long LATELY_NANOS = 100_000_000;
  private static final long ODD = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio

  private final EventStore store;
  private final List<LaneRing> lanes = new ArrayList<>();
  private final BatchPool pool;
  private final @Nullable BatchTransform rules;
  private final WriteState writeSide = new WriteState();
  private final @Nullable QuorumWaits quorum;
  private final EarlierParts earlier;
  private final Map<SourcePartition, SourcePosition> positions = new HashMap<>();
  private final List<SourcePlace> earlierPlaces = new ArrayList<>(); // of other numbers of lanes
  private final AtomicLong turns = new AtomicLong();
  private final long futureNanos;
  private final @Nullable TypeBudget types;
  private volatile long wroteAt = System.nanoTime() - LATELY_NANOS;

  /// Configuration of the lanes.
  ///
  /// @param slots batches that a ring holds, a power of two
  /// @param ledgerKeys keys that a ledger keeps at any age
  /// @param ledgerKeysMax keys that a ledger keeps at most, a power of two
  /// @param ledgerSeconds age up to which a ledger keeps keys
  /// @param quorumNanos how long a batch waits for [Durability#QUORUM] at most; 0 for a store on
  ///   one machine, which does not have it
  /// @param futureNanos how far ahead of the clock the store accepts the time of an event
  public record Settings(
      int slots,
      int ledgerKeys,
      int ledgerKeysMax,
      long ledgerSeconds,
      long quorumNanos,
      long futureNanos) {
    /// For a store on one machine that accepts any time.
    public Settings(int slots, int ledgerKeys, int ledgerKeysMax, long ledgerSeconds) {
      this(slots, ledgerKeys, ledgerKeysMax, ledgerSeconds, 0, Long.MAX_VALUE);
    }
  }

  /// Lanes that write what they get.
  public Lanes(
      EventStore store,
      Settings settings,
      Supplier<WaitStrategy> waiting,
      BatchPool pool,
      MeterRegistry registry,
      LongSupplier epochSeconds) {
    this(store, settings, waiting, pool, null, null, registry, epochSeconds);
  }

  /// Lanes that change each batch first.
  ///
  /// @param rules the transforms; null for none
  /// @param types limits the types that senders create; null for any number
  public Lanes(
      EventStore store,
      Settings settings,
      Supplier<WaitStrategy> waiting,
      BatchPool pool,
      @Nullable BatchTransform rules,
      @Nullable TypeBudget types,
      MeterRegistry registry,
      LongSupplier epochSeconds) {
    this.store = store;
    this.pool = pool;
    this.rules = rules;
    this.types = types;
    futureNanos = settings.futureNanos;
    quorum = settings.quorumNanos > 0 ? new QuorumWaits(settings.quorumNanos, registry) : null;
    earlier = new EarlierParts(store.lanes(), ledger(settings), settings, epochSeconds);
    for (int number = 0; number < store.lanes(); number++) {
      LaneMetrics metrics = new LaneMetrics(registry, number);
      LaneGroup group =
          new LaneGroup(
              store.lane(number),
              ledger(settings),
              pool,
              writeSide,
              metrics,
              epochSeconds,
              quorum == null ? null : quorum.queue(Integer.toString(number)));
      group.restore(number == 0 ? earlier::restore : (_, _) -> {}); // each reads the notes of all
      if (number == 0) {
        positions.putAll(group.positions().positions());
        earlierPlaces.addAll(group.positions().otherLanes(store.lanes()));
      }
      LaneRing lane = new LaneRing(number, settings.slots, waiting.get(), group);
      lanes.add(lane);
      Gauge.builder("widerow.lane.ring.used", lane, LaneRing::slotsUsed)
          .tag("lane", Integer.toString(number))
          .register(registry);
    }
    earlier.restored();
  }

  private static BatchLedger ledger(Settings settings) {
    int keysMax = Math.max(settings.ledgerKeysMax, Integer.highestOneBit(settings.ledgerKeys) * 2);
    return new BatchLedger(settings.ledgerKeys, keysMax, settings.ledgerSeconds);
  }

  public void start() {
    lanes.forEach(LaneRing::start);
  }

  /// Wakes every lane, so that an idle one seals old rows.
  public void tick() {
    lanes.forEach(LaneRing::tick);
  }

  public List<LaneRing> all() {
    return lanes;
  }

  /// Why nothing can be written any more; null while writing works.
  public @Nullable String failure() {
    return writeSide.failure();
  }

  /// Whether batches can be asked to wait for [Durability#QUORUM].
  public boolean hasQuorum() {
    return quorum != null;
  }

  /// Lets no batch wait for the cluster any longer: each is answered with the level that it has.
  public void endWaiting() {
    if (quorum != null) {
      quorum.end();
    }
  }

  /// True when events of a type are stored under [TypeBudget#OVERFLOW].
  public boolean isBeyondTypes(String type) {
    return types != null && !types.knows(type);
  }

  /// @param wallNanos wall-clock time, nanoseconds since the Unix epoch
  public IncomingBatch begin(long wallNanos) {
    long now = store.latestNanos(); // the store refuses by this clock
    long latest = Long.MAX_VALUE - now > futureNanos ? now + futureNanos : Long.MAX_VALUE;
    return new IncomingBatch(pool.take(), wallNanos, latest, store::arrivalNanos);
  }

  /// Whether a batch was handed over in the last tenth of a second.
  public boolean wroteLately() {
    return System.nanoTime() - wroteAt < LATELY_NANOS;
  }

  /// Gives a batch back without writing it.
  public void drop(IncomingBatch batch) {
    pool.give(batch.events);
  }

  /// True when batches may be changed first, which takes longer than decoding them.
  public boolean hasRules() {
    return rules != null;
  }

  /// Applies the rules of the daemon to a batch, and then the limits of types, unless that was
  /// done. [#write] does it, too; a caller that counts the bytes of a batch calls this first.
  public void applyRules(IncomingBatch batch) {
    if (!batch.takeRules()) {
      return;
    }
    if (rules != null) {
      EventBatch spare = pool.take();
      try {
        rules.apply(batch, spare);
      } finally {
        pool.give(spare);
      }
    }
    if (types != null) {
      types.apply(batch, pool);
    }
  }

  /// Hands a batch over to its lanes, which own it from now on. Events that the rules dropped count
  /// as accepted.
  ///
  /// @param told gets the outcome, on a lane's thread, on the thread that responds for the cluster,
  ///   or on this one; it must not block
  public void write(
      IncomingBatch batch, @Nullable BatchKey key, Durability durability, BatchListener told) {
    write(batch, key, null, durability, told);
  }

  /// Hands a batch of a source over to its lanes. The batches of a partition are handed over in
  /// their order, by one thread. A batch that finds no room is handed over again, in its turn and
  /// with the same events: the later ones are refused until then. A batch with own ids is handed
  /// over when all before it have their outcome, and the next one when it has its own.
  ///
  /// @param told as for the other batches; the outcome has the level [Durability#DISK]
  public void write(IncomingBatch batch, SourcePlace place, BatchListener told) {
    write(batch, null, place, Durability.DISK, told);
  }

  /// Where each partition of the sources continues after the start.
  public Map<SourcePartition, SourcePosition> positions() {
    return positions;
  }

  private void write(
      IncomingBatch batch,
      @Nullable BatchKey key,
      @Nullable SourcePlace place,
      Durability durability,
      BatchListener told) {
    wroteAt = System.nanoTime();
    applyRules(batch);
    BatchListener done = batch.dropped() == 0 ? told : new ToldOfDropped(batch.dropped(), told);
    String failure = writeSide.failure();
    if (failure != null) {
      drop(batch);
      done.accept(new BatchOutcome.Failed(failure));
      return;
    }
    long placement;
    long hash;
    if (place != null) {
      hash = place.of().hash();
      placement = Long.rotateLeft(hash, Integer.SIZE);
    } else {
      placement = key != null ? key.low() : mix(turns.incrementAndGet());
      hash = key != null ? key.high() : placement;
    }
    int lane = (int) Long.remainderUnsigned(hash, lanes.size());
    if (batch.events.ownIds() == 0) {
      offer(
          lane,
          new BatchPart(
              batch.events,
              key,
              place,
              placement,
              durability,
              batch.refused,
              batch.indexes(),
              done));
      return;
    }
    SourcePlace splitPlace = place == null ? null : place.split();
    EarlierParts.Found found = null;
    if (splitPlace != null) {
      found = EarlierParts.Found.of(earlierPlaces, splitPlace);
    } else if (key != null) {
      found = earlier.find(key);
    }
    List<BatchSplit.Share> shares = BatchSplit.split(batch, lane, lanes.size(), store, pool, found);
    boolean repeats = found != null && found.events() > 0;
    BatchSplit.Join join = new BatchSplit.Join(shares.size() + (repeats ? 1 : 0), done);
    if (found != null && repeats) {
      offer(lane, BatchPart.stored(pool.take(), durability, found, join));
    }
    for (BatchSplit.Share share : shares) {
      Refusals refused = share.number == 0 ? batch.refused : new Refusals();
      BatchKey part = key == null ? null : key.part(share.number);
      SourcePlace at = splitPlace == null ? null : splitPlace.part(share.number);
      offer(share.lane, BatchPart.of(share, part, at, placement, durability, refused, join));
    }
  }

  /// Adds the events that transforms dropped to the outcome for the sender.
  private record ToldOfDropped(int dropped, BatchListener told) implements BatchListener {
    @Override
    public void kept(BatchOutcome.Stored stored) {
      if (stored.withDropped(dropped) instanceof BatchOutcome.Stored all) {
        told.kept(all);
      }
    }

    @Override
    public void accept(BatchOutcome outcome) {
      told.accept(outcome.withDropped(dropped));
    }
  }

  private void offer(int lane, BatchPart part) {
    if (!lanes.get(lane).offer(part)) {
      pool.give(part.events);
      part.done(new BatchOutcome.Overloaded());
    }
  }

  private static long mix(long turn) {
    long hash = turn * ODD;
    return hash ^ (hash >>> 32);
  }

  /// Lets every lane finish its batches. No [#write] may follow.
  @Override
  public void close() {
    lanes.forEach(LaneRing::close);
    if (quorum != null) {
      quorum.close();
    }
    earlier.close();
    pool.close();
  }
}
