package io.widerow.ingest.doctor;

import io.widerow.event.PartitionWeights;
import io.widerow.query.sizing.TypePlan;

/// A type at a check: its partitions, and its current rate.
///
/// @param perSecond events a second between the last two looks
/// @param share that rate as a share of the capacity of the shards of its latest bucket
public record TypeState(TypePlan plan, double perSecond, double share) {
  /// @param recordBytes mean bytes of a record, of all types
  /// @param spread seconds of event time to which the events of a second belong, at least 1
  static TypeState of(TypePlan plan, double perSecond, double recordBytes, double spread) {
    PartitionWeights weights = plan.weights();
    double dense = perSecond / spread;
    double shards =
        Math.max(dense / weights.shardRate(), dense * recordBytes / weights.shardByteRate());
    return new TypeState(plan, perSecond, shards / plan.shards());
  }

  public TypePlan.Verdict verdict() {
    return plan.verdict(share);
  }
}
