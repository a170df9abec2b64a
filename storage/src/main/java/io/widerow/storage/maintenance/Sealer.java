package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import io.widerow.storage.live.Released;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentReplacement;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Seals rows (flushes memtables) on the store's executor: writes one segment for each bucket and
/// retention that the rows hold; [SmallBucketMerge] goes into wider buckets at once. When a lane
/// fills rows faster than one thread seals them, a second thread helps ([SealQueue]).
///
/// The order, each step durable before the next: write to a temporary name, force, read back and
/// verify, rename, force the directory, notes, manifest, publish to readers, close the rows, trim
/// the journal. A failure before the manifest leaves the rows as they are, readable; [#retry] tries
/// again. Events that are [Released] go into no segment; with nothing left to write, the rest of
/// the steps is the same. Of several writes of one id the last one is kept; in a store that is
/// drained all of them, the last one first: its owner takes events out by arrival, and may end
/// between two writes.
///
/// - Threads: each lane's writer calls [#submit]; at most [SealQueue#THREADS_MAX] tasks a lane run.
public final class Sealer implements AutoCloseable {
  private static final int FAILURES_MAX = 20;
  private static final int EVENTS_A_CALL = 256;

  private final StoreContents contents;
  private final SmallBucketMerge thin;
  private final SegmentFiles files;
  private final NotesFiles notes;
  private final JournalPin trims;
  private final Executor executor;
  private final MergePace pace = new MergePace(System::nanoTime);
  private final List<SealQueue> queues; // by lane
  private final AtomicLong sealedCount = new AtomicLong();
  private volatile @Nullable StorageException failure;
  private final AtomicInteger failures = new AtomicInteger(); // in a row

  public Sealer(
      StoreContents contents,
      SegmentFiles files,
      NotesFiles notes,
      JournalPin trims,
      Executor executor) {
    this.contents = contents;
    this.thin = new SmallBucketMerge(contents);
    this.files = files;
    this.notes = notes;
    this.trims = trims;
    this.executor = executor;
    this.queues = Stream.generate(SealQueue::new).limit(contents.config().lanes()).toList();
  }

  public void submit(SealJob job) {
    SealQueue queue = queues.get(job.rows().lane);
    queue.add(job);
    start(queue);
  }

  /// Tries again what failed, if anything did.
  public void retry() {
    for (SealQueue queue : queues) {
      queue.resume();
      start(queue);
    }
  }

  /// Why the last try failed; null when it did not.
  @Nullable StorageException failure() {
    return failure;
  }

  /// True when so many tries failed in a row that waiting for the next one does not help.
  boolean failsForGood() {
    return failures.get() >= FAILURES_MAX;
  }

  public Executor executor() {
    return executor;
  }

  /// Makes merging wait while this seals.
  public MergePace pace() {
    return pace;
  }

  /// Sets of rows that were sealed since the store was opened, and by opening it.
  public long sealedCount() {
    return sealedCount.get();
  }

  /// Waits until nothing is left to seal or the last try has failed.
  public void drain() throws InterruptedException {
    for (SealQueue queue : queues) {
      queue.awaitLeft();
    }
  }

  private void start(SealQueue queue) {
    if (!queue.wantsThread()) {
      return;
    }
    boolean handedOver = false;
    try {
      executor.execute(() -> run(queue));
      handedOver = true;
    } finally {
      if (!handedOver) {
        queue.leave();
      }
    }
  }

  private void run(SealQueue queue) {
    SealQueue.Entry entry = queue.takeOrLeave();
    while (entry != null) {
      pace.sealingBegins();
      try {
        seal(queue, entry);
      } catch (Throwable bug) {
        queue.leave();
        throw bug;
      } finally {
        pace.sealingEnds();
      }
      entry = queue.takeOrLeave();
    }
  }

