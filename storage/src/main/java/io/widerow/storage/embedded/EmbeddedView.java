package io.widerow.storage.embedded;

import io.widerow.event.AttributeName;
import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import io.widerow.storage.aggregate.AggregateHorizon;
import io.widerow.storage.aggregate.CellCount;
import io.widerow.storage.aggregate.CellView;
import io.widerow.storage.aggregate.ColdParts;
import io.widerow.storage.aggregate.KeptCount;
import io.widerow.storage.aggregate.NamesScan;
import io.widerow.storage.aggregate.RollupChoice;
import io.widerow.storage.aggregate.SealedScan;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.FilterCursor;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.layout.Layouts;
import io.widerow.storage.live.BucketSpans;
import io.widerow.storage.live.FilteredRetentions;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.scan.BlockReaderPool;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.BlockScan;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SlicedCursor;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A view of an embedded store (a snapshot that readers query): the state of one moment, with a
/// lease on every part of it.
///
/// - Threads: any; each cursor has one.
/// - Memory: keeps rows and segment files from being freed until [#close]. A view with a deadline
///   leaves closing files to another thread.
final class EmbeddedView implements StoreView, CellView {
  private final StoreContents contents;
  private final StoreState state;
  private final List<OpenRows.View> rows;
  private final long segmentLimit;
  private final AggregateHorizon kept;
  private final @Nullable Filter shown; // events that no deletion hides; null for everything
  private final FilteredRetentions.Hidden hidden;
  private final @Nullable LaneArrivals since; // begins later than the first event; null for not
  private final @Nullable LaneArrivals before; // ends earlier than the moment; null for not
  private final Layouts layouts;
  private final Executor closers; // of files that this view is the last to read
  private final Prefetch prefetch;
  private final BlockReaders readers;

  private EmbeddedView(
      StoreContents contents,
      StoreState state,
      List<OpenRows.View> rows,
      @Nullable Filter shown,
      long segmentLimit,
      @Nullable LaneArrivals before,
      BlockReaderPool shared,
      Executor closers,
      ReadDeadline deadline) {
    this.contents = contents;
    this.since = null;
    this.before = before;
    this.state = state;
    this.rows = rows;
    this.shown = shown;
    this.hidden = contents.filteredRetentions().now();
    this.segmentLimit = segmentLimit;
    this.closers = closers;
    this.layouts = contents.layouts().now();
    this.kept = AggregateHorizon.of(contents.retentions().shown());
    this.prefetch =
        new Prefetch(deadline.isAny() ? null : shared.threads().ahead(), deadline.fetches());
    this.readers = BlockReaders.of(shared, deadline);
  }

  /// The same view with another horizon and of other arrivals. Its parts stay those of `of`.
  private EmbeddedView(
      EmbeddedView of,
      AggregateHorizon kept,
      FilteredRetentions.Hidden hidden,
      @Nullable LaneArrivals since,
      @Nullable LaneArrivals before) {
    this.contents = of.contents;
    this.since = since;
    this.before = before;
    this.state = of.state;
    this.rows = of.rows;
    this.shown = of.shown;
    this.hidden = hidden;
    this.segmentLimit = of.segmentLimit;
    this.closers = of.closers;
    this.layouts = of.layouts;
    this.kept = kept;
    this.prefetch = of.prefetch;
    this.readers = of.readers;
  }

  /// The same view, which shows what retention hides too. It is closed instead of this one.
  EmbeddedView keepingAll() {
    return new EmbeddedView(
        this,
        AggregateHorizon.of(contents.retentions().shownBy(Policies.NONE)),
        FilteredRetentions.Hidden.NONE,
        since,
        before);
  }

  /// True when the directory of a partition counts its events as a reader does: none replaces
  /// another, and no deletion or policy with a filter hides any.
  boolean countsEachEventOnce(PartitionKey key) {
    return shown == null
        && shownFromNanos(key) <= key.fromNanos()
        && showsAllArrivals()
        && !anyOwnIds(List.of(key));
  }

