package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.EventCursor;
import io.widerow.storage.aggregatefile.AggregateFileWriter;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes the aggregates of partitions that one edit will drop. Where no event may replace another,
/// cells are copied. Elsewhere the events are counted, each id once: of several writes only the
/// last counts.
///
/// - Threads: the merging one.
/// - Memory: the cells of one file.
final class AggregateDraft implements AutoCloseable {
  private final StoreContents contents;
  private final AggregateFiles files;
  private final List<RollupDefinition> kept;
  private final BlockReaders readers;
  private final BooleanSupplier pace;
  private final Edit edit;
  private long next; // number of the next file
  private final List<LiveFigures> finished = new ArrayList<>();
  private @Nullable AggregateFileWriter writer;
  private long keepNanos; // of what the writer has
  private int count;
  private boolean done;

  /// The edit that lists the files.
  ///
  /// @param origin the segments that it drops
  /// @param first number of the first file
  /// @param segments numbers of the segments that it lists, too
  record Edit(SegmentOrigin origin, long first, List<Long> segments) {
    Edit {
      segments = List.copyOf(segments);
    }
  }

  /// @param kept rollups whose aggregates outlive their events
  /// @param pace waits until writing may continue; false when it must be given up
  AggregateDraft(
      StoreContents contents,
      AggregateFiles files,
      List<RollupDefinition> kept,
      BlockReaders readers,
      BooleanSupplier pace,
      Edit edit) {
    this.contents = contents;
    this.files = files;
    this.kept = kept;
    this.readers = readers;
    this.pace = pace;
    this.edit = edit;
    this.next = edit.first;
  }

  /// Writes all aggregates.
  ///
  /// @return false when it was given up
  boolean write(List<MergeOutput.Source> dropped) {
    for (Map.Entry<PartitionKey, List<MergeOutput.Source>> group : groups(dropped).entrySet()) {
      boolean goesOn =
          mayReplace(group.getValue())
              ? count(group.getKey(), group.getValue())
              : copy(group.getKey(), group.getValue());
      if (!goesOn) {
        return false;
      }
    }
    return true;
  }

  /// The files, when all was written.
  List<LiveFigures> finish() {
    finishFile(List.of());
    done = true;
    return finished;
  }

  /// The dropped partitions by bucket and type. Buckets among which the writes of one id may be
  /// spread count as one.
  private static NavigableMap<PartitionKey, List<MergeOutput.Source>> groups(
      List<MergeOutput.Source> dropped) {
    Map<String, List<MergeOutput.Source>> types =
        dropped.stream().collect(Collectors.groupingBy(each -> each.partition().key().type()));
    NavigableMap<PartitionKey, List<MergeOutput.Source>> groups = new TreeMap<>();
    types.forEach((type, sources) -> {
      boolean own = mayReplace(sources);
      sources.sort(Comparator.comparing(AggregateDraft::bucketOf));
      int from = 0;
      long untilNanos = Long.MIN_VALUE;
      for (int at = 0; at < sources.size(); at++) {
        Bucket bucket = bucketOf(sources.get(at));
        if (at > from && (!own || bucket.fromNanos() >= untilNanos)) {
          put(groups, type, sources.subList(from, at));
          from = at;
        }
        untilNanos = Math.max(untilNanos, bucket.untilNanos());
      }
      put(groups, type, sources.subList(from, sources.size()));
    });
    return groups;
  }

  private static Bucket bucketOf(MergeOutput.Source source) {
    return Bucket.of(source.partition().key());
  }

