package io.widerow.storage.live;

import io.widerow.event.RetentionPolicy;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.manifest.RetentionSection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The retention of a store: the current policies, and the policies from before a change. For the
/// grace of the change, the earlier policies still keep the events that the change hid.
///
/// ```
///   shown      what the present policies keep
///   on disk    what the present ones keep, or one of the older ones that are held
/// ```
///
/// - Threads: any thread reads. The lock of [StoreContents] orders the changes.
public final class Retentions implements RetentionLookup {
  /// A clock may go back by this much before events are accepted that have expired by their bytes.
  private static final long CLOCK_SLACK_NANOS = 3_600_000_000_000L;

  private final LongSupplier clock;
  private final Supplier<Iterable<RetentionSnapshot.Weight>> weights;
  private volatile State state; // replaced under the lock of this

  private volatile ToLongFunction<String> figuresKept = _ -> 0;
  private volatile boolean written;
  private volatile RetentionLookup admitted = this;

  /// Nothing is dropped before this time, if that is known.
  private volatile long allKeptUntil = Long.MIN_VALUE;

  /// The current policies, and the earlier policies that still keep events.
  ///
  /// @param policies the current policies
  /// @param held earlier policies, oldest first
  public record Setting(Policies policies, List<Held> held) {
    public Setting {
      held = List.copyOf(held);
    }

    /// With other policies from now on.
    ///
    /// @param types the types of the store
    /// @throws IllegalArgumentException when too many changes are held
    public Setting changed(Policies next, Duration grace, Collection<String> types, long nowNanos) {
      List<Held> still = new ArrayList<>(held);
      still.removeIf(each -> each.untilNanos <= nowNanos);
      if (!grace.isZero() && !next.keepAllOf(policies, types)) {
        still.add(new Held(policies, nowNanos + grace.toNanos()));
      }
      require(still.size(), "changes that hid something and wait for their grace");
      require(next.all().size(), "policies");
      return new Setting(next, still);
    }

    /// With other policies from now on, without grace.
    public Setting changed(Policies next) {
      return new Setting(next, held);
    }

    private static void require(int count, String what) {
      if (count > RetentionSection.COUNT_MAX) {
        throw new IllegalArgumentException(
            "%d %s; at most %d can be there".formatted(count, what, RetentionSection.COUNT_MAX));
      }
    }

    public RetentionSection toSection() {
      return new RetentionSection(
          policies.all(),
          held.stream()
              .map(each -> new RetentionSection.Held(each.policies.all(), each.untilNanos))
              .toList());
    }

    static Setting of(RetentionSection section) {
      return new Setting(
          Policies.of(section.policies()),
          section.held().stream()
              .map(each -> new Held(Policies.of(each.policies()), each.untilNanos()))
              .toList());
    }
  }

  /// Policies that decided before.
  ///
  /// @param untilNanos until when nothing is dropped that they keep
  public record Held(Policies policies, long untilNanos) {}

  /// @param horizons where limits of bytes lie, by list of policies that has any
  /// @param shortestNanos no younger event has expired
  private record State(
      Setting setting, Map<Policies, Map<RetentionPolicy, Long>> horizons, long shortestNanos) {
    RetentionSnapshot kept(Policies policies, long nowNanos) {
      return RetentionSnapshot.at(policies, horizons.getOrDefault(policies, Map.of()), nowNanos);
    }
  }

  /// @param others how long events are kept to which no policy of the section applies; null for no
  ///   limit
  /// @param section the manifest's section; null for none
  /// @param clock the time by which retention counts, nanoseconds since the Unix epoch
  /// @param weights the store's data at rest
  Retentions(
      @Nullable Duration others,
      @Nullable RetentionSection section,
      LongSupplier clock,
      Supplier<Iterable<RetentionSnapshot.Weight>> weights) {
    this.clock = clock;
    this.weights = weights;
    this.written = section != null;
    Setting setting = section == null ? new Setting(Policies.NONE, List.of()) : Setting.of(section);
    if (section == null && others != null) {
      setting =
          new Setting(
              Policies.of(List.of(RetentionPolicy.ofConfig("*", others, Duration.ZERO))),
              List.of());
    }
    this.state = state(setting, Map.of(), 0);
  }