  /// Writes the segments of rows, and commits all that can be.
  private void seal(SealQueue queue, SealQueue.Entry taken) {
    SealQueue.Entry entry = taken;
    try {
      queue.written(entry, write(entry.job()));
      SealQueue.Entry oldest = queue.toCommit();
      while (oldest != null) {
        entry = oldest;
        commit(entry.job(), queue.segments(entry));
        queue.committed();
        if (!queue.isStopped()) {
          failure = null;
          failures.set(0);
        }
        oldest = queue.toCommit();
      }
    } catch (StorageException failed) {
      queue.failed(entry);
      failure = failed;
      failures.incrementAndGet();
      contents.backgroundFailed(failed);
    } catch (RuntimeException bug) {
      queue.failed(entry);
      // Rows that cannot be sealed would stop the lane when memory is used up; report the reason
      // now.
      var _ = contents.fail("seal rows", bug);
      throw bug;
    } catch (Error bug) {
      queue.failed(entry);
      throw bug;
    }
  }

  /// Writes the segments of one set of rows on the calling thread; they are not in the manifest.
  public List<LiveSegment> write(SealJob job) {
    List<LiveSegment> written = new ArrayList<>();
    try (OpenRows.View view = job.rows().view()) {
      if (view == null) {
        throw new IllegalStateException("rows sealed twice");
      }
      Released released = contents.released();
      List<List<Partition>> all = byFile(view, released);
      for (List<Partition> file : all) {
        long id = contents.takeSegmentId();
        SegmentOrigin.Source source = source(id, job.rows(), written.size(), all.size());
        SegmentOrigin origin = contents.origin(List.of(source));
        Function<Partition, EventCursor> events =
            partition ->
                contents.isDrained()
                    ? MergeCursor.ofEveryWrite(cursors(view, partition, released))
                    : MergeCursor.of(cursors(view, partition, released), false);
        written.add(write(id, file, events, job.throttle(), origin));
      }
      if (!written.isEmpty()) {
        files.forceDirectory();
      }
      return written;
    } catch (Throwable failed) {
      abandon(written, failed);
      throw failed;
    }
  }

  /// Replaces rows by their written segments, and closes them; after a failure these are deleted,
  /// unless the manifest may list them.
  public void commit(SealJob job, List<LiveSegment> written) {
    commit(List.of(new Sealed(job, written)));
    job.rows().close();
    trim(job);
  }

  /// Replaces rows of one lane by their written segments, all at once. The caller closes the rows.
  public void commit(List<Sealed> all) {
    Map<OpenRows, List<LiveSegment>> segments = new LinkedHashMap<>();
    all.forEach(each -> segments.put(each.job().rows(), each.segments()));
    try {
      contents.requireWriting();
      for (Sealed each : all) {
        notes.append(each.job().rows().lane, each.job().notes(), each.job().notesNeeded());
      }
      contents.sealed(segments);
      sealedCount.addAndGet(all.size());
    } catch (Throwable failed) {
      segments.values().forEach(written -> abandon(written, failed));
      throw failed;
    }
  }

  private void trim(SealJob job) {
    Journal journal = job.journal();
    if (journal != null) {
      contents.tidy(() -> trims.trim(journal, job.rows().lsnLast()));
    }
  }

  /// Closes segments that were not committed, and deletes them unless the manifest may list them.
  public void abandon(List<LiveSegment> written, Throwable failed) {
    contents.abandon(SegmentReplacement.of(written, List.of()), failed);
  }

  /// Closes segments that were written and could not be committed; call it after [#drain]. Their
  /// files are deleted when the store is opened.
  @Override
  public void close() {
    queues.forEach(queue -> queue.left().forEach(LiveSegment::close));
  }

  /// The contents of one file: the rows of a bucket with the same retention.
  private record FileKey(Bucket bucket, Policies.Group kept) {}

  /// A partition of a file, and the rows in it: one, unless the file's bucket is wider than theirs.
  private record Partition(PartitionKey key, List<OpenRow> rows) {}

