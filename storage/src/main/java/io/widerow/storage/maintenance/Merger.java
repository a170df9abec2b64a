package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.RetentionSnapshot;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.scan.BlockReaderPool;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Merges the segments of a bucket into their final form (compaction), on the store's executor, and
/// leaves out expired events; [RetentionEnforcer] drops the segments that need no merge for that.
///
/// An event is written when it is sealed and once more when it is merged: merges take only segments
/// that sealing wrote. There are three exceptions: [SmallBucketMerge] is rewritten into wider
/// buckets, a segment of which enough has expired is rewritten without its expired events, and a
/// segment that lacks a rollup is rewritten with it ([RollupFill]). A closed bucket is merged when
/// it has been closed for a while. Later segments are merged together when there are enough of
/// them, or when no more came for as long. In an open bucket segments are merged early when there
/// are many, so that their number stays small as long as merging, which waits while rows are sealed
/// ([MergePace]), keeps up with writers.
///
/// The first merge of a bucket may give its events other keys, see
/// [io.widerow.storage.layout.FinalForm], and so write several segments. One edit of the manifest
/// lists all of them in place of the sources.
///
/// A segment with known damage is left as it is, and the other segments of its bucket are merged
/// without it. Its readable part stays readable, and only a repair rewrites it. It is dropped like
/// any other segment when all its events have expired.
///
/// - Threads: any calls [#start]; one task runs at a time. The task keeps its thread while it
///   waits. Dropping is another task, which does not wait for it.
public final class Merger {
  /// Segments of an open bucket that are worth a merge, and the most that one merge reads.
  private static final int SEGMENTS_MANY = 32;

  /// Segments that came late to a merged bucket and are worth a merge when they hold [#EVENTS_LATE]
  /// events; [#SEGMENTS_MANY] smaller ones are worth one too. Each such merge adds a segment that
  /// is never merged again.
  private static final int SEGMENTS_LATE = 4;

  static final long EVENTS_LATE = 1 << 16;

  /// Segments that one merge of thin history reads.
  private static final int SEGMENTS_THIN = 1 << 10;

  /// Bytes of the final form by bytes of sealed segments, until merges measure it, and the weight
  /// of the last merge in it.
  private static final double REST = 0.8;

  private static final double REST_STEP = 0.25;

  private final StoreContents contents;
  private final SmallBucketMerge thin;
  private final DayMergePlan fold = new DayMergePlan();
  private final RollupFill fill;
  private final MergeWriter writer;
  private final MergePace pace;
  private final RetentionEnforcer expiry;
  private final AggregateRetainer figures;
  private volatile Executor executor;
  private final AtomicLong merges = new AtomicLong();

  /// When the newest segment that came late to a bucket was first seen, by its id: wall clock, as
  /// for a closed bucket's age, so a step of the clock makes a merge earlier or later. Opening the
  /// store starts the wait again.
  private final Map<Long, Long> lateSince = new ConcurrentHashMap<>();

  private final OneTask task = new OneTask(this::run);

  /// The last removal of what policies with a filter hide; guarded by this.
  private @Nullable FilteredRetentionWork removal;

  private @Nullable RemovalMoment removedAt; // when it began

  /// What a removal depends on.
  private record RemovalMoment(StoreState state, List<FilteredRetention> policies, long minute) {}

  /// Requested rewrites whose callers wait.
  private final Queue<Rewrite<?>> asked = new ConcurrentLinkedQueue<>();

  /// The state for which `urgent` holds; only the running task uses both.
  private @Nullable StoreState judged;

  private boolean urgent;

  private double rest = REST; // only the running task uses it

  public Merger(StoreContents contents, SegmentFiles files, MergePace pace, Executor executor) {
    this.contents = contents;
    this.thin = new SmallBucketMerge(contents);
    this.fill = new RollupFill(contents);
    this.writer = new MergeWriter(contents, files, this::isTime);
    this.pace = pace;
    this.executor = executor;
    this.expiry = new RetentionEnforcer(contents, executor);
    this.figures = new AggregateRetainer(contents, files, writer);
  }

  /// Runs on other threads from now on.
  public void runOn(Executor threads) {
    executor = threads;
  }

  public long merges() {
    return merges.get();
  }

