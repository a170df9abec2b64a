package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.RetentionPolicy;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.event.TypeGlob;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.RetentionSettings.Standing;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: after a power cut at any moment of changes of policies, drops and rewrites, the policies
/// are the last acknowledged ones, or the ones of the change in progress; they show the same events
/// as a plain list of events; and events that a change hid within its grace come back when all
/// policies are removed. Method: random changes on the simulated disk; before its operations,
/// copies of the disk as a cut leaves it are opened, maintained and compared. The seed is the
/// test's name.
class RetentionCrashTest {
  private static final long DAY_NANOS = Duration.ofDays(1).toNanos();
  private static final List<String> TYPES = List.of("a", "ab", "b");
  private static final List<String> GLOBS = List.of("a", "b", "a*", "*b", "?", "*");
  private static final int STEPS = 20;
  private static long states;

  /// An event as the test wrote it.
  private record Event(String type, long nanos, int number) {}

  /// An older list of policies.
  private record Held(Map<String, RetentionPolicy> rules, long untilNanos) {}

  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private TestClock clock = new TestClock(START_NANOS);
  private final List<Event> events = new ArrayList<>();
  private final Set<Event> mayBeGone = new HashSet<>();
  private Map<String, RetentionPolicy> acknowledged = new LinkedHashMap<>();
  private Map<String, RetentionPolicy> flying = acknowledged;
  private final List<Held> held = new ArrayList<>();
  private int written;

  static List<Long> seeds() {
    return Seeds.of(Slice.of("retentioncrashes", 2, 10));
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    System.out.println(states + " crash states of retention");
    Slice.met("crash states", states, 200);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void policiesAndWhatTheyHideOutliveACut(long seed) {
    random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      for (int day = 12; day > 0; day--) {
        for (String type : TYPES) {
          write(it, type, START_NANOS - day * DAY_NANOS);
        }
      }
      it.merge();
      disk.beforeEach(() -> cut(disk));
      for (int step = 0; step < STEPS; step++) {
        step(it);
        check(it, acknowledged);
      }
      disk.beforeEach(() -> {});
    }
  }

  private void write(RetentionStore it, String type, long nanos) {
    int count = 6;
    if (it.write(type, nanos, count).isEmpty()) {
      for (int i = 0; i < count; i++) {
        events.add(new Event(type, nanos + i, written + i));
      }
    }
    written += count;
  }

