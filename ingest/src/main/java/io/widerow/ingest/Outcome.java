package io.widerow.ingest;

import io.widerow.storage.Durability;

/// What became of a batch.
sealed interface Outcome {
  /// All events except the refused ones are stored.
  ///
  /// @param accepted events that this request stored
  /// @param duplicates events that an earlier request stored, of which this one is a repeat
  record Stored(int accepted, int duplicates, Refusals refused, Durability durability)
      implements Outcome {
    /// True when an earlier request stored all of it.
    boolean isRepeat() {
      return accepted == 0 && duplicates > 0;
    }
  }

  /// A ring is full. Nothing is acknowledged; the sender may try again.
  record Overloaded() implements Outcome {}

  /// The disk is full. Nothing is acknowledged; the sender may try again.
  record DiskFull(String why) implements Outcome {}

  /// The write side has ended. Nothing is acknowledged.
  record Failed(String why) implements Outcome {}

  /// The outcome of a batch with two parts: the worse one.
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
    return new Stored(a.accepted + b.accepted, a.duplicates + b.duplicates, refused, weaker);
  }
}
