package io.widerow.storage.scan;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Aggregates partitions of segments block by block, in any order, and shows the groups at the end,
/// each as one event; runs of events likewise. The blocks of all partitions are one queue. The
/// cursor's thread and others take blocks from it; each has groups of its own, so a group may be
/// shown several times. Events that are in no group, see [Grouping#apart], come last.
///
/// ```
///   partitions   seg 7 a | seg 7 b | seg 8 a ...        in turn
///   queue        blocks that the range and the token filters leave
///   cursor       block 0 ... | block 3 | ... | groups of the cursor, of others
///   other             block 1 .... | block 4
/// ```
///
/// - Threads: one; others only aggregate blocks. [#close] returns when none of them does.
/// - Memory: a block and groups for each thread, until they are full, see [BlockFold#isFull].
public final class BlockScan implements EventCursor {
  /// Blocks that wait for a thread at most.
  private static final int QUEUED_MAX = 32;

  /// Other threads at most: all processors of a small machine, some of a large one.
  private static final int OTHERS_MAX =
      Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, 8);

  private static final long WORKER_BYTES = 4 << 20; // room that another thread requires

  /// Sets of groups that wait to be shown, from which others pause.
  private static final int FULL_MAX = 4;

  private final Iterator<Part> parts;
  private final Grouping fold;
  private final ScanWatch watch;
  private final BlockReaders readers;
  private final Prefetch prefetch;
  private final List<Worker> workers = new ArrayList<>(); // the first one is the cursor's
  private @Nullable Source source; // of the next blocks; null before the first and after the last
  private BlockFold.@Nullable Result showing;
  private BlockFold.@Nullable Shown shown;
  private @Nullable EventCursor alone; // the events of a block that are in no group
  private ScanStatistics finished = ScanStatistics.NONE;
  private long held; // as the watch knows it
  private boolean closed;

  private final Object lock = new Object();
  // guarded by lock, as is the rest
  private final ArrayDeque<Block> queue = new ArrayDeque<>();
  private final ArrayDeque<BlockFold.Result> full = new ArrayDeque<>();
  private final ArrayDeque<Block> mixed = new ArrayDeque<>(); // with events that are in no group
  private final ArrayDeque<Damaged> damaged = new ArrayDeque<>();
  private @Nullable Throwable failure;
  private int working; // other threads

  /// A partition of a segment.
  ///
  /// @param scan its range, and its filter without tests of the type
  /// @param segment opened on the cursor's thread; null when the scan skips it. The caller holds a
  ///   lease on it until the cursor is closed
  public record Part(PartitionKey key, Scan scan, Supplier<@Nullable Segment> segment) {}

  private record Source(
      Segment segment,
      PartitionKey key,
      SegmentIndex index,
      Scan scan,
      @Nullable Filter apart,
      BlockOrder order) {}

  private record Block(Source of, int number) {}

  private record Damaged(
      StorageException.Corrupt found, StorageException failure, PartitionInfo lost) {}

  /// @param parts without events that brought their own ids
  /// @param scan its fold is not null; wants events of any arrival
  public BlockScan(List<Part> parts, Scan scan, BlockReaders readers, Prefetch prefetch) {
    this.prefetch = prefetch;
    this.parts = parts.iterator();
    this.fold = Objects.requireNonNull(scan.fold());
    this.watch = scan.watch();
    this.readers = readers;
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  /// A piece is a block.
  @Override
  public @Nullable Step search() {
    if (showNext()) {
      return Step.EVENT;
    }
    if (closed) {
      return Step.END;
    }
    if (workers.isEmpty()) {
      workers.add(new Worker());
    }
    fill();
    Worker own = workers.getFirst();
    Block block = take();
    if (block == null) {
      awaitOthers();
    } else {
      employOthers();
      own.add(block);
    }
    report();
    if (block == null) {
      requireNoFailure();
      collect();
    } else {
      own.giveFull();
      if (own.waited()) {
        prefetch.waited();
      }
    }
    return showNext() ? Step.EVENT : block == null ? showAlone() : null;
  }

  /// Shows the next event that is in no group.
  private Step showAlone() {
    while (true) {
      EventCursor open = alone == null ? openAlone() : alone;
      if (open == null) {
        return Step.END;
      }
      if (open.nextWhenReady() == Step.EVENT) {
        return Step.EVENT;
      }
      closeAlone();
    }
  }

  private @Nullable EventCursor openAlone() {
    Block next;
    synchronized (lock) {
      next = mixed.poll();
    }
    if (next == null) {
      return null;
    }
    Source of = next.of;
    Scan scan = of.scan;
    EventId from = EventId.max(scan.from(), of.index.first(next.number));
    EventId until = EventId.min(scan.until(), of.index.last(next.number).next());
    Filter both = new Filter.And(List.of(scan.filter(), Objects.requireNonNull(of.apart)));
    Scan ofBlock = scan.withRange(from, until).withFilter(both);
    EventCursor opened = SegmentCursor.open(of.segment, of.key, ofBlock, readers, Prefetch.OFF);
    alone = opened;
    return opened;
  }

  private void closeAlone() {
    EventCursor open = alone;
    if (open != null) {
      finished = finished.plus(open.statistics());
      alone = null;
      open.close();
    }
  }

  private boolean showNext() {
    while (true) {
      BlockFold.Shown groups = shown;
      if (groups != null && groups.next()) {
        return true;
      }
      shown = null;
      BlockFold.Result next;
      synchronized (lock) {
        next = full.poll();
      }
      showing = next;
      if (next == null) {
        return false;
      }
      shown = next.shown();
    }
  }

  /// Takes the groups of all threads, which are at their ends.
  private void collect() {
    synchronized (lock) {
      for (Worker worker : workers) {
        if (worker.groups.result().size() > 0) {
          full.add(worker.groups.result());
          worker.groups.begin();
        }
      }
    }
  }

  /// Fills the queue.
  private void fill() {
    while (true) {
      synchronized (lock) {
        if (queue.size() >= QUEUED_MAX) {
          return;
        }
      }
      Source from = source == null ? nextSource() : source;
      source = from;
      if (from == null) {
        return;
      }
      int number = from.order.next();
      if (number == BlockOrder.END) {
        finish(from.order);
        source = null;
        continue;
      }
      if (prefetch.isWanted()) {
        prefetch.next(Prefetch.Range.of(from.segment, from.index, number, from.scan));
      }
      synchronized (lock) {
        queue.add(new Block(from, number));
      }
    }
  }

  private void finish(BlockOrder order) {
    finished = finished.plus(new ScanStatistics(0, order.ruledOut(), order.bytesRead(), 0, 0));
  }

  private @Nullable Source nextSource() {
    while (parts.hasNext()) {
      Part part = parts.next();
      Segment segment = part.segment.get();
      SegmentIndex index = segment == null ? null : segment.index(part.key);
      if (segment != null && index != null) {
        BlockOrder order = new BlockOrder(segment, index, part.scan, readers.deadline());
        Filter apart = fold.apart();
        Filter ofType = apart == null ? null : Filters.ofType(apart, part.key.type());
        return new Source(segment, part.key, index, part.scan, ofType, order);
      }
    }
    return null;
  }

  private @Nullable Block take() {
    synchronized (lock) {
      return queue.poll();
    }
  }

  private void employOthers() {
    Executor others = readers.searchers();
    if (others == null) {
      return;
    }
    int left;
    synchronized (lock) {
      left = queue.size();
    }
    for (int i = 1; i <= Math.min(left, OTHERS_MAX); i++) {
      if (i == workers.size()) {
        if (!watch.tryHold(WORKER_BYTES)) {
          return;
        }
        watch.holds(-WORKER_BYTES); // from now on it counts what it holds
        workers.add(new Worker());
      }
      Worker worker = workers.get(i);
      if (worker.tryBegin()) {
        others.execute(worker);
      }
    }
  }

  /// Waits until no other thread aggregates a block.
  private void awaitOthers() {
    boolean interrupted = false;
    synchronized (lock) {
      while (working > 0) {
        try {
          lock.wait();
        } catch (InterruptedException wait) {
          interrupted = true; // the blocks' memory must stay until then
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Reports to the watch what all threads did: it may end the scan.
  private void report() {
    long now = showing == null ? 0 : showing.heldBytes();
    long scanned = 0;
    List<Damaged> found;
    synchronized (lock) {
      for (BlockFold.Result groups : full) {
        now += groups.heldBytes();
      }
      for (Worker worker : workers) {
        now += worker.heldBytes;
        scanned += worker.newlyScanned;
        worker.newlyScanned = 0;
      }
      found = List.copyOf(damaged);
      damaged.clear();
    }
    long more = now - held;
    held = now;
    watch.holds(more); // when that is too much, closing takes the report back
    watch.block();
    watch.passed(Math.toIntExact(scanned));
    for (Damaged block : found) {
      if (!watch.passesOver(ScanWatch.Unread.of(block.found, Damage.Kind.BLOCK, block.lost))) {
        throw block.failure;
      }
    }
    requireNoFailure();
  }

  private void requireNoFailure() {
    Throwable met;
    synchronized (lock) {
      met = failure;
    }
    switch (met) {
      case null -> {}
      case RuntimeException known -> throw known;
      case Error error -> throw error;
      default -> throw new IllegalStateException("unexpected exception from a scan", met);
    }
  }

  @Override
  public EventView event() {
    EventCursor single = alone;
    return single == null ? Objects.requireNonNull(shown, "no current event") : single.event();
  }

  @Override
  public ScanStatistics statistics() {
    ScanStatistics sum = finished;
    Source open = source;
    if (open != null) {
      sum = sum.plus(new ScanStatistics(0, open.order.ruledOut(), open.order.bytesRead(), 0, 0));
    }
    synchronized (lock) {
      for (Worker worker : workers) {
        sum = sum.plus(worker.statistics);
      }
    }
    return sum;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    synchronized (lock) {
      queue.clear();
      full.clear();
    }
    awaitOthers();
    closeAlone();
    Source open = source;
    if (open != null) {
      finish(open.order);
      source = null;
    }
    for (Worker worker : workers) {
      Reading reading = worker.reading;
      if (reading != null) {
        readers.give(reading.rows.reader());
      }
    }
    shown = null;
    showing = null;
    watch.holds(-held);
    held = 0;
  }

  /// Reads blocks of one source.
  private record Reading(Source source, BlockRows rows) {}

  /// Aggregates blocks.
  ///
  /// - Threads: one at a time.
  private final class Worker implements Runnable {
    private @Nullable Reading reading; // from the first block on
    private final BlockFold groups =
        fold.runs() == null ? new BlockGroups(fold) : new BlockRuns(fold.runs());

    // guarded by lock, as is the rest
    private boolean begun;
    private ScanStatistics statistics = ScanStatistics.NONE;
    private long heldBytes;
    private long newlyScanned;

    /// False when it has something to do already.
    boolean tryBegin() {
      synchronized (lock) {
        boolean idle = !begun;
        begun = true;
        return idle;
      }
    }

    /// Aggregates blocks of the queue on another thread than the cursor's.
    @Override
    public void run() {
      synchronized (lock) {
        working++;
      }
      try {
        for (Block next = takeForOther(); next != null; next = takeForOther()) {
          add(next);
          giveFull();
        }
      } catch (Throwable failed) {
        synchronized (lock) {
          failure = failed; // the cursor throws it
          queue.clear();
        }
      } finally {
        synchronized (lock) {
          begun = false;
          working--;
          lock.notifyAll();
        }
      }
    }

    /// True when the last block came from the disk.
    boolean waited() {
      Reading open = reading;
      return open != null && open.rows.reader().waited();
    }

    private @Nullable Block takeForOther() {
      synchronized (lock) {
        return full.size() >= FULL_MAX ? null : queue.poll();
      }
    }

    void add(Block block) {
      Source from = block.of;
      try {
        aggregate(block);
      } catch (StorageException.Corrupt met) {
        StorageException.Corrupt found = from.segment.damaged(met, from.key, block.number);
        passOver(block, found, found);
      } catch (StorageException.Unreachable away) {
        long offset = from.index.offset(block.number);
        passOver(block, away.unread(from.segment.path(), offset), away);
      }
      Reading open = reading;
      long bytes = groups.heldBytes() + (open == null ? 0 : open.rows.heldBytes());
      synchronized (lock) {
        heldBytes = bytes;
      }
    }

    private void passOver(Block block, StorageException.Corrupt found, StorageException failure) {
      synchronized (lock) {
        damaged.add(new Damaged(found, failure, block.of.index.info(block.number)));
      }
    }

    private void aggregate(Block block) {
      Source from = block.of;
      int number = block.number;
      SegmentIndex index = from.index;
      Scan scan = from.scan;
      Filter apart = from.apart;
      if (apart == null
          && scan.filter() instanceof Filter.Everything
          && BlockRows.isInside(index, number, scan)
          && groups.addCount(index, number)) {
        count(1, 0, 0, index.events(number), index.events(number));
        return;
      }
      BlockRows rows = rows(from);
      BlockReader reader = rows.reader();
      if (!rows.open(index, number)) {
        count(0, 1, reader.bytesRead(), 0, 0);
        return;
      }
      boolean isMixed = apart != null && rows.leaveOut(apart);
      int kept = rows.count();
      if (kept > 0) {
        groups.add(reader, rows.levels(), index, number, rows.kept());
      }
      if (isMixed) {
        synchronized (lock) {
          mixed.add(block);
        }
      }
      count(1, 0, reader.bytesRead(), rows.scanned(), kept);
    }

    private void count(int read, int skipped, long bytes, long scanned, long kept) {
      synchronized (lock) {
        statistics = statistics.plus(new ScanStatistics(read, skipped, bytes, scanned, kept));
        newlyScanned += scanned;
      }
    }

    @SuppressWarnings("ReferenceEquality") // a source is one object, which is not compared deeply
    private BlockRows rows(Source from) {
      Reading open = reading;
      if (open != null && open.source == from) {
        return open.rows;
      }
      BlockRows rows;
      if (open == null) {
        BlockReader reader = readers.take(from.segment);
        rows = new BlockRows(from.segment, reader, from.scan, readers.deadline());
      } else {
        rows = open.rows;
        rows.over(from.segment, from.scan, readers.deadline());
      }
      reading = new Reading(from, rows);
      return rows;
    }

    /// Puts the groups where the cursor shows them, if they are many.
    void giveFull() {
      if (groups.isFull()) {
        synchronized (lock) {
          full.add(groups.result());
        }
        groups.begin();
      }
    }
  }
}
