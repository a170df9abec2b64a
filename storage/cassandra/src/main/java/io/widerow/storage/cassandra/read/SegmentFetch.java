package io.widerow.storage.cassandra.read;

import io.widerow.event.EventId;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.segment.Segment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// One segment of an open query, from its row of the directory to the open segment.
///
/// - Threads: one, the query's.
/// - Memory: its value from the request on, until [#close].
final class SegmentFetch {
  /// Its state.
  enum State {
    /// The value has not arrived.
    PENDING,
    /// The segment can be read.
    OPEN,
    /// No replica of a quorum has the value.
    MISSING,
    /// The value is damaged, and the scan passes over it.
    UNREADABLE
  }

  final DirectoryRow row;
  final EventId bound;
  private final ReadAhead ahead;
  private @Nullable SegmentFetch follower;
  private final UUID storeId;
  private @Nullable CompletableFuture<@Nullable ByteBuffer> value;
  private @Nullable Segment segment;
  private boolean atQuorum; // the value, arrived or not, was asked of a quorum
  private boolean closed;

  /// @param bound no event that is wanted comes before it, in the direction of reading
  SegmentFetch(DirectoryRow row, EventId bound, ReadAhead ahead, UUID storeId) {
    this.row = row;
    this.bound = bound;
    this.ahead = ahead;
    this.storeId = storeId;
  }

  /// True when it was asked for, or is over.
  boolean isBegun() {
    return value != null || closed;
  }

  /// Sets the segment of the same partition, tier and daemon after this one, in the direction of
  /// reading.
  void followedBy(SegmentFetch next) {
    follower = next;
  }

  @Nullable SegmentFetch follower() {
    return follower;
  }

  /// The value is asked for. Called by [ReadAhead] only.
  void begin(CompletableFuture<@Nullable ByteBuffer> asked) {
    value = asked;
  }

  /// Requests the value unless it was requested, and returns whether it has arrived.
  ///
  /// @throws StorageException.Unreachable when the cluster did not respond
  /// @throws StorageException.Corrupt when the value is damaged, also at a quorum
  State poll() {
    if (segment != null) {
      return State.OPEN;
    }
    ahead.demand(this);
    while (true) {
      CompletableFuture<@Nullable ByteBuffer> asked = Objects.requireNonNull(value);
      if (!asked.isDone()) {
        ahead.waitFor(asked);
        return State.PENDING;
      }
      ByteBuffer bytes = Requests.await(asked);
      if (bytes == null) {
        return State.MISSING;
      }
      try {
        segment = SegmentValue.open(bytes, row, storeId);
        ahead.taken(this);
        return State.OPEN;
      } catch (StorageException.Corrupt damaged) {
        if (atQuorum) {
          throw damaged;
        }
        atQuorum = true; // another replica may have the bytes that were written
        value = ahead.request(row, true);
      }
    }
  }

  boolean isOpen() {
    return segment != null;
  }

  Segment segment() {
    return Objects.requireNonNull(segment);
  }

  /// Cancels a request in flight and gives the memory back.
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    CompletableFuture<@Nullable ByteBuffer> asked = value;
    if (asked != null) {
      asked.cancel(false);
      ahead.released(this);
    }
    value = null; // a query of days knows all its segments, and has the values of a few
    Segment open = segment;
    segment = null;
    if (open != null) {
      open.close();
    }
  }
}
