package io.widerow.storage.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Seeds;
import io.widerow.storage.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: spans read one after the other, in either direction, have every bucket of a range once,
/// and no bucket crosses an end. Method: random buckets of mixed widths over some days, in several
/// sets; the expected spans come from marking each minute. The seed is the test's name; to replay
/// one, run with `-Dseed=<n>`.
class BucketSpansTest {
  private static final int[] WIDTHS = {1, 15, 60, 60, 60, 360, 1_440};
  private static final long MINUTE = PartitionKey.NANOS_PER_MINUTE;
  private static final int FIRST = 1_000 * PartitionKey.MINUTES_PER_DAY;
  private static final int DAYS = 4;

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  private static List<NavigableSet<Bucket>> buckets(SplittableRandom random) {
    List<NavigableSet<Bucket>> sets = new ArrayList<>();
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      NavigableSet<Bucket> set = new TreeSet<>();
      for (int left = random.nextInt(40); left > 0; left--) {
        int width = WIDTHS[random.nextInt(WIDTHS.length)];
        int at = random.nextInt(DAYS * PartitionKey.MINUTES_PER_DAY);
        set.add(new Bucket(FIRST + at - at % width, width));
      }
      sets.add(set);
    }
    return sets;
  }

  /// Spans of all buckets, ascending. Two minutes in one bucket are in one span.
  private static List<StoreView.Span> marked(List<NavigableSet<Bucket>> sets) {
    int minutes = DAYS * PartitionKey.MINUTES_PER_DAY;
    boolean[] inside = new boolean[minutes];
    boolean[] joined = new boolean[minutes]; // with the previous minute
    for (NavigableSet<Bucket> set : sets) {
      for (Bucket bucket : set) {
        int start = bucket.startMinutes() - FIRST;
        for (int i = 0; i < bucket.widthMinutes(); i++) {
          inside[start + i] = true;
          joined[start + i] |= i > 0;
        }
      }
    }
    List<StoreView.Span> spans = new ArrayList<>();
    for (int at = 0; at < minutes; ) {
      int start = at++;
      while (inside[start] && at < minutes && joined[at]) {
        at++;
      }
      if (inside[start]) {
        spans.add(new StoreView.Span((FIRST + start) * MINUTE, (FIRST + at) * MINUTE));
      }
    }
    return spans;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void spansAreThoseOfMarkedMinutes(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 20; round++) {
      List<NavigableSet<Bucket>> sets = buckets(random);
      List<StoreView.Span> marked = marked(sets);
      long from = FIRST * MINUTE + random.nextLong(DAYS * 1_440 * MINUTE) - 1_000 * MINUTE;
      long until = from + random.nextLong(DAYS * 1_440 * MINUTE);
      List<StoreView.Span> wanted =
          marked.stream().filter(span -> hasBucketIn(sets, span, from, until)).toList();
      assertEquals(wanted, read(sets, from, until, false));
      assertEquals(wanted.reversed(), read(sets, from, until, true));
      assertEquals(marked, read(sets, Long.MIN_VALUE, Long.MAX_VALUE, false));
      assertEquals(marked.reversed(), read(sets, Long.MIN_VALUE, Long.MAX_VALUE, true));
    }
  }

  /// A span may extend into the range without having a bucket there.
  private static boolean hasBucketIn(
      List<NavigableSet<Bucket>> sets, StoreView.Span span, long from, long until) {
    return sets.stream()
        .flatMap(NavigableSet::stream)
        .anyMatch(bucket ->
            bucket.overlaps(span.fromNanos(), span.untilNanos()) && bucket.overlaps(from, until));
  }

  private static List<StoreView.Span> read(
      List<NavigableSet<Bucket>> sets, long rangeFrom, long rangeUntil, boolean descending) {
    List<StoreView.Span> spans = new ArrayList<>();
    long from = rangeFrom;
    long until = rangeUntil;
    StoreView.@Nullable Span span = BucketSpans.first(sets, from, until, descending);
    while (span != null) {
      spans.add(span);
      from = descending ? from : span.untilNanos();
      until = descending ? span.fromNanos() : until;
      span = BucketSpans.first(sets, from, until, descending);
    }
    return spans;
  }

  @Test
  void anEmptyRangeHasNone() {
    NavigableSet<Bucket> hour = new TreeSet<>(List.of(new Bucket(FIRST, 60)));
    assertTrue(read(List.of(hour), FIRST * MINUTE, FIRST * MINUTE, false).isEmpty());
    assertTrue(read(List.of(hour), 0, FIRST * MINUTE, true).isEmpty());
    assertTrue(read(List.of(hour), (FIRST + 60) * MINUTE, Long.MAX_VALUE, false).isEmpty());
    assertEquals(1, read(List.of(hour), (FIRST + 60) * MINUTE - 1, Long.MAX_VALUE, true).size());
  }
}
