package io.widerow.ingest.kafka;

import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.SourceGap;
import io.widerow.storage.SourceRange;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// Consecutive records of a partition that are stored as one batch: all of `[first, next)` that
/// exist. It keeps its records until it is stored, to be handed over again with the same limits.
///
/// - Threads: the poller's; a lane's sets the outcome.
final class Chunk {
  private static final int RECORD_BYTES = 200; // the objects of a record
  private static final int BYTES_OF_BYTE = 3; // records, the batch, the ring

  final int term;
  final long first;
  final long next;
  final int leaderEpoch;
  final List<ConsumerRecord<byte[], byte[]>> records;
  final long bytes; // of keys and values

  /// Bytes of credit that it takes from when it is decoded until it is stored.
  final long heldBytes;

  final List<SourceGap> gaps;

  /// What it claims in a cluster.
  final @Nullable SourceRange range;

  /// Refused offsets whose letters are acknowledged, before it claims anything.
  final Set<Long> told = new HashSet<>();

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
    long headers = 0;
    for (ConsumerRecord<byte[], byte[]> each : records) {
      sum += Math.max(0, each.serializedValueSize()) + Math.max(0, each.serializedKeySize());
      for (Header header : each.headers().toArray()) {
        headers += RECORD_BYTES + (header.value() == null ? 0 : header.value().length);
      }
    }
    bytes = sum;
    heldBytes = BYTES_OF_BYTE * (sum + headers) + (long) RECORD_BYTES * records.size();
  }
}
