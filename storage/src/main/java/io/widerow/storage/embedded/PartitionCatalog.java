package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.RetentionSnapshot;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The partitions of an open store and their contents: from the manifest, the indexes of segments
/// and the open rows. Reads no block and estimates no number of events.
///
/// Of an id that was written several times, each write counts until a merge keeps the last one: so
/// numbers of events are exact for types without own ids, and an upper bound for others.
///
/// - Threads: any. A call costs a look at every partition.
public final class PartitionCatalog {
  /// Bytes at rest of a byte of records, until sealed files of the type give a measured ratio.
  static final double REST_OF_RECORD = 0.1;

  private final StoreContents contents;
  private final StoreClock clock;
  private final Supplier<List<EmbeddedLane>> lanes;

  PartitionCatalog(StoreContents contents, StoreClock clock, Supplier<List<EmbeddedLane>> lanes) {
    this.contents = contents;
    this.clock = clock;
    this.lanes = lanes;
  }

  /// Which form a partition has.
  public enum State {
    /// Some of its events are in open rows.
    OPEN,
    /// All are in segments, and a merge will write some of them once more.
    SEALED,
    /// All are in merged segments.
    FINAL
  }

  /// A partition and its contents.
  ///
  /// @param events events in it
  /// @param bytes bytes in sealed files, with the partition's share of their indexes; events in
  ///   open rows have none
  /// @param restBytes the same, and an estimate for events in open rows
  /// @param firstNanos no event is earlier; nanoseconds since the Unix epoch
  /// @param lastNanos no event is later; nanoseconds since the Unix epoch
  /// @param late events known to have come late: to rows that were opened after the bucket had
  ///   ended, or after a merge had finished the partition. The next merge makes it 0
  /// @param segments ids of the segments that have its events
  public record Entry(
      PartitionKey key,
      long events,
      long bytes,
      long restBytes,
      State state,
      long firstNanos,
      long lastNanos,
      long late,
      List<Long> segments) {}

  /// A segment file.
  ///
  /// @param firstNanos no event is earlier; nanoseconds since the Unix epoch
  /// @param lastNanos no event is later; nanoseconds since the Unix epoch
  /// @param partitions how many partitions have events in it
  /// @param merged true when a merge wrote it, which is final
  /// @param damaged true when damage was found in it
  /// @param cold true when its blocks are kept elsewhere
  public record Segment(
      long id,
      String file,
      long firstNanos,
      long lastNanos,
      long events,
      long bytes,
      int partitions,
      boolean merged,
      boolean damaged,
      boolean cold) {}

  /// A lane of writers.
  ///
  /// @param openEvents events in its open rows, including rows that are being sealed
  /// @param openBytes bytes that these take
  /// @param journalBytes bytes of its journal's files
  /// @param forcedAgoNanos how long ago its journal was forced, or opened
  public record LaneFigures(
      int lane, long openEvents, long openBytes, long journalBytes, long forcedAgoNanos) {}

  /// Partitions and segments at one moment, in ascending order of keys and ids. None is empty.
  public record Listing(List<Entry> entries, List<Segment> segments) {}

  /// The partitions that queries show, in ascending order of keys. None of them is empty.
  ///
  /// @param fromNanos only partitions whose bucket ends after this, nanoseconds since the Unix
  ///   epoch
  /// @param untilNanos only partitions whose bucket begins before this
  public List<Entry> entries(Predicate<String> types, long fromNanos, long untilNanos) {
    return listing(types, fromNanos, untilNanos).entries();
  }

  /// The same, and the segments that have some of them.
  public Listing listing(Predicate<String> types, long fromNanos, long untilNanos) {
    RetentionSnapshot kept = contents.retentions().shown();
    Predicate<PartitionKey> wanted =
        key ->
            key.untilNanos() > fromNanos
                && key.fromNanos() < untilNanos
                && types.test(key.type())
                && !kept.isPast(key.type(), key.untilNanos());
    Listing found = null;
    while (found == null) {
      found = listing(contents.state(), wanted);
    }
    return found;
  }

