package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.layout.FinalForm;
import io.widerow.storage.layout.IdHash;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/// A segment that a merge will write: the partitions of one bucket, and what goes into each.
///
/// - Threads: the merging one.
///
/// @param bucket of all its partitions
/// @param targets by key, ascending
record MergeOutput(Bucket bucket, NavigableMap<PartitionKey, Target> targets) {
  /// A partition of a segment, to read.
  record Source(LiveSegment segment, SegmentSummary.Partition partition) {
    private SegmentIndex index() {
      PartitionKey key = partition.key();
      SegmentIndex index = segment.fileFor(key).index(key);
      if (index == null) {
        throw new IllegalStateException(key + " is listed and not in the segment");
      }
      return index;
    }
  }

  /// The contents of a partition: the events of the sources that lie in a range and have an id of
  /// this shard.
  ///
  /// @param shard of so many shards
  record Target(List<Source> sources, EventId from, EventId until, int shard, int shards) {
    /// All that is in some partitions.
    static Target all(List<Source> sources) {
      return new Target(sources, EventId.LEAST, EventId.LIMIT, 0, 1);
    }

    /// The events in ascending order; those of other shards are to be left out.
    EventCursor open(BlockReaders readers) {
      return MergeCursor.of(cursors(readers), false);
    }

    /// Cursors over the sources, each opened when its first event is due.
    private List<EventCursor> cursors(BlockReaders readers) {
      Scan scan = Scan.all().withRange(from, until);
      List<EventCursor> cursors = new ArrayList<>();
      for (Source source : sources) {
        EventId least = source.partition.least();
        PartitionKey key = source.partition.key();
        cursors.add(
            new LazyCursor(
                least.compareTo(from) > 0 ? least : from,
                () ->
                    SegmentCursor.open(
                        source.segment.fileFor(key), key, scan, readers, Prefetch.OFF)));
      }
      return cursors;
    }

    /// True when an event belongs to this shard.
    boolean takes(EventView event) {
      return shards == 1
          || FinalForm.shardOf(IdHash.of(event.idTime(), event.idTail()), shards) == shard;
    }

    /// True when there is an event in the range. Reads one block of a source at most, and only when
    /// no block lies in the range as a whole.
    boolean hasEvents(BlockReaders readers) {
      if (sources.stream().anyMatch(this::holdsBlock)) {
        return true;
      }
      try (EventCursor events = open(readers)) {
        return EventCursor.nextLocal(events);
      }
    }

    private boolean holdsBlock(Source source) {
      SegmentIndex index = source.index();
      int block = index.firstBlock(from);
      return block < index.blocks
          && index.first(block).compareTo(from) >= 0
          && index.first(block).compareTo(until) < 0;
    }
  }

  /// True when there is an event for it.
  boolean hasEvents(BlockReaders readers) {
    return targets.values().stream().anyMatch(target -> target.hasEvents(readers));
  }

  /// All that goes into one bucket, each partition with the key that it has there.
  static MergeOutput of(Bucket bucket, NavigableMap<PartitionKey, List<Source>> partitions) {
    NavigableMap<PartitionKey, Target> targets = new TreeMap<>();
    partitions.forEach((key, sources) -> targets.put(key, Target.all(sources)));
    return new MergeOutput(bucket, targets);
  }

