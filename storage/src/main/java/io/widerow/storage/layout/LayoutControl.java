package io.widerow.storage.layout;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.storage.layout.Layouts.Learned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Computes the layouts of types from samples of a store: rates into shards, sizes into widths. The
/// looks are its only input, so equal looks give equal layouts.
///
/// ```
///           rate up, two looks          shards rise, width narrows: at once
///   FRESH ---------------------> STEADY <--> RISING
///                                  ^
///                                  v        30 minutes agreed: width wider
///                                FALLING    10 minutes below half: fewer shards at the next bucket
/// ```
///
/// - Threads: one at a time.
/// - Memory: some 100 bytes a type, [#TYPES_MAX] types at most; types beyond stay new.
public final class LayoutControl {
  /// Widths to choose from, in minutes, the widest first. Each divides the one before, so that no
  /// bucket lies across the end of another.
  public static final List<Integer> LADDER = List.of(1_440, 720, 360, 180, 60, 30, 15, 5, 1);

  /// The most types that are learned.
  static final int TYPES_MAX = 1 << 16;

  /// Greatest weight that a bucket may be expected to have.
  static final double WEIGHT_MAX = 1.4;

  static final long WIDER_AFTER_NANOS = TimeUnit.MINUTES.toNanos(30);
  static final long FEWER_AFTER_NANOS = TimeUnit.MINUTES.toNanos(10);
  static final long NARROWER_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private static final long NEVER = Long.MIN_VALUE;

  private final int lanes;
  private final PartitionWeights weights;
  private final Map<String, TypeState> types = new HashMap<>();

  public LayoutControl(int lanes, PartitionWeights weights) {
    this.lanes = lanes;
    this.weights = weights;
  }

  /// The rate at which events of a type arrive. A load of old data brings in a second events of
  /// hours, and none of these gets more shards than its own events fill.
  ///
  /// @param eventsPerSecond events
  /// @param bytesPerSecond bytes of their records
  /// @param spread seconds of event time to which the events of a second belong, as they lie in the
  ///   bucket where they are densest; 1 while events come as they happen
  public record Rate(double eventsPerSecond, double bytesPerSecond, double spread) {
    static final Rate NONE = new Rate(0, 0, 1);
  }

  /// The phase of the layout of a type.
  public enum Phase {
    /// Nothing is known of the type yet.
    FRESH,
    /// It fits.
    STEADY,
    /// Shards or a narrower width are asked for, or were just given.
    RISING,
    /// Fewer shards or a wider width are asked for, and come when that has lasted.
    FALLING
  }

  /// The state of one type.
  private static final class TypeState {
    private int width = Learned.NEW.widthMinutes();
    private int shards = Learned.NEW.shardsPerLane();
    private Rate rate = Rate.NONE;
    private double spread = 1; // when events came last
    private int shardsWanted = 1; // at the last look
    private int shardsWantedMost = 1; // since the rate is below half
    private long belowHalfSince = NEVER;
    private int fewerFromBucket = -1; // of wall-clock time; negative while nothing is to be done
    private boolean sized;
    private int narrowerWanted; // 0 for none
    private long narrowerSince = NEVER;
    private int widerWanted; // the least since all looks agree; 0 for none
    private long widerSince = NEVER;
    private boolean roseLast;

    Phase phase() {
      if (roseLast || narrowerWanted > 0 || shardsWanted > shards) {
        return Phase.RISING;
      }
      if (widerWanted > 0 || belowHalfSince != NEVER) {
        return Phase.FALLING;
      }
      return sized || shards > 1 ? Phase.STEADY : Phase.FRESH;
    }
  }

  private @Nullable TypeState state(String type) {
    TypeState known = types.get(type);
    if (known == null && types.size() < TYPES_MAX) {
      known = new TypeState();
      types.put(type, known);
    }
    return known;
  }

  /// Looks at the rates of all types. Those without one stand still.
  ///
  /// @param nanos monotonic
  /// @param wallNanos now, nanoseconds since the Unix epoch
  public void rates(long nanos, long wallNanos, Map<String, Rate> rates) {
    rates.keySet().forEach(this::state);
    types.forEach(
        (type, state) -> rate(state, nanos, wallNanos, rates.getOrDefault(type, Rate.NONE)));
  }

