package io.widerow.storage.live;

import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.ClockReport;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.RowMemory;
import io.widerow.storage.segment.SegmentOrigin;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The current contents of a store, and the only way to change them: open rows (memtables), live
/// segments, the manifest that lists these, and the marks from which the next start continues.
///
/// ```
///   tryOpenRows     rows in                  state           the journal has their events
///   sealed          rows out, segments in    manifest, state
///   replaced        segments in and out      manifest, state, then the old files are deleted
/// ```
///
/// A change is durable before it is visible: the manifest is edited and forced, then readers see
/// the next [StoreState], all of it at once.
///
/// - Threads: any. The lock of this object orders the changes, and is held while an edit is forced.
///   Reading takes no lock: the state, the limit of segment ids and the failures are volatile, so a
///   reader sees a state and everything that was written before it was published.
/// - Memory: owns the manifest's file, and a lease on each live segment and on the set of them,
///   until [#close]. A view that holds a lease on an older state keeps that one alive.
/// - Errors: a failed edit of the manifest ends the write side for good, as [#fail] does. A full
///   disk does not: nothing was written then.
public final class StoreContents implements AutoCloseable {
  private final StoreConfig config;
  private final StoreClock clock;
  private final GuardedClock guardedClock;
  private final Manifest manifest; // guarded by this, except its id
  private final SegmentFiles files;
  private final AtomicLong arrivals;
  private final SegmentArrivals segmentArrivals;
  private final Retentions retentions;
  private final LiveLayouts layouts;
  private final LiveDeletions deletions;
  private final FilteredRetentions filtered;
  private volatile boolean drained;
  private volatile Released released = Released.NOTHING; // replaced under the lock of this
  private volatile long segmentLimit;
  private volatile StoreState state; // replaced under the lock of this
  private volatile @Nullable StorageException failed; // the end of the write side
  private volatile @Nullable StorageException backgroundFailure;
  private volatile @Nullable HeldLock lock;
  private final ChangeCount changes = new ChangeCount();

  /// @param manifest belongs to these contents from now on
  /// @param segments the segments that the manifest lists; they belong to these contents from now
  ///   on
  public StoreContents(
      StoreConfig config,
      StoreClock clock,
      Manifest manifest,
      SegmentFiles files,
      List<LiveSegment> segments,
      boolean readOnly) {
    this.config = config;
    this.clock = clock;
    this.manifest = manifest;
    this.files = files;
    files.define(manifest.rollups().rollups());
    this.segmentArrivals = new SegmentArrivals(config.lanes());
    this.arrivals = new AtomicLong(Math.max(1, manifest.counterLimit()));
    this.guardedClock = new GuardedClock(clock, manifest.clockNanos());
    this.retentions =
        new Retentions(
            config.retention(),
            manifest.retention(),
            guardedClock::retentionNanos,
            () -> state().segments().weights());
    retentions.keepFigures(type -> RollupDefinition.keepNanos(files.rollups(), type));
    this.layouts = new LiveLayouts(config, manifest.layouts());
    this.deletions = new LiveDeletions(this, manifest.deletions());
    this.filtered =
        new FilteredRetentions(this, manifest.filteredRetention(), guardedClock::retentionNanos);
    this.segmentLimit = manifest.segmentIdNext();
    this.failed =
        readOnly ? new StorageException.ReadOnly("the store was opened for reading") : null;
    SegmentReplacement there =
        new SegmentReplacement(
            segments, List.of(), files.figures().open(manifest.figures()), List.of());
    this.state = StoreState.empty().replaced(List.of(), there);
  }

  public StoreConfig config() {
    return config;
  }

  public UUID storeId() {
    return manifest.storeId();
  }

  /// The present state. To read from it, take leases on its parts; when one is gone, there is a
  /// newer state.
  public StoreState state() {
    return state;
  }

  /// Segments that are begun from now on have this id at least, also after a crash.
  public long segmentLimit() {
    return segmentLimit;
  }

  /// The counter of events: an event takes the next number when it arrives.
  public AtomicLong arrivals() {
    return arrivals;
  }

  /// Gives events the time of their arrival, and retention its time.
  public GuardedClock clock() {
    return guardedClock;
  }

  /// The store's assessment of the machine's clock.
  public ClockReport clockReport() {
    return guardedClock.report(!retentions.policies().keepsAll());
  }

