package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Definition.Options;
import io.widerow.cql.schema.TableOptions;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Which options keyspaces and tables may have.
final class OptionValidator {
  private static final Set<String> TEXTS =
      Set.of("comment", "speculative_retry", "additional_write_policy", "read_repair", "memtable");
  private static final Set<String> BOOLEANS =
      Set.of("cdc", "allow_auto_snapshot", "incremental_backups");
  private static final Set<String> WHOLE =
      Set.of(
          "default_time_to_live",
          "gc_grace_seconds",
          "max_index_interval",
          "min_index_interval",
          "memtable_flush_period_in_ms");
  private static final Set<String> FRACTIONS =
      Set.of(
          "bloom_filter_fp_chance",
          "crc_check_chance",
          "read_repair_chance",
          "dclocal_read_repair_chance");
  private static final Set<String> MAPS =
      Set.of("caching", "compaction", "compression", "extensions");
  private static final Set<String> STRATEGIES = Set.of("SimpleStrategy", "NetworkTopologyStrategy");
  private static final String STRATEGY_PACKAGE = "org.apache.cassandra.locator.";
  private static final Pattern RETRY =
      Pattern.compile(
          "(?i)none|never|always|\\d+(\\.\\d+)?ms|\\d+(\\.\\d+)?p(ercentile)?"
              + "|(min|max)\\(.*,.*\\)");
  private static final double FALSE_POSITIVES_MIN = 6.71E-5;
  private static final String DATA_CENTER = "datacenter1";
  private static final String FACTOR = "replication_factor";
  private static final int TTL_MAX = 630_720_000;

  /// What no compression is shown as.
  private static final Map<String, String> UNCOMPRESSED = Map.of("enabled", "false");

  private OptionValidator() {}

  static TableOptions table(Options options) {
    return table(TableOptions.NONE, options);
  }

  /// @param before options that are there
  static TableOptions table(TableOptions before, Options options) {
    for (String name : options.maps().keySet()) {
      if (!MAPS.contains(name)) {
        throw unknown(name);
      }
    }
    MapOptions.require(options.maps());
    Map<String, String> texts = new LinkedHashMap<>(options.texts());
    texts.replaceAll(OptionValidator::normal);
    Map<String, Map<String, String>> maps = new LinkedHashMap<>(options.maps());
    maps.computeIfPresent("compression", (_, map) -> map.isEmpty() ? UNCOMPRESSED : map);
    return before.with(texts, maps);
  }

  private static CqlException unknown(String name) {
    return new CqlException(Code.SYNTAX, "Unknown property '%s'".formatted(name));
  }

  private static CqlException wrong(String name, String value, String why) {
    return new CqlException(
        Code.CONFIGURATION, "Invalid value %s for '%s': %s".formatted(value, name, why));
  }

