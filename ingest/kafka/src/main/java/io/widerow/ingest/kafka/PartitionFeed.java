package io.widerow.ingest.kafka;

import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.intake.BatchSample;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.intake.Senders;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.SourcePlace;
import io.widerow.storage.SharedSources;
import io.widerow.storage.StorageException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Hands chunks over to the lanes in the order of their partitions, within the credit, and takes
/// their outcomes. A chunk that found no room is handed over again before any later one.
///
/// - Threads: the poller's; the lanes' set outcomes.
final class PartitionFeed {
  private static final int SENT_MAX = 8; // batches of a partition that are out
  private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();

  private final Intake intake;
  private final RecordDecoding decoding;
  private final SourceShares shares;
  private final @Nullable DeadLetters letters;
  private final @Nullable SharedSources cluster;
  private long held; // bytes of credit
  private long waitingBytes;
  private boolean isBusy;
  private boolean hasFailed;

  /// @param letters null when refused records go nowhere
  /// @param cluster null for a store on one machine
  PartitionFeed(
      Intake intake,
      RecordDecoding decoding,
      SourceShares shares,
      @Nullable DeadLetters letters,
      @Nullable SharedSources cluster) {
    this.intake = intake;
    this.decoding = decoding;
    this.shares = shares;
    this.letters = letters;
    this.cluster = cluster;
  }

  /// Whether chunks wait or are out, so that the next look should be soon.
  boolean isBusy() {
    return isBusy;
  }

  /// Whether the daemon stores nothing any more.
  boolean hasFailed() {
    return hasFailed;
  }

  /// Whether more records wait for room than are fetched at a time. One partition has at most those
  /// of a poll, but there may be many. Records that wait for dead letters do not count: they keep
  /// no other partition from being read.
  boolean isFull() {
    return waitingBytes > shares.fetchBytesMax();
  }

  void offer(Collection<PartitionReader> readers) {
    boolean busy = false;
    long bytes = 0;
    for (PartitionReader reader : readers) {
      boolean more = true;
      while (more && !reader.waiting.isEmpty()) {
        more = offer(reader);
      }
      busy |= !reader.waiting.isEmpty() || !reader.sent.isEmpty();
      if (!owes(reader)) {
        bytes += reader.waiting.stream().mapToLong(chunk -> chunk.heldBytes).sum();
      }
    }
    isBusy = busy;
    waitingBytes = bytes;
  }

  private boolean owes(PartitionReader reader) {
    int most = cluster == null ? SourcePlace.OWED_MAX : 1;
    return letters != null && reader.owed() >= most;
  }

  /// On a cluster, writes the letters of a chunk before it claims its offsets: the daemon that owes
  /// letters may never come back, and then nobody reads these offsets again.
  ///
  /// @return whether the chunk has to wait for them
  private boolean writeLettersFirst(
      PartitionReader reader, Chunk chunk, RecordDecoding.Decoded decoded, DeadLetters to) {
    List<Long> refused = decoded.offsets(decoded.batch.refused);
    if (cluster == null || chunk.told.containsAll(refused)) {
      return false;
    }
    to.write(reader, chunk, decoded, decoded.batch.refused);
    chunk.told.addAll(refused);
    return true;
  }

  private boolean claim(Chunk chunk) {
    boolean isClaimed = shares.tryClaim(chunk.heldBytes, held == 0);
    held += isClaimed ? chunk.heldBytes : 0;
    return isClaimed;
  }

  private void release(Chunk chunk) {
    held -= chunk.heldBytes;
    shares.release(chunk.heldBytes);
  }

  /// Whether the partition may have no more batches out. With dead letters it has one: the note of
  /// the next one has to name what the store refused of it.
  private boolean isFull(PartitionReader reader) {
    boolean waits = cluster != null && cluster.isFull();
    return owes(reader)
        || waits
        || reader.isSplit
        || reader.sent.size() == (letters == null ? SENT_MAX : 1);
  }