  public Retentions retentions() {
    return retentions;
  }

  public LiveLayouts layouts() {
    return layouts;
  }

  public LiveDeletions deletions() {
    return deletions;
  }

  /// The retention policies with a filter.
  public FilteredRetentions filteredRetentions() {
    return filtered;
  }

  /// True while the store is being opened: what the journal has is not sealed yet.
  public boolean isOpening() {
    return segmentArrivals.atOpen() == Long.MAX_VALUE;
  }

  public SegmentArrivals segmentArrivals() {
    return segmentArrivals;
  }

  // For draining.

  /// Makes this the content of a store that is drained: nothing is merged, widened, hidden or
  /// dropped for its age. Call it before the content is used.
  public void drain() {
    retentions.keepAll();
    drained = true;
  }

  public boolean isDrained() {
    return drained;
  }

  /// Events that arrived before a position are no longer needed.
  public void release(LaneArrivals to) {
    arriveFrom(Collections.max(to.laneLimits())); // a power cut may have lost the last numbers
    synchronized (this) {
      released = released.with(to);
    }
  }

  /// Events that come from now on have at least this number. Before the first of them nothing can
  /// have arrived below it, so that positions of views begin there.
  public void arriveFrom(long counter) {
    long atOpen = segmentArrivals.atOpen();
    if (counter > atOpen && arrivals.compareAndSet(atOpen, counter)) {
      segmentArrivals.opened(counter);
    } else {
      usedCounters(counter);
    }
  }

  public Released released() {
    return released;
  }

  // For opening.

  /// Counters up to this one were used before.
  public void usedCounters(long counterLimit) {
    arrivals.accumulateAndGet(counterLimit, Math::max);
  }

  /// The clock was right at this time, see [GuardedClock].
  public void usedClock(long clockNanos) {
    guardedClock.raise(clockNanos);
  }

  /// Everything that was journaled before is sealed; lanes continue after `lsn`.
  public void recovered(long lsn) {
    Map<Integer, Long> sealedLsns = new TreeMap<>();
    manifest.sealedLsns().keySet().forEach(old -> sealedLsns.put(old, lsn));
    for (int i = 0; i < config.lanes(); i++) {
      sealedLsns.put(i, lsn);
    }
    recovered(sealedLsns);
  }

  /// Each lane goes on after its last frame.
  ///
  /// @param sealedLsns by lane, the last frame of those lanes of which everything is sealed
  public void recovered(Map<Integer, Long> sealedLsns) {
    guardedClock.start();
    if (config.clockAccepted()) {
      guardedClock.accept();
    }
    synchronized (this) {
      commit(List.of(), List.of(), sealedLsns, manifest.journals());
    }
  }

  /// Each lane has a new journal; the next start misses one that is gone.
  public synchronized void journalsStarted() {
    commit(List.of(), List.of(), Map.of(), config.lanes());
  }

  /// No lane has a journal, since everything journaled is sealed; the next start misses none.
  public synchronized void journalsEnded() {
    commit(List.of(), List.of(), Map.of(), 0);
  }

  /// Events that come from now on are new.
  public void opened() {
    guardedClock.observe();
    segmentArrivals.opened(arrivals.get());
  }

  // For the clock.

  /// Believes the machine's clock as it is. Durable on return.
  public synchronized void acceptClock() {
    requireWriting();
    guardedClock.accept();
    commitClock();
  }

  /// Makes the last sane time durable when the manifest has one that is older than this. Events in
  /// the journal keep it too, but a store at rest gets none.
  public synchronized void keepClock(Duration age) {
    if (guardedClock.durableNanos() - manifest.clockNanos() > age.toNanos()) {
      tidy(this::commitClock);
    }
  }

  /// Takes the room that dropping buckets on a full disk needs, when there is some.
  public synchronized void keepRoom() {
    tidy(manifest::keepRoom);
  }

  private void commitClock() {
    commit(List.of(), List.of(), Map.of(), manifest.journals());
  }

  // For retention and layouts.

  /// Changes the retention setting; the change is durable before readers see it. Nothing changes
  /// when `change` throws.
  public synchronized void retain(UnaryOperator<Retentions.Setting> change) {
    retentions.change(change, section -> change(_ -> section.toSections()));
  }

  /// The rollups that are defined.
  public List<RollupDefinition> rollups() {
    return files.rollups();
  }