  /// Starts the tasks that are due, unless they are running already.
  public void start() {
    expiry.start();
    beginRemoval();
    if (plan() == null && asked.isEmpty() && !figures.isDue()) {
      return;
    }
    task.start(executor);
  }

  /// Removes what retention policies with a filter hide, when anything has changed, or another
  /// minute has begun, since it was looked for.
  private synchronized void beginRemoval() {
    List<FilteredRetention> policies = contents.filteredRetentions().policies();
    if (policies.isEmpty() || (removal != null && !removal.isEnded())) {
      return;
    }
    long minute = contents.clock().retentionNanos() / FilteredRetention.MINUTE_NANOS;
    var now = new RemovalMoment(contents.state(), policies, minute);
    if (!now.equals(removedAt)) {
      removedAt = now;
      removal = new FilteredRetentionWork();
      begin(removal);
    }
  }

  /// Writes segments again, one after the other in the order in which this was called.
  ///
  /// @return when that is done
  /// @throws StorageException when a step failed; the steps before it stay done
  /// @throws InterruptedException when the calling thread was interrupted
  public <R> R rewrite(Rewrite<R> rewrite) throws InterruptedException {
    asked.add(rewrite);
    return rewrite.await(() -> task.start(executor));
  }

  /// The same without waiting.
  public void begin(Rewrite<?> rewrite) {
    asked.add(rewrite);
    task.start(executor);
  }

  public void drain() throws InterruptedException {
    expiry.drain();
    task.drain();
  }

  private void run() {
    try {
      mergeAll();
    } catch (StorageException failed) {
      contents.backgroundFailed(failed);
      giveUpAsked(failed);
    }
  }

  private void giveUpAsked(StorageException failure) {
    for (Rewrite<?> next = asked.poll(); next != null; next = asked.poll()) {
      next.fail(failure);
    }
  }

  /// Block readers of one segment serve the next. Each decodes into megabytes of heap; a new one
  /// for each segment made collections frequent enough to delay writers.
  private void mergeAll() {
    try (var shared = new BlockReaderPool()) {
      BlockReaders readers = BlockReaders.of(shared);
      var tools = new Rewrite.Tools(contents, expiry, writer, readers);
      dropEvents(readers); // it frees room
      SmallBucketMerge.Merge due = plan();
      Rewrite<?> next = asked.peek();
      while (due != null || next != null) {
        if (!isTime()) {
          giveUpAsked(Rewrite.closing(new IllegalStateException("merging has ended")));
          return;
        }
        if (due != null) {
          merge(due, readers);
        } else if (next != null && !next.goOn(tools)) {
          asked.remove(next);
        }
        due = plan();
        next = asked.peek();
      }
    }
  }

  /// Drops events whose aggregates stay. Merges do not wait for cold ones that are out of reach.
  private void dropEvents(BlockReaders readers) {
    try {
      while (figures.isDue() && isTime() && figures.step(expiry, readers)) {}
    } catch (StorageException.Unreachable away) {
      contents.backgroundFailed(away);
    }
  }

  /// Segments that should become one, oldest first; null when there are none.
  private SmallBucketMerge.@Nullable Merge plan() {
    List<SmallBucketMerge.Merge> due = due();
    List<LiveSegment> rewritten = expiry.worthRewriting();
    if (!rewritten.isEmpty() && !MergePace.isUrgent(sealed(due))) {
      LiveSegment first = rewritten.getFirst();
      return new SmallBucketMerge.Merge(SegmentSet.bucketOf(first), List.of(first));
    }
    if (due.isEmpty()) {
      LiveSegment lacking = asked.isEmpty() ? fill.next() : null;
      return lacking == null
          ? null
          : new SmallBucketMerge.Merge(SegmentSet.bucketOf(lacking), List.of(lacking));
    }
    SmallBucketMerge.Merge next = due.getFirst();
    Map<Bucket, Integer> taken = new HashMap<>();
    List<LiveSegment> sources =
        next.sources().stream()
            // Those of one bucket may all be open at once; buckets are read one after the other.
            .filter(
                live -> taken.merge(SegmentSet.bucketOf(live), 1, Integer::sum) <= SEGMENTS_MANY)
            .limit(SEGMENTS_THIN)
            .toList();
    return new SmallBucketMerge.Merge(next.bucket(), sources);
  }

