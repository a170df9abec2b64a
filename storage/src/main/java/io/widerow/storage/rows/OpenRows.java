package io.widerow.storage.rows;

import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.disk.Lease;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The memtable: all open rows of a lane from one sealing (flush) to the next, in one piece of
/// native memory. Records of all rows grow up from its start, in order of arrival. The rows' index
/// chunks grow down from its end. A group's records are contiguous, so the journal writes them as
/// they lie.
///
/// ```
///  0                                committed            limit          indexOffset
///  +--------+--------+--------+--------+--------------------+ - - - - - - - +---------------+
///  | record | record |  ...            | the group so far   |     free      | index chunks  |
///  +--------+--------+--------+--------+--------------------+ - - - - - - - +---------------+
/// ```
///
/// - Threads: one writer. Any thread may read through a [View], which sees exactly the events below
///   the watermark `committed` at its creation. The writer moves the watermark with one volatile
///   store for a whole group over all rows.
/// - Memory: a piece of [RowMemory], given back once the owner has closed the rows and no view is
///   open.
public final class OpenRows implements AutoCloseable {
  private static final Queue<OpenRow> NO_ROWS = new ArrayDeque<>(0);

  /// Bytes on the heap for each row: its own objects, its places in the tables of rows, and its
  /// type's place in the [TypeTable]. `OpenRowsMemoryTest` holds it against what the heap keeps.
  static final long ROW_OBJECT_BYTES = 640;

  /// [#lsnAfter] of rows that were filled from a journal by a start.
  public static final long LSN_UNKNOWN = -1;

  public final int lane;
  private final MemorySegment memory;
  private final RowMemory pool;
  private final Lease lease;
  private final ConcurrentHashMap<PartitionKey, OpenRow> rows = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<Bucket, Queue<OpenRow>> byBucket =
      new ConcurrentSkipListMap<>();
  private final RowNames names = new RowNames();
  private final long madeNanos;

  private long limit; // writer only
  private long indexOffset; // writer only
  private long events; // writer only
  private long lsnLast; // writer only
  private long lsnAfter = LSN_UNKNOWN; // writer only
  private long arrivalNext; // writer only
  private volatile long arrivalFirst = Long.MAX_VALUE; // written once, by the writer
  private volatile Published published;

  /// The state that views see, published as one object: the watermark and its metrics.
  ///
  /// @param committed watermark; views show the records below it
  /// @param events number of those records
  /// @param indexBytes bytes of all index chunks
  /// @param arrivalLimit first arrival of the lane that views do not show
  private record Published(long committed, long events, long indexBytes, long arrivalLimit) {}

  /// Opens rows in a piece of `pool`; null when the pool has none left.
  ///
  /// @param madeNanos now, on the monotonic clock
  /// @param arrivalFrom first arrival of the lane that is not shown yet
  public static @Nullable OpenRows tryOpen(
      int lane, RowMemory pool, long madeNanos, long arrivalFrom) {
    MemorySegment piece = pool.tryTake();
    return piece == null ? null : new OpenRows(lane, piece, pool, madeNanos, arrivalFrom);
  }

  private OpenRows(
      int lane, MemorySegment memory, RowMemory pool, long madeNanos, long arrivalFrom) {
    this.lane = lane;
    this.memory = memory;
    this.pool = pool;
    this.lease = new Lease(() -> pool.giveBack(memory));
    this.madeNanos = madeNanos;
    this.indexOffset = memory.byteSize();
    this.arrivalNext = arrivalFrom;
    this.published = new Published(0, 0, 0, arrivalFrom);
  }

  /// The row of a partition, created if absent. Writer only.
  OpenRow row(PartitionKey key) {
    OpenRow row = rows.get(key);
    if (row == null) {
      row = new OpenRow(key, this);
      rows.put(key, row);
      byBucket.computeIfAbsent(Bucket.of(key), _ -> new ConcurrentLinkedQueue<>()).add(row);
    }
    return row;
  }

  /// Copies a record in, after the last one.
  ///
  /// @return its offset; negative when there is no room
  public long copyIn(MemorySegment source, long offset, int length) {
    int bytes = EventLayout.alignedLength(length);
    if (limit + bytes > indexOffset) {
      return -1;
    }
    MemorySegment.copy(source, offset, memory, limit, bytes);
    return limit;
  }