  /// The state of the store in addition to its segments.
  public synchronized ManifestSections sections() {
    return manifest.sections();
  }

  /// Adds sections to the existing sections; durable on return. Nothing changes when `more` throws.
  public synchronized void change(UnaryOperator<ManifestSections> more) {
    requireWriting();
    ManifestSections added = more.apply(manifest.sections());
    commit(List.of(), List.of(), Map.of(), manifest.journals(), added);
  }

  // For writing, sealing and merging.

  /// Opens rows in a piece of memory; null when all pieces are in use.
  public @Nullable OpenRows tryOpenRows(int lane, long arrivalFrom, RowMemory from) {
    OpenRows rows = OpenRows.tryOpen(lane, from, clock.monotonicNanos(), arrivalFrom);
    synchronized (this) {
      state = rows == null ? state : state.withRows(rows);
    }
    return rows;
  }

  public synchronized long takeSegmentId() {
    return manifest.takeSegmentId();
  }

  /// The origin of a segment made of events that the store has now.
  public SegmentOrigin origin(List<SegmentOrigin.Source> sources) {
    return new SegmentOrigin(arrivals.get(), guardedClock.durableNanos(), sources);
  }

  /// Segments replace rows, all at once. The caller closes the rows.
  ///
  /// @param rows with their segments, forced under their final names, whose directory was forced
  public synchronized void sealed(Map<OpenRows, List<LiveSegment>> rows) {
    List<LiveSegment> written = rows.values().stream().flatMap(List::stream).toList();
    Map<Integer, Long> lsns = new TreeMap<>();
    rows.keySet().forEach(each -> lsns.merge(each.lane, each.lsnLast(), Math::max));
    commit(written, List.of(), lsns, manifest.journals());
    rows.forEach((each, segments) -> segmentArrivals.sealed(segments, each));
    replaceState(List.copyOf(rows.keySet()), SegmentReplacement.of(written, List.of()));
  }

  /// Segments replace others; with none written the others are dropped. Files of the replaced
  /// segments are deleted when their last reader is done: a reader that has one open may open it
  /// again.
  ///
  /// @param still asked under the lock of the changes; when false, nothing happens
  /// @return its result
  public boolean replaced(
      List<LiveSegment> written, List<LiveSegment> removed, BooleanSupplier still) {
    return replaced(SegmentReplacement.of(written, removed), still);
  }

  /// The same, with files of aggregates in it.
  public boolean replaced(SegmentReplacement swap, BooleanSupplier still) {
    return replaced(swap, still, ManifestSections.NONE);
  }

  boolean replaced(SegmentReplacement swap, BooleanSupplier still, ManifestSections sections) {
    requireWriting();
    synchronized (this) {
      if (!still.getAsBoolean()) {
        return false;
      }
      ManifestSections all = sections.and(swap.sections(state.segments().figures()));
      commit(swap.written(), swap.removed(), Map.of(), manifest.journals(), all);
      segmentArrivals.replaced(swap.written(), swap.removed());
      replaceState(List.of(), swap);
    }
    swap.removed().forEach(each -> each.retire(() -> tidy(() -> files.delete(each))));
    swap.figuresRemoved()
        .forEach(each -> each.retire(() -> tidy(() -> files.figures().delete(each.entry()))));
    return true;
  }

  /// A segment is kept elsewhere from now on, or here again. Readers see the same before and after,
  /// and no edit is needed: a start finds the file or its stub.
  ///
  /// @param delete deletes what is no longer needed of `from`, when its last reader is done
  public void moved(LiveSegment from, LiveSegment to, Runnable delete) {
    requireWriting();
    synchronized (this) {
      if (!holdsLock()) {
        requireWriting();
      }
      replaceState(List.of(), SegmentReplacement.of(List.of(to), List.of(from)));
    }
    from.retire(() -> tidy(delete));
  }

  /// Publishes the next state, under the lock. Views keep the state that they have.
  private void replaceState(List<OpenRows> removedRows, SegmentReplacement swap) {
    StoreState before = state;
    state = before.replaced(removedRows, swap);
    before.segments().close();
  }

  private void commit(
      List<LiveSegment> added,
      List<LiveSegment> removed,
      Map<Integer, Long> sealedLsns,
      int journals) {
    commit(added, removed, sealedLsns, journals, ManifestSections.NONE);
  }

