package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.layout.FinalForm;
import io.widerow.storage.layout.LayoutControl;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import io.widerow.storage.live.RetentionSnapshot;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.SegmentArrivals;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.maintenance.MergeOutput.Source;
import io.widerow.storage.maintenance.MergeOutput.Target;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Choice of the closed final partitions that get other keys, because they weigh too much or too
/// little and would then be good ones: sizes in, keys out.
///
/// ```
///   too heavy   one bucket is divided          |####|.|  ->  |#|#|#|#|.|
///   too light   buckets of a day are joined    |.|.|.|.| ->  |.......|
/// ```
///
/// A segment holds many types of a bucket, and goes as a whole: its other partitions are copied as
/// they are. Joining is done in a narrower bucket where a day has too many bytes for one step.
///
/// - Threads: one.
final class RepartitionPlan {
  /// The most bytes of segments of several buckets that are written again in one step.
  private static final long BYTES_MAX = 256 << 20;

  /// Segments of one bucket that one step reads.
  private static final int SEGMENTS_MAX = 32;

  private static final NavigableMap<PartitionKey, Target> NOTHING =
      Collections.unmodifiableNavigableMap(new TreeMap<>());

  private final Wanted wanted;
  private final SmallBucketMerge thin;
  private final SegmentArrivals arrivals;
  private final int lanes;
  private final long overNanos;

  /// Which partitions are asked for.
  ///
  /// @param fromNanos only partitions whose bucket ends after this, nanoseconds since the Unix
  ///   epoch
  /// @param untilNanos only partitions whose bucket begins before this
  /// @param weights the target size of a partition
  /// @param lanesApart events of an earlier opening stay in one shard modulo this
  record Wanted(
      Predicate<String> types,
      long fromNanos,
      long untilNanos,
      PartitionWeights weights,
      int lanesApart) {
    private boolean has(PartitionKey key) {
      return key.untilNanos() > fromNanos && key.fromNanos() < untilNanos && types.test(key.type());
    }
  }

  /// A bucket in which one step is done.
  ///
  /// @param joins true to join partitions that are too light, false to divide partitions that are
  ///   too heavy
  /// @param kept how long all of it is kept
  record Unit(Bucket bucket, boolean joins, Policies.Group kept) {}

  /// The plan of one step.
  ///
  /// @param sources segments that are replaced
  /// @param misfits partitions that weigh too much or too little
  /// @param keysBefore partitions that get other keys
  /// @param keysAfter the other keys
  /// @param left expired events that are left out
  record Step(
      List<LiveSegment> sources,
      Map<PartitionKey, Double> misfits,
      Set<PartitionKey> keysBefore,
      Set<PartitionKey> keysAfter,
      List<MergeOutput> outputs,
      Set<PartitionKey> left) {}

  /// @param overNanos buckets that end later are not closed
  RepartitionPlan(
      Wanted wanted, SmallBucketMerge thin, SegmentArrivals arrivals, int lanes, long overNanos) {
    this.wanted = wanted;
    this.thin = thin;
    this.arrivals = arrivals;
    this.lanes = lanes;
    this.overNanos = overNanos;
  }

  /// All buckets in which there may be something to do: first the buckets that may be divided, then
  /// the buckets in which narrower ones may be joined.
  List<Unit> units(SegmentSet segments) {
    Set<Unit> divided = new LinkedHashSet<>();
    Set<Unit> joined = new LinkedHashSet<>();
    for (LiveSegment live : segments.all()) {
      Bucket bucket = SegmentSet.bucketOf(live);
      if (isFinal(live) && isClosed(bucket) && !bucket.isWide()) {
        Policies.Group kept = thin.retentionOf(live);
        divided.add(new Unit(bucket, false, kept));
        Bucket day = bucket.within(PartitionKey.MINUTES_PER_DAY);
        boolean joins = isClosed(day) && thin.areKeptLong(live, day);
        joined.add(new Unit(joins ? day : bucket, true, kept));
      }
    }
    List<Unit> all = new ArrayList<>(divided);
    all.addAll(joined);
    return all;
  }

  private boolean isClosed(Bucket bucket) {
    return bucket.untilNanos() <= overNanos;
  }

  private static boolean isFinal(LiveSegment live) {
    return live.entry().merged() && live.isWhole();
  }

  /// Narrower units, when one has too much in it for one step; none when it has not.
  List<Unit> narrower(Unit unit, Step step) {
    long bytes = step.sources.stream().mapToLong(live -> live.entry().bytes()).sum();
    int width = unit.bucket.widthMinutes();
    int next =
        LayoutControl.LADDER.stream()
            .filter(less -> less < width && width % less == 0)
            .findFirst()
            .orElse(0);
    boolean several = step.sources.stream().map(SegmentSet::bucketOf).distinct().count() > 1;
    if (!unit.joins || bytes <= BYTES_MAX || !several || next == 0) {
      return List.of();
    }
    List<Unit> units = new ArrayList<>();
    for (int at = 0; at < width; at += next) {
      var bucket = new Bucket(unit.bucket.startMinutes() + at, next);
      units.add(new Unit(bucket, true, unit.kept));
    }
    return units;
  }

