package io.widerow.ingest;

import io.widerow.storage.Durability;

/// What became of a batch.
sealed interface Outcome {
  /// The events but for the refused ones are stored.
  ///
  /// @param duplicate the batch was stored before; this is the answer that it got then
  record Stored(int accepted, Refusals refused, Durability durability, boolean duplicate)
      implements Outcome {}

  /// There was no room in a ring. Nothing is acknowledged; the sender may try again.
  record Overloaded() implements Outcome {}

  /// There is no room on the disk. Nothing is acknowledged; the sender may try again.
  record DiskFull(String why) implements Outcome {}

  /// The write side has ended. Nothing is acknowledged.
  record Failed(String why) implements Outcome {}

  /// Of two parts of one batch, the outcome that must be told: the worse one.
  static Outcome merge(Outcome a, Outcome b) {
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
    return new Stored(a.accepted + b.accepted, refused, weaker, a.duplicate && b.duplicate);
  }
}