  /// Adds the record copied last to a row. If there is no room for its index entry, returns false
  /// and forgets the record.
  public boolean add(OpenRow row, long offset) {
    assert offset == limit : offset + " is not the last record";
    long version = EventLayout.version(memory, offset);
    boolean own = version != EventLayout.VERSION_ASSIGNED;
    if (!row.append(offset, idTime(offset), idTail(offset), own)) {
      return false;
    }
    int bytes = EventLayout.alignedLength(EventLayout.length(memory, offset));
    limit += bytes;
    events++;
    row.added(bytes);
    long arrival = EventLayout.arrival(version, idTail(offset));
    if (events == 1) {
      arrivalFirst = arrival;
    }
    arrivalNext = arrival + 1;
    return true;
  }

  public MemorySegment memory() {
    return memory;
  }

  public long limit() {
    return limit;
  }

  public long events() {
    return events;
  }

  public long committedEvents() {
    return published.events;
  }

  /// Memory that the published part takes, in bytes: records, index chunks, and the objects of the
  /// rows. The rest of the piece is free.
  public long filledBytes() {
    Published now = published;
    return now.committed + now.indexBytes + rows.mappingCount() * ROW_OBJECT_BYTES;
  }

  /// The first arrival of the lane that is not shown.
  public long arrivalLimit() {
    return published.arrivalLimit;
  }

  /// No event in these rows arrived before; the greatest number while there is none.
  public long arrivalFirst() {
    return arrivalFirst;
  }

  long idTime(long offset) {
    return EventLayout.idTime(memory, offset);
  }

  long idTail(long offset) {
    return EventLayout.idTail(memory, offset);
  }

  /// Takes memory for an index chunk.
  ///
  /// @return its offset; negative when there is no room
  long allocateIndex(long bytes) {
    // The record being added lies at limit and is not counted in it yet.
    long recordLimit = limit + recordBytesAtLimit();
    if (indexOffset - bytes < recordLimit) {
      return -1;
    }
    indexOffset -= bytes;
    return indexOffset;
  }

  /// True when there is room for chunks of this many entries.
  boolean hasIndexRoom(long entries) {
    long bytes = 2 * Integer.BYTES * (entries + Run.chunkEntries(0));
    return indexOffset - bytes >= limit + recordBytesAtLimit();
  }

  private int recordBytesAtLimit() {
    return EventLayout.alignedLength(EventLayout.length(memory, limit));
  }

  /// Records that a journal frame with events of these rows was written. Writer only.
  public void journaled(long lsn) {
    lsnLast = lsn;
  }

  /// The last frame that holds events of these rows; 0 when there is none.
  public long lsnLast() {
    return lsnLast;
  }

  /// Records which frame of the lane was the last before these rows. Writer only.
  public void follow(long lsn) {
    lsnAfter = lsn;
  }

  /// Records that these rows take what comes after others. Writer only.
  public void follow(OpenRows before) {
    lsnAfter = before.lsnLast == 0 ? before.lsnAfter : before.lsnLast;
  }

  /// The last frame of the lane before these rows; [#LSN_UNKNOWN] when they were replayed.
  public long lsnAfter() {
    return lsnAfter;
  }

  /// True when a start filled these rows from a journal.
  public boolean isReplayed() {
    return lsnAfter == LSN_UNKNOWN;
  }

  public long madeNanos() {
    return madeNanos;
  }

  /// Makes all added events visible to views created from now on. Writer only.
  public void publish() {
    published = new Published(limit, events, memory.byteSize() - indexOffset, arrivalNext);
  }

  /// A view of the published events; null when the rows are closed.
  public @Nullable View view() {
    return lease.tryAcquire() ? new View(published) : null;
  }

  /// Releases the owner's lease, when the rows are sealed and published elsewhere. Open views stay
  /// valid.
  @Override
  public void close() {
    pool.retire();
    lease.close();
  }

  /// Snapshot of the rows at its creation.
  ///
  /// - Threads: any; each cursor has one.
  /// - Memory: keeps the rows' memory until [#close]. Close its cursors first.
  public final class View implements AutoCloseable {
    /// Sizes of chunks in entries, the largest first. Once a run has the entries of a large chunk,
    /// that chunk replaces its small ones.
    private static final int[] CHUNK_ENTRIES = {1 << 13, 1 << 10};

    private final long watermark;
    private final long arrivalLimit;

    private View(Published published) {
      this.watermark = published.committed;
      this.arrivalLimit = published.arrivalLimit;
    }

    public int lane() {
      return lane;
    }

    /// The first arrival of the lane that is not shown.
    public long arrivalLimit() {
      return arrivalLimit;
    }

    /// True when a row may hold events that arrived after a position.
    public boolean hasSince(OpenRow row, LaneArrivals since) {
      return has(row, Scan.all().withSince(since));
    }

