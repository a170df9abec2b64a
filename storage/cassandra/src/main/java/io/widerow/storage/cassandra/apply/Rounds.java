package io.widerow.storage.cassandra.apply;

import io.widerow.storage.LaneArrivals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A daemon's rounds that are not applied, and the batches that were left out of rounds and are not
/// settled. The state of a [RoundsFile].
///
/// - Threads: one.
final class Rounds {
  private Round lastApplied = Round.none();
  private final List<Begun> pending = new ArrayList<>();
  private final TreeMap<Long, PendingBatch.LeftOut> unsettled = new TreeMap<>(); // by counterFrom
  private final TreeMap<Long, PendingBatch.LeftOut> takenOver = new TreeMap<>();

  /// A round that is written down and not applied.
  ///
  /// @param leftOut batches that are left out of it; null before the keyspace was asked for their
  ///   claims
  record Begun(Round round, @Nullable List<PendingBatch.LeftOut> leftOut) {}

  void begun(Round round) {
    pending.add(new Begun(round, null));
    for (PendingBatch.LeftOut left : round.taken()) {
      takenOver.remove(left.batch().counterFrom());
      unsettled.remove(left.batch().counterFrom()); // where a file was rewritten
    }
  }

  void leftOut(long stamp, List<PendingBatch.LeftOut> batches) {
    batches.forEach(left -> unsettled.put(left.batch().counterFrom(), left));
    for (int i = 0; i < pending.size(); i++) {
      if (pending.get(i).round.stamp() == stamp) {
        pending.set(i, new Begun(pending.get(i).round, List.copyOf(batches)));
      }
    }
  }

  void applied(long stamp) {
    while (!pending.isEmpty() && pending.getFirst().round.stamp() <= stamp) {
      lastApplied = pending.removeFirst().round;
    }
  }

  void settled(long counterFrom) {
    unsettled.remove(counterFrom);
  }

  void taken(long counterFrom) {
    PendingBatch.LeftOut left = unsettled.remove(counterFrom);
    if (left != null) {
      takenOver.put(counterFrom, left);
    }
  }

  /// Another claim is in force for a batch that is left out.
  void replace(PendingBatch.LeftOut left) {
    unsettled.put(left.batch().counterFrom(), left);
  }

  Round lastApplied() {
    return lastApplied;
  }

  /// The last round that was written down.
  Round last() {
    return pending.isEmpty() ? lastApplied : pending.getLast().round;
  }

  /// Rounds that are written down and not applied, in their order.
  List<Begun> pending() {
    return List.copyOf(pending);
  }

  /// Batches that were left out, while the other daemon has not applied them.
  List<PendingBatch.LeftOut> unsettled() {
    return List.copyOf(unsettled.values());
  }

  /// Batches that were left out and belong to the next round.
  List<PendingBatch.LeftOut> takenOver() {
    return List.copyOf(takenOver.values());
  }

  /// All that is left out of rounds and not in a later one.
  List<PendingBatch.LeftOut> allLeftOut() {
    List<PendingBatch.LeftOut> all = new ArrayList<>(unsettled.values());
    all.addAll(takenOver.values());
    return all;
  }

  /// Events that arrived before this position are no longer needed on this machine.
  LaneArrivals releasable() {
    List<PendingBatch.LeftOut> held = allLeftOut();
    pending.forEach(begun -> held.addAll(begun.round.taken()));
    return held.stream()
        .filter(left -> left.stamp() <= lastApplied.stamp())
        .min(Comparator.comparingLong(PendingBatch.LeftOut::stamp))
        .map(PendingBatch.LeftOut::held)
        .orElse(lastApplied.to());
  }

  /// True when a batch that was left out keeps applied events from being forgotten.
  boolean isHeldBack() {
    return !releasable().equals(lastApplied.to());
  }
}