  private void step(RetentionStore it) {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        Duration grace = random.nextInt(3) == 0 ? Duration.ZERO : Duration.ofMinutes(15);
        String glob = GLOBS.get(random.nextInt(GLOBS.size()));
        RetentionPolicy rule = rule(glob, Duration.ofDays(1 + random.nextInt(14)), grace);
        Map<String, RetentionPolicy> next = new LinkedHashMap<>(acknowledged);
        next.remove(glob);
        next.put(glob, rule);
        change(next, grace, () -> it.retention().set(rule));
      }
      case 3 -> {
        List<RetentionPolicy> there = List.copyOf(acknowledged.values());
        if (!there.isEmpty()) {
          RetentionPolicy rule = there.get(random.nextInt(there.size()));
          Map<String, RetentionPolicy> next = new LinkedHashMap<>(acknowledged);
          next.remove(rule.glob());
          change(next, rule.grace(), () -> it.retention().unset(rule.glob()));
        }
      }
      case 4 -> pass(it, 1 + random.nextInt(14));
      case 5 -> it.reopen();
      default -> maintain(it);
    }
  }

  /// Minutes pass while the store is maintained, as in operation each second. So its saved time is
  /// never so old that the next opening doubts the clock and shows expired events.
  private void pass(RetentionStore it, int minutes) {
    for (int minute = 0; minute < minutes; minute++) {
      clock.advance(Duration.ofMinutes(1).toNanos());
      maintain(it);
    }
  }

  private void maintain(RetentionStore it) {
    noteDrops();
    it.store().maintain();
  }

  private void change(Map<String, RetentionPolicy> next, Duration grace, Runnable change) {
    if (!grace.isZero()
        && events.stream().anyMatch(e -> !isPast(acknowledged, e) && isPast(next, e))) {
      held.add(new Held(acknowledged, clock.wallNanos() + grace.toNanos()));
    }
    flying = next;
    change.run();
    acknowledged = next;
  }

  /// Records the events that maintenance may drop now.
  private void noteDrops() {
    mayBeGone.addAll(droppable(acknowledged));
  }

  private Set<Event> droppable(Map<String, RetentionPolicy> rules) {
    Set<Event> droppable = new HashSet<>();
    for (Event event : events) {
      boolean kept =
          held.stream()
              .filter(each -> each.untilNanos > clock.wallNanos())
              .anyMatch(each -> !isPast(each.rules, event));
      if (!kept && isPast(rules, event)) {
        droppable.add(event);
      }
    }
    return droppable;
  }

  private boolean isPast(Map<String, RetentionPolicy> rules, Event event) {
    Duration age = RetentionStore.KEPT;
    int best = -1;
    for (RetentionPolicy rule : rules.values()) {
      int rank = rank(rule);
      if (rule.matches(event.type) && rank >= best && rule.age() != null) {
        best = rank;
        age = rule.age();
      }
    }
    long hour = Duration.ofHours(1).toNanos();
    long until = (event.nanos / hour + 1) * hour;
    return until + age.toNanos() <= clock.wallNanos();
  }

  private static int rank(RetentionPolicy rule) {
    return TypeGlob.isExact(rule.glob()) ? 1_000 : TypeGlob.literals(rule.glob());
  }

  /// The first that matches a type decides; of equal ones the one that was set last.
  private static List<RetentionPolicy> inOrder(Map<String, RetentionPolicy> rules) {
    return List.copyOf(rules.values()).reversed().stream()
        .sorted(Comparator.comparingInt(RetentionCrashTest::rank).reversed())
        .toList();
  }

  private static List<RetentionPolicy> set(RetentionStore it) {
    return it.retention().policies().stream()
        .map(Standing::policy)
        .filter(rule -> rule.source() == Source.API)
        .toList();
  }

  private void cut(SimDisk disk) {
    if (cuts.nextInt(2) != 0) {
      return;
    }
    SimDisk left = disk.crash(cuts.nextBoolean());
    try (var it = new RetentionStore(left, clock, Runnable::run)) {
      List<RetentionPolicy> there = set(it);
      boolean next = there.equals(inOrder(flying));
      assertTrue(
          next || there.equals(inOrder(acknowledged)),
          "policies %s, acknowledged %s".formatted(there, acknowledged.values()));
      Map<String, RetentionPolicy> rules = next ? flying : acknowledged;
      check(it, rules);
      Set<Event> gone = new HashSet<>(mayBeGone);
      gone.addAll(droppable(rules));
      it.store().maintain();
      set(it).forEach(rule -> it.retention().unset(rule.glob()));
      Set<Integer> shown = numbers(it);
      for (Event event : events) {
        assertTrue(shown.contains(event.number) || gone.contains(event), "lost: " + event);
      }
      states++;
    }
  }

  private static Set<Integer> numbers(RetentionStore it) {
    Set<Integer> numbers = new TreeSet<>();
    for (String shown : it.shown()) {
      assertTrue(numbers.add(Integer.parseInt(shown.split(" ", -1)[4])), "twice: " + shown);
    }
    return numbers;
  }

  /// The store shows the written events that have not expired, except events that may be dropped.
  private void check(RetentionStore it, Map<String, RetentionPolicy> rules) {
    Set<Integer> shown = numbers(it);
    List<Event> wrong = new ArrayList<>();
    for (Event event : events) {
      boolean isShown = shown.remove(event.number);
      boolean may = !isPast(rules, event);
      boolean must = may && !mayBeGone.contains(event);
      if ((isShown && !may) || (must && !isShown)) {
        wrong.add(event);
      }
    }
    assertEquals(List.of(), wrong, "shown and past, or lost, with " + rules.values());
    assertEquals(Set.of(), shown, "never acknowledged");
    try (StoreView view = it.store().view()) {
      var read = StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
      long _ = StoreReading.checkCounts(view, _ -> true, 0, Long.MAX_VALUE / 2, read);
    }
  }
}
