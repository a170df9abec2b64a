package io.widerow.storage.layout;

import io.widerow.event.LayoutOverride;
import java.util.Map;
import java.util.function.Function;

/// The layouts of all types at one moment. An override takes precedence over a learned layout, and
/// a learned layout over the default that the owner of the store set. A lane reads one such
/// snapshot for each batch.
///
/// - Threads: any; immutable.
public final class Layouts {
  private final int lanes;
  private final Function<String, Layout> owners;
  private final LayoutOverrides rules;
  private final Map<String, Learned> learned;

  /// The layout that rates and sizes require.
  ///
  /// @param widthMinutes width of the buckets
  /// @param shardsPerLane shards of a bucket in each lane
  public record Learned(int widthMinutes, int shardsPerLane) {
    /// Of a type that is new.
    public static final Learned NEW = new Learned(Layout.WIDTH_NEW, Layout.SHARDS_NEW);
  }

  private Layouts(
      int lanes,
      Function<String, Layout> owners,
      LayoutOverrides rules,
      Map<String, Learned> learned) {
    this.lanes = lanes;
    this.owners = owners;
    this.rules = rules;
    this.learned = learned;
  }

  /// The layouts of a store without overrides.
  ///
  /// @param owners layout of a type, by the configuration of the store
  public static Layouts ofOwner(int lanes, Function<String, Layout> owners) {
    return new Layouts(lanes, owners, LayoutOverrides.NONE, Map.of());
  }

  /// The layouts under other rules.
  public Layouts with(LayoutOverrides newRules) {
    return new Layouts(lanes, owners, newRules, learned);
  }

  /// The layouts with something else learned.
  ///
  /// @param newLearned by type; types that are not in it are new
  public Layouts with(Map<String, Learned> newLearned) {
    return new Layouts(lanes, owners, rules, Map.copyOf(newLearned));
  }

  public LayoutOverrides rules() {
    return rules;
  }

  public Map<String, Learned> learned() {
    return learned;
  }

  public int lanes() {
    return lanes;
  }

  /// The layout of a type. Costs a look at the rules.
  public Layout of(String type) {
    int width = rules.widthOf(type);
    int shards = rules.shardsOf(type);
    Layout owner = owners.apply(type);
    Learned auto = learned.getOrDefault(type, Learned.NEW);
    return new Layout(
        width == LayoutOverride.UNSAID
            ? owner.widthMinutes()
            : width == LayoutOverride.AUTO ? auto.widthMinutes() : width,
        shards == LayoutOverride.UNSAID
            ? owner.shardsPerLane()
            : shards == LayoutOverride.AUTO ? auto.shardsPerLane() : perLane(shards),
        width != LayoutOverride.AUTO,
        shards != LayoutOverride.AUTO,
        shards != LayoutOverride.UNSAID);
  }

  /// A number that was set for other lanes is rounded up.
  private int perLane(int shards) {
    return Math.ceilDiv(shards, lanes);
  }
}