  /// The segments of a unit.
  private List<LiveSegment> inside(SegmentSet segments, Unit unit) {
    var from = new Bucket(unit.bucket.startMinutes(), 0);
    var until = new Bucket(unit.bucket.startMinutes() + unit.bucket.widthMinutes(), 0);
    List<LiveSegment> inside = new ArrayList<>();
    for (Bucket bucket : segments.buckets().getFirst().subSet(from, until)) {
      boolean same = bucket.equals(unit.bucket);
      // One of 45 minutes may begin in an hour and end after it.
      boolean isIn = bucket.untilNanos() <= unit.bucket.untilNanos();
      if (same || (unit.joins && isIn && bucket.widthMinutes() < unit.bucket.widthMinutes())) {
        segments.of(bucket).stream()
            .filter(live -> isFinal(live) && thin.retentionOf(live).equals(unit.kept))
            .filter(live -> same || thin.areKeptLong(live, unit.bucket))
            .limit(SEGMENTS_MAX)
            .forEach(inside::add);
      }
    }
    return inside;
  }

  /// The step to do in a unit; null when there is none. Hidden events keep their keys: a wider
  /// bucket would show them again.
  @Nullable Step of(SegmentSet segments, Retentions retentions, Unit unit) {
    RetentionSnapshot shown = retentions.shown();
    List<LiveSegment> inside = inside(segments, unit);
    Map<Shards, List<Source>> groups = new LinkedHashMap<>();
    for (LiveSegment live : inside) {
      int apart = arrivals.isOfThisOpening(live) ? lanes : wanted.lanesApart;
      for (SegmentSummary.Partition partition : live.partitions()) {
        PartitionKey key = partition.key();
        if (wanted.has(key) && !shown.isPast(key.type(), key.untilNanos())) {
          groups
              .computeIfAbsent(
                  new Shards(key.type(), key.shard() % apart, apart), _ -> new ArrayList<>())
              .add(new Source(live, partition));
        }
      }
    }
    var changes = new Changes(unit);
    groups.forEach(changes::add);
    return changes.sources.isEmpty() ? null : changes.step(inside, retentions.onDisk());
  }

  /// Shards of a type that may become others of these: their events came by one lane.
  private record Shards(String type, int first, int apart) {
    PartitionKey key(Bucket bucket, int shard) {
      return bucket.partition(type, first + apart * shard);
    }
  }

  /// Where partitions go: to the segment of a bucket, or to the one of its tiny partitions.
  ///
  /// @param layer not 0 when another segment of the bucket has a partition of the same key
  private record Place(Bucket bucket, boolean tiny, int layer) {}

  /// A part of the final form, with what lies in it and the partitions that this becomes.
  private record Part(Bucket bucket, List<Source> inside, Map<PartitionKey, Target> made) {}

  /// The changes in a unit.
  private final class Changes {
    private final Unit unit;
    private final Set<Source> sources = new LinkedHashSet<>();
    private final Map<PartitionKey, Double> misfits = new TreeMap<>();
    private final Set<PartitionKey> keysBefore = new HashSet<>();
    private final Set<PartitionKey> keysAfter = new HashSet<>();
    private final Map<Place, NavigableMap<PartitionKey, Target>> outputs = new LinkedHashMap<>();

    Changes(Unit unit) {
      this.unit = unit;
    }

    /// Looks at what there is in shards of a type.
    void add(Shards of, List<Source> all) {
      Map<Source, List<FinalForm.Piece>> pieces = new HashMap<>();
      all.forEach(
          source -> pieces.put(source, MergeOutput.pieces(List.of(source), wanted.weights, 1)));
      List<FinalForm.Part> parts =
          FinalForm.of(unit.bucket, pieces.values().stream().flatMap(List::stream).toList());
      Map<PartitionKey, Double> before = new HashMap<>();
      Map<PartitionKey, Double> after = new HashMap<>();
      Map<PartitionKey, Target> targets = new LinkedHashMap<>();
      Set<Source> changed = new LinkedHashSet<>();
      for (Part part : changing(of, parts, all)) {
        double weight = 0;
        for (Source source : part.inside) {
          double own = weight(pieces.get(source), part.bucket);
          before.merge(source.partition().key(), own, Double::sum);
          weight += own;
        }
        double each = weight / part.made.size();
        part.made.keySet().forEach(key -> after.put(key, each));
        targets.putAll(part.made);
        changed.addAll(part.inside);
      }
      if (isBetter(before.values(), after.values())) {
        sources.addAll(changed);
        keysBefore.addAll(before.keySet());
        keysAfter.addAll(after.keySet());
        before.forEach((key, weight) -> {
          if (!FinalForm.isGood(weight)) {
            misfits.put(key, weight);
          }
        });
        targets.forEach((key, target) -> put(key, target, after.getOrDefault(key, 0.0)));
      }
    }

