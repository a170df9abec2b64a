package io.widerow.storage.cursor;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A k-way merge of sorted cursors by a loser tree (tournament tree; Knuth, The Art of Computer
/// Programming 3, 5.4.1): log2(k) comparisons of two longs for each event. Inner node `n` keeps the
/// input that lost the match played there; the overall winner is the next event.
///
/// ```
///            winner
///              |
///            [1]            inner nodes 1..k-1 hold losers
///           /    \
///        [2]      [3]
///        / \      / \
///       0   1    2   3      inputs 0..k-1; times[i], tails[i] are the key that input i shows
/// ```
///
/// - Order: that of `EventOrder`: by id, then by type. Of several events with one id and type only
///   the one that was written last is shown; or all of them, the last one first. Descending order
///   is ascending order of complemented keys.
/// - Laziness: an input without an event shows a bound of its next id until it wins; only then is
///   it searched, one piece. This holds for a [LazyCursor] that is not open yet, and for an input
///   whose [EventCursor#search] found nothing.
/// - Threads: one.
/// - Memory: owns its inputs; closes each at its end, the rest in [#close]. An input that is at an
///   event holds its block, and so do up to 32 that have none yet.
public final class MergeCursor implements EventCursor {
  /// So many inputs are searched in pieces at a time, since each keeps its block meanwhile. Others
  /// are searched through to their next event.
  private static final int PASSING_MAX = 32;

  private static final long EXHAUSTED = Long.MAX_VALUE; // above every key and every complement

  private final EventCursor[] inputs;
  private final boolean descending;
  private final boolean everyWrite;
  private final long[] times;
  private final long[] tails;
  private final boolean[] started; // inputs whose first key is known
  private final boolean[] found; // inputs that are at an event; the key of others is a bound
  private final boolean[] passed; // inputs that have searched a piece since their last event
  private int passing; // their number
  private final int[] losers;
  private int winner = -1; // -1: the tree is not built yet
  private int pending = -1; // input that is not ready
  private ScanStatistics finished = ScanStatistics.NONE;

  private long shownTime = Long.MIN_VALUE; // complemented when descending; least: nothing shown yet
  private long shownTail;
  private String shownType = "";
  private @Nullable EventView current;

  /// @param inputs sorted in the same direction, at least one
  public MergeCursor(List<? extends EventCursor> inputs, boolean descending) {
    this(inputs, descending, false);
  }

  private MergeCursor(List<? extends EventCursor> inputs, boolean descending, boolean everyWrite) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("a merge needs at least one input");
    }
    this.inputs = inputs.toArray(EventCursor[]::new);
    this.descending = descending;
    this.everyWrite = everyWrite;
    int count = this.inputs.length;
    this.times = new long[count];
    this.tails = new long[count];
    this.started = new boolean[count];
    this.found = new boolean[count];
    this.passed = new boolean[count];
    this.losers = new int[count];
  }

  /// A cursor over all inputs: the only input itself, or an empty cursor when there is none.
  public static EventCursor of(List<? extends EventCursor> inputs, boolean descending) {
    return switch (inputs.size()) {
      case 0 -> EmptyCursor.INSTANCE;
      case 1 -> inputs.getFirst();
      default -> new MergeCursor(inputs, descending);
    };
  }

  /// A cursor over all inputs that shows every write, ascending, of one id and type the last one
  /// first. The inputs are in this order too.
  public static EventCursor ofEveryWrite(List<? extends EventCursor> inputs) {
    return inputs.size() < 2 ? of(inputs, false) : new MergeCursor(inputs, false, true);
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  @Override
  public @Nullable Step search() {
    if (winner < 0) {
      if (!start()) {
        return Step.PENDING;
      }
      winner = play(1);
    } else if (pending >= 0 || current != null) {
      if (!advance(winner)) {
        return Step.PENDING;
      }
      winner = replay(winner);
    }
    current = null;
    int advanced = -1;
    while (times[winner] != EXHAUSTED) {
      if (found[winner]) {
        if (!repeatsShown()) {
          return show();
        }
      } else if (advanced >= 0 && !found[advanced]) {
        return null; // a piece was searched, and another one is next
      }
      advanced = winner;
      if (!advance(advanced)) {
        return Step.PENDING;
      }
      winner = replay(advanced);
    }
    return Step.END;
  }

  @Override
  public EventId bound() {
    return descending
        ? new EventId(~times[winner], ~tails[winner])
        : new EventId(times[winner], tails[winner]);
  }

  private Step show() {
    EventView event = inputs[winner].event();
    current = event;
    shownTime = times[winner];
    shownTail = tails[winner];
    shownType = event.type();
    return Step.EVENT;
  }

  private boolean repeatsShown() {
    return !everyWrite
        && times[winner] == shownTime
        && tails[winner] == shownTail
        && inputs[winner].event().type().equals(shownType);
  }

  /// Finds the first key of each input. False when an input is not ready. All are asked before one
  /// is waited for, so that their events travel at the same time.
  private boolean start() {
    int waiting = -1;
    for (int input = 0; input < inputs.length; input++) {
      if (!started[input]) {
        if (inputs[input] instanceof LazyCursor lazy) {
          setKey(input, lazy.bound().time(), lazy.bound().tail());
          started[input] = true;
        } else {
          started[input] = advance(input);
          waiting = started[input] || waiting >= 0 ? waiting : input;
        }
      }
    }
    pending = waiting;
    return waiting < 0;
  }

  /// Moves an input to its next event or, when a piece of it has none, behind the piece. False when
  /// it is not ready; the next call tries again.
  private boolean advance(int input) {
    EventCursor cursor = inputs[input];
    boolean inPieces = passing < PASSING_MAX || passed[input];
    switch (inPieces ? cursor.search() : cursor.next()) {
      case null -> {
        EventId bound = cursor.bound();
        setKey(input, bound.time(), bound.tail());
        found[input] = false;
        setPassed(input, true);
        pending = -1;
        return true;
      }
      case EVENT -> {
        EventView event = cursor.event();
        setKey(input, event.idTime(), event.idTail());
        found[input] = true;
      }
      case PENDING -> {
        pending = input;
        return false;
      }
      case END -> {
        times[input] = EXHAUSTED;
        tails[input] = EXHAUSTED;
        finished = finished.plus(cursor.statistics());
        cursor.close();
        inputs[input] = EmptyCursor.INSTANCE;
      }
    }
    setPassed(input, false);
    pending = -1;
    return true;
  }

  private void setPassed(int input, boolean now) {
    if (passed[input] != now) {
      passed[input] = now;
      passing += now ? 1 : -1;
    }
  }

  private void setKey(int input, long time, long tail) {
    assert time >= 0 && time <= 1L << 60 : "time " + time;
    times[input] = descending ? ~time : time;
    tails[input] = descending ? ~tail : tail;
  }

  private int replay(int input) {
    int champion = input;
    for (int node = (input + losers.length) >>> 1; node > 0; node >>>= 1) {
      int challenger = losers[node];
      if (beats(challenger, champion)) {
        losers[node] = champion;
        champion = challenger;
      }
    }
    return champion;
  }

  private int play(int node) {
    if (node >= inputs.length) {
      return node - inputs.length;
    }
    int left = play(2 * node);
    int right = play(2 * node + 1);
    boolean leftWins = beats(left, right);
    losers[node] = leftWins ? right : left;
    return leftWins ? left : right;
  }

  private boolean beats(int a, int b) {
    if (times[a] != times[b]) {
      return times[a] < times[b];
    }
    if (tails[a] != tails[b]) {
      return tails[a] < tails[b];
    }
    return times[a] != EXHAUSTED && beatsEqualId(a, b);
  }

  /// An input without an event wins against an event with its bound as id: it must be searched
  /// before the two can be compared.
  private boolean beatsEqualId(int a, int b) {
    if (!found[a] || !found[b]) {
      return !found[a];
    }
    EventView eventA = inputs[a].event();
    EventView eventB = inputs[b].event();
    int byType = eventA.type().compareTo(eventB.type());
    if (byType != 0) {
      return descending ? byType > 0 : byType < 0;
    }
    int byArrival = Long.compare(arrivalOf(eventA), arrivalOf(eventB));
    return byArrival != 0 ? byArrival > 0 : a < b;
  }

  /// Position of a write in the order of arrival. An assigned id contains its position, so an event
  /// with a forged client id that equals a later assigned one cannot hide the assigned event.
  private static long arrivalOf(EventView event) {
    return event.version() != EventLayout.VERSION_ASSIGNED
        ? event.version()
        : TimeUuid.counterOf(event.idTail());
  }

  @Override
  public CompletableFuture<Void> ready() {
    return pending < 0 ? CompletableFuture.completedFuture(null) : inputs[pending].ready();
  }

  @Override
  public EventView event() {
    EventView event = current;
    if (event == null) {
      throw new IllegalStateException("no current event");
    }
    return event;
  }

  @Override
  public ScanStatistics statistics() {
    ScanStatistics sum = finished;
    for (EventCursor input : inputs) {
      sum = sum.plus(input.statistics());
    }
    return sum;
  }

  @Override
  public void close() {
    for (int i = 0; i < inputs.length; i++) {
      finished = finished.plus(inputs[i].statistics());
      inputs[i].close();
      inputs[i] = EmptyCursor.INSTANCE;
    }
  }
}
