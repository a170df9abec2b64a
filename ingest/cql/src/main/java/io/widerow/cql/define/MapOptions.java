package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Checks the options of tables that are maps. They have no effect here, so a script with a mistake
/// in them must fail as it does in Cassandra.
final class MapOptions {
  private static final String COMPACTION = "org.apache.cassandra.db.compaction.";
  private static final String COMPRESSION = "org.apache.cassandra.io.compress.";

  private static final Set<String> ANY_COMPACTION =
      Set.of(
          "class",
          "enabled",
          "log_all",
          "max_threshold",
          "min_threshold",
          "only_purge_repaired_tombstones",
          "provide_overlapping_tombstones",
          "tombstone_compaction_interval",
          "tombstone_threshold",
          "unchecked_tombstone_compaction");
  private static final Map<String, Set<String>> COMPACTIONS =
      Map.of(
          "SizeTieredCompactionStrategy",
          Set.of("bucket_high", "bucket_low", "min_sstable_size"),
          "LeveledCompactionStrategy",
          Set.of("fanout_size", "single_sstable_uplevel", "sstable_size_in_mb"),
          "TimeWindowCompactionStrategy",
          Set.of(
              "bucket_high",
              "bucket_low",
              "compaction_window_size",
              "compaction_window_unit",
              "expired_sstable_check_frequency_seconds",
              "min_sstable_size",
              "timestamp_resolution",
              "unsafe_aggressive_sstable_expiration"),
          "UnifiedCompactionStrategy",
          Set.of(
              "base_shard_count",
              "expired_sstable_check_frequency_seconds",
              "flush_size_override",
              "max_sstables_to_compact",
              "min_sstable_size",
              "overlap_inclusion_method",
              "scaling_parameters",
              "sstable_growth",
              "target_sstable_size",
              "unsafe_aggressive_sstable_expiration"));

  private static final Set<String> ANY_COMPRESSION =
      Set.of(
          "chunk_length_in_kb",
          "chunk_length_kb",
          "class",
          "crc_check_chance",
          "enabled",
          "max_compressed_length",
          "min_compress_ratio");
  private static final Map<String, Set<String>> COMPRESSIONS =
      Map.of(
          "LZ4Compressor",
          Set.of("lz4_compressor_type", "lz4_high_compressor_level"),
          "ZstdCompressor",
          Set.of("compression_level"),
          "SnappyCompressor",
          Set.of(),
          "DeflateCompressor",
          Set.of(),
          "NoopCompressor",
          Set.of());

  private MapOptions() {}

  /// @throws CqlException when a map has a class, an option or a value that Cassandra refuses
  static void require(Map<String, Map<String, String>> maps) {
    maps.forEach((name, map) -> {
      switch (name) {
        case "compaction" -> requireCompaction(map);
        case "compression" -> requireCompression(map);
        case "caching" -> requireCaching(map);
        default -> {} // of any content
      }
    });
  }

  @SuppressWarnings("AnnotateFormatMethod") // all calls are in this class
  private static CqlException wrong(String sentence, Object... values) {
    return new CqlException(Code.CONFIGURATION, sentence.formatted(values));
  }

  private static String simple(String name, String prefix) {
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }

  private static void requireCompaction(Map<String, String> map) {
    String name = map.get("class");
    if (name == null) {
      throw wrong("Missing sub-option 'class' for the 'compaction' option");
    }
    String strategy = simple(name, COMPACTION);
    Set<String> own = COMPACTIONS.get(strategy);
    if (own == null) {
      throw wrong("Unable to find compaction strategy class '%s%s'", COMPACTION, strategy);
    }
    Set<String> unknown = new TreeSet<>(map.keySet());
    unknown.removeAll(ANY_COMPACTION);
    unknown.removeAll(own);
    if (!unknown.isEmpty()) {
      throw wrong("Properties specified %s are not understood by %s", unknown, strategy);
    }
  }

  private static void requireCompression(Map<String, String> map) {
    if (map.isEmpty() || "false".equalsIgnoreCase(map.get("enabled"))) {
      return;
    }
    String name = map.get("class");
    if (name == null || name.isEmpty()) {
      throw wrong("Missing sub-option 'class' for the 'compression' option.");
    }
    String compressor = simple(name, COMPRESSION);
    Set<String> own = COMPRESSIONS.get(compressor);
    if (own == null) {
      throw wrong("Could not create Compression for type %s%s", COMPRESSION, compressor);
    }
    Set<String> unknown = new TreeSet<>(map.keySet());
    unknown.removeAll(ANY_COMPRESSION);
    unknown.removeAll(own);
    if (!unknown.isEmpty()) {
      throw wrong("Unknown compression options %s", String.join(", ", unknown));
    }
    requirePowerOfTwo(map.get("chunk_length_in_kb"));
  }

  private static void requirePowerOfTwo(@Nullable String length) {
    if (length == null) {
      return;
    }
    int number;
    try {
      number = Integer.parseInt(length);
    } catch (NumberFormatException noNumber) {
      throw wrong("Invalid value for 'chunk_length_in_kb': %s is no number", length);
    }
    if (number <= 0) {
      throw wrong("Invalid negative or null 'chunk_length_in_kb', got %s", length);
    }
    if (Integer.bitCount(number) != 1) {
      throw wrong("chunk_length_in_kb must be a power of 2, got %s", length);
    }
  }

  private static void requireCaching(Map<String, String> map) {
    Set<String> unknown = new TreeSet<>(map.keySet());
    unknown.removeAll(Set.of("keys", "rows_per_partition"));
    if (!unknown.isEmpty()) {
      throw wrong(
          "Invalid caching sub-options %s: only 'keys' and 'rows_per_partition' are allowed",
          unknown);
    }
    map.forEach((name, value) -> {
      boolean word = value.equalsIgnoreCase("all") || value.equalsIgnoreCase("none");
      boolean number = name.equals("rows_per_partition") && value.matches("\\d{1,9}");
      if (!word && !number) {
        throw wrong(
            "Invalid value '%s' for caching sub-option '%s': only 'ALL' and 'NONE'%s are allowed",
            value, name, name.equals("keys") ? "" : " and numbers");
      }
    });
  }
}
