package io.widerow.storage.cassandra.read;

import static io.widerow.storage.cassandra.read.ClusterWorld.HOUR;
import static io.widerow.storage.cassandra.read.ClusterWorld.START_NANOS;
import static io.widerow.storage.cassandra.read.ClusterWorld.STATUS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.sketch.GroupedEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a store on a cluster returns the same result as the embedded one for every query, whatever
/// was merged in between, and a view never changes. Method: one seeded stream of rounds of three
/// daemons with late events and upserts, buckets of five minutes to eight days, goes to both;
/// questions of every kind are asked between the rounds.
class ClusterDifferentialTest {
  private static final int ROUNDS = 40;

  static List<Long> seeds() {
    return Seeds.of(Slice.of(2, 6));
  }

  /// A position in both stores.
  private record Both(Arrivals cluster, Arrivals embedded) {}

  /// A view of the cluster, and what it answered when it was new.
  private record Held(StoreView view, List<TestEvent> answer) {}

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyAnswerIsTheSame(long seed) {
    check(seed);
  }

  static void check(long seed) {
    List<Both> positions = new ArrayList<>();
    List<Held> held = new ArrayList<>();
    try (ClusterWorld world = new ClusterWorld(seed)) {
      for (int round = 0; round < ROUNDS; round++) {
        world.round();
        boolean merges = world.random.nextInt(3) == 0;
        if (merges && !world.partitions().isEmpty()) { // the first rounds may have been empty
          world.merge(world.anyPartition());
        }
        if (round == ROUNDS / 2) {
          List.copyOf(world.partitions()).forEach(world::merge);
        }
        try (StoreView embedded = world.reference.view()) {
          StoreView cluster = world.reader.view();
          if (world.random.nextInt(4) == 0) {
            held.add(new Held(cluster, assigned(cluster)));
          }
          for (int i = 0; i < 4; i++) {
            ask(cluster, embedded, world.random, positions);
          }
          positions.add(new Both(cluster.arrivals(), embedded.arrivals()));
        }
        for (Held one : held) {
          assertEquals(one.answer, assigned(one.view), "a view has changed");
        }
      }
    }
  }

  /// All events with assigned ids. Of those with clients' ids a view may miss an older version that
  /// a merge has dropped.
  private static List<TestEvent> assigned(StoreView view) {
    return Answers.read(view, type -> !type.startsWith("own"), 0, Long.MAX_VALUE, Scan.all());
  }

  private static void ask(
      StoreView cluster, StoreView embedded, SplittableRandom random, List<Both> positions) {
    long from = START_NANOS + random.nextLong(3 * HOUR) - HOUR;
    long until = from + random.nextLong(random.nextBoolean() ? HOUR : 60 * HOUR);
    if (random.nextInt(4) == 0) {
      from = 0;
      until = Long.MAX_VALUE;
    }
    Predicate<String> types = types(random);
    Scan scan = until == Long.MAX_VALUE ? Scan.all() : Scan.ofTime(from, until);
    scan = scan.withDescending(random.nextBoolean()).withFilter(filter(random));
    if (random.nextInt(4) == 0) {
      scan = scan.withColumns(Set.of(STATUS));
    }
    Both since =
        positions.isEmpty() || random.nextBoolean()
            ? null
            : positions.get(random.nextInt(positions.size()));
    Scan there = scan.withSince(since == null ? null : since.embedded);
    Scan here = scan.withSince(since == null ? null : since.cluster);
    List<TestEvent> expected = Answers.read(embedded, types, from, until, there);
    assertEquals(expected, Answers.read(cluster, types, from, until, here), here::toString);
    if (random.nextInt(4) == 0 && expected.size() < 400) {
      assertEquals(
          expected,
          Answers.readPages(cluster, types, from, until, here, 50),
          () -> "in pages: " + here);
    }
    assertEquals(
        counts(expected), folded(cluster, types, from, until, here), () -> "counted: " + here);
  }

  private static Predicate<String> types(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> type -> type.startsWith("own");
      case 1 -> type -> !type.startsWith("own");
      case 2 -> Set.of("a", "d", "w")::contains;
      default -> _ -> true;
    };
  }

  private static Filter filter(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 ->
          new Filter.Compare(
              STATUS, Filter.Comparison.EQUAL, new Filter.Literal.Whole(200 + random.nextInt(3)));
      case 1 -> new Filter.Not(new Filter.Exists(AttributeName.of("nothing")));
      default -> new Filter.Everything();
    };
  }

  private static Map<String, Long> counts(List<TestEvent> events) {
    Map<String, Long> counts = new TreeMap<>();
    events.forEach(event -> {
      counts.merge(status(event), 1L, Long::sum);
      counts.merge("sum of " + status(event), sum(event), Long::sum);
    });
    return counts;
  }

  /// The sum of the statuses of all events that one stands for.
  private static long sum(EventView event) {
    if (event instanceof GroupedEvents group) {
      return Objects.requireNonNull(group.figures(STATUS)).sum().whole().longValueExact();
    }
    AttributeValue value = new AttributeValue();
    assertTrue(event.find(STATUS, value));
    return value.bits();
  }

  private static String status(EventView event) {
    AttributeValue value = new AttributeValue();
    assertTrue(event.find(STATUS, value));
    return event.type() + " " + value.bits();
  }

  private static Map<String, Long> folded(
      StoreView view, Predicate<String> types, long from, long until, Scan scan) {
    Map<String, Long> counts = new TreeMap<>();
    Grouping byStatus =
        new Grouping(List.of(STATUS), 0)
            .withFields(List.of(new RollupField(STATUS, RollupFigure.SUM.bit)));
    Scan folding = scan.withColumns(Set.of(STATUS)).withFold(byStatus);
    Answers.spans(
        view,
        types,
        from,
        until,
        scan,
        keys -> {
          try (EventCursor cursor = view.openUnordered(keys, folding)) {
            Answers.drain(
                cursor,
                Integer.MAX_VALUE,
                event -> {
                  counts.merge(status(event), event.weight(), Long::sum);
                  counts.merge("sum of " + status(event), sum(event), Long::sum);
                });
          }
        });
    return counts;
  }
}