  /// All that is worth a merge: thin history first, then by bucket and retention, then days of tiny
  /// partitions.
  private List<SmallBucketMerge.Merge> due() {
    long now = contents.clock().wallNanos();
    forgetMerged();
    SegmentSet segments = contents.state().segments();
    List<SmallBucketMerge.Merge> due = new ArrayList<>(thin.due(segments, now));
    Set<LiveSegment> taken =
        due.stream().flatMap(merge -> merge.sources().stream()).collect(Collectors.toSet());
    List<SmallBucketMerge.Merge> firsts = new ArrayList<>(); // of closed buckets
    for (NavigableSet<Bucket> buckets : segments.buckets()) {
      for (Bucket bucket : buckets) {
        boolean closed = bucket.untilNanos() + contents.config().mergeAfter().toNanos() <= now;
        for (List<LiveSegment> alike : thin.byRetention(segments.of(bucket)).values()) {
          List<LiveSegment> sealed = alike.stream().filter(Merger::isSealed).toList();
          boolean mergedBefore =
              !sealed.isEmpty()
                  && (alike.stream().anyMatch(live -> live.entry().merged())
                      || wasSplit(segments, bucket, sealed));
          int worth = !closed ? SEGMENTS_MANY : mergedBefore ? worthOfLate(sealed, now) : 1;
          if (!sealed.isEmpty() && sealed.size() >= worth && !taken.contains(sealed.getFirst())) {
            boolean first = closed && !mergedBefore && !bucket.isWide();
            (first ? firsts : due).add(new SmallBucketMerge.Merge(bucket, sealed));
          }
        }
      }
    }
    PartitionWeights weights = contents.layouts().fitted();
    long over = now - contents.config().mergeAfter().toNanos();
    due.addAll(weights == null ? firsts : new JoinedBuckets(thin, over).of(firsts));
    if (weights != null) { // last, so that a day is folded when all of it is merged
      fold.due(segments, thin, weights, over).stream()
          .filter(merge -> merge.sources().stream().noneMatch(taken::contains))
          .forEach(due::add);
    }
    return due;
  }

  /// True when a merge has divided a bucket of one of these types into narrower ones.
  private static boolean wasSplit(SegmentSet segments, Bucket bucket, List<LiveSegment> sealed) {
    var from = new Bucket(bucket.startMinutes(), 0);
    var until = new Bucket(bucket.startMinutes() + bucket.widthMinutes(), 0);
    List<LiveSegment> inside =
        segments.buckets().getFirst().subSet(from, until).stream()
            .filter(narrow -> narrow.widthMinutes() < bucket.widthMinutes())
            .flatMap(narrow -> segments.of(narrow).stream())
            .filter(live -> live.entry().merged())
            .toList();
    if (inside.isEmpty()) {
      return false;
    }
    Set<String> types =
        sealed.stream()
            .flatMap(live -> live.partitions().types().stream())
            .collect(Collectors.toSet());
    return inside.stream()
        .anyMatch(live -> live.partitions().types().stream().anyMatch(types::contains));
  }

  /// True when sealing wrote it, and no damage was found.
  private static boolean isSealed(LiveSegment live) {
    return !live.entry().merged() && live.isWhole();
  }

  private static List<LiveSegment> sealed(List<SmallBucketMerge.Merge> due) {
    return due.stream()
        .flatMap(merge -> merge.sources().stream())
        .filter(Merger::isSealed)
        .toList();
  }

  private int worthOfLate(List<LiveSegment> sealed, long now) {
    long events = sealed.stream().mapToLong(live -> live.entry().events()).sum();
    if (events < EVENTS_LATE) {
      return SEGMENTS_MANY;
    }
    long newest = sealed.stream().mapToLong(live -> live.entry().id()).max().orElseThrow();
    long since = lateSince.computeIfAbsent(newest, _ -> now);
    return now - since >= contents.config().mergeAfter().toNanos() ? 1 : SEGMENTS_LATE;
  }

  private void forgetMerged() {
    if (!lateSince.isEmpty()) {
      Set<Long> there =
          contents.state().segments().all().stream()
              .map(live -> live.entry().id())
              .collect(Collectors.toSet());
      lateSince.keySet().retainAll(there);
    }
  }