  /// A value as statements write it: numbers and truths have no quotes there, and Java reads forms
  /// of them that CQL has not.
  private static String normal(String name, String value) {
    if (TEXTS.contains(name)) {
      requireText(name, value);
      return value;
    }
    try {
      if (WHOLE.contains(name)) {
        int number = Integer.parseInt(value);
        requireRange(name, number);
        return Integer.toString(number);
      }
      if (FRACTIONS.contains(name)) {
        double number = Double.parseDouble(value);
        requireFraction(name, number);
        return Double.toString(number);
      }
    } catch (NumberFormatException noNumber) {
      throw wrong(name, value, "it is a number");
    }
    if (!BOOLEANS.contains(name)) {
      throw unknown(name);
    }
    if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
      throw wrong(name, value, "it is true or false");
    }
    return value.toLowerCase(Locale.ROOT);
  }

  private static void requireText(String name, String value) {
    boolean right =
        switch (name) {
          case "read_repair" -> Set.of("NONE", "BLOCKING").contains(value.toUpperCase(Locale.ROOT));
          case "speculative_retry", "additional_write_policy" -> RETRY.matcher(value).matches();
          case "memtable" -> Set.of("default", "skiplist", "trie").contains(value);
          default -> true;
        };
    if (!right) {
      throw wrong(name, "'" + value + "'", "Cassandra has no such value");
    }
  }

  private static void requireRange(String name, int value) {
    int least = name.endsWith("_index_interval") ? 1 : 0;
    if (value < least) {
      throw new CqlException(
          Code.CONFIGURATION,
          "%s must be greater than or equal to %d (got %d)".formatted(name, least, value));
    }
    if (name.equals("default_time_to_live") && value > TTL_MAX) {
      throw new CqlException(
          Code.CONFIGURATION,
          "default_time_to_live must be less than or equal to %d (got %d)"
              .formatted(TTL_MAX, value));
    }
  }

  private static void requireFraction(String name, double value) {
    if (name.equals("bloom_filter_fp_chance") && !(value > FALSE_POSITIVES_MIN && value <= 1)) {
      throw new CqlException(
          Code.CONFIGURATION,
          "%s must be larger than %s and less than or equal to 1.0 (got %s)"
              .formatted(name, FALSE_POSITIVES_MIN, value));
    }
    if (!(value >= 0 && value <= 1)) {
      throw wrong(name, Double.toString(value), "it is from 0 to 1");
    }
  }

  /// The options of a keyspace after WITH.
  ///
  /// @param replication with the full name of its class; empty when it is not given
  record OfKeyspace(Map<String, String> replication, boolean durableWrites) {}

  /// @param name of the keyspace
  static OfKeyspace keyspace(
      String name, Options options, Map<String, String> before, boolean durable) {
    Map<String, String> replication = before;
    boolean durableWrites = durable;
    for (Map.Entry<String, Map<String, String>> map : options.maps().entrySet()) {
      if (!map.getKey().equals("replication")) {
        throw unknown(map.getKey());
      }
      replication = replication(name, map.getValue());
    }
    for (Map.Entry<String, String> text : options.texts().entrySet()) {
      if (!text.getKey().equals("durable_writes")) {
        throw unknown(text.getKey());
      }
      durableWrites = truth(text.getKey(), text.getValue());
    }
    if (replication.isEmpty()) {
      throw new CqlException(Code.CONFIGURATION, "Missing mandatory option 'replication'");
    }
    return new OfKeyspace(replication, durableWrites);
  }

  private static boolean truth(String name, String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "1", "true", "yes" -> true;
      case "0", "false", "no" -> false;
      default ->
          throw new CqlException(
              Code.SYNTAX,
              ("Invalid boolean value %s for '%s'. Positive values can be '1', 'true' or 'yes'."
                      + " Negative values can be '0', 'false' or 'no'.")
                  .formatted(value, name));
    };
  }

  private static Map<String, String> replication(String keyspace, Map<String, String> given) {
    String name = given.get("class");
    if (name == null) {
      throw new CqlException(Code.CONFIGURATION, "Missing replication strategy class");
    }
    String simple =
        name.startsWith(STRATEGY_PACKAGE) ? name.substring(STRATEGY_PACKAGE.length()) : name;
    if (simple.equals("LocalStrategy")) {
      throw CqlException.invalid(
          "Unable to use given strategy class: LocalStrategy is reserved for internal use.");
    }
    if (!STRATEGIES.contains(simple)) {
      throw new CqlException(
          Code.CONFIGURATION,
          "Unable to find replication strategy class '%s%s'".formatted(STRATEGY_PACKAGE, simple));
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("class", STRATEGY_PACKAGE + simple);
    boolean ofCenters = simple.equals("NetworkTopologyStrategy");
    for (Map.Entry<String, String> option : given.entrySet()) {
      String key = option.getKey();
      if (key.equals("class")) {
        continue;
      }
      if (!key.equals(FACTOR) && !(ofCenters && key.equals(DATA_CENTER))) {
        throw new CqlException(
            Code.CONFIGURATION,
            "Unrecognized strategy option {%s} passed to %s for keyspace %s"
                .formatted(key, simple, keyspace));
      }
      requireFactor(option.getValue());
      if (!ofCenters) {
        all.put(key, option.getValue());
      } else if (key.equals(DATA_CENTER) || !given.containsKey(DATA_CENTER)) {
        all.put(DATA_CENTER, option.getValue()); // a factor is that of each data center
      }
    }
    if (simple.equals("SimpleStrategy")) {
      all.putIfAbsent(FACTOR, "1"); // drivers look for it
    }
    return all;
  }

  private static void requireFactor(String value) {
    try {
      if (Integer.parseInt(value) >= 0) {
        return;
      }
    } catch (NumberFormatException noNumber) {
      throw new CqlException(
          Code.CONFIGURATION, "Replication factor must be a number, got %s".formatted(value));
    }
    throw new CqlException(
        Code.CONFIGURATION, "Replication factor must be non-negative, found %s".formatted(value));
  }
}
