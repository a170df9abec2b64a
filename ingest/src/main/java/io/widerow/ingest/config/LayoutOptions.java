package io.widerow.ingest.config;

import io.widerow.event.LayoutRule;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionRule.Source;
import io.widerow.event.TypeGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Configuration of the layout: width of buckets and number of shards. [LayoutRule#AUTO] lets the
/// store choose.
///
/// @param shards wide rows per bucket and type, a multiple of the lanes
/// @param bucketMinutes width of a bucket
/// @param shardsByType the same for types, by name or pattern
/// @param bucketMinutesByType the same for types, by name or pattern
/// @param weights what a good partition is
/// @param fit whether merges give buckets their final form; otherwise they keep their keys
public record LayoutOptions(
    int shards,
    int bucketMinutes,
    Map<String, Integer> shardsByType,
    Map<String, Integer> bucketMinutesByType,
    PartitionWeights weights,
    boolean fit) {
  static final String SHARDS = "shards";
  static final String MINUTES = "bucket-minutes";

  /// Prefixes of keys that name types; the type or pattern follows.
  static final String SHARDS_OF = SHARDS + ".";

  static final String MINUTES_OF = MINUTES + ".";

  private static final String AUTO = "auto";
  private static final String FINAL = "final";
  private static final String FIT = "fit";
  private static final String KEEP = "keep";

  /// What a store has that does not choose.
  private static final int SHARDS_PER_LANE = 2;

  private static final int MINUTES_OWNER = 60;
  private static final int MINUTES_PER_DAY = 1_440;

  public LayoutOptions {
    shardsByType = Map.copyOf(shardsByType);
    bucketMinutesByType = Map.copyOf(bucketMinutesByType);
    requireShards(SHARDS, shards);
    shardsByType.forEach((type, number) -> requireShards(SHARDS_OF + type, number));
    requireMinutes(MINUTES, bucketMinutes);
    bucketMinutesByType.forEach((type, width) -> requireMinutes(MINUTES_OF + type, width));
    StoreOptions.requireClear(SHARDS_OF, new TreeMap<>(shardsByType));
    StoreOptions.requireClear(MINUTES_OF, new TreeMap<>(bucketMinutesByType));
    var _ = rules(shards, bucketMinutes, shardsByType, bucketMinutesByType);
  }

  private static void requireShards(String key, int shards) {
    require(
        shards >= LayoutRule.AUTO && shards <= LayoutRule.SHARDS_MAX,
        "%s must be auto or 1 to 1024, got %d".formatted(key, shards));
  }

  private static void requireMinutes(String key, int minutes) {
    require(
        minutes == LayoutRule.AUTO || (minutes >= 1 && MINUTES_PER_DAY % minutes == 0),
        "%s must be auto or divide a day, got %d".formatted(key, minutes));
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// True for a key that names a type.
  static boolean isOfType(String key) {
    return isOf(SHARDS_OF, key) || isOf(MINUTES_OF, key);
  }

  private static boolean isOf(String prefix, String key) {
    return key.startsWith(prefix) && key.length() > prefix.length();
  }

  static void putDefaults(Map<String, String> defaults) {
    PartitionWeights weights = PartitionWeights.DEFAULT;
    defaults.put(SHARDS, AUTO);
    defaults.put(MINUTES, AUTO);
    defaults.put("partition-bytes", Long.toString(weights.partitionBytes()));
    defaults.put("partition-events", Long.toString(weights.partitionEvents()));
    defaults.put("shard-rate", Long.toString(weights.shardRate()));
    defaults.put("shard-byte-rate", Long.toString(weights.shardByteRate()));
    defaults.put(FINAL, FIT);
  }

  static LayoutOptions of(ConfigValues values) {
    Map<String, Integer> shards = new TreeMap<>();
    Map<String, Integer> minutes = new TreeMap<>();
    for (String key : values.texts().keySet()) {
      if (isOf(SHARDS_OF, key)) {
        shards.put(key.substring(SHARDS_OF.length()), number(values, key));
      } else if (isOf(MINUTES_OF, key)) {
        minutes.put(key.substring(MINUTES_OF.length()), number(values, key));
      }
    }
    return new LayoutOptions(
        number(values, SHARDS),
        number(values, MINUTES),
        shards,
        minutes,
        new PartitionWeights(
            values.bytes("partition-bytes"),
            values.bytes("partition-events"),
            values.bytes("shard-rate"),
            values.bytes("shard-byte-rate")),
        isFit(values.text(FINAL)));
  }

  private static boolean isFit(String text) {
    require(text.equals(FIT) || text.equals(KEEP), FINAL + " must be fit or keep, got " + text);
    return text.equals(FIT);
  }

  private static int number(ConfigValues values, String key) {
    String text = values.text(key);
    if (text.isEmpty() || text.equals(AUTO)) {
      return LayoutRule.AUTO;
    }
    int number = values.number(key);
    require(number != LayoutRule.AUTO, key + " must be auto or positive, got " + text);
    return number;
  }

  void putTo(Map<String, String> values) {
    values.put(SHARDS, text(shards));
    values.put(MINUTES, text(bucketMinutes));
    values.put("partition-bytes", Long.toString(weights.partitionBytes()));
    values.put("partition-events", Long.toString(weights.partitionEvents()));
    values.put("shard-rate", Long.toString(weights.shardRate()));
    values.put("shard-byte-rate", Long.toString(weights.shardByteRate()));
    values.put(FINAL, fit ? FIT : KEEP);
    new TreeMap<>(shardsByType)
        .forEach((type, number) -> values.put(SHARDS_OF + type, text(number)));
    new TreeMap<>(bucketMinutesByType)
        .forEach((type, width) -> values.put(MINUTES_OF + type, text(width)));
  }

  private static String text(int value) {
    return value == LayoutRule.AUTO ? AUTO : Integer.toString(value);
  }

  /// Checks what depends on the number of lanes.
  void requireFor(int lanes) {
    requireMultiple(SHARDS, shards, lanes);
    shardsByType.forEach((type, number) -> requireMultiple(SHARDS_OF + type, number, lanes));
  }

  private static void requireMultiple(String key, int shards, int lanes) {
    require(
        shards % lanes == 0,
        "%s must be a multiple of lanes, got %d with %d lanes".formatted(key, shards, lanes));
  }

  /// A store on a cluster has one number of shards, and no patterns.
  void requireForCluster() {
    require(
        shardsByType.isEmpty(),
        "shards.<type>: a store on a cluster has the same shards for all types");
    for (Map.Entry<String, Integer> each : new TreeMap<>(bucketMinutesByType).entrySet()) {
      require(
          TypeGlob.isExact(each.getKey()) && each.getValue() != LayoutRule.AUTO,
          "%s%s: on a cluster it takes the whole name of one type, and a number"
              .formatted(MINUTES_OF, each.getKey()));
    }
  }

  /// The rules for a store that chooses what they leave to it.
  public List<LayoutRule> rules() {
    return rules(shards, bucketMinutes, shardsByType, bucketMinutesByType);
  }

  private static List<LayoutRule> rules(
      int shards, int minutes, Map<String, Integer> byShards, Map<String, Integer> byMinutes) {
    List<LayoutRule> rules = new ArrayList<>();
    rules.add(new LayoutRule("*", minutes, shards, Source.CONFIG));
    TreeSet<String> types = new TreeSet<>(byShards.keySet());
    types.addAll(byMinutes.keySet());
    for (String type : types) {
      rules.add(
          new LayoutRule(
              type,
              byMinutes.getOrDefault(type, LayoutRule.UNSAID),
              byShards.getOrDefault(type, LayoutRule.UNSAID),
              Source.CONFIG));
    }
    return rules;
  }

  /// For a store that does not choose: shards of all types.
  int ownerShards(int lanes) {
    return shards == LayoutRule.AUTO ? SHARDS_PER_LANE * lanes : shards;
  }

  /// For a store that does not choose: the width of buckets.
  public int ownerMinutes() {
    return bucketMinutes == LayoutRule.AUTO ? MINUTES_OWNER : bucketMinutes;
  }

  /// For a store that does not choose: the width for single types.
  Map<String, Integer> ownerMinutesByType() {
    Map<String, Integer> exact = new TreeMap<>(bucketMinutesByType);
    exact
        .entrySet()
        .removeIf(each -> !TypeGlob.isExact(each.getKey()) || each.getValue() == LayoutRule.AUTO);
    return exact;
  }
}