  /// Takes leases on the current state. When a part of it is freed in the meantime, there is a
  /// newer state, and it starts again.
  ///
  /// @param before only events that arrived before it are shown; null for everything
  /// @param shared where block readers come from
  /// @param others closes the files of a view with a deadline
  /// @param deadline deadline of its readers
  static EmbeddedView of(
      StoreContents contents,
      @Nullable LaneArrivals before,
      BlockReaderPool shared,
      Executor others,
      ReadDeadline deadline) {
    Executor closers = deadline.isAny() ? others : Runnable::run;
    while (true) {
      Filter shown = contents.deletions().shown(); // first: a later state has less
      long segmentLimit = contents.segmentLimit(); // first: the state shows all lower segments
      StoreState state = contents.state();
      if (state.segments().tryAcquire()) {
        List<OpenRows.View> rows = new ArrayList<>();
        if (acquire(state.rows(), rows)) {
          return new EmbeddedView(
              contents, state, rows, shown, segmentLimit, before, shared, closers, deadline);
        }
        release(state, rows, closers);
      }
      Thread.onSpinWait();
    }
  }

  private static boolean acquire(List<OpenRows> all, List<OpenRows.View> rows) {
    for (OpenRows open : all) {
      OpenRows.View view = open.view();
      if (view == null) {
        return false;
      }
      rows.add(view);
    }
    return true;
  }

  private static void release(StoreState state, List<OpenRows.View> rows, Executor closers) {
    rows.forEach(OpenRows.View::close);
    state.segments().release(closers);
  }

  @Override
  public Arrivals arrivals() {
    if (before != null) {
      return before;
    }
    Long[] limits = new Long[contents.config().lanes()];
    Arrays.fill(limits, contents.segmentArrivals().atOpen());
    for (OpenRows.View view : rows) {
      if (view.lane() < limits.length) {
        limits[view.lane()] = Math.max(limits[view.lane()], view.arrivalLimit());
      }
    }
    return new LaneArrivals(segmentLimit, List.of(limits));
  }

  @Override
  public boolean isExpired(String type, long timeNanos) {
    long width = widthNanosOf(type);
    return kept.isPast(type, (Math.floorDiv(timeNanos, width) + 1) * width)
        && partitions(type::equals, timeNanos, timeNanos + 1, null).isEmpty(); // of other widths
  }

  private long widthNanosOf(String type) {
    return layouts.of(type).admittedMinutes() * PartitionKey.NANOS_PER_MINUTE;
  }

