package io.widerow.ingest.doctor;

import io.widerow.query.sizing.TypePlan;

/// A type at a look: its partitions, and what comes now.
///
/// @param perSecond events a second between the last two looks
/// @param share that rate as a share of what the shards of its latest bucket take
public record TypeState(TypePlan plan, double perSecond, double share) {
  /// Events a second that one shard takes.
  static final long SHARD_RATE = 20_000;

  /// Bytes of records a second that one shard takes.
  static final long SHARD_BYTE_RATE = 4L << 20;

  /// @param recordBytes mean bytes of a record, of all types
  static TypeState of(TypePlan plan, double perSecond, double recordBytes) {
    double shards = Math.max(perSecond / SHARD_RATE, perSecond * recordBytes / SHARD_BYTE_RATE);
    return new TypeState(plan, perSecond, shards / plan.shards());
  }

  public TypePlan.Verdict verdict() {
    return plan.verdict(share);
  }
}