  /// The partitions of each file, sorted by key. Rows with nothing to keep are in none.
  private List<List<Partition>> byFile(OpenRows.View view, Released released) {
    Policies policies = contents.retentions().policies();
    Map<Policies.Group, Map<Bucket, Long>> events = new HashMap<>();
    List<OpenRow> rows = new ArrayList<>();
    for (OpenRow row : sortedByKey(view.rows())) {
      long count = isNeeded(view, row, released) ? view.info(row).events() : 0;
      if (count == 0) {
        continue; // everything in it belongs to a group that was dropped or moved to other rows
      }
      rows.add(row);
      events
          .computeIfAbsent(policies.groupOf(row.key.type()), _ -> new LinkedHashMap<>())
          .merge(Bucket.of(row.key), count, Long::sum);
    }
    SegmentSet segments = contents.state().segments();
    long now = contents.clock().wallNanos();
    Map<Policies.Group, Map<Bucket, Bucket>> widened = new HashMap<>();
    if (!contents.isOpening()
        && !contents.isDrained()) { // the retention of single types is set later
      events.forEach(
          (kept, inBuckets) -> widened.put(kept, thin.widened(segments, inBuckets, kept, now)));
    }
    Map<FileKey, NavigableMap<PartitionKey, Partition>> files = new LinkedHashMap<>();
    for (OpenRow row : rows) {
      Policies.Group kept = policies.groupOf(row.key.type());
      Bucket own = Bucket.of(row.key);
      Bucket bucket = widened.getOrDefault(kept, Map.of()).getOrDefault(own, own);
      files
          .computeIfAbsent(new FileKey(bucket, kept), _ -> new TreeMap<>())
          .computeIfAbsent(row.key.in(bucket), key -> new Partition(key, new ArrayList<>()))
          .rows()
          .add(row);
    }
    return files.values().stream().map(file -> List.copyOf(file.values())).toList();
  }

  private static List<OpenRow> sortedByKey(Collection<OpenRow> rows) {
    return rows.stream().sorted(Comparator.comparing(row -> row.key)).toList();
  }

  /// The part of the journal that is sealed. Rows that a start filled may hold a part of a group,
  /// so they do not tell one.
  private static SegmentOrigin.Source source(long id, OpenRows rows, int part, int parts) {
    long after = rows.lsnAfter();
    return after == OpenRows.LSN_UNKNOWN || rows.lsnLast() < after
        ? SegmentOrigin.Source.of(id)
        : new SegmentOrigin.Source(id, rows.lane, after, rows.lsnLast(), part, parts);
  }

  private LiveSegment write(
      long id,
      List<Partition> file,
      Function<Partition, EventCursor> cursors,
      Throttle throttle,
      SegmentOrigin origin) {
    PartitionKey first = file.getFirst().key();
    Path temporary = files.temporary(id);
    try (SegmentWriter writer = files.writer(temporary, id, false, throttle)) {
      for (Partition partition : file) {
        writer.begin(partition.key());
        try (EventCursor events = cursors.apply(partition)) {
          while (writeSome(events, writer)) {
            // until there are no more
          }
        }
      }
      writer.tell(origin);
      return files.adopt(SegmentEntry.of(writer.finish(), first, false));
    } catch (Throwable failed) {
      files.discard(id, failed);
      throw failed;
    }
  }

  /// Writes the next events. It returns now and then, so that the JIT compiles it once and for all:
  /// a loop over a whole file it compiles again and again while that runs (on-stack replacement).
  ///
  /// @return false when there are no more
  private static boolean writeSome(EventCursor events, SegmentWriter writer) {
    for (int i = 0; i < EVENTS_A_CALL; i++) {
      if (!EventCursor.nextLocal(events)) {
        return false;
      }
      writer.add(events.event());
    }
    return true;
  }

  private List<EventCursor> cursors(OpenRows.View view, Partition partition, Released released) {
    List<EventCursor> cursors = new ArrayList<>();
    for (OpenRow row : partition.rows()) {
      Scan scan = Scan.all().withSince(neededFrom(row, released));
      cursors.addAll(
          contents.isDrained()
              ? view.openEveryWrite(row, scan)
              : view.open(row, scan, new Filter.Everything(), null));
    }
    return cursors;
  }

  private static boolean isNeeded(OpenRows.View view, OpenRow row, Released released) {
    LaneArrivals from = neededFrom(row, released);
    return from == null || view.hasSince(row, from);
  }

  /// Where the events of a row begin that are not released; null when none is.
  private static @Nullable LaneArrivals neededFrom(OpenRow row, Released released) {
    long limit = released.limitOf(row.key.shard());
    return limit == 0 ? null : new LaneArrivals(0, List.of(limit));
  }
}
