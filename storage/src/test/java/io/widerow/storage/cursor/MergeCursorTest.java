package io.widerow.storage.cursor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Await;
import io.widerow.faults.OpeningCursor;
import io.widerow.faults.Seeds;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a merge shows the events of all its inputs in order of id and type, only the latest
/// version of each id and type, in both directions, whichever inputs are lazy, empty, not ready or
/// searched in pieces, and opens or searches an input no sooner than it must. Method: random inputs
/// compared with a sorted map. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class MergeCursorTest {
  static List<Long> seeds() {
    return Seeds.of(100);
  }

  /// An event of the model.
  private record Event(EventId id, String type, long version) {
    static final Comparator<Event> ORDER =
        Comparator.comparing(Event::id).thenComparing(Event::type);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void mergeEqualsSortedMap(long seed) {
    var random = new SplittableRandom(seed);
    boolean descending = random.nextBoolean();
    TreeMap<Event, Event> model = new TreeMap<>(descending ? Event.ORDER.reversed() : Event.ORDER);
    List<EventCursor> inputs = new ArrayList<>();
    long version = 1;
    for (int i = 1 + random.nextInt(20); i > 0; i--) {
      TreeMap<Event, Event> events = new TreeMap<>(model.comparator());
      for (int left = random.nextInt(50); left > 0; left--) {
        EventId id =
            new EventId(
                TimeUuid.UNIX_EPOCH_TICKS + random.nextInt(200),
                TimeUuid.tailOf(0, 0, random.nextInt(3)));
        Event event = new Event(id, random.nextBoolean() ? "a" : "b", version++);
        events.put(event, event);
      }
      for (Event event : events.values()) {
        Event other = model.get(event);
        if (other == null || other.version() < event.version()) {
          model.remove(event);
          model.put(event, event);
        }
      }
      inputs.add(cursor(List.copyOf(events.values()), random, descending));
    }
    List<Event> shown = new ArrayList<>();
    try (EventCursor merge = new MergeCursor(inputs, descending)) {
      for (var step = merge.next(); step != EventCursor.Step.END; step = merge.next()) {
        if (step == EventCursor.Step.EVENT) {
          EventView view = merge.event();
          shown.add(new Event(view.id(), view.type(), view.version()));
        } else {
          merge.ready().orTimeout(Await.SECONDS, TimeUnit.SECONDS).join(); // an input is not
        }
      }
      assertEquals(EventCursor.Step.END, merge.next());
    }
    assertEquals(List.copyOf(model.values()), shown);
  }

  private static EventCursor cursor(
      List<Event> events, SplittableRandom random, boolean descending) {
    EventCursor list = new ListCursor(events, random.split());
    if (events.isEmpty() || random.nextBoolean()) {
      return list;
    }
    EventId first = events.getFirst().id();
    long step = random.nextInt(3);
    EventId bound = new EventId(first.time() + (descending ? step : -step), first.tail());
    return random.nextBoolean()
        ? new LazyCursor(bound, () -> list)
        : new OpeningCursor(bound, () -> CompletableFuture.supplyAsync(() -> list));
  }

  /// All inputs are asked before one is waited for: else each would cost the time of a journey.
  @Test
  void inputsAreAskedTogether() {
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    List<EventCursor> inputs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      List<Event> one =
          List.of(
              new Event(
                  new EventId(TimeUuid.UNIX_EPOCH_TICKS + i, TimeUuid.tailOf(0, 0, 0)), "a", 1));
      inputs.add(new ListCursor(one, new SplittableRandom(i), asked));
    }
    try (EventCursor merge = new MergeCursor(inputs, false)) {
      assertEquals(EventCursor.Step.PENDING, merge.next());
      assertEquals(5, asked.size());
      asked.reversed().forEach(one -> one.complete(null));
      assertTrue(merge.ready().isDone());
      assertEquals(EventCursor.Step.EVENT, merge.next());
      assertEquals(TimeUuid.UNIX_EPOCH_TICKS, merge.event().idTime());
    }
  }

  /// The next match lies in one input, far before the end of the others.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noInputIsSearchedBeyondWhatIsShown(boolean descending) {
    int pieces = 1_000;
    int match = 5;
    List<Pieces> inputs = new ArrayList<>();
    for (int input = 0; input < 40; input++) {
      inputs.add(new Pieces(pieces, input == 17 ? match : pieces - 1, input, descending));
    }
    try (EventCursor merge = new MergeCursor(inputs, descending)) {
      assertEquals(EventCursor.Step.EVENT, merge.next());
      assertEquals(inputs.get(17).idOf(match), merge.event().id());
      int within = 0;
      for (Pieces input : inputs) {
        within += input.at <= match + 1 ? 1 : 0;
      }
      assertEquals(32, within, "inputs that hold a block and were searched no further");
      for (int left = 39; left > 0; left--) {
        assertEquals(EventCursor.Step.EVENT, merge.next());
      }
      assertEquals(EventCursor.Step.END, merge.next());
    }
  }

  /// A cursor that is searched in pieces of one id each; one of them has the event.
  private static final class Pieces extends OneEvent {
    private final int pieces;
    private final int match;
    private final int input;
    private final boolean descending;
    private int at = -1;

    Pieces(int pieces, int match, int input, boolean descending) {
      this.pieces = pieces;
      this.match = match;
      this.input = input;
      this.descending = descending;
    }

    EventId idOf(int piece) {
      long ticks = descending ? -piece : piece;
      return new EventId(TimeUuid.UNIX_EPOCH_TICKS + ticks, TimeUuid.tailOf(0, 0, input));
    }

    @Override
    public Step next() {
      return EventCursor.searchThrough(this);
    }

    @Override
    public @Nullable Step search() {
      at++;
      return at == match ? Step.EVENT : at == pieces ? Step.END : null;
    }

    @Override
    public EventId bound() {
      return idOf(at + 1);
    }

    @Override
    public long idTime() {
      return idOf(at).time();
    }

    @Override
    public long idTail() {
      return idOf(at).tail();
    }

    @Override
    public long version() {
      return 1;
    }

    @Override
    public String type() {
      return "a";
    }
  }

  /// What the cursors of this test have in common.
  private abstract static class OneEvent implements EventCursor, EventView {
    @Override
    public EventView event() {
      return this;
    }

    @Override
    public ScanStatistics statistics() {
      return ScanStatistics.NONE;
    }

    @Override
    public void close() {}

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return false;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {}
  }

  /// A cursor over a list that is sometimes not ready, and sometimes finds nothing in a piece.
  private static final class ListCursor extends OneEvent {
    private final List<Event> events;
    private final SplittableRandom random;
    private final @Nullable List<CompletableFuture<Void>> asked; // null: comes by itself
    private CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
    private boolean waited;
    private int at = -1;

    ListCursor(List<Event> events, SplittableRandom random) {
      this(events, random, null);
    }

    ListCursor(
        List<Event> events,
        SplittableRandom random,
        @Nullable List<CompletableFuture<Void>> asked) {
      this.events = events;
      this.random = random;
      this.asked = asked;
    }

    @Override
    public Step next() {
      if (!ready.isDone()) {
        return Step.PENDING;
      }
      if (!waited && asked != null) {
        ready = new CompletableFuture<>();
        asked.add(ready);
        waited = true;
        return Step.PENDING;
      }
      if (!waited && random.nextInt(5) == 0) {
        ready = CompletableFuture.runAsync(() -> {});
        waited = true;
        return Step.PENDING;
      }
      waited = asked != null;
      return ++at < events.size() ? Step.EVENT : Step.END;
    }

    @Override
    public @Nullable Step search() {
      boolean nothing = asked == null && at + 1 < events.size() && random.nextInt(4) == 0;
      return nothing ? null : next();
    }

    /// Sometimes the next id itself.
    @Override
    public EventId bound() {
      EventId last = events.get(Math.max(at, 0)).id();
      return random.nextBoolean() ? events.get(at + 1).id() : last;
    }

    @Override
    public CompletableFuture<Void> ready() {
      return ready.copy();
    }

    @Override
    public long idTime() {
      return events.get(at).id().time();
    }

    @Override
    public long idTail() {
      return events.get(at).id().tail();
    }

    @Override
    public long version() {
      return events.get(at).version();
    }

    @Override
    public String type() {
      return events.get(at).type();
    }
  }
}