  /// Sets how long aggregates of a type's events are kept, in nanoseconds from the end of their
  /// bucket; 0 for as long as the events.
  void keepFigures(ToLongFunction<String> keepNanos) {
    figuresKept = keepNanos;
  }

  /// Keeps everything from now on.
  synchronized void keepAll() {
    state = state(new Setting(Policies.NONE, List.of()), Map.of(), 0);
  }

  public Policies policies() {
    return state.setting.policies;
  }

  /// True when the manifest has the policies in force.
  public boolean isWritten() {
    return written;
  }

  /// Changes what decides until the store is closed.
  public synchronized void change(UnaryOperator<Setting> change) {
    publish(change.apply(state.setting));
  }

  /// Changes what decides, after it was written down.
  synchronized void change(UnaryOperator<Setting> change, Consumer<RetentionSection> write) {
    Setting next = change.apply(state.setting);
    write.accept(next.toSection());
    written = true;
    publish(next);
  }

  private void publish(Setting next) {
    long now = clock.getAsLong();
    state = state(next, horizons(next, weights.get(), now), now);
  }

  private static State state(
      Setting setting, Map<Policies, Map<RetentionPolicy, Long>> horizons, long nowNanos) {
    Duration shortest = setting.policies.shortest();
    long byAge = shortest == null ? KEPT_FOREVER : shortest.toNanos();
    long byBytes =
        horizons.getOrDefault(setting.policies, Map.of()).values().stream()
            .mapToLong(horizon -> Math.max(0, nowNanos - horizon - CLOCK_SLACK_NANOS))
            .min()
            .orElse(KEPT_FOREVER);
    return new State(setting, horizons, Math.min(byAge, byBytes));
  }

  /// Looks again where limits of bytes lie.
  public void weigh() {
    Setting now = state.setting;
    if (now.policies.weighs() || now.held.stream().anyMatch(held -> held.policies.weighs())) {
      synchronized (this) {
        publish(state.setting);
      }
    }
  }

  private static Map<Policies, Map<RetentionPolicy, Long>> horizons(
      Setting setting, Iterable<RetentionSnapshot.Weight> weights, long nowNanos) {
    Map<Policies, Map<RetentionPolicy, Long>> horizons = new HashMap<>();
    horizons.put(setting.policies, RetentionSnapshot.horizons(setting.policies, weights, nowNanos));
    for (Held held : setting.held) {
      horizons.computeIfAbsent(
          held.policies, policies -> RetentionSnapshot.horizons(policies, weights, nowNanos));
    }
    return horizons;
  }

  // Which events are taken.

  @Override
  public long shortestNanos() {
    return state.shortestNanos;
  }

  /// Null, too, when events may have expired by their bytes.
  @Override
  public @Nullable Duration of(String type) {
    RetentionPolicy policy = policies().of(type);
    return policy.bytes() == RetentionPolicy.UNLIMITED ? policy.age() : null;
  }

  @Override
  public boolean isExpired(String type, long bucketEndNanos, long nowNanos) {
    State now = state;
    return now.kept(now.setting.policies, nowNanos).isPast(type, bucketEndNanos);
  }

  /// The retention that an event must not be past when it comes.
  public RetentionLookup admitted() {
    return admitted;
  }

  /// Refuses events that have expired by another retention from now on.
  public void admitBy(RetentionLookup policy) {
    admitted = policy;
  }

  // The limit of visible events, and the limit of events that stay on disk.

  /// The limit of the events that are visible now.
  public RetentionSnapshot shown() {
    State now = state;
    return now.kept(now.setting.policies, clock.getAsLong());
  }

  /// The limit of the events that would be visible now with other policies.
  public RetentionSnapshot shownBy(Policies policies) {
    long nowNanos = clock.getAsLong();
    return RetentionSnapshot.at(
        policies, RetentionSnapshot.horizons(policies, weights.get(), nowNanos), nowNanos);
  }