    /// The parts of the final form that give partitions other keys. A partition that lies in
    /// another part too stays as it is, and with it all that shares a part with it: a bucket of 45
    /// minutes may be joined in one hour only when it is in the next one.
    private List<Part> changing(Shards of, List<FinalForm.Part> parts, List<Source> all) {
      List<Part> changing = new ArrayList<>();
      Set<Source> stay = new HashSet<>();
      for (FinalForm.Part part : parts) {
        List<Source> inside = all.stream().filter(each -> overlaps(each, part.bucket())).toList();
        int shards = Math.min(part.shards(), LayoutOverride.SHARDS_MAX / of.apart);
        Map<PartitionKey, Target> made = targets(of, part.bucket(), shards, inside);
        if (!inside.isEmpty() && isChange(part.bucket(), inside, made.keySet())) {
          changing.add(new Part(part.bucket(), inside, made));
        } else {
          stay.addAll(inside);
        }
      }
      for (int size = -1; size != stay.size(); ) {
        size = stay.size();
        changing.stream()
            .filter(part -> part.inside.stream().anyMatch(stay::contains))
            .forEach(part -> stay.addAll(part.inside));
      }
      changing.removeIf(part -> part.inside.stream().anyMatch(stay::contains));
      return changing;
    }

    /// True when partitions would get other keys in the way of this unit.
    private boolean isChange(Bucket part, List<Source> inside, Set<PartitionKey> keys) {
      boolean joins =
          inside.stream()
              .allMatch(each -> each.partition().key().widthMinutes() <= part.widthMinutes());
      Set<PartitionKey> now = new HashSet<>();
      inside.forEach(each -> now.add(each.partition().key()));
      return joins == unit.joins && !now.equals(keys);
    }

    /// Puts a partition into a segment of its bucket that has none of its key yet.
    private void put(PartitionKey key, Target target, double weight) {
      Bucket bucket = Bucket.of(key);
      boolean tiny =
          key.widthMinutes() < PartitionKey.MINUTES_PER_DAY && DayMergePlan.isTiny(weight);
      int layer = 0;
      while (outputs.getOrDefault(new Place(bucket, tiny, layer), NOTHING).containsKey(key)) {
        layer++;
      }
      outputs
          .computeIfAbsent(new Place(bucket, tiny, layer), _ -> new TreeMap<>())
          .put(key, target);
    }

    /// The step that writes the changed partitions, with all other partitions of their segments.
    Step step(List<LiveSegment> inside, Retentions.OnDisk onDisk) {
      Set<LiveSegment> touched = new LinkedHashSet<>();
      sources.forEach(source -> touched.add(source.segment()));
      Set<PartitionKey> left = new HashSet<>();
      for (LiveSegment live : inside) {
        if (touched.contains(live)) {
          copy(live, onDisk, left);
        }
      }
      List<MergeOutput> all =
          outputs.entrySet().stream()
              .map(each -> new MergeOutput(each.getKey().bucket, each.getValue()))
              .toList();
      return new Step(
          inside.stream().filter(touched::contains).toList(),
          misfits,
          keysBefore,
          keysAfter,
          all,
          left);
    }

    private void copy(LiveSegment live, Retentions.OnDisk onDisk, Set<PartitionKey> left) {
      long[] bytes = live.partitionBytes();
      int at = 0;
      for (SegmentSummary.Partition partition : live.partitions()) {
        PartitionKey key = partition.key();
        double weight = wanted.weights.of(partition.events(), bytes[at++]);
        var source = new Source(live, partition);
        if (onDisk.mayGoWhole(key.type(), key.untilNanos())) {
          left.add(key);
        } else if (!sources.contains(source)) {
          put(key, Target.all(List.of(source)), weight);
        }
      }
    }
  }

  private static boolean overlaps(Source source, Bucket part) {
    return Bucket.of(source.partition().key()).overlaps(part.fromNanos(), part.untilNanos());
  }

  private static double weight(@Nullable List<FinalForm.Piece> pieces, Bucket part) {
    return pieces == null ? 0 : pieces.stream().mapToDouble(each -> each.weightIn(part)).sum();
  }

  private static Map<PartitionKey, Target> targets(
      Shards of, Bucket part, int shards, List<Source> sources) {
    Map<PartitionKey, Target> targets = new LinkedHashMap<>();
    EventId from = EventId.leastOf(part.fromNanos());
    EventId until = EventId.leastOf(part.untilNanos());
    for (int shard = 0; shard < shards; shard++) {
      targets.put(of.key(part, shard), new Target(sources, from, until, shard, shards));
    }
    return targets;
  }

  /// True when fewer partitions are too heavy, or as many of them and fewer are too light.
  private static boolean isBetter(Collection<Double> before, Collection<Double> after) {
    long heavy = after.stream().filter(FinalForm::isHeavy).count();
    long heavyBefore = before.stream().filter(FinalForm::isHeavy).count();
    return heavy < heavyBefore || (heavy == heavyBefore && wrong(after) < wrong(before));
  }

  /// Partitions that are not good. Those without anything in them are not written.
  private static long wrong(Collection<Double> weights) {
    return weights.stream().filter(weight -> weight > 0 && !FinalForm.isGood(weight)).count();
  }
}
