package io.widerow.storage.embedded;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.event.TypeGlob;
import io.widerow.event.Utf8;
import io.widerow.storage.layout.Layout;
import io.widerow.storage.layout.LayoutControl;
import io.widerow.storage.layout.Layouts;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The layouts of an open store's types: how wide their buckets are and how many shards they have,
/// as an override fixes it or as their rates and sizes require it.
///
/// A change takes effect with the next batch of each lane. No event is refused or waits for it, and
/// stored events stay where they are: readers merge partitions of all widths and shards. An
/// override that is set here is durable when the call returns; the overrides of a configuration are
/// given at each opening. Learned layouts are not written down: a start learns them from the stored
/// partitions.
///
/// A store for which no override was ever given has the layout of its
/// [io.widerow.storage.StoreConfig].
///
/// - Threads: any.
public final class LayoutSettings {
  /// The least time between two looks at the rates, and at the sizes.
  private static final long RATES_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long SIZES_NANOS = TimeUnit.MILLISECONDS.toNanos(950);

  /// Looking takes this part of the time at most.
  private static final int RATES_PART = 100;

  private static final int SIZES_PART = 20;

  /// The least retention, in widths of a bucket.
  private static final int RETENTION_WIDTHS = 8;

  private final StoreContents contents;
  private final StoreClock clock;
  private final Runnable requireOpen;
  private PartitionWeights weights = PartitionWeights.DEFAULT; // guarded by this, as is the rest
  private LayoutControl control;
  private long ratesNanos;
  private long ratesCost;
  private long sizesNanos;
  private long sizesCost;

  /// @param requireOpen throws while the store may not be changed yet
  LayoutSettings(StoreContents contents, StoreClock clock, Runnable requireOpen) {
    this.contents = contents;
    this.clock = clock;
    this.requireOpen = requireOpen;
    this.control = new LayoutControl(contents.config().lanes(), weights);
    this.ratesNanos = clock.monotonicNanos();
    this.sizesNanos = ratesNanos - SIZES_NANOS;
  }

  /// The layout of one type.
  ///
  /// @param widthMinutes width of the buckets of new events
  /// @param shards shards of such a bucket, over all lanes
  /// @param eventsPerSecond events that came in the last second
  /// @param phase its state: `fresh`, `steady`, `rising` or `falling`
  /// @param fixed whether a person fixed width or shards
  public record TypeLayout(
      String type,
      int widthMinutes,
      int shards,
      double eventsPerSecond,
      String phase,
      boolean fixed) {}

  /// A rule and what it is about.
  ///
  /// @param types number of types in the store that it matches
  public record Standing(LayoutOverride rule, int types) {}

  /// The layouts of all types in the store, in the order of UTF-8.
  public synchronized List<TypeLayout> types() {
    Layouts now = contents.layouts().now();
    return typesNow().stream().map(type -> layout(now, type)).toList();
  }

  /// The types to which events came fastest, fastest first.
  public synchronized List<TypeLayout> busiest(int most) {
    Layouts now = contents.layouts().now();
    return control.types().stream()
        .sorted(
            Comparator.comparingDouble((String type) -> -control.rate(type).eventsPerSecond())
                .thenComparing(Utf8::compare))
        .limit(most)
        .map(type -> layout(now, type))
        .toList();
  }

  private TypeLayout layout(Layouts now, String type) {
    Layout layout = now.of(type);
    return new TypeLayout(
        type,
        layout.widthMinutes(),
        layout.shardsPerLane() * now.lanes(),
        control.rate(type).eventsPerSecond(),
        control.phase(type).name().toLowerCase(Locale.ROOT),
        layout.isFixed());
  }

  /// Seconds of event time to which the events of a type that come in a second belong: 1 while they
  /// come as they happen, more while old ones are loaded.
  public synchronized double spread(String type) {
    return control.spread(type);
  }

  /// The contents of a partition of weight 1.
  public synchronized PartitionWeights weights() {
    return weights;
  }

  /// All overrides by precedence.
  public List<Standing> rules() {
    SortedSet<String> types = typesNow();
    return contents.layouts().now().rules().inOrder().stream()
        .map(rule -> standing(rule, types))
        .toList();
  }

  private static Standing standing(LayoutOverride rule, SortedSet<String> types) {
    return new Standing(rule, Math.toIntExact(types.stream().filter(rule::matches).count()));
  }