  /// The limit of the events that must stay on the disk now.
  public OnDisk onDisk() {
    State now = state;
    long nowNanos = clock.getAsLong();
    List<OnDisk.Part> all = new ArrayList<>();
    all.add(new OnDisk.Part(now.kept(now.setting.policies, nowNanos), Long.MAX_VALUE));
    for (Held held : now.setting.held) {
      if (held.untilNanos > nowNanos) {
        all.add(new OnDisk.Part(now.kept(held.policies, nowNanos), held.untilNanos));
      }
    }
    long until = allKeptUntil;
    return new OnDisk(all, nowNanos < until ? until : Long.MIN_VALUE, nowNanos, figuresKept);
  }

  /// Drops nothing about which the configuration decides before so long from now, unless room is
  /// needed.
  public void keepAllFor(Duration grace) {
    allKeptUntil = clock.getAsLong() + grace.toNanos();
  }

  /// Ends [#keepAllFor]: room is needed.
  public void keepAllNoLonger() {
    allKeptUntil = Long.MIN_VALUE;
  }

  /// The limit of the events that must stay on the disk at one moment.
  ///
  /// - Threads: any; immutable.
  public static final class OnDisk {
    private final List<Part> all;
    private final long pastUntilNanos;
    private final long configuredUntilNanos; // end of the grace of configured policies
    private final long nowNanos;
    private final ToLongFunction<String> figuresKept;

    /// @param untilNanos until when this counts
    private record Part(RetentionSnapshot kept, long untilNanos) {}

    private OnDisk(
        List<Part> all,
        long configuredUntilNanos,
        long nowNanos,
        ToLongFunction<String> figuresKept) {
      this.all = all;
      this.nowNanos = nowNanos;
      this.figuresKept = figuresKept;
      this.configuredUntilNanos = configuredUntilNanos;
      this.pastUntilNanos =
          all.stream().mapToLong(part -> part.kept.pastUntilNanos()).min().orElseThrow();
    }

    /// True when a bucket of a type may be dropped.
    ///
    /// @param untilNanos end of the bucket
    public boolean mayGo(String type, long untilNanos) {
      return untilNanos <= pastUntilNanos
          && !isHeldAfterStart(type)
          && all.stream().allMatch(part -> part.kept.isPast(type, untilNanos));
    }

    /// The least time of a type's events that stay on the disk for their age: that of the policies
    /// that keep most, see [RetentionSnapshot#keptFromNanos]. The least long while the grace of a
    /// start keeps them all.
    public long keptFromNanos(String type, long widthNanos) {
      if (isHeldAfterStart(type)) {
        return Long.MIN_VALUE;
      }
      return all.stream()
          .mapToLong(part -> part.kept.keptFromNanos(type, widthNanos))
          .min()
          .orElseThrow();
    }

    /// True when aggregates of a bucket of a type are kept if it is dropped now.
    ///
    /// @param untilNanos end of the bucket
    public boolean leavesFigures(String type, long untilNanos) {
      long keepNanos = figuresKept.applyAsLong(type);
      return keepNanos > 0 && untilNanos + keepNanos > nowNanos;
    }

    /// True when a bucket of a type may be dropped, and no aggregates of it are kept.
    ///
    /// @param untilNanos end of the bucket
    public boolean mayGoWhole(String type, long untilNanos) {
      return mayGo(type, untilNanos) && !leavesFigures(type, untilNanos);
    }

    private boolean isHeldAfterStart(String type) {
      return configuredUntilNanos != Long.MIN_VALUE
          && all.getFirst().kept.policies().of(type).source() == RetentionPolicy.Source.CONFIG;
    }

    /// When the last change ends that keeps a type's events before a time; the greatest long when
    /// the current policies keep them.
    ///
    /// @param untilNanos end of a bucket, or the time within a wider bucket before which events are
    ///   hidden
    public long heldUntil(String type, long untilNanos) {
      return all.stream()
          .filter(part -> !part.kept.isPast(type, untilNanos))
          .mapToLong(Part::untilNanos)
          .reduce(isHeldAfterStart(type) ? configuredUntilNanos : Long.MIN_VALUE, Math::max);
    }

    /// True when a bucket may be dropped of no type.
    public boolean staysWhole(long untilNanos) {
      return untilNanos > pastUntilNanos;
    }
  }
}