  private void rate(TypeState state, long nanos, long wallNanos, Rate rate) {
    state.rate = rate;
    if (rate.eventsPerSecond > 0) {
      state.spread = rate.spread;
    }
    int wanted = shards(rate);
    int agreed = Math.min(wanted, state.shardsWanted); // by two looks
    state.shardsWanted = wanted;
    state.roseLast = agreed > state.shards;
    if (agreed > state.shards) {
      state.shards = agreed;
    }
    if (state.shards == 1 || 2 * load(rate) > state.shards) {
      state.belowHalfSince = NEVER;
      state.fewerFromBucket = -1;
      return;
    }
    if (state.belowHalfSince == NEVER) {
      state.belowHalfSince = nanos;
      state.shardsWantedMost = wanted;
    }
    state.shardsWantedMost = Math.max(state.shardsWantedMost, wanted);
    if (nanos - state.belowHalfSince >= FEWER_AFTER_NANOS) {
      int bucket = PartitionKey.bucketOf(wallNanos, state.width);
      if (state.fewerFromBucket < 0) {
        state.fewerFromBucket = bucket + 1;
      }
      if (bucket >= state.fewerFromBucket) {
        state.shards = state.shardsWantedMost;
        state.belowHalfSince = NEVER;
        state.fewerFromBucket = -1;
      }
    }
  }

  /// Shards of each lane that a rate would fill.
  private double load(Rate rate) {
    return Math.max(
            rate.eventsPerSecond / weights.shardRate(),
            rate.bytesPerSecond / weights.shardByteRate())
        / rate.spread
        / lanes;
  }

  private int shards(Rate rate) {
    int most = Math.max(1, LayoutOverride.SHARDS_MAX / lanes);
    return Math.clamp((long) Math.ceil(load(rate)), 1, most);
  }

  /// Looks at the sizes of the buckets of all types. Types that are not in it are forgotten, unless
  /// events of them come.
  ///
  /// @param nanos monotonic
  public void sizes(long nanos, Map<String, List<BucketSize>> sizes) {
    types
        .entrySet()
        .removeIf(
            each -> !sizes.containsKey(each.getKey()) && each.getValue().rate.eventsPerSecond == 0);
    sizes.forEach((type, of) -> {
      TypeState state = state(type);
      if (state != null && !of.isEmpty()) {
        size(state, nanos, of);
      }
    });
  }

  private void size(TypeState state, long nanos, List<BucketSize> sizes) {
    int wanted = width(BucketSize.perMinute(sizes));
    boolean first = !state.sized;
    state.sized = true;
    if (first && sizes.stream().anyMatch(size -> !size.present())) {
      state.width = wanted; // it has a history
    } else if (wanted < state.width) {
      narrower(state, nanos, wanted);
      state.widerWanted = 0;
    } else if (wanted > state.width) {
      wider(state, nanos, wanted);
      state.narrowerWanted = 0;
    } else {
      state.narrowerWanted = 0;
      state.widerWanted = 0;
    }
  }

  private static void narrower(TypeState state, long nanos, int wanted) {
    if (state.narrowerWanted == 0) {
      state.narrowerSince = nanos;
      state.narrowerWanted = wanted;
    } else if (nanos - state.narrowerSince >= NARROWER_AFTER_NANOS) {
      state.width = Math.max(wanted, state.narrowerWanted);
      state.narrowerWanted = 0;
    }
  }

  private static void wider(TypeState state, long nanos, int wanted) {
    if (state.widerWanted == 0) {
      state.widerSince = nanos;
      state.widerWanted = wanted;
    }
    state.widerWanted = Math.min(state.widerWanted, wanted);
    if (nanos - state.widerSince >= WIDER_AFTER_NANOS) {
      state.width = state.widerWanted;
      state.widerWanted = 0;
    }
  }

  /// The widest bucket that is not expected to weigh too much.
  static int width(double perMinute) {
    for (int width : LADDER) {
      if (perMinute * width <= WEIGHT_MAX) {
        return width;
      }
    }
    return LADDER.getLast();
  }

  /// The widest width to choose from that is not above another one.
  public static int widest(long mostMinutes) {
    return LADDER.stream().filter(width -> width <= mostMinutes).findFirst().orElseThrow();
  }

  /// The learned layouts. A type that is absent is treated as a new type.
  public Map<String, Learned> learned() {
    Map<String, Learned> learned = new HashMap<>();
    types.forEach((type, state) -> {
      var layout = new Learned(state.width, state.shards);
      if (!layout.equals(Learned.NEW)) {
        learned.put(type, layout);
      }
    });
    return learned;
  }

  /// The types about which something is known.
  public List<String> types() {
    return new ArrayList<>(types.keySet());
  }

  public Phase phase(String type) {
    TypeState state = types.get(type);
    return state == null ? Phase.FRESH : state.phase();
  }

  public Rate rate(String type) {
    TypeState state = types.get(type);
    return state == null ? Rate.NONE : state.rate;
  }

  /// The [Rate#spread] of the events that came last.
  public double spread(String type) {
    TypeState state = types.get(type);
    return state == null ? 1 : state.spread;
  }
}