  /// Sets an override; it replaces the same values of an earlier override for the same types.
  /// Durable on return.
  ///
  /// @return the rule as it is now
  /// @throws IllegalArgumentException when its pattern matches no type, its shards are no multiple
  ///   of the lanes, or there are too many rules. Nothing was changed then
  public Standing set(LayoutOverride rule) {
    if (rule.source() != Source.API) {
      throw new IllegalArgumentException("a rule that is set has the source API");
    }
    requireOpen.run();
    SortedSet<String> types = typesNow();
    TypeGlob.requireMatch(rule.glob(), types);
    requireShards(rule.shards());
    contents.layouts().change(now -> now.with(rule), rules -> contents.change(_ -> rules));
    LayoutOverride set = contents.layouts().now().rules().get(rule.glob(), Source.API);
    return standing(set == null ? rule : set, types);
  }

  /// Removes a rule that was set. Durable on return.
  ///
  /// @throws IllegalArgumentException when no rule was set for exactly these types
  public void unset(String glob) {
    requireOpen.run();
    contents
        .layouts()
        .change(
            now -> {
              now.requireSet(glob, "layout");
              return now.without(glob, Source.API);
            },
            rules -> contents.change(_ -> rules));
  }

  private void requireShards(int shards) {
    int lanes = contents.config().lanes();
    if (shards > 0 && shards % lanes != 0) {
      throw new IllegalArgumentException(
          "shards: must be a multiple of the %d lanes, got %d".formatted(lanes, shards));
    }
  }

  /// Replaces the overrides of the last configuration. Overrides that were set by a call stay. From
  /// then on layouts follow rates and sizes where no override fixes them.
  ///
  /// @param newWeights the target weights of a partition
  /// @param fit whether a bucket gets its final form when it is merged, which may divide it, or
  ///   fold its shards; otherwise a merge keeps bucket and shards
  public synchronized void configure(
      List<LayoutOverride> rules, PartitionWeights newWeights, boolean fit) {
    rules.forEach(rule -> requireShards(rule.shards()));
    weights = newWeights;
    control = new LayoutControl(contents.config().lanes(), newWeights);
    contents.layouts().configure(now -> now.with(Source.CONFIG, rules));
    contents.layouts().fit(fit ? newWeights : null);
    sizesNanos = clock.monotonicNanos() - SIZES_NANOS;
    look();
  }

  /// Looks how fast events come and, less often, how large buckets are, and gives types the layout
  /// that this asks for. Call it a few times a second; it does nothing when called too often, and
  /// in a store for which no rule was given.
  public synchronized void look() {
    Layouts now = contents.layouts().now();
    long nanos = clock.monotonicNanos();
    boolean sizesDue = nanos - sizesNanos >= Math.max(SIZES_NANOS, SIZES_PART * sizesCost);
    boolean ratesDue = nanos - ratesNanos >= Math.max(RATES_NANOS, RATES_PART * ratesCost);
    if (now.rules().isEmpty() || !(ratesDue || sizesDue)) {
      return;
    }
    StoreState state = contents.state();
    long wall = contents.clock().wallNanos();
    control.rates(nanos, wall, LayoutSampler.rates(state, nanos - ratesNanos));
    ratesNanos = nanos;
    ratesCost = clock.monotonicNanos() - nanos;
    if (sizesDue) {
      control.sizes(nanos, LayoutSampler.sizes(state, weights, wall));
      sizesCost = clock.monotonicNanos() - nanos - ratesCost;
      sizesNanos = nanos;
    }
    Map<String, Layouts.Learned> learned = control.learned();
    Policies policies = contents.retentions().policies();
    learned.replaceAll((type, layout) -> withinRetention(layout, policies.of(type).age()));
    if (!learned.equals(now.learned())) {
      contents.layouts().learn(learned);
    }
  }

  /// A bucket goes when all of it is past, so that one that is wider than in a new type may be an
  /// eighth of the retention wide at most.
  private static Layouts.Learned withinRetention(Layouts.Learned layout, @Nullable Duration age) {
    long most =
        age == null
            ? Layout.WIDTH_MAX
            : Math.max(Layout.WIDTH_NEW, age.toMinutes() / RETENTION_WIDTHS);
    int width = layout.widthMinutes();
    return width <= most
        ? layout
        : new Layouts.Learned(LayoutControl.widest(most), layout.shardsPerLane());
  }

  private SortedSet<String> typesNow() {
    SortedSet<String> found = null;
    while (found == null) {
      found = types(contents.state());
    }
    return found;
  }

  /// Null when a part of the state was freed concurrently, so that there is a newer state.
  private static @Nullable SortedSet<String> types(StoreState state) {
    SortedSet<String> types = new TreeSet<>(Utf8::compare);
    for (LiveSegment live : state.segments().all()) {
      types.addAll(live.partitions().types());
    }
    for (OpenRows open : state.rows()) {
      try (OpenRows.View view = open.view()) {
        if (view == null) {
          return null;
        }
        for (OpenRow row : new ArrayList<>(view.rows())) {
          types.add(row.key.type());
        }
      }
    }
    return types;
  }
}
