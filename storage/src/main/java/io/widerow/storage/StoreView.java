package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupRequest;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A snapshot of a store at one moment.
///
/// - Threads: any; each cursor is used by one thread.
/// - Memory: pins what it shows until [#close]. Close its cursors first.
public interface StoreView extends AutoCloseable {
  /// The partitions that may hold events of a time range, in order of keys.
  ///
  /// @param types selects the types wanted
  /// @param fromNanos start (inclusive), nanoseconds since the Unix epoch
  /// @param untilNanos end (exclusive), nanoseconds since the Unix epoch
  /// @param since only partitions that may hold events that arrived later; null for all
  List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since);

  /// All partitions that may hold events of a time range, whenever the events arrived.
  default List<PartitionInfo> partitions(Predicate<String> types, long fromNanos, long untilNanos) {
    return partitions(types, fromNanos, untilNanos, null);
  }

  /// Metadata of each selected type, in the order of names, without reading events. Types whose
  /// events have all expired are left out.
  List<TypeInfo> types(Predicate<String> types);

  /// The first span of time, in the direction of reading, that has partitions (of any type) that
  /// may hold events of the range. No partition crosses the ends of the span. The span may extend
  /// beyond the range. Null when there is none. Planning a range span by span lets a reader that
  /// wants a few events of a long range look at few partitions.
  @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending);

  /// This view's position in the order of arrival. The events of a later view that arrived since
  /// this position are exactly the events that this view does not show.
  Arrivals arrivals();

  /// True when events of this type and time have expired and are therefore hidden.
  boolean isExpired(String type, long timeNanos);

  /// Opens one cursor that merges many partitions (a multi-get). Events come in order of id, then
  /// type. Of several writes of one id and type only the latest is shown, even when they are in
  /// different shards, and the filter sees only that one. A partition that does not exist has no
  /// events.
  EventCursor open(List<PartitionKey> partitions, Scan scan);

  /// The same events in any order, which costs less: for readers that only aggregate. With
  /// [Scan#fold] one event may stand for several.
  default EventCursor openUnordered(List<PartitionKey> partitions, Scan scan) {
    return open(partitions, scan);
  }

  /// The types of which an event in some partitions may have brought its own id. Ids of the others
  /// were assigned by the store: their order is that of times, to the nanosecond.
  default Set<String> typesOfOwnIds(List<PartitionKey> partitions) {
    return partitions.stream().map(PartitionKey::type).collect(Collectors.toSet());
  }

  /// True when the store keeps counts by minute (rollups), and serves a [Grouping] that takes cells
  /// from them.
  default boolean hasCells() {
    return false;
  }

  /// The same as [#openUnordered], for an aggregation that rollups may serve: an event may be a
  /// [io.widerow.storage.sketch.GroupedEvents], which has aggregates of all events that it stands
  /// for.
  default EventCursor openFigures(
      List<PartitionKey> partitions, Scan scan, RollupRequest question) {
    return openUnordered(partitions, scan);
  }

  /// True when rollups are defined and may serve queries.
  default boolean hasRollups() {
    return false;
  }

  /// True when a defined rollup can serve a query for a type.
  default boolean hasRollup(String type, Filter filter, RollupRequest question) {
    return false;
  }

  /// A view for a query for aggregates that outlive their events. It has the expired events that
  /// are still on the disk, of types for which a rollup with `keep` serves the query. The rest of
  /// their past is in [#openKept].
  ///
  /// - Memory: belongs to this view, and is not closed.
  ///
  /// @param question null when only events count
  default StoreView ofFigures(@Nullable RollupRequest question, Filter filter) {
    return this;
  }

  /// The events of this view that arrived between two of its positions. Events that were deleted or
  /// replaced since are not among them.
  ///
  /// - Memory: belongs to this view, and is not closed.
  ///
  /// @param from only events that arrived at this position or later; null for all
  /// @param until only events that arrived before this position; null for all
  /// @throws IllegalArgumentException when a position is not one of a store on this machine, or
  ///   this store is none
  default StoreView arrivedWithin(@Nullable Arrivals from, @Nullable Arrivals until) {
    throw new IllegalArgumentException("only a store on one machine shows ranges of arrivals");
  }

  /// Aggregates whose events are gone, in any order, as [#openFigures] has them. The scan's watch
  /// gets the number of minutes that they cover and the number that they cannot.
  ///
  /// @return null when the store has none
  default @Nullable EventCursor openKept(Predicate<String> types, Scan scan) {
    return null;
  }

  /// The names of all attributes that events of some partitions may have, from block directories
  /// and open rows; null when a store would have to read events to find them. The store caches the
  /// names, so that the next call looks at new events only.
  ///
  /// @param scan its range; its watch may end the search
  default @Nullable Set<AttributeName> attributeNames(List<PartitionKey> partitions, Scan scan) {
    return null;
  }

  /// Metadata from columns of sealed blocks about the values in some partitions, without showing an
  /// event; null when a store would have to read events for it.
  ///
  /// @param partitions as [#partitions] has them
  /// @param scan its range and its filter
  default @Nullable SealedValues sealedValues(List<PartitionKey> partitions, Scan scan) {
    return null;
  }

  /// Where an event lies in its partition; of several writes of its id, the latest. Null when it is
  /// not there, or when the store keeps it on other machines.
  default @Nullable Place place(PartitionKey key, EventId id) {
    return null;
  }

  /// Other threads that help a reader to compute; they may drop work. Null when there are none.
  default @Nullable Executor searchers() {
    return null;
  }

  /// The cost of reading in addition to [ScanStatistics], as readable lines; none for a store on
  /// this machine.
  default List<String> explain() {
    return List.of();
  }

  /// What readers of this view fetch of segments that are kept elsewhere. Views that belong to this
  /// one share it. A store that keeps none elsewhere gives a new one each time.
  default Fetches fetches() {
    return new Fetches();
  }

  /// The parts of some partitions in a range that are kept elsewhere, whether or not any piece of
  /// them is here too.
  default Elsewhere elsewhere(List<PartitionKey> partitions, Scan scan) {
    return Elsewhere.NONE;
  }

  @Override
  void close();

  /// Parts of segments that are kept elsewhere.
  ///
  /// @param requests that read all of them, one after the other
  record Elsewhere(int segments, long blocks, long requests, long bytes) {
    public static final Elsewhere NONE = new Elsewhere(0, 0, 0, 0);

    public Elsewhere plus(Elsewhere more) {
      return new Elsewhere(
          segments + more.segments,
          blocks + more.blocks,
          requests + more.requests,
          bytes + more.bytes);
    }
  }

  /// The requests that readers of a view have made for segments that are kept elsewhere, and how
  /// much these may fetch.
  ///
  /// - Threads: any.
  final class Fetches {
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private volatile Limit limit = new Limit(Long.MAX_VALUE, IllegalStateException::new);

    private record Limit(long bytes, Supplier<RuntimeException> failure) {}

    /// Limits what is fetched in all.
    ///
    /// @param failure ends the reader that would fetch more
    public void limit(long bytesMax, Supplier<RuntimeException> failure) {
      limit = new Limit(bytesMax, failure);
    }

    /// Counts a request before it is made.
    ///
    /// @throws RuntimeException that of the limit when it is exceeded
    public void add(long bytesMore) {
      Limit most = limit;
      if (bytes.addAndGet(bytesMore) > most.bytes) {
        bytes.addAndGet(-bytesMore);
        throw most.failure.get();
      }
      requests.incrementAndGet();
    }

    /// Requests so far.
    public long requests() {
      return requests.get();
    }

    /// Bytes that these were for.
    public long bytes() {
      return bytes.get();
    }
  }

  /// The values of attributes in sealed blocks, with how many of the events that the scan keeps
  /// have each. The blocks come in parts. A whole part has the same values in every view of the
  /// store.
  ///
  /// - Threads: one.
  /// - Memory: one block. Borrows the view's files; close it before the view.
  interface SealedValues extends AutoCloseable {
    /// The parts, each event in one of them at most.
    List<Part> parts();

    /// Partitions that must be read event by event, because one event may replace another. They
    /// have no block in any part.
    Set<PartitionKey> others();

    /// Opens the open rows of the requested partitions outside [#others]; null when these
    /// partitions have no open rows. Events come in any order.
    ///
    /// @param scan with the range and the filter of the values
    @Nullable EventCursor openRows(Scan scan);

    /// Reads the events of a block of a part that the scan keeps.
    ///
    /// @param block its number in the part, from 0
    /// @param wanted which attributes
    /// @return the number of events in the block, kept or not; negative when the scan skips the
    ///   block, because it is damaged: the visitor did not get all of it
    /// @throws StorageException.Corrupt when it is damaged, and the scan does not skip damage
    long read(Part part, int block, Predicate<AttributeName> wanted, ValueVisitor visitor);

    /// Approximate memory held, in bytes.
    long heldBytes();

    @Override
    void close();
  }

  /// Blocks of a segment.
  ///
  /// @param segment its number
  /// @param partition the only one of its partitions; negative for several
  /// @param several these partitions, never changed; null for one, and for all of them
  /// @param blocks how many blocks these have
  /// @param events how many events these have
  /// @param whole whether the scan wants all of them, and they are here: then the values are the
  ///   same in each view, and worth being read ahead
  record Part(
      long segment,
      int partition,
      @Nullable BitSet several,
      int blocks,
      long events,
      boolean whole) {}

  /// Takes the values of a block.
  interface ValueVisitor {
    /// So many events of a type are kept of the block.
    void block(String type, int events);

    /// So many events of the block have a value, and maybe more: a value may come again.
    ///
    /// @param value valid until the call returns
    void value(AttributeName name, AttributeValue value, int events);
  }

  /// Where an event lies in a store on this machine.
  ///
  /// @param lane the lane that takes its shard
  /// @param sealed its place in a segment; null while it is in an open row
  record Place(int lane, @Nullable Sealed sealed) {
    /// A place in a segment.
    ///
    /// @param segment number of the segment
    /// @param file its name
    /// @param merged true when a merge (compaction) wrote it
    /// @param block number of the block among those of the partition in the segment, from 0
    /// @param blocks how many these are
    /// @param row number of the event in the block, from 0
    public record Sealed(
        long segment, String file, boolean merged, int block, int blocks, int row) {}
  }

  /// A half-open span of time, in nanoseconds since the Unix epoch.
  record Span(long fromNanos, long untilNanos) {}
}
