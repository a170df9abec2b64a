package io.widerow.ingest.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a store gets no more types than the limits permit, and events of further types are stored
/// unchanged under one type, with the name that was sent. Method: batches through a budget, looked
/// at as a store gets them.
class TypeBudgetTest {
  private static final long NOW = Decoding.ARRIVAL_NANOS;

  private final AtomicLong seconds = new AtomicLong(NOW / 1_000_000_000L / 3_600 * 3_600);
  private final BatchPool pool = new BatchPool(64 << 20, 64 << 10, 64);
  private final MemoryStore store = new MemoryStore(1);

  @AfterEach
  void close() {
    pool.close();
  }

  private IncomingBatch batch() {
    return new IncomingBatch(pool.take(), NOW);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void add(IncomingBatch batch, String type) {
    byte[] name = utf8(type);
    batch.events.begin(name, 0, name.length, NOW);
    assertTrue(batch.end());
  }

  private List<MemoryStore.Stored> stored(IncomingBatch batch) {
    int _ =
        store
            .lanes
            .get(0)
            .append(
                batch.events,
                0,
                (_, why) -> {
                  throw new AssertionError(why.reason());
                });
    long _ = store.lanes.get(0).commit(Durability.DISK);
    pool.give(batch.events);
    List<MemoryStore.Stored> all = List.copyOf(store.committed);
    store.committed.clear();
    return all;
  }

  private List<String> shown(TypeBudget budget, String... types) {
    IncomingBatch batch = batch();
    List.of(types).forEach(type -> add(batch, type));
    budget.apply(batch, pool);
    assertEquals(types.length, batch.events.count());
    return stored(batch).stream().map(event -> event.type() + event.attributes()).toList();
  }

  @Test
  void typesBeyondTheLimitAreStoredUnderOneWithTheirNames() {
    var budget = new TypeBudget(2, 100, seconds::get);
    assertEquals(
        List.of("a{}", "b{}", "a{}", "overflow{sender_type=c}", "b{}", "overflow{sender_type=d}"),
        shown(budget, "a", "b", "a", "c", "b", "d"));
    assertEquals(List.of("overflow{sender_type=c}", "a{}"), shown(budget, "c", "a"));
    assertEquals(List.of("overflow{}"), shown(budget, "overflow"));
    assertEquals(2, budget.types());
    assertEquals(3, budget.moved());
    TypeBudget.Spent last = Objects.requireNonNull(budget.last());
    assertEquals("c", last.type());
    assertEquals("types-max 2", last.why());
    assertTrue(budget.knows("a"));
    assertFalse(budget.knows("c"));
  }

  @Test
  void manyEventsOfOneTypeAreDecidedOnce() {
    AtomicLong asked = new AtomicLong();
    var budget =
        new TypeBudget(
            1,
            100,
            () -> {
              asked.incrementAndGet();
              return seconds.get();
            });
    List<String> _ = shown(budget, "a");
    IncomingBatch batch = batch();
    for (int i = 0; i < 1_000; i++) {
      add(batch, i % 500 == 0 ? "a" : "b");
    }
    asked.set(0);
    budget.apply(batch, pool);
    assertEquals(998, batch.overflowed());
    assertTrue(asked.get() < 20, () -> "asked the clock, in the lock: " + asked);
    pool.give(batch.events);
  }

  @Test
  void nothingIsCopiedWithinTheLimits() {
    var budget = new TypeBudget(2, 100, seconds::get);
    IncomingBatch batch = batch();
    add(batch, "a");
    add(batch, "b");
    long address = batch.events.memory().address();
    budget.apply(batch, pool);
    assertEquals(address, batch.events.memory().address());
    assertEquals(0, batch.overflowed());
    pool.give(batch.events);
  }

  @Test
  void anHourHasItsOwnLimitOnceTheTypesOfTheStoreAreKnown(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("store"));
    try (EmbeddedStore embedded = EmbeddedStore.open(config, Runnable::run)) {
      append(embedded, "old1", "old2");
      var budget = new TypeBudget(6, 1, seconds::get);
      assertTrue(budget.isLookDue());
      assertEquals(List.of("x{}", "y{}"), shown(budget, "x", "y")); // which types are new?
      budget.look(embedded);
      assertFalse(budget.isLookDue());
      assertEquals(4, budget.types(), "x and y may not be in the store yet");
      assertEquals(
          List.of("old1{}", "p{}", "overflow{sender_type=q}", "old2{}"),
          shown(budget, "old1", "p", "q", "old2"));
      assertEquals("types-per-hour 1", Objects.requireNonNull(budget.last()).why());
      append(embedded, "p", "other1", "other2");
      seconds.addAndGet(3_600);
      assertTrue(budget.isLookDue());
      budget.look(embedded);
      assertEquals(5, budget.types(), "of other daemons too");
      assertEquals(List.of("q{}", "overflow{sender_type=r}"), shown(budget, "q", "r"));
      assertEquals("types-max 6", Objects.requireNonNull(budget.last()).why());
    }
  }

