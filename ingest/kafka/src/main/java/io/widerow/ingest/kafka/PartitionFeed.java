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
  private static final int BYTES_OF_BYTE = 3; // records, the batch, the ring
  private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();

  private final Intake intake;
  private final RecordDecoding decoding;
  private final SourceShares shares;
  private final @Nullable DeadLetters letters;
  private final @Nullable SharedSources cluster;
  private long held; // bytes of credit
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

  void offer(Collection<PartitionReader> readers) {
    boolean busy = false;
    for (PartitionReader reader : readers) {
      boolean more = true;
      while (more && !reader.waiting.isEmpty()) {
        more = offer(reader);
      }
      busy |= !reader.waiting.isEmpty() || !reader.sent.isEmpty();
    }
    isBusy = busy;
  }

  private static long bytes(Chunk chunk) {
    return BYTES_OF_BYTE * chunk.bytes;
  }

  private boolean claim(Chunk chunk) {
    boolean isClaimed = shares.tryClaim(bytes(chunk), held == 0);
    held += isClaimed ? bytes(chunk) : 0;
    return isClaimed;
  }

  private void release(Chunk chunk) {
    held -= bytes(chunk);
    shares.release(bytes(chunk));
  }

  /// Whether the partition may have no more batches out. With dead letters it has one: the note of
  /// the next one has to name what the store refused of it.
  private boolean isFull(PartitionReader reader) {
    boolean owes = letters != null && reader.owed() >= SourcePlace.OWED_MAX;
    boolean waits = cluster != null && cluster.isFull();
    return owes
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
    if (split && !reader.sent.isEmpty()) {
      intake.lanes().drop(decoded.batch);
      release(chunk);
      return false; // it commits in several lanes, when all before it are durable
    }
    reader.waiting.removeFirst();
    reader.sent.addLast(chunk);
    reader.isSplit = split;
    BatchSample sample = intake.sample(decoded.batch);
    List<Long> owed =
        reader.owed(letters == null ? List.of() : decoded.offsets(decoded.batch.refused));
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
