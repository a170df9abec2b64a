package io.widerow.cql.schema;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// The given options of a table, as texts and maps of texts. Only `comment` and
/// `default_time_to_live` have an effect; all others are kept and shown. An empty comment is none,
/// and a life of 0 seconds, which a view may not be made with.
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
    Map<String, String> given = new TreeMap<>(texts);
    boolean _ = given.remove(COMMENT, "");
    boolean _ = given.remove(TTL, "0");
    texts = Collections.unmodifiableMap(given);
    Map<String, Map<String, String>> all = new TreeMap<>();
    maps.forEach((name, map) -> all.put(name, Collections.unmodifiableMap(new TreeMap<>(map))));
    maps = Collections.unmodifiableMap(all);
  }

  static TableOptions commented(String comment) {
    return new TableOptions(Map.of(COMMENT, comment), Map.of());
  }

  public String comment() {
    return texts.getOrDefault(COMMENT, "");
  }

  /// Seconds that rows live when a write has no TTL; 0 for no expiry.
  public int ttlSeconds() {
    return Integer.parseInt(texts.getOrDefault(TTL, "0"));
  }

  /// These, and over them others.
  ///
  /// @param newerTexts an empty comment takes the comment away
  public TableOptions with(
      Map<String, String> newerTexts, Map<String, Map<String, String>> newerMaps) {
    Map<String, String> allTexts = new TreeMap<>(texts);
    allTexts.putAll(newerTexts);
    Map<String, Map<String, String>> allMaps = new TreeMap<>(maps);
    allMaps.putAll(newerMaps);
    return new TableOptions(allTexts, allMaps);
  }
}
