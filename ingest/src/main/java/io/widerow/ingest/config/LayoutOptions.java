package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.event.TypeGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Configuration of the layout: width of buckets and number of shards. [LayoutOverride#AUTO] lets
/// the store choose.
public record LayoutOptions(ConfigValues values) {
  /// The layout of a store that does not choose one.
  private static final int SHARDS_PER_LANE = 2;

  private static final int MINUTES_OWNER = 60;

  private int shards() {
    return values.get(ConfigKeys.SHARDS);
  }

  private int bucketMinutes() {
    return values.get(ConfigKeys.BUCKET_MINUTES);
  }

  private Map<String, Integer> shardsByType() {
    return values.ofTypes(ConfigKeys.SHARDS_OF);
  }

  private Map<String, Integer> bucketMinutesByType() {
    return values.ofTypes(ConfigKeys.BUCKET_MINUTES_OF);
  }

  /// The target size of a partition.
  public PartitionWeights weights() {
    return new PartitionWeights(
        values.get(ConfigKeys.PARTITION_BYTES),
        values.get(ConfigKeys.PARTITION_EVENTS),
        values.get(ConfigKeys.SHARD_RATE),
        PartitionWeights.DEFAULT.shardByteRate());
  }

  /// Whether merges give buckets their final form; otherwise they keep their keys.
  public boolean fit() {
    return values.get(ConfigKeys.FINAL).equals("fit");
  }

  /// Refuses patterns that contradict each other.
  void requireClear() {
    DaemonStoreOptions.requireClear(ConfigKeys.SHARDS_OF.prefix(), shardsByType());
    DaemonStoreOptions.requireClear(ConfigKeys.BUCKET_MINUTES_OF.prefix(), bucketMinutesByType());
    var _ = rules();
  }

  /// Checks what depends on the number of lanes.
  void requireLanes() {
    int lanes = values.get(ConfigKeys.LANES);
    requireMultiple(ConfigKeys.SHARDS.name(), shards(), lanes);
    shardsByType()
        .forEach(
            (type, number) -> requireMultiple(ConfigKeys.SHARDS_OF.prefix() + type, number, lanes));
  }

  private static void requireMultiple(String key, int shards, int lanes) {
    require(
        shards % lanes == 0,
        "%s must be a multiple of lanes, got %d with %d lanes".formatted(key, shards, lanes));
  }

  /// A store on a cluster has one number of shards, and no patterns.
  void requireForCluster() {
    require(
        shardsByType().isEmpty(),
        "shards.<type>: a store on a cluster has the same shards for all types");
    for (Map.Entry<String, Integer> each : bucketMinutesByType().entrySet()) {
      require(
          TypeGlob.isExact(each.getKey()) && each.getValue() != LayoutOverride.AUTO,
          "%s%s: on a cluster it takes the whole name of one type, and a number"
              .formatted(ConfigKeys.BUCKET_MINUTES_OF.prefix(), each.getKey()));
    }
  }

  /// The rules for a store that chooses what they leave to it.
  public List<LayoutOverride> rules() {
    Map<String, Integer> byShards = shardsByType();
    Map<String, Integer> byMinutes = bucketMinutesByType();
    List<LayoutOverride> rules = new ArrayList<>();
    rules.add(new LayoutOverride("*", bucketMinutes(), shards(), Source.CONFIG));
    TreeSet<String> types = new TreeSet<>(byShards.keySet());
    types.addAll(byMinutes.keySet());
    for (String type : types) {
      rules.add(
          new LayoutOverride(
              type,
              byMinutes.getOrDefault(type, LayoutOverride.UNSAID),
              byShards.getOrDefault(type, LayoutOverride.UNSAID),
              Source.CONFIG));
    }
    return rules;
  }

  /// For a store that does not choose: shards of all types.
  int ownerShards(int lanes) {
    return shards() == LayoutOverride.AUTO ? SHARDS_PER_LANE * lanes : shards();
  }

  /// For a store that does not choose: the width of buckets.
  public int ownerMinutes() {
    return bucketMinutes() == LayoutOverride.AUTO ? MINUTES_OWNER : bucketMinutes();
  }

  /// For a store that does not choose: the width for single types.
  Map<String, Integer> ownerMinutesByType() {
    Map<String, Integer> exact = new TreeMap<>(bucketMinutesByType());
    exact
        .entrySet()
        .removeIf(
            each -> !TypeGlob.isExact(each.getKey()) || each.getValue() == LayoutOverride.AUTO);
    return exact;
  }
}