    /// True when a row may hold events that a scan of all ids wants for their arrival.
    public boolean has(OpenRow row, Scan scan) {
      int shard = row.key.shard();
      return scan.arrivedFrom(shard) < arrivalLimit
          && scan.arrivedUntil(shard) > arrivalFirst
          && open(row, scan, new Filter.Everything(), null).stream()
              .anyMatch(cursor -> !((RunCursor) cursor).isEmpty());
    }

    public Collection<OpenRow> rows() {
      return watermark == 0 ? List.of() : rows.values();
    }

    /// The buckets that have rows.
    public NavigableSet<Bucket> buckets() {
      return watermark == 0 ? Collections.emptyNavigableSet() : byBucket.navigableKeySet();
    }

    public Collection<OpenRow> rows(Bucket bucket) {
      return watermark == 0 ? List.of() : byBucket.getOrDefault(bucket, NO_ROWS);
    }

    public @Nullable OpenRow row(PartitionKey key) {
      return watermark == 0 ? null : rows.get(key);
    }

    /// Opens cursors over the runs of a row.
    ///
    /// @param filter evaluated on each event
    /// @param threads help to evaluate it; null for none
    public List<EventCursor> open(
        OpenRow row, Scan scan, Filter filter, @Nullable Executor threads) {
      return open(row, scan, false, filter, threads);
    }

    /// Opens a row of which no event replaces another, for a reader that has a better form of full
    /// chunks, see [RowChunk].
    ///
    /// @param chunks receives the chunks, of events that the scan may not want
    /// @param filter evaluated on each event of the cursors
    /// @param threads help to evaluate it; null for none
    /// @return cursors over the events that are in no chunk
    public List<EventCursor> openRest(
        OpenRow row,
        Scan scan,
        Filter filter,
        @Nullable Executor threads,
        Consumer<RowChunk> chunks) {
      List<EventCursor> cursors = new ArrayList<>();
      Grouping fold = scan.fold();
      Grouping.Runs runs = fold == null ? null : fold.runs();
      for (Run run : row.runs()) {
        int from = 0;
        int visible = run.isMerged() ? 0 : RunCursor.visible(run, watermark);
        for (int entries : CHUNK_ENTRIES) {
          for (; visible - from >= entries; from += entries) {
            chunks.accept(run.chunk(from, entries));
          }
        }
        RunCursor.Entries rest = entries(run, from);
        cursors.add(
            runs == null
                ? new RunCursor(rest, false, false, scan, row.key.shard(), filter, threads)
                : new RowRuns(rest, runs, scan, filter));
      }
      return cursors;
    }

    /// Opens cursors over the runs of a row that show every write, including writes that a later
    /// write replaces; of one id and run the last write first.
    public List<EventCursor> openEveryWrite(OpenRow row, Scan scan) {
      return open(row, scan, true, new Filter.Everything(), null);
    }

    private List<EventCursor> open(
        OpenRow row, Scan scan, boolean everyWrite, Filter filter, @Nullable Executor threads) {
      List<EventCursor> cursors = new ArrayList<>();
      for (Run run : row.runs()) {
        cursors.add(
            new RunCursor(
                entries(run, 0),
                row.hasOwnIds(),
                everyWrite,
                scan,
                row.key.shard(),
                filter,
                threads));
      }
      return cursors;
    }

    private RunCursor.Entries entries(Run run, int from) {
      return RunCursor.Entries.from(memory, watermark, run, from);
    }

    /// Metadata of a row: number of events, first and last time. The number is 0 when the view
    /// shows no event.
    public PartitionInfo info(OpenRow row) {
      long count = 0;
      EventId first = EventId.LIMIT;
      EventId last = EventId.LEAST;
      for (Run run : row.runs()) {
        RunCursor cursor = new RunCursor(entries(run, 0));
        if (cursor.isEmpty()) {
          continue;
        }
        count += cursor.entries();
        first = first.compareTo(cursor.first()) < 0 ? first : cursor.first();
        last = last.compareTo(cursor.last()) > 0 ? last : cursor.last();
      }
      return new PartitionInfo(
          row.key,
          count,
          TimeUuid.tickNanos(first.time()),
          TimeUuid.tickNanos(last.time()) + TimeUuid.NANOS_PER_TICK - 1);
    }

    /// The names of the attributes of all events shown; there may be further ones among them.
    ///
    /// @param watch may end the search
    public Set<AttributeName> names(ScanWatch watch) {
      return names.below(watermark, memory, watch);
    }

    @Override
    public void close() {
      lease.release();
    }
  }
}