  /// Waits until merging may continue. False when the store is being closed: the merge gives up
  /// what it wrote so far, and the next opening starts it again.
  @SuppressWarnings("ReferenceEquality") // an equal state that is another object is judged again
  private boolean isTime() {
    return pace.await(() -> {
      StoreState state = contents.state();
      if (judged != state) {
        judged = state;
        urgent = MergePace.isUrgent(sealed(due()));
      }
      return urgent;
    });
  }

  private void merge(SmallBucketMerge.Merge due, BlockReaders readers) {
    if (!expiry.take(due.sources())) {
      return; // it will be planned again
    }
    try {
      Parts parts = parts(due, contents.retentions().onDisk());
      if (parts.kept.isEmpty()) {
        boolean _ = contents.replaced(List.of(), due.sources(), () -> mayGo(parts.left));
        return;
      }
      List<LiveSegment> merged =
          writer.write(due.sources(), outputs(due, parts.kept, readers), readers);
      BooleanSupplier still = () -> mayGo(parts.left) && !wouldShow(due.bucket(), parts);
      if (!merged.isEmpty() && writer.commit(merged, due.sources(), still)) {
        merged(due.sources(), merged);
      }
    } finally {
      expiry.giveBack();
    }
  }

  private void merged(List<LiveSegment> sources, List<LiveSegment> merged) {
    merges.incrementAndGet();
    long before = sources.stream().mapToLong(live -> live.entry().bytes()).sum();
    long after = merged.stream().mapToLong(live -> live.entry().bytes()).sum();
    if (sources.stream().noneMatch(live -> live.entry().merged())) {
      rest += REST_STEP * ((double) after / Math.max(1, before) - rest);
    }
  }

  /// Events that a merge leaves out: a type of a bucket with this end.
  private record Left(String type, long untilNanos) {}

  /// @param kept the contents of each partition of the new segment
  private record Parts(NavigableMap<PartitionKey, List<MergeOutput.Source>> kept, Set<Left> left) {}

  private static Parts parts(SmallBucketMerge.Merge due, Retentions.OnDisk onDisk) {
    Parts parts = new Parts(new TreeMap<>(), new HashSet<>());
    for (LiveSegment segment : due.sources()) {
      for (SegmentSummary.Partition partition : segment.partitions()) {
        PartitionKey key = partition.key();
        if (onDisk.mayGoWhole(key.type(), key.untilNanos())) {
          parts.left.add(new Left(key.type(), key.untilNanos()));
        } else {
          parts
              .kept
              .computeIfAbsent(key.in(due.bucket()), _ -> new ArrayList<>())
              .add(new MergeOutput.Source(segment, partition));
        }
      }
    }
    return parts;
  }

  private boolean mayGo(Set<Left> left) {
    Retentions.OnDisk now = contents.retentions().onDisk();
    return left.stream().allMatch(each -> now.mayGoWhole(each.type, each.untilNanos));
  }

  /// True when something is hidden now that the wider bucket would show again.
  private boolean wouldShow(Bucket bucket, Parts parts) {
    RetentionSnapshot shown = contents.retentions().shown();
    return parts.kept.values().stream()
        .flatMap(List::stream)
        .map(source -> source.partition().key())
        .anyMatch(key ->
            shown.isPast(key.type(), key.untilNanos())
                && !shown.isPast(key.type(), bucket.untilNanos()));
  }

  /// A closed bucket, or the present part of a bucket that has very many segments, gets its final
  /// form the first time it is merged. All other partitions keep their keys.
  private List<MergeOutput> outputs(
      SmallBucketMerge.Merge due,
      NavigableMap<PartitionKey, List<MergeOutput.Source>> kept,
      BlockReaders readers) {
    PartitionWeights weights = contents.layouts().fitted();
    boolean first = due.sources().stream().allMatch(Merger::isSealed);
    return weights == null || !first || due.bucket().isWide()
        ? List.of(MergeOutput.of(due.bucket(), kept))
        : MergeOutput.fitting(
            due.bucket(),
            kept,
            weights,
            rest,
            contents.config().lanes(),
            contents.segmentArrivals()::laneOf,
            readers);
  }
}