  @Test
  void aTypeThatIsNotStoredYetIsKnownAfterTheNextLook(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("store"));
    try (EmbeddedStore embedded = EmbeddedStore.open(config, Runnable::run)) {
      var budget = new TypeBudget(1, 10, seconds::get);
      budget.look(embedded);
      assertEquals(List.of("x{}"), shown(budget, "x"));
      budget.look(embedded); // the batch of x is on its way to its lane
      assertTrue(budget.knows("x"));
      assertEquals(List.of("overflow{sender_type=y}"), shown(budget, "y"));
    }
  }

  @Test
  void typesPastTheirRetentionMakeRoom(@TempDir Path directory) {
    StoreConfig config = StoreConfig.at(directory.resolve("store"));
    try (EmbeddedStore embedded = EmbeddedStore.open(config, Runnable::run)) {
      append(embedded, "gone", "stays");
      var budget = new TypeBudget(2, 10, seconds::get);
      budget.look(embedded);
      assertEquals(List.of("overflow{sender_type=new}"), shown(budget, "new"));
      embedded.retain("gone", Duration.ofMillis(1));
      seconds.addAndGet(3_600);
      budget.look(embedded);
      assertEquals(List.of("new{}"), shown(budget, "new"));
    }
  }

  /// Puts an event of yesterday of each type.
  private static void append(EmbeddedStore store, String... types) {
    try (EventBatch events = new EventBatch(1 << 10, 1 << 20, 1 << 16)) {
      for (String type : types) {
        byte[] name = utf8(type);
        events.begin(name, 0, name.length, store.nowNanos() - Duration.ofDays(1).toNanos());
        assertEquals(null, events.end());
      }
      assertEquals(
          types.length,
          store
              .lane(0)
              .append(
                  events,
                  0,
                  (_, why) -> {
                    throw new AssertionError(why.reason());
                  }));
      long _ = store.lane(0).commit(Durability.DISK);
    }
  }

  @Test
  void anEventKeepsItsIdItsTimeAndAllItsAttributes() {
    var budget = new TypeBudget(1, 100, seconds::get);
    List<String> _ = shown(budget, "a");
    IncomingBatch batch = batch();
    byte[] type = utf8("b");
    EventId own = EventId.leastOf(NOW).next();
    batch.events.begin(type, 0, 1, own);
    put(batch);
    assertTrue(batch.end());
    batch.events.begin(type, 0, 1, NOW + 37);
    put(batch);
    assertTrue(batch.end());
    budget.apply(batch, pool);
    assertEquals(2, batch.overflowed());
    List<MemoryStore.Stored> stored = stored(batch);
    assertEquals(own, stored.get(0).ownId());
    assertEquals(null, stored.get(1).ownId());
    assertEquals(NOW + 37, stored.get(1).timeNanos());
    for (MemoryStore.Stored each : stored) {
      assertEquals("overflow", each.type());
      assertEquals(
          "{bool=true, double=-0.0, long=-7, sender_type=mine, sender_type_2=b, text=\u00e9}",
          each.attributes().toString());
    }
  }

  private static void put(IncomingBatch batch) {
    EventBatch to = batch.events;
    to.putString(utf8("text"), 0, 4, utf8("\u00e9"));
    to.putLong(utf8("long"), 0, 4, -7);
    to.putDouble(utf8("double"), 0, 6, -0.0);
    to.putBoolean(utf8("bool"), 0, 4, true);
    to.putString(utf8("sender_type"), 0, 11, utf8("mine"));
  }

  @Test
  void anEventWithoutRoomForTheNameIsRefusedAtItsIndex() {
    var budget = new TypeBudget(1, 100, seconds::get);
    IncomingBatch batch = batch();
    batch.refuse("not decoded");
    add(batch, "a");
    byte[] type = utf8("full");
    batch.events.begin(type, 0, type.length, NOW);
    for (int i = 0; i < EventLayout.ATTRIBUTES_MAX; i++) {
      byte[] name = utf8("n" + i);
      batch.events.putLong(name, 0, name.length, i);
    }
    assertTrue(batch.end());
    add(batch, "b");
    budget.apply(batch, pool);
    assertEquals(2, batch.events.count());
    assertEquals(List.of(0, 2), List.of(batch.refused.index(0), batch.refused.index(1)));
    assertEquals(
        "type: full is one more than the store takes now, and under overflow with its name: the"
            + " event has more attributes than the limit",
        batch.refused.reason(1));
    pool.give(batch.events);
  }

  @Test
  void whatRulesDroppedStaysOut() {
    var budget = new TypeBudget(1, 100, seconds::get);
    IncomingBatch batch = batch();
    add(batch, "a");
    add(batch, "b");
    batch.dropped(2, new int[] {1, 3});
    budget.apply(batch, pool);
    assertEquals(2, batch.dropped());
    assertEquals(List.of(1, 3), indexes(batch));
    assertEquals(
        List.of("a", "overflow"), stored(batch).stream().map(MemoryStore.Stored::type).toList());
  }

  private static List<Integer> indexes(IncomingBatch batch) {
    List<Integer> indexes = new ArrayList<>();
    for (int index : Objects.requireNonNull(batch.indexes())) {
      indexes.add(index);
    }
    return indexes;
  }
}
