package io.widerow.cql.schema;

import java.util.LinkedHashMap;
import java.util.Map;

/// The options of a table: those that were given, as texts and maps of texts. Only `comment` and
/// `default_time_to_live` have an effect; all others are kept and shown.
///
/// - Threads: any; immutable.
///
/// @param texts of options that are one value
/// @param maps of options that are a map
public record TableOptions(Map<String, String> texts, Map<String, Map<String, String>> maps) {
  public static final TableOptions NONE = new TableOptions(Map.of(), Map.of());
  private static final String COMMENT = "comment";
  private static final String TTL = "default_time_to_live";

  public TableOptions {
    texts = Map.copyOf(texts);
    maps = Map.copyOf(maps);
  }

  static TableOptions commented(String comment) {
    return new TableOptions(Map.of(COMMENT, comment), Map.of());
  }

  public String comment() {
    return texts.getOrDefault(COMMENT, "");
  }

  /// Seconds that rows live when a write does not say; 0 for ever.
  public int ttlSeconds() {
    return Integer.parseInt(texts.getOrDefault(TTL, "0"));
  }

  /// These, and over them others.
  public TableOptions with(TableOptions newer) {
    Map<String, String> allTexts = new LinkedHashMap<>(texts);
    allTexts.putAll(newer.texts);
    Map<String, Map<String, String>> allMaps = new LinkedHashMap<>(maps);
    allMaps.putAll(newer.maps);
    return new TableOptions(allTexts, allMaps);
  }
}