  /// False when the partition has to wait.
  private boolean offer(PartitionReader reader) {
    Chunk chunk = reader.waiting.peekFirst();
    if (chunk == null || isFull(reader) || System.nanoTime() < reader.retryNanos || !claim(chunk)) {
      return false;
    }
    RecordDecoding.Decoded decoded;
    try {
      decoded = decoding.decode(chunk, intake.epochNanos());
    } catch (StorageException.ClockWrong wrong) {
      release(chunk);
      reader.reason = wrong.getMessage();
      reader.retryNanos = System.nanoTime() + RETRY_NANOS;
      return false;
    }
    boolean split = decoded.batch.events.ownIds() > 0;
    boolean isEarly = split && !reader.sent.isEmpty(); // it commits in several lanes, not in order
    if (isEarly || (letters != null && writeLettersFirst(reader, chunk, decoded, letters))) {
      intake.lanes().drop(decoded.batch);
      release(chunk);
      return false;
    }
    reader.waiting.removeFirst();
    reader.sent.addLast(chunk);
    reader.isSplit = split;
    BatchSample sample = intake.sample(decoded.batch);
    boolean isOwed = letters != null && cluster == null;
    List<Long> owed = reader.owed(isOwed ? decoded.offsets(decoded.batch.refused) : List.of());
    SourcePlace place =
        SourcePlace.whole(reader.of, chunk.term, chunk.first, chunk.next, chunk.leaderEpoch)
            .with(chunk.gaps, owed)
            .claiming(chunk.range);
    if (letters != null) {
      place = place.owing(decoded::offset);
    }
    reader.owesLess = false;
    chunk.decoded = decoded;
    chunk.sample = sample;
    intake.lanes().write(decoded.batch, place, outcome -> chunk.outcome = outcome);
    return true;
  }

  /// Takes the outcomes that are there.
  void settle(Collection<PartitionReader> readers) {
    readers.forEach(this::settle);
  }

  private void settle(PartitionReader reader) {
    while (!reader.sent.isEmpty()) {
      Chunk chunk = reader.sent.getFirst();
      BatchOutcome outcome = chunk.outcome;
      switch (outcome) {
        case null -> {
          return;
        }
        case BatchOutcome.Stored stored -> {
          reader.sent.removeFirst();
          reader.isSplit = false;
          release(chunk);
          stored(reader, chunk, stored);
        }
        case BatchOutcome.Failed(String why) -> {
          hasFailed = true;
          reader.reason = why;
          again(reader);
          return;
        }
        case BatchOutcome.Overloaded() -> {
          again(reader);
          return;
        }
        case BatchOutcome.DiskFull(String why) -> {
          reader.reason = why;
          again(reader);
          return;
        }
      }
    }
  }

  /// Lets all chunks that are out wait again, once all have their outcomes: the first one found no
  /// room, so the lane has refused the others.
  private void again(PartitionReader reader) {
    if (reader.sent.stream().allMatch(chunk -> chunk.outcome != null)) {
      while (!reader.sent.isEmpty()) {
        Chunk chunk = reader.sent.removeLast();
        release(chunk);
        chunk.outcome = null;
        reader.waiting.addFirst(chunk);
      }
      reader.isSplit = false;
      reader.retryNanos = System.nanoTime() + RETRY_NANOS;
    }
  }

  private void stored(PartitionReader reader, Chunk chunk, BatchOutcome.Stored stored) {
    reader.durable = chunk.next;
    RecordDecoding.Decoded decoded = chunk.decoded;
    BatchSample sample = chunk.sample;
    if (decoded == null || sample == null) {
      return;
    }
    reader.records += chunk.records.size();
    reader.empty += decoded.empty;
    reader.bytes += chunk.bytes;
    reader.rejected += stored.refused().count();
    if (letters != null) {
      letters.write(reader, chunk, decoded, stored.refused());
    }
    String why = reason(reader, decoded, stored.refused());
    reader.reason = why == null ? reader.reason : why;
    String sender = reader.name.topic() + "/" + reader.name.partition();
    Senders.Counts counts =
        new Senders.Counts(stored.accepted(), stored.duplicates(), stored.refused().count(), why);
    if (!chunk.records.isEmpty()) {
      intake.senders().stored("kafka", sender, null, sample, counts);
    }
  }

  private static @Nullable String reason(
      PartitionReader reader, RecordDecoding.Decoded decoded, Refusals refused) {
    if (refused.listed() == 0) {
      return null;
    }
    int last = refused.listed() - 1;
    return RecordDecoding.refusal(
        reader.name.topic(),
        reader.name.partition(),
        decoded.offset(refused.index(last)),
        refused.reason(last));
  }
}