  /// Edits the manifest, under the lock.
  private void commit(
      List<LiveSegment> added,
      List<LiveSegment> removed,
      Map<Integer, Long> sealedLsns,
      int journals,
      ManifestSections sections) {
    var edit =
        new ManifestEdit(
            manifest.segmentIdNext(),
            arrivals.get(),
            guardedClock.durableNanos(),
            added.stream().map(LiveSegment::entry).toList(),
            removed.stream().map(segment -> segment.entry().id()).toList(),
            sealedLsns,
            journals,
            sections);
    if (!holdsLock()) {
      requireWriting();
    }
    if (sections.hasSettings()) {
      changes.changed();
    }
    try {
      manifest.commit(edit);
      segmentLimit = edit.segmentIdNext();
    } catch (StorageException.DiskFull full) {
      throw full; // nothing was written
    } catch (RuntimeException failure) {
      throw fail("write the manifest", failure);
    }
  }

  /// Closes the files of an edit that did not happen, and deletes them unless the manifest may list
  /// them.
  public void abandon(SegmentReplacement edit, Throwable failure) {
    if (hasEnded()) {
      edit.written().forEach(LiveSegment::close);
      edit.figures().forEach(LiveFigures::close);
    } else {
      edit.written().forEach(each -> files.abandon(each, failure));
      edit.figures().forEach(each -> files.figures().abandon(each, failure));
    }
  }

  /// Runs the deletion of files that are not needed. A failure is reported; the remaining files are
  /// deleted later, or at the next opening.
  public void tidy(Runnable delete) {
    try {
      delete.run();
    } catch (StorageException left) {
      backgroundFailed(left);
    }
  }

  // Failures.

  /// Ends the write side for good. The first failure counts.
  ///
  /// @param action that failed, after "cannot"
  /// @return the failure that ended it
  public synchronized StorageException fail(String action, RuntimeException cause) {
    StorageException end = failed;
    if (end == null) {
      end =
          cause instanceof StorageException known
              ? known
              : new StorageException.Failed("cannot " + action, cause);
      failed = end;
    }
    return end;
  }

  /// From now on writing needs this lock.
  public void guard(Disk.Lock newLock) {
    lock = new HeldLock(newLock, clock, lost -> fail("hold the lock", lost));
    files.guard(this::holdsLock);
  }

  /// Checks whether this process still has the store's lock, unless a check was made in the last
  /// half second. Call it before and after the work that an acknowledgement waits for.
  ///
  /// @throws StorageException.Failed when it does not, or the write side has ended before
  public void requireLock() {
    requireWriting();
    HeldLock held = lock;
    if (held != null && held.isDue() && !held.isHeld()) {
      requireWriting();
    }
  }

  /// Ends the write side when the lock is lost.
  public boolean holdsLock() {
    HeldLock held = lock;
    return held == null || held.isHeld();
  }

  public boolean hasEnded() {
    return failed != null;
  }

  /// @throws StorageException.Failed when the write side has ended
  public void requireWriting() {
    StorageException end = failed;
    if (end != null) {
      throw new StorageException.Failed("the store takes no more writes: " + end.getMessage(), end);
    }
  }

  /// Why the write side has ended; null while it has not.
  public @Nullable StorageException failure() {
    return failed;
  }

  /// A background task failed; it will be tried again.
  public void backgroundFailed(StorageException failure) {
    backgroundFailure = failure;
  }

  /// The last failure of a background task; null when none failed.
  public @Nullable StorageException backgroundFailure() {
    return backgroundFailure;
  }

  // For snapshots and backups.

  public ChangeCount changes() {
    return changes;
  }

  /// The present moment.
  public synchronized StoreMoment moment() {
    SegmentSet segments = state.segments();
    if (!segments.tryAcquire()) {
      throw new IllegalStateException("the present segments are not open");
    }
    return new StoreMoment(manifest.snapshot(), segments);
  }

  /// Lets go of manifest and segments. Views that are open keep theirs.
  @Override
  public void close() {
    StoreState last;
    synchronized (this) {
      last = state;
      state = StoreState.empty();
      manifest.close();
    }
    last.segments().close();
    last.segments().all().forEach(LiveSegment::close);
    last.segments().figures().forEach(LiveFigures::close);
  }
}