  /// The lanes and their events that are not sealed yet; none in a store that is only read.
  public List<LaneFigures> lanes() {
    List<OpenRows> rows = contents.state().rows();
    List<LaneFigures> figures = new ArrayList<>();
    for (EmbeddedLane lane : lanes.get()) {
      int number = figures.size();
      List<OpenRows> own = rows.stream().filter(each -> each.lane == number).toList();
      figures.add(
          new LaneFigures(
              number,
              own.stream().mapToLong(OpenRows::committedEvents).sum(),
              own.stream().mapToLong(OpenRows::filledBytes).sum(),
              lane.journal().bytes(),
              lane.forcedAgoNanos()));
    }
    return figures;
  }

  /// Adds up what the parts of a store have of a partition.
  private static final class Sum {
    private long events;
    private long bytes;
    private long restBytes;
    private long mergedEvents;
    private long lateEvents; // of open rows
    private long firstNanos = Long.MAX_VALUE;
    private long lastNanos = Long.MIN_VALUE;
    private State state = State.FINAL;
    private final List<Long> segments = new ArrayList<>(1);

    void add(PartitionInfo part) {
      events += part.events();
      firstNanos = Math.min(firstNanos, part.timeFirstNanos());
      lastNanos = Math.max(lastNanos, part.timeLastNanos());
    }

    void addSealed(PartitionInfo part, long moreBytes, long segment, boolean merged) {
      add(part);
      bytes += moreBytes;
      restBytes += moreBytes;
      mergedEvents += merged ? part.events() : 0;
      state = merged || state == State.OPEN ? state : State.SEALED;
      segments.add(segment);
    }

    void addOpen(PartitionInfo part, long recordBytes, boolean late) {
      add(part);
      restBytes += (long) (recordBytes * REST_OF_RECORD);
      lateEvents += late ? part.events() : 0;
      state = State.OPEN;
    }

    Entry entry(PartitionKey key) {
      long late = mergedEvents > 0 ? events - mergedEvents : lateEvents;
      return new Entry(
          key,
          events,
          bytes,
          restBytes,
          state,
          firstNanos,
          lastNanos,
          late,
          segments.stream().sorted().toList());
    }
  }

  /// Null when a part of the state was freed concurrently, so that there is a newer state.
  private @Nullable Listing listing(StoreState state, Predicate<PartitionKey> wanted) {
    TreeMap<PartitionKey, Sum> found = new TreeMap<>();
    TreeMap<Long, Segment> segments = new TreeMap<>();
    for (LiveSegment live : state.segments().all()) {
      long[] bytes = live.partitionBytes();
      int at = 0;
      boolean any = false;
      for (SegmentSummary.Partition partition : live.partitions()) {
        long of = bytes[at++];
        if (wanted.test(partition.key())) {
          any = true;
          found
              .computeIfAbsent(partition.key(), _ -> new Sum())
              .addSealed(partition.info(), of, live.entry().id(), live.entry().merged());
        }
      }
      if (any) {
        segments.put(live.entry().id(), segment(live));
      }
    }
    for (OpenRows open : state.rows()) {
      try (OpenRows.View view = open.view()) {
        if (view == null) {
          return null;
        }
        addRows(open, view, wanted, found);
      }
    }
    List<Entry> entries = new ArrayList<>(found.size());
    found.forEach((key, sum) -> entries.add(sum.entry(key)));
    return new Listing(entries, List.copyOf(segments.values()));
  }

  private void addRows(
      OpenRows open,
      OpenRows.View view,
      Predicate<PartitionKey> wanted,
      Map<PartitionKey, Sum> found) {
    long openedNanos = clock.wallNanos() - (clock.monotonicNanos() - open.madeNanos());
    for (OpenRow row : view.rows()) {
      if (!wanted.test(row.key)) {
        continue;
      }
      PartitionInfo info = view.info(row);
      if (info.events() > 0) {
        boolean late = !open.isReplayed() && row.key.untilNanos() <= openedNanos;
        found.computeIfAbsent(row.key, _ -> new Sum()).addOpen(info, row.recordBytes(), late);
      }
    }
  }

  private static Segment segment(LiveSegment live) {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (SegmentSummary.Partition partition : live.partitions()) {
      first = Math.min(first, partition.info().timeFirstNanos());
      last = Math.max(last, partition.info().timeLastNanos());
    }
    return new Segment(
        live.entry().id(),
        live.entry().fileName(),
        first,
        last,
        live.entry().events(),
        live.entry().bytes(),
        live.partitions().size(),
        live.entry().merged(),
        !live.isWhole(),
        live.isCold());
  }
}
