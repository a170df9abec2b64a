package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventChange;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.ReparseControl.Asked;
import io.widerow.storage.embedded.ReparseControl.Report;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: stored events are changed as asked and no other is, each once; the plan counts them; cells
/// and rollups count what they have become; and after a power cut at any moment each event is as it
/// was or as it should be, and another run does the rest and nothing twice. Method: random events,
/// merges and layouts on the simulated disk; copies of the disk as a cut leaves it are opened
/// before its operations, compared, and the work is run again there. The seed is the test's name.
class ReparseModelTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final double BECOMES = 1_000;
  private static long changed;
  private static long states;

  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private SimDisk disk = new SimDisk(0);
  private TestClock clock = new TestClock(START_NANOS);

  static List<Long> seeds() {
    return Seeds.of(Slice.of("models", 6, 60));
  }

  @AfterAll
  static void eventsWereChanged() {
    System.out.printf("%d changed, %d crash states%n", changed, states);
    Slice.met("changed events", changed, 1_000);
    Slice.met("crash states of a change", states, 100);
  }

  /// Sets the value of every event.
  private static final class Change implements EventChange {
    private final AttributeValue scratch = new AttributeValue();

    @Override
    public EventView of(EventView event) {
      boolean is = event.find(VALUE, scratch) && scratch.asDouble() == BECOMES;
      return is ? event : new Valued(event);
    }
  }

  /// An event with another value.
  private record Valued(EventView event) implements EventView {
    @Override
    public long idTime() {
      return event.idTime();
    }

    @Override
    public long idTail() {
      return event.idTail();
    }

    @Override
    public long version() {
      return event.version();
    }

    @Override
    public String type() {
      return event.type();
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      if (name.equals(VALUE)) {
        out.setBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(BECOMES));
        return true;
      }
      return event.find(name, out);
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      event.forEach(
          scratch,
          (name, value) -> {
            if (name.equals(VALUE)) {
              value.setBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(BECOMES));
            }
            visitor.visit(name, value);
          });
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void eventsBecomeWhatIsAsked(long seed) {
    random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(START_NANOS);
    disk = new SimDisk(random.nextLong());
    try (StoreDriver driver = new StoreDriver(random)) {
      EmbeddedStore store = EmbeddedStoreModelTest.open(disk, clock, random);
      for (int step = 0; step < 30; step++) {
        switch (random.nextInt(8)) {
          case 0, 1, 2, 3 -> driver.append(store, clock.wallNanos(), 40);
          case 4 -> clock.advance(random.nextLong(3_600_000_000_000L));
          case 5 -> EmbeddedStoreModelTest.changeLayout(store, random);
          case 6 -> EmbeddedStoreModelTest.changeRollups(store, random);
          default -> {
            driver.commit(store, Durability.DISK);
            store.maintain();
          }
        }
      }
      driver.append(store, clock.wallNanos(), 40);
      driver.commit(store, Durability.DISK);
      if (random.nextBoolean()) {
        clock.advance(Duration.ofDays(1).toNanos());
        store.maintain();
      }
      change(store, driver.acknowledged);
      store.close();
    }
  }

  private void change(EmbeddedStore store, StoreModel model) {
    String type = StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size()));
    Predicate<String> types = random.nextBoolean() ? type::equals : _ -> true;
    List<Long> times = model.all().stream().map(StoreModel.Written::timeNanos).sorted().toList();
    boolean all = random.nextInt(3) == 0;
    long from = all ? 0 : times.get(random.nextInt(times.size())) / 100 * 100;
    long until = all ? Long.MAX_VALUE : from + random.nextLong(7_200_000_000_000L) / 100 * 100;
    Predicate<StoreModel.Written> isAsked =
        event -> types.test(event.type()) && event.timeNanos() >= from && event.timeNanos() < until;
    long expected = model.all().stream().filter(isAsked).count();
    Asked asked = new Asked(types, from, until, new Change());
    Report plan = plan(store, asked);
    assertEquals(expected, plan.events(), "planned");
    store.sealAll();
    disk.beforeEach(() -> cut(asked, isAsked, model));
    Report report = run(store, asked);
    disk.beforeEach(() -> {});
    assertTrue(report.events() >= expected, () -> report + ", expected " + expected);
    if (expected > 0) {
      assertNotEquals(report.before(), report.after());
    }
    check(store, isAsked, model, true);
    assertEquals(0, run(store, asked).events(), "nothing is left");
    Report left = plan(store, asked);
    assertEquals(0, left.events(), "nothing is left to plan");
    assertEquals(plan.after(), left.before(), "as planned");
    assertEquals(plan.after(), left.after(), "as planned");
    changed += expected;
  }

  private static Report plan(EmbeddedStore store, Asked asked) {
    try (StoreView view = store.view()) {
      return store.reparse().plan(asked, view);
    }
  }

  private static Report run(EmbeddedStore store, Asked asked) {
    try {
      return store.reparse().run(asked);
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private void cut(Asked asked, Predicate<StoreModel.Written> isAsked, StoreModel model) {
    if (cuts.nextInt(8) != 0) {
      return;
    }
    try (EmbeddedStore left =
        EmbeddedStoreModelTest.open(disk.crash(cuts.nextBoolean()), clock, cuts)) {
      check(left, isAsked, model, false);
      left.sealAll();
      var again = new Asked(asked.types(), asked.fromNanos(), asked.untilNanos(), new Change());
      var _ = run(left, again);
      check(left, isAsked, model, true);
      states++;
    }
  }

  /// @param done false when some events may not have been changed yet
  private static void check(
      EmbeddedStore store, Predicate<StoreModel.Written> isAsked, StoreModel model, boolean done) {
    try (StoreView view = store.view()) {
      StoreReading.check(view, model, _ -> true, 0, Long.MAX_VALUE / 2);
      Map<Long, Double> values = values(view);
      for (StoreModel.Written event : model.all()) {
        double value = values.getOrDefault(event.number(), Double.NaN);
        boolean isChanged = value == BECOMES;
        assertTrue(
            isAsked.test(event)
                ? isChanged || (!done && value == event.value())
                : value == event.value(),
            () -> event + " has " + value);
      }
    }
  }

  private static Map<Long, Double> values(StoreView view) {
    var scratch = new AttributeValue();
    Map<Long, Double> values = new TreeMap<>();
    List<PartitionKey> keys =
        view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream().map(PartitionInfo::key).toList();
    try (EventCursor cursor = view.open(keys, Scan.all())) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        EventView event = cursor.event();
        long number = event.find(StoreModel.NUMBER, scratch) ? scratch.bits() : -1;
        values.put(number, event.find(VALUE, scratch) ? scratch.asDouble() : Double.NaN);
      }
    }
    return values;
  }
}