  /// @param some in the order of their buckets
  private static void put(
      NavigableMap<PartitionKey, List<MergeOutput.Source>> groups,
      String type,
      List<MergeOutput.Source> some) {
    long untilNanos =
        some.stream().mapToLong(each -> bucketOf(each).untilNanos()).max().orElseThrow();
    Bucket first = bucketOf(some.getFirst());
    Bucket around =
        some.stream()
            .map(AggregateDraft::bucketOf)
            .filter(
                each -> each.fromNanos() == first.fromNanos() && each.untilNanos() == untilNanos)
            .findFirst() // else their widths do not divide each other; all divide a day
            .orElseGet(() -> first.within(PartitionKey.MINUTES_PER_DAY));
    groups.computeIfAbsent(around.partition(type, 0), _ -> new ArrayList<>()).addAll(some);
  }

  private static boolean mayReplace(List<MergeOutput.Source> sources) {
    return sources.stream().anyMatch(source -> source.partition().ownIds());
  }

  /// Copies cells, or counts the events of partitions that lack some.
  private boolean copy(PartitionKey key, List<MergeOutput.Source> sources) {
    Set<RollupShape> shapes =
        kept.stream()
            .filter(rollup -> rollup.matches(key.type()))
            .map(RollupDefinition::shape)
            .collect(Collectors.toSet());
    int shard = 0;
    for (MergeOutput.Source source : sources) {
      var as = new PartitionKey(key.bucketMinutes(), key.widthMinutes(), key.type(), shard++);
      Segment from = source.segment().fileFor(source.partition().key());
      int number = from.partitions().find(source.partition().key());
      if (!pace.getAsBoolean()) {
        return false;
      }
      boolean same = Bucket.of(source.partition().key()).equals(Bucket.of(key));
      if (same && has(from, number, shapes)) { // steps count from the start of the bucket
        writer(as).copy(from, number, as, shapes);
      } else if (!count(as, List.of(source))) {
        return false;
      }
    }
    return true;
  }

  private static boolean has(Segment from, int partition, Set<RollupShape> shapes) {
    Set<RollupShape> there = new HashSet<>();
    for (int piece = 0; piece < from.rollups().pieces(partition); piece++) {
      if (from.rollups().isKept(partition, piece)) {
        there.add(from.rollups().shape(partition, piece));
      }
    }
    return from.cells().isThere() && there.containsAll(shapes);
  }

  /// Counts events, of each id the last write.
  private boolean count(PartitionKey key, List<MergeOutput.Source> sources) {
    AggregateFileWriter to = writer(key);
    to.begin(key);
    try (EventCursor events = MergeOutput.Target.all(sources).open(readers)) {
      while (EventCursor.nextLocal(events)) {
        to.add(events.event());
        if (++count % MergeWriter.PACE_EVENTS == 0 && !pace.getAsBoolean()) {
          return false;
        }
      }
    }
    to.end();
    return true;
  }

  private AggregateFileWriter writer(PartitionKey key) {
    AggregateFileWriter now = writer;
    if (now != null && now.bytes() >= AggregateFileWriter.BYTES_FULL) {
      next = contents.takeSegmentId();
      finishFile(List.of(next));
      now = null;
    }
    if (now == null) {
      now = files.writer(next, kept);
      writer = now;
    }
    keepNanos = Math.max(keepNanos, RollupDefinition.keepNanos(kept, key.type()));
    return now;
  }

  /// Each file names the first one and the next; the first one names the segments, too. So each
  /// leads to all that must be there before one of them takes a place.
  ///
  /// @param following the number of the next one, if there is one
  private void finishFile(List<Long> following) {
    AggregateFileWriter now = writer;
    writer = null;
    if (now != null) {
      try (now) {
        List<Long> together = new ArrayList<>(following);
        together.addAll(now.id() == edit.first ? edit.segments : List.of(edit.first));
        finished.add(files.adopt(now, keepNanos, edit.origin.together(together)));
      }
    }
    keepNanos = 0;
  }

  /// Deletes the written files, unless the draft was finished.
  @Override
  public void close() {
    AggregateFileWriter now = writer;
    if (now != null) {
      now.close();
    }
    if (!done) {
      var why = new IllegalStateException("given up");
      finished.forEach(each -> files.abandon(each, why));
    }
  }
}
