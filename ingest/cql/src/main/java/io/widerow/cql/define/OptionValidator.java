package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Definition.Options;
import io.widerow.cql.schema.TableOptions;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

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
  private static final Set<String> STRATEGIES =
      Set.of("SimpleStrategy", "NetworkTopologyStrategy", "LocalStrategy", "EverywhereStrategy");
  private static final String STRATEGY_PACKAGE = "org.apache.cassandra.locator.";
  private static final int TTL_MAX = 630_720_000;

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
    Map<String, String> texts = new LinkedHashMap<>(options.texts());
    texts.replaceAll(OptionValidator::normal);
    return before.with(texts, options.maps());
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

  private static void requireRange(String name, int value) {
    if (value < 0) {
      throw new CqlException(
          Code.CONFIGURATION,
          "%s must be greater than or equal to 0 (got %d)".formatted(name, value));
    }
    if (name.equals("default_time_to_live") && value > TTL_MAX) {
      throw new CqlException(
          Code.CONFIGURATION,
          "default_time_to_live must be less than or equal to %d (got %d)"
              .formatted(TTL_MAX, value));
    }
  }

  private static void requireFraction(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw wrong(name, Double.toString(value), "it is from 0 to 1");
    }
  }

  /// The options of a keyspace after WITH.
  ///
  /// @param replication with the full name of its class; empty when it is not given
  record OfKeyspace(Map<String, String> replication, boolean durableWrites) {}

  static OfKeyspace keyspace(Options options, Map<String, String> before, boolean durable) {
    Map<String, String> replication = before;
    boolean durableWrites = durable;
    for (Map.Entry<String, Map<String, String>> map : options.maps().entrySet()) {
      if (!map.getKey().equals("replication")) {
        throw unknown(map.getKey());
      }
      replication = replication(map.getValue());
    }
    for (Map.Entry<String, String> text : options.texts().entrySet()) {
      if (!text.getKey().equals("durable_writes")) {
        throw unknown(text.getKey());
      }
      durableWrites = Boolean.parseBoolean(text.getValue());
    }
    if (replication.isEmpty()) {
      throw new CqlException(Code.CONFIGURATION, "Missing mandatory option 'replication'");
    }
    return new OfKeyspace(replication, durableWrites);
  }

  private static Map<String, String> replication(Map<String, String> given) {
    String name = given.get("class");
    if (name == null) {
      throw new CqlException(Code.CONFIGURATION, "Missing replication strategy class");
    }
    String simple =
        name.startsWith(STRATEGY_PACKAGE) ? name.substring(STRATEGY_PACKAGE.length()) : name;
    if (!STRATEGIES.contains(simple)) {
      throw new CqlException(
          Code.CONFIGURATION,
          "Unable to find replication strategy class '%s%s'".formatted(STRATEGY_PACKAGE, simple));
    }
    Map<String, String> all = new LinkedHashMap<>(given);
    all.put("class", STRATEGY_PACKAGE + simple);
    if (simple.equals("SimpleStrategy")) {
      all.putIfAbsent("replication_factor", "1"); // drivers look for it
    }
    return all;
  }
}
