package io.widerow.ingest.kafka;

import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.lane.PositionLedger;
import io.widerow.ingest.lane.SourcePartition;
import io.widerow.ingest.lane.SourcePosition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The credit of all sources of a daemon, at most half of that of all senders, and the source of
/// each partition: two sources of one partition would move one position.
///
/// - Threads: any.
final class SourceShares {
  private static final int CREDIT_SHARE = 2; // all sources get the half

  private static final int FETCHES = 8; // of a thread in its share: received, polled, decoded
  private static final int FETCH_BYTES_MIN = 256 << 10;
  private static final int FETCH_BYTES_MAX = 16 << 20;
  private static final int PARTITION_BYTES_MIN = 64 << 10; // more than a batch of most producers
  private static final int PARTITION_BYTES_MAX = 1 << 20;

  private final ByteCredit credit;
  private final int pollers;
  private final Map<SourcePartition, SourcePosition> positions;
  private final AtomicLong held = new AtomicLong();
  private final Map<SourcePartition, String> owners = new ConcurrentHashMap<>();
  private final AtomicInteger begun = new AtomicInteger(); // partitions without a position before

  /// @param pollers threads that poll, of all sources
  /// @param positions of the partitions that were read before
  SourceShares(ByteCredit credit, int pollers, Map<SourcePartition, SourcePosition> positions) {
    this.credit = credit;
    this.pollers = pollers;
    this.positions = positions;
  }

  /// The bytes that a thread asks brokers for at a time. What it has received and polled is not
  /// claimed yet, so it has to be small to its share of the credit.
  int fetchBytesMax() {
    long share = credit.bytesMax() / CREDIT_SHARE / pollers;
    return Math.clamp(share / FETCHES, FETCH_BYTES_MIN, FETCH_BYTES_MAX);
  }

  /// The bytes that a thread asks for of one of its partitions. The client keeps so many of each
  /// until they are polled, so all together have to be small, too.
  int partitionBytesMax(int partitions) {
    int share = fetchBytesMax() / Math.max(1, partitions);
    return Math.clamp(share, PARTITION_BYTES_MIN, PARTITION_BYTES_MAX);
  }

  /// Claims bytes before a batch is decoded.
  ///
  /// @param isAlone whether the thread holds none, so that waiting may not help a batch that is
  ///   larger than all that sources may have
  boolean tryClaim(long bytes, boolean isAlone) {
    long max = credit.bytesMax() / CREDIT_SHARE;
    if (isAlone && bytes > max) {
      claimInDebt(bytes);
      return true;
    }
    if (held.addAndGet(bytes) > max || !credit.tryClaim(bytes)) {
      held.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /// Claims bytes that are in use already.
  void claimInDebt(long bytes) {
    held.addAndGet(bytes);
    credit.claimInDebt(bytes);
  }

  void release(long bytes) {
    held.addAndGet(-bytes);
    credit.release(bytes);
  }

  /// Gives a partition to a source, for as long as the daemon runs.
  ///
  /// @return why the source does not get it; null when it does
  @Nullable String take(SourcePartition of, String source) {
    String owner = owners.get(of);
    if (owner == null && !positions.containsKey(of)) {
      if (begun.incrementAndGet() + positions.size() > PositionLedger.POSITIONS_MAX) {
        begun.decrementAndGet();
        return "the store has positions of %d partitions, which is the most"
            .formatted(PositionLedger.POSITIONS_MAX);
      }
    }
    if (owner == null) {
      owner = owners.putIfAbsent(of, source);
    }
    return owner == null || owner.equals(source) ? null : "the source " + owner + " reads it";
  }
}
