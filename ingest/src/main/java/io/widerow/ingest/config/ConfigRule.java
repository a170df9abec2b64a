package io.widerow.ingest.config;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// A rule for the values of several keys, or for the file that a value names. It is not applied
/// when one of the values is refused, because its error would only follow from that one.
///
/// @param keys the keys whose values it checks
/// @param check throws [IllegalArgumentException] with a key and the error
public record ConfigRule(List<Key<?>> keys, Consumer<DaemonConfig> check) {
  public ConfigRule {
    keys = List.copyOf(keys);
  }

  static ConfigRule of(Consumer<DaemonConfig> check, Key<?>... keys) {
    return new ConfigRule(List.of(keys), check);
  }

  /// Applies it to a configuration.
  ///
  /// @param refused names whose values are refused
  /// @param mistake receives the error
  void apply(DaemonConfig config, Set<String> refused, Consumer<String> mistake) {
    if (keys.stream().anyMatch(key -> refused.stream().anyMatch(key::isNamed))) {
      return;
    }
    try {
      check.accept(config);
    } catch (IllegalArgumentException wrong) {
      mistake.accept(String.valueOf(wrong.getMessage()));
    }
  }
}
