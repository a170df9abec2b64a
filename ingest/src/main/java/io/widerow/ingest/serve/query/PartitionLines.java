package io.widerow.ingest.serve.query;

import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.lane.LaneRing;
import io.widerow.query.result.TypesResult;
import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.embedded.PartitionCatalog;
import io.widerow.storage.embedded.PartitionCatalog.LaneFigures;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/// Writes the response of `GET /v1/partitions` as JSON lines. All members are flat, except the list
/// of a partition's segments, the last member of its line.
///
/// - Threads: one.
final class PartitionLines {
  private static final long MICRO_NANOS = 1_000;
  private static final long DAY_NANOS =
      PartitionKey.MINUTES_PER_DAY * PartitionKey.NANOS_PER_MINUTE;

  private final StringBuilder lines = new StringBuilder();

  @Override
  public String toString() {
    return lines.toString();
  }

  /// A partition as the plain list has it.
  void partition(PartitionCatalog.Entry entry, PartitionWeights weights) {
    text("{\"partition\":", entry.key().toString());
    figures(entry.events(), entry.bytes(), weights.of(entry.events(), entry.restBytes()));
    state(entry.state());
    end();
  }

  /// A partition of a store on a cluster, without bytes and form.
  void partitionElsewhere(PartitionInfo info, boolean layout) {
    text("{\"partition\":", info.key().toString());
    if (layout) {
      place(info.key().fromNanos(), info.key().untilNanos(), info.key().type());
      lines.append(",\"shard\":").append(info.key().shard());
    }
    lines.append(",\"events\":").append(info.isCounted() ? info.events() : null);
    lines.append(",\"bytes\":null,\"weight\":null,\"state\":\"cluster\"");
    end();
  }

  /// A partition with all that is known of it.
  void layout(PartitionCatalog.Entry entry, PartitionWeights weights, int lanes) {
    PartitionKey key = entry.key();
    text("{\"partition\":", key.toString());
    place(key.fromNanos(), key.untilNanos(), key.type());
    lines.append(",\"shard\":").append(key.shard());
    if (lanes > 0) {
      lines.append(",\"lane\":").append(key.shard() % lanes);
    }
    figures(entry.events(), entry.bytes(), weights.of(entry.events(), entry.restBytes()));
    times("first", entry.firstNanos(), "last", entry.lastNanos());
    state(entry.state());
    lines.append(",\"late\":").append(entry.late());
    lines.append(",\"segments\":").append(entry.segments().toString().replace(" ", ""));
    end();
  }

  /// The dimension by which partitions are summed up.
  ///
  /// @param day buckets that lie in a day, as one
  /// @param type all shards of a type, as one
  record Folding(boolean day, boolean type) {
    boolean isNone() {
      return !day && !type;
    }
  }

  private record Place(long fromNanos, long untilNanos, String type, int shard) {
    static Place of(PartitionKey key, Folding by) {
      long from = key.fromNanos();
      long until = key.untilNanos();
      if (by.day) {
        from = Math.floorDiv(from, DAY_NANOS) * DAY_NANOS;
        until = Math.max(until, from + DAY_NANOS);
      }
      return new Place(from, until, key.type(), by.type ? -1 : key.shard());
    }
  }

  /// The sum of several partitions.
  private static final class Sum {
    private int partitions;
    private long events;
    private long bytes;
    private double weight;
    private long late;
    private long firstNanos = Long.MAX_VALUE;
    private long lastNanos = Long.MIN_VALUE;
    private PartitionCatalog.State state = PartitionCatalog.State.FINAL;

    void add(PartitionCatalog.Entry entry, PartitionWeights weights) {
      partitions++;
      events += entry.events();
      bytes += entry.bytes();
      weight = Math.max(weight, weights.of(entry.events(), entry.restBytes()));
      late += entry.late();
      firstNanos = Math.min(firstNanos, entry.firstNanos());
      lastNanos = Math.max(lastNanos, entry.lastNanos());
      state = state.compareTo(entry.state()) < 0 ? state : entry.state(); // open before the others
    }
  }