  /// Where a partition goes: to the segment of a bucket, or to the one of its tiny partitions,
  /// which a [DayMergePlan] will take.
  private record Place(Bucket bucket, boolean tiny) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byBucket = bucket.compareTo(other.bucket);
      return byBucket != 0 ? byBucket : Boolean.compare(tiny, other.tiny);
    }
  }

  /// The final form of a bucket: one segment or several, in the order of their buckets. A bucket
  /// that turned out to have no event is not among them.
  ///
  /// The shard of an event tells its lane, by which positions in the order of arrival know whether
  /// it was shown ([io.widerow.storage.LaneArrivals]). So only shards of one lane fold, and only
  /// events of known lanes get other shards.
  ///
  /// @param partitions of the bucket, in all shards
  /// @param rest bytes of the final form by bytes of the sources
  /// @param lanes of the store
  /// @param laneOf the lane of all events of a segment; negative when it is not known
  static List<MergeOutput> fitting(
      Bucket bucket,
      NavigableMap<PartitionKey, List<Source>> partitions,
      PartitionWeights weights,
      double rest,
      int lanes,
      ToIntFunction<LiveSegment> laneOf,
      BlockReaders readers) {
    NavigableMap<String, List<Source>> types = new TreeMap<>();
    partitions.forEach((key, sources) ->
        types.computeIfAbsent(key.type(), _ -> new ArrayList<>()).addAll(sources));
    NavigableMap<Place, NavigableMap<PartitionKey, Target>> outputs = new TreeMap<>();
    types.forEach((type, all) -> {
      boolean known = all.stream().allMatch(source -> laneOf.applyAsInt(source.segment) >= 0);
      int shardsMax = known ? LayoutOverride.SHARDS_MAX / lanes : 1;
      byFirstShard(all, laneOf)
          .forEach((first, sources) -> {
            List<FinalForm.Piece> pieces = pieces(sources, weights, rest);
            boolean tiny =
                bucket.widthMinutes() < PartitionKey.MINUTES_PER_DAY
                    && DayMergePlan.isTiny(
                        pieces.stream().mapToDouble(FinalForm.Piece::weight).sum());
            List<FinalForm.Part> parts = FinalForm.of(bucket, pieces);
            for (FinalForm.Part part : parts) {
              NavigableMap<PartitionKey, Target> targets =
                  outputs.computeIfAbsent(new Place(part.bucket(), tiny), _ -> new TreeMap<>());
              int shards = Math.min(part.shards(), shardsMax);
              for (int shard = 0; shard < shards; shard++) {
                targets.put(
                    part.bucket().partition(type, first + lanes * shard),
                    target(sources, part.bucket(), parts.size() == 1, shard, shards));
              }
            }
          });
    });
    return outputs.entrySet().stream()
        .map(each -> new MergeOutput(each.getKey().bucket, each.getValue()))
        .filter(output -> output.bucket.equals(bucket) || output.hasEvents(readers))
        .toList();
  }

  /// The sources of one type by the first shard of their lane, or by their shard when the lane is
  /// not known.
  private static NavigableMap<Integer, List<Source>> byFirstShard(
      List<Source> sources, ToIntFunction<LiveSegment> laneOf) {
    NavigableMap<Integer, List<Source>> found = new TreeMap<>();
    for (Source source : sources) {
      int lane = laneOf.applyAsInt(source.segment);
      int first = lane >= 0 ? lane : source.partition.key().shard();
      found.computeIfAbsent(first, _ -> new ArrayList<>()).add(source);
    }
    return found;
  }

  private static Target target(
      List<Source> sources, Bucket part, boolean whole, int shard, int shards) {
    return whole
        ? new Target(sources, EventId.LEAST, EventId.LIMIT, shard, shards)
        : new Target(
            sources,
            EventId.leastOf(part.fromNanos()),
            EventId.leastOf(part.untilNanos()),
            shard,
            shards);
  }

  /// The blocks of all sources.
  static List<FinalForm.Piece> pieces(List<Source> sources, PartitionWeights weights, double rest) {
    return sources.stream().flatMap(source -> pieces(source, weights, rest)).toList();
  }

  private static Stream<FinalForm.Piece> pieces(
      Source source, PartitionWeights weights, double rest) {
    SegmentIndex index = source.index();
    // A partition weighs by its bytes or by its events, and so do all of its blocks.
    double bytes = 0;
    double events = 0;
    for (int block = 0; block < index.blocks; block++) {
      bytes += index.blockBytes(block) * rest / weights.partitionBytes();
      events += index.events(block) / (double) weights.partitionEvents();
    }
    boolean byBytes = bytes > events;
    List<FinalForm.Piece> pieces = new ArrayList<>();
    for (int block = 0; block < index.blocks; block++) {
      PartitionInfo info = index.info(block);
      double weight =
          byBytes
              ? index.blockBytes(block) * rest / weights.partitionBytes()
              : index.events(block) / (double) weights.partitionEvents();
      pieces.add(new FinalForm.Piece(info.timeFirstNanos(), info.timeLastNanos(), weight));
    }
    return pieces.stream();
  }
}
