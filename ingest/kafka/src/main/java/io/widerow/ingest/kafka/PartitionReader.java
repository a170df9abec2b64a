package io.widerow.ingest.kafka;

import io.widerow.ingest.lane.SourceGap;
import io.widerow.ingest.lane.SourcePartition;
import io.widerow.ingest.lane.SourcePlace;
import io.widerow.ingest.lane.SourcePosition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// A partition that is read: the records that wait for the lanes, the batches that are out, and how
/// far everything is durable.
///
/// ```
///       durable          sent             waiting          fetched
///   ------|---------------|------------------|---------------|------>  offsets
///    stored  in the lanes   read, no room yet
/// ```
///
/// - Threads: the poller's.
final class PartitionReader {
  private static final long NOTE_NANOS = 1_000_000_000;
  private static final int CHUNK_RECORDS_MAX = 4_000;
  private static final long CHUNK_BYTES_MAX = 512 << 10;

  final SourcePartition of;
  final TopicPartition name;
  final ArrayDeque<Chunk> waiting = new ArrayDeque<>();
  final ArrayDeque<Chunk> sent = new ArrayDeque<>();
  private final List<SourceGap> gaps;
  private final List<ConsumerRecord<byte[], byte[]>> torn = new ArrayList<>();
  private long tornUntil;
  private int term;
  private int leaderEpoch;
  private long fetched;
  private long notedNanos = System.nanoTime() - NOTE_NANOS;
  long durable;
  boolean isSplit; // the one batch that is out commits in several lanes
  boolean isPaused;
  long retryNanos; // of the monotonic clock; 0 for at once
  long records;
  long rejected;
  long empty;
  long bytes;
  long lag;
  @Nullable String reason;

  /// A partition with a position.
  PartitionReader(SourcePartition of, TopicPartition name, SourcePosition at) {
    this.of = of;
    this.name = name;
    term = at.term();
    leaderEpoch = at.leaderEpoch();
    fetched = at.complete();
    durable = at.complete();
    tornUntil = at.until();
    gaps = new ArrayList<>(at.gaps());
  }

  /// A partition that was never read. Its first position is written at once: else it would begin
  /// somewhere else after a restart.
  PartitionReader(SourcePartition of, TopicPartition name, long start) {
    this(of, name, new SourcePosition(0, start, start, -1, List.of(), List.of()));
    add(List.of(), start);
  }

  /// Where the next record is fetched.
  long fetched() {
    return fetched;
  }

  /// The same, to fetch from there again: drops what was fetched of a range that is taken as a
  /// whole.
  long resume() {
    torn.clear();
    return fetched;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  List<SourceGap> gaps() {
    return gaps;
  }

  /// Takes what was fetched.
  ///
  /// @param next offset after all of it, control records included
  void take(List<ConsumerRecord<byte[], byte[]>> all, long next, int epoch) {
    List<ConsumerRecord<byte[], byte[]>> rest = all;
    leaderEpoch = epoch;
    if (fetched < tornUntil) {
      rest = takeTorn(all, next);
    }
    List<ConsumerRecord<byte[], byte[]>> chunk = new ArrayList<>();
    long chunkBytes = 0;
    for (ConsumerRecord<byte[], byte[]> record : rest) {
      long size = Math.max(0, record.serializedValueSize());
      boolean full = chunk.size() == CHUNK_RECORDS_MAX || chunkBytes + size > CHUNK_BYTES_MAX;
      if (full && !chunk.isEmpty()) {
        add(chunk, record.offset());
        chunk = new ArrayList<>();
        chunkBytes = 0;
      }
      chunk.add(record);
      chunkBytes += size;
    }
    if (!chunk.isEmpty() || isTimeToNote(next)) {
      add(chunk, next);
    }
  }

  /// Whether to write a position that advanced over control records alone. The next chunk covers
  /// them too.
  private boolean isTimeToNote(long next) {
    long now = System.nanoTime();
    boolean due = next > fetched && now - notedNanos >= NOTE_NANOS;
    notedNanos = due ? now : notedNanos;
    return due;
  }

  /// The first batch after a start is exactly the range that may be stored in part.
  private List<ConsumerRecord<byte[], byte[]>> takeTorn(
      List<ConsumerRecord<byte[], byte[]>> all, long next) {
    List<ConsumerRecord<byte[], byte[]>> rest = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : all) {
      (record.offset() < tornUntil ? torn : rest).add(record);
    }
    if (next >= tornUntil) {
      add(List.copyOf(torn), tornUntil);
      torn.clear();
      tornUntil = 0;
    }
    return rest;
  }

  private void add(List<ConsumerRecord<byte[], byte[]>> chunk, long next) {
    waiting.add(new Chunk(term, fetched, next, leaderEpoch, chunk, gaps));
    fetched = next;
  }

  /// Continues at another offset: records are missing.
  void skip(long to, SourceGap.Why why, long epochSeconds) {
    torn.clear();
    tornUntil = 0;
    SourceGap gap = new SourceGap(Math.min(fetched, to), Math.max(fetched, to), why, epochSeconds);
    if (gaps.size() == SourcePlace.GAPS_MAX) {
      SourceGap last = gaps.removeLast();
      gap =
          new SourceGap(
              Math.min(last.from(), gap.from()),
              Math.max(last.until(), gap.until()),
              why,
              epochSeconds);
    }
    gaps.add(gap);
    if (to < fetched) { // what was read from the old log is stored and stays
      term++;
      fetched = to;
    }
    add(List.of(), to);
  }

  PartitionState state(@Nullable String waits) {
    boolean isWaiting = waits != null;
    return new PartitionState(
        name.topic(),
        of.topic().toString(),
        name.partition(),
        isWaiting ? "waiting" : isPaused ? "paused" : "reading",
        durable,
        Math.max(0, fetched - durable) + lag,
        records,
        rejected,
        empty,
        bytes,
        List.copyOf(gaps),
        isWaiting ? waits : reason);
  }
}
