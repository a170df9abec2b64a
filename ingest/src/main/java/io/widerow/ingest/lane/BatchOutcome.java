package io.widerow.ingest.lane;

import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;

/// The outcome of a batch.
public sealed interface BatchOutcome {
  /// All events except the refused ones are stored.
  ///
  /// @param accepted events stored now
  /// @param duplicates events stored earlier, by the batch that this one, or a part of it, repeats
  /// @param refused refusals; for a retry the refusals of the first batch
  record Stored(int accepted, int duplicates, Refusals refused, Durability durability)
      implements BatchOutcome {
    /// True for a repeat of which nothing was stored now.
    public boolean repeated() {
      return accepted == 0 && duplicates > 0;
    }

    /// The same at another level.
    Stored at(Durability level) {
      return new Stored(accepted, duplicates, refused, level);
    }

    /// Events that are stored, now or earlier.
    public int stored() {
      return accepted + duplicates;
    }
  }

  /// A ring is full. Nothing is acknowledged; the sender may try again.
  record Overloaded() implements BatchOutcome {}

  /// The disk is full. Nothing is acknowledged; the sender may try again.
  record DiskFull(String why) implements BatchOutcome {}

  /// The write side has ended. Nothing is acknowledged.
  record Failed(String why) implements BatchOutcome {}

  /// The outcome for the sender of a batch of which transforms dropped some events. These count as
  /// accepted, or as duplicates when the stored events are duplicates.
  default BatchOutcome withDropped(int dropped) {
    if (!(this instanceof Stored(int accepted, int duplicates, var refused, var durability))) {
      return this;
    }
    return duplicates > 0
        ? new Stored(accepted, duplicates + dropped, refused, durability)
        : new Stored(accepted + dropped, 0, refused, durability);
  }

  /// The outcome of a batch with two parts: the worse one.
  static BatchOutcome merge(BatchOutcome a, BatchOutcome b) {
    return switch (a) {
      case Stored one -> b instanceof Stored other ? merge(one, other) : b;
      case Overloaded() -> b instanceof Stored ? a : b;
      case DiskFull _ -> b instanceof Failed ? b : a;
      case Failed _ -> a;
    };
  }

  private static Stored merge(Stored a, Stored b) {
    Refusals refused = new Refusals();
    refused.addAll(a.refused);
    refused.addAll(b.refused);
    Durability weaker = a.durability.compareTo(b.durability) <= 0 ? a.durability : b.durability;
    return new Stored(a.accepted + b.accepted, a.duplicates + b.duplicates, refused, weaker);
  }
}