  /// Partitions summed up. The weight is that of the heaviest, the state that of the least merged.
  ///
  /// @return how many lines it made
  int folded(Collection<PartitionCatalog.Entry> all, PartitionWeights weights, Folding by) {
    Map<Place, Sum> sums = new LinkedHashMap<>();
    for (PartitionCatalog.Entry entry : all) {
      sums.computeIfAbsent(Place.of(entry.key(), by), _ -> new Sum()).add(entry, weights);
    }
    sums.forEach((place, sum) -> {
      lines.append("{\"partitions\":").append(sum.partitions);
      place(place.fromNanos, place.untilNanos, place.type);
      if (!by.type) {
        lines.append(",\"shard\":").append(place.shard);
      }
      figures(sum.events, sum.bytes, sum.weight);
      times("first", sum.firstNanos, "last", sum.lastNanos);
      state(sum.state);
      lines.append(",\"late\":").append(sum.late);
      end();
    });
    return sums.size();
  }

  /// A lane: its ring, and what the store has of it. Both know their number.
  void lane(int number, LaneRing ring, List<LaneFigures> figures) {
    lines.append("{\"lane\":").append(number);
    lines.append(",\"slots\":").append(ring.slots());
    lines.append(",\"slotsUsed\":").append(ring.slotsUsed());
    if (number < figures.size()) {
      LaneFigures of = figures.get(number);
      lines.append(",\"openEvents\":").append(of.openEvents());
      lines.append(",\"openBytes\":").append(of.openBytes());
      lines.append(",\"journalBytes\":").append(of.journalBytes());
      lines.append(",\"forcedAgoMicros\":").append(of.forcedAgoNanos() / MICRO_NANOS);
    }
    end();
  }

  void segment(PartitionCatalog.Segment segment) {
    lines.append("{\"segment\":").append(segment.id());
    text(",\"file\":", segment.file());
    times("from", segment.firstNanos(), "to", segment.lastNanos());
    lines.append(",\"events\":").append(segment.events());
    lines.append(",\"bytes\":").append(segment.bytes());
    lines.append(",\"partitions\":").append(segment.partitions());
    lines.append(",\"final\":").append(segment.merged());
    lines.append(",\"damaged\":").append(segment.damaged());
    lines.append(",\"cold\":").append(segment.cold());
    end();
  }

  /// Writes damage, a line for each requested partition; one line without a partition when the lost
  /// partitions are not known. The file has no directory, because a client needs no rights on the
  /// machine.
  void damage(Damage damage, Predicate<PartitionKey> wanted) {
    if (damage.partitions().isEmpty()) {
      damage(damage);
      lines.append(",\"partition\":null");
      end();
    }
    for (PartitionInfo part : damage.partitions()) {
      if (wanted.test(part.key())) {
        damage(damage);
        text(",\"partition\":", part.key().toString());
        end();
      }
    }
  }

  private void damage(Damage damage) {
    Path file = Objects.requireNonNullElse(damage.file().getFileName(), damage.file());
    text("{\"damage\":", file.toString());
    lines.append(",\"what\":\"").append(lower(damage.kind())).append('"');
    lines.append(",\"offset\":").append(damage.offset());
    text(",\"found\":", damage.found());
  }

  private void place(long fromNanos, long untilNanos, String type) {
    times("from", fromNanos, "to", untilNanos);
    text(",\"type\":", type);
  }

  private void figures(long events, long bytes, double weight) {
    lines.append(",\"events\":").append(events);
    lines.append(",\"bytes\":").append(bytes);
    lines.append(",\"weight\":").append(String.format(Locale.ROOT, "%.4f", weight));
  }

  private void times(String one, long oneNanos, String other, long otherNanos) {
    lines.append(",\"").append(one).append("\":\"");
    lines.append(TypesResult.time(oneNanos, ZoneOffset.UTC));
    lines.append("\",\"").append(other).append("\":\"");
    lines.append(TypesResult.time(otherNanos, ZoneOffset.UTC)).append('"');
  }

  private void state(PartitionCatalog.State state) {
    lines.append(",\"state\":\"").append(lower(state)).append('"');
  }

  private static String lower(Enum<?> of) {
    return of.name().toLowerCase(Locale.ROOT);
  }

  private void text(String before, String value) {
    HttpResponses.appendString(lines.append(before), value);
  }

  private void end() {
    lines.append("}\n");
  }
}
