package io.widerow.ingest.kafka;

import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.SourceGap;
import io.widerow.storage.SourceRange;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// Consecutive records of a partition that are stored as one batch: all of `[first, next)` that
/// exist. It keeps its records until it is stored, to be handed over again with the same limits.
///
/// - Threads: the poller's; a lane's sets the outcome.
final class Chunk {
  final int term;
  final long first;
  final long next;
  final int leaderEpoch;
  final List<ConsumerRecord<byte[], byte[]>> records;
  final long bytes;
  final List<SourceGap> gaps;

  /// What it claims in a cluster.
  final @Nullable SourceRange range;

  volatile @Nullable BatchOutcome outcome;

  /// The offsets of its events, and its sample, once it was handed over.
  RecordDecoding.@Nullable Decoded decoded;

  @Nullable BatchSample sample;

  /// @param gaps of the partition, as they are after this chunk
  /// @param range that it claims in a cluster; null when it claims none
  Chunk(
      int term,
      long first,
      long next,
      int leaderEpoch,
      List<ConsumerRecord<byte[], byte[]>> records,
      List<SourceGap> gaps,
      @Nullable SourceRange range) {
    this.term = term;
    this.first = first;
    this.next = next;
    this.leaderEpoch = leaderEpoch;
    this.records = records;
    this.gaps = List.copyOf(gaps);
    this.range = range;
    long sum = 0;
    for (ConsumerRecord<byte[], byte[]> each : records) {
      sum += Math.max(0, each.serializedValueSize()) + Math.max(0, each.serializedKeySize());
    }
    bytes = sum;
  }
}
