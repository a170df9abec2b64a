package io.widerow.storage.live;

import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.layout.Layout;
import io.widerow.storage.layout.LayoutOverrides;
import io.widerow.storage.layout.Layouts;
import io.widerow.storage.manifest.LayoutSection;
import io.widerow.storage.manifest.ManifestSections;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The layouts of a store's types: the present snapshot, and how it changes. A change takes effect
/// with the next batch of each lane; nothing waits for it, and stored events stay where they are.
///
/// The manifest holds the overrides. It does not hold learned layouts: a start learns them again
/// from the sizes of the stored partitions, and a lost layout loses no event.
///
/// - Threads: any thread reads. Changes are ordered by the lock of this.
public final class LiveLayouts {
  private volatile Layouts now; // replaced under the lock of this
  private volatile @Nullable PartitionWeights fitted;

  /// @param section the manifest's section; null for none
  LiveLayouts(StoreConfig config, @Nullable LayoutSection section) {
    int lanes = config.lanes();
    int shardsPerLane = config.shards() / lanes;
    Layouts owners =
        Layouts.ofOwner(lanes, type -> Layout.ofOwner(config.bucketMinutesOf(type), shardsPerLane));
    this.now = section == null ? owners : owners.with(LayoutOverrides.of(section.rules()));
  }

  /// The present snapshot. Batches that are taken together use one.
  public Layouts now() {
    return now;
  }

  /// Changes the rules.
  ///
  /// @param change throws to change nothing
  /// @param write makes them durable before they take effect; throws to change nothing
  public synchronized void change(
      UnaryOperator<LayoutOverrides> change, Consumer<ManifestSections> write) {
    LayoutOverrides rules = change.apply(now.rules());
    write.accept(new LayoutSection(rules.of(Source.API)).toSections());
    now = now.with(rules);
  }

  /// Changes the rules of the configuration, which are given at each opening.
  public synchronized void configure(UnaryOperator<LayoutOverrides> change) {
    now = now.with(change.apply(now.rules()));
  }

  /// From now on merges give buckets their final form by these weights.
  ///
  /// @param weights null to keep the keys
  public void fit(@Nullable PartitionWeights weights) {
    fitted = weights;
  }

  /// By which weights merges give buckets their final form; null when they keep the keys.
  public @Nullable PartitionWeights fitted() {
    return fitted;
  }

  /// Takes what rates and sizes ask for.
  public synchronized void learn(Map<String, Layouts.Learned> learned) {
    now = now.with(learned);
  }
}