  @Override
  public List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals after) {
    Scan scan = within(Scan.all().withSince(after));
    Map<PartitionKey, PartitionInfo> found = new HashMap<>();
    for (NavigableSet<Bucket> buckets : state.segments().buckets()) {
      for (Bucket bucket : BucketSpans.overlapping(buckets, fromNanos, untilNanos)) {
        for (LiveSegment segment : state.segments().of(bucket)) {
          if (mayHold(segment, scan)) {
            addWanted(segment, types, found);
          }
        }
      }
    }
    for (OpenRows.View view : rows) {
      for (Bucket bucket : BucketSpans.overlapping(view.buckets(), fromNanos, untilNanos)) {
        for (OpenRow row : view.rows(bucket)) {
          if (isWanted(row.key, types) && mayHold(view, row, scan)) {
            PartitionInfo info = view.info(row);
            long keptFrom = keptFromNanos(row.key);
            if (info.events() > 0 && info.timeLastNanos() >= keptFrom) {
              found.merge(row.key, info.startingAt(keptFrom), PartitionInfo::and);
            }
          }
        }
      }
    }
    return found.values().stream()
        .filter(info -> info.timeFirstNanos() < untilNanos && info.timeLastNanos() >= fromNanos)
        .sorted(Comparator.comparing(PartitionInfo::key))
        .toList();
  }

  @Override
  public List<TypeInfo> types(Predicate<String> types) {
    TypeSums sums = new TypeSums(partition -> shown(partition, types));
    for (LiveSegment segment : state.segments().all()) {
      sums.add(segment);
    }
    for (OpenRows.View view : rows) {
      for (OpenRow row : view.rows()) {
        PartitionInfo info = view.info(row);
        long keptFrom = keptFromNanos(row.key);
        if (isWanted(row.key, types) && info.timeLastNanos() >= keptFrom) {
          sums.add(info.startingAt(keptFrom), 0);
        }
      }
    }
    return sums.types();
  }

  private void addWanted(
      LiveSegment segment, Predicate<String> types, Map<PartitionKey, PartitionInfo> found) {
    segment
        .partitions()
        .forEach(
            types,
            partition -> {
              PartitionInfo info = shown(partition, types);
              if (info != null) {
                found.merge(partition.key(), info, PartitionInfo::and);
              }
            });
  }

  /// Metadata of the requested and retained part of a partition; null when there is none. The
  /// number of events is still that of the whole partition.
  private @Nullable PartitionInfo shown(
      SegmentSummary.Partition partition, Predicate<String> types) {
    PartitionKey key = partition.key();
    long keptFrom = keptFromNanos(key);
    return isWanted(key, types) && partition.info().timeLastNanos() >= keptFrom
        ? partition.info().startingAt(keptFrom)
        : null;
  }

  /// The least retained time of a partition. A partition of a wider bucket is partly expired for
  /// long; its events are hidden as if they were in the buckets by which they were admitted. So the
  /// visible events do not depend on merges that widen buckets, and no hidden event comes back.
  private long keptFromNanos(PartitionKey key) {
    long width = widthNanosOf(key.type());
    return key.untilNanos() - key.fromNanos() <= width
        ? Long.MIN_VALUE
        : kept.keptFromNanos(key.type(), width);
  }

  @Override
  public Scan kept(PartitionKey key, Scan scan) {
    long keptFrom = keptFromNanos(key);
    if (keptFrom <= key.fromNanos()) {
      return scan;
    }
    EventId from = EventId.max(scan.from(), EventId.leastOf(keptFrom));
    return scan.withRange(from, EventId.max(from, scan.until()));
  }

  @Override
  public @Nullable Place place(PartitionKey key, EventId id) {
    return EventLocator.find(this, key, id, contents.config().lanes());
  }

  @Override
  public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
    List<NavigableSet<Bucket>> buckets = new ArrayList<>(state.segments().buckets());
    rows.forEach(view -> buckets.add(view.buckets()));
    return BucketSpans.first(buckets, fromNanos, untilNanos, descending);
  }

  private boolean isWanted(PartitionKey key, Predicate<String> types) {
    return types.test(key.type()) && !kept.isPast(key.type(), key.untilNanos());
  }

  @Override
  public EventCursor open(List<PartitionKey> partitions, Scan all) {
    Scan scan = within(notDeleted(all)).withFold(null); // events in order
    List<PartitionKey> wanted = kept(partitions);
    Scan shownScan = CellView.and(scan, shownOf(wanted));
    if (shownScan.filter() instanceof Filter.Everything || !anyOwnIds(wanted)) {
      return merged(cursors(wanted, scan, true), scan.descending());
    }
    List<EventCursor> writes = cursors(wanted, Filters.removedFrom(shownScan), false);
    return new FilterCursor(merged(writes, scan.descending()), shownScan.filter());
  }

  @Override
  public @Nullable Filter shownOf(List<PartitionKey> keys) {
    return hidden.isNone() ? null : hidden.shownOf(keys, this::mayHide);
  }

  @Override
  public long shownFromNanos(PartitionKey key) {
    return hidden.isNone() ? key.fromNanos() : hidden.shownFromNanos(key, this::mayHide);
  }

  private boolean mayHide(FilteredRetention policy, PartitionKey key) {
    return rows.stream().anyMatch(view -> view.row(key) != null)
        || contents.filteredRetentions().mayHold(policy, key, segmentsOf(key));
  }

  /// Segments of a store that is drained have every write; a merge shows the last one only.
  private EventCursor merged(List<EventCursor> cursors, boolean descending) {
    return contents.isDrained() && !cursors.isEmpty()
        ? new MergeCursor(cursors, descending)
        : MergeCursor.of(cursors, descending);
  }

  @Override
  public EventCursor openUnordered(List<PartitionKey> partitions, Scan scan) {
    List<PartitionKey> wanted = kept(partitions);
    Grouping fold = scan.fold();
    return fold != null && fold.cells() && fold.isOfMinutes() && scan.since() == null && hasCells()
        ? CellCount.open(this, wanted, scan, fold)
        : unordered(wanted, notDeleted(scan));
  }

  @Override
  public Set<AttributeName> attributeNames(List<PartitionKey> partitions, Scan scan) {
    return NamesScan.of(this, kept(partitions), scan);
  }

  @Override
  public @Nullable SealedValues sealedValues(List<PartitionKey> partitions, Scan scan) {
    return hasCells() && scan.since() == null ? SealedScan.of(this, kept(partitions), scan) : null;
  }

  @Override
  public EventCursor openFigures(List<PartitionKey> partitions, Scan scan, RollupRequest question) {
    return scan.since() == null && (hasRollups() || (hasCells() && question.isOfMinutes()))
        ? new RollupChoice(contents.rollups(), question).open(this, kept(partitions), scan)
        : openUnordered(partitions, scan);
  }

  @Override
  public boolean hasRollups() {
    return hasCells() && !contents.rollups().isEmpty();
  }

  @Override
  public boolean hasRollup(String type, Filter filter, RollupRequest question) {
    return hasCells() && new RollupChoice(contents.rollups(), question).of(type, filter) != null;
  }

  @Override
  public StoreView ofFigures(@Nullable RollupRequest question, Filter filter) {
    return question == null || contents.rollups().stream().allMatch(each -> each.keep() == null)
        ? this
        : new EmbeddedView(
            this,
            kept.with(new RollupChoice(contents.rollups(), question), filter),
            hidden,
            since,
            before);
  }

  @Override
  public @Nullable EventCursor openKept(Predicate<String> types, Scan scan) {
    List<LiveFigures> files = state.segments().figures();
    return files.isEmpty() || scan.since() != null || !showsAllArrivals()
        ? null
        : new KeptCount(files, kept, scan, readers.deadline()).open(types);
  }

  @Override
  public StoreView arrivedWithin(@Nullable Arrivals from, @Nullable Arrivals until) {
    return new EmbeddedView(this, kept, hidden, LaneArrivals.of(from), LaneArrivals.of(until));
  }

  private boolean showsAllArrivals() {
    return since == null && before == null;
  }

  /// A scan of the arrivals that this view shows.
  private Scan within(Scan scan) {
    return (scan.since() == null ? scan.withSince(since) : scan).withBefore(before);
  }

  /// A scan without the events that a deletion hides.
  private Scan notDeleted(Scan scan) {
    return CellView.and(scan, shown);
  }

  /// Unordered only types of which no event may replace another: the order decides which one is
  /// shown.
  @Override
  public EventCursor unordered(List<PartitionKey> wanted, Scan scan) {
    Set<String> replaced = typesOfOwnIds(wanted);
    Map<Boolean, List<PartitionKey>> ordered =
        wanted.stream().collect(Collectors.partitioningBy(key -> replaced.contains(key.type())));
    List<EventCursor> cursors = cursors(ordered.getOrDefault(false, List.of()), within(scan), true);
    if (!replaced.isEmpty()) {
      cursors.add(open(ordered.getOrDefault(true, List.of()), scan));
    }
    return new ChainCursor(cursors);
  }

  /// Segments of a store that is drained have every write, so their cells count some events twice.
  /// Cells count what a deletion hides until it is written without.
  @Override
  public boolean hasCells() {
    return showsAllArrivals() && !contents.isDrained() && shown == null;
  }

  @Override
  public List<OpenRows.View> rows() {
    return rows;
  }

  @Override
  public @Nullable Executor searchers() {
    return readers.searchers();
  }

  @Override
  public BlockReaders readers() {
    return readers;
  }

  @Override
  public Fetches fetches() {
    return readers.deadline().fetches();
  }

  @Override
  public Elsewhere elsewhere(List<PartitionKey> partitions, Scan scan) {
    return ColdParts.of(this, kept(partitions), scan);
  }

  private List<PartitionKey> kept(List<PartitionKey> partitions) {
    return partitions.stream().filter(key -> !kept.isPast(key.type(), key.untilNanos())).toList();
  }

  /// @param hide false when retention policies with a filter are applied to the cursors' merge
  private List<EventCursor> cursors(List<PartitionKey> wanted, Scan scan, boolean hide) {
    List<EventCursor> cursors = new ArrayList<>();
    List<BlockScan.Part> grouped = new ArrayList<>();
    boolean groups = scan.fold() != null && scan.since() == null && scan.before() == null;
    for (PartitionKey key : wanted) {
      Scan kept = CellView.and(kept(key, scan), hide ? shownOf(List.of(key)) : null);
      Scan own = kept.withFilter(Filters.ofType(kept.filter(), key.type()));
      for (LiveSegment segment : segmentsOf(key)) {
        SegmentSummary.Partition partition = wanted(segment, key, kept);
        if (partition != null && groups) {
          grouped.add(
              new BlockScan.Part(key, own, () -> segment.fileFor(partition.info(), own.watch())));
        } else if (partition != null) {
          cursors.add(
              new LazyCursor(
                  FirstBlocks.bound(partition, kept),
                  () ->
                      SlicedCursor.open(
                          segment.fileFor(partition.info(), own.watch()),
                          key,
                          own,
                          readers,
                          prefetch,
                          cursors.size())));
        }
      }
      for (OpenRows.View view : rows) {
        OpenRow row = view.row(key);
        if (row != null && groups && !readers.deadline().isAny() && !own.isPlainCount()) {
          cursors.addAll(
              view.openRest(
                  row,
                  own,
                  own.filter(),
                  readers.searchers(),
                  chunk ->
                      grouped.add(
                          new BlockScan.Part(key, own, () -> readers.blocksOf(key, chunk)))));
        } else if (row != null) {
          cursors.addAll(view.open(row, own, own.filter(), readers.searchers()));
        }
      }
    }
    if (!grouped.isEmpty()) {
      cursors.add(new BlockScan(grouped, scan, readers, prefetch));
    }
    prefetch.begin(() -> FirstBlocks.of(this, wanted, scan));
    return cursors;
  }

  @Override
  public SegmentSummary.@Nullable Partition wanted(
      LiveSegment segment, PartitionKey key, Scan scan) {
    SegmentSummary.Partition partition = segment.partitions().of(key);
    return partition != null && CellView.overlaps(partition, scan) && mayHold(segment, scan)
        ? partition
        : null;
  }

  @Override
  public Set<String> typesOfOwnIds(List<PartitionKey> partitions) {
    Stream<PartitionKey> own = partitions.stream().filter(key -> anyOwnIds(List.of(key)));
    return own.map(PartitionKey::type).collect(Collectors.toSet());
  }

  /// True when one event of these may replace another: the filter must then come after the merge.
  private boolean anyOwnIds(List<PartitionKey> partitions) {
    for (PartitionKey key : partitions) {
      for (OpenRows.View view : rows) {
        OpenRow row = view.row(key);
        if (row != null && row.hasOwnIds()) {
          return true;
        }
      }
      for (LiveSegment segment : segmentsOf(key)) {
        SegmentSummary.Partition partition = segment.partitions().of(key);
        if (partition != null && partition.ownIds()) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public List<LiveSegment> segmentsOf(PartitionKey key) {
    return state.segments().of(Bucket.of(key));
  }

  /// False when a scan wants nothing of a segment for its arrival.
  private boolean mayHold(LiveSegment segment, Scan scan) {
    LaneArrivals since = LaneArrivals.of(scan.since());
    LaneArrivals until = scan.before();
    return (since == null || !contents.segmentArrivals().isOlder(segment, since))
        && (until == null || !contents.segmentArrivals().isLater(segment, until));
  }

  private static boolean mayHold(OpenRows.View view, OpenRow row, Scan scan) {
    return (scan.since() == null && scan.before() == null) || view.has(row, scan);
  }

  @Override
  public void close() {
    prefetch.end();
    release(state, rows, closers);
  }
}
