package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import io.widerow.ingest.config.Key.Check;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The checks of values that several keys of [ConfigKeys] need, or that are long.
final class KeyChecks {
  private static final String VERSION = "([7-9]|[1-9]\\d)(\\.\\d{1,4}){2}";

  private KeyChecks() {}

  static Check<Optional<Path>> readable() {
    return (name, file) -> SecurityOptions.requireReadable(name, file.orElse(null));
  }

  static Check<Duration> atMost(Duration max) {
    return (name, value) ->
        require(
            value.compareTo(max) <= 0,
            "%s must be 0s to %s, got %s".formatted(name, Age.text(max), Age.text(value)));
  }

  static void requireWhole(String name, List<String> hosts) {
    for (String host : hosts) {
      require(
          host.indexOf('*') < 0,
          "%s: takes whole names, separated by commas, and no *, got %s".formatted(name, host));
    }
  }

  static void requireLabels(String name, List<String> labels) {
    for (String label : labels) {
      require(
          label.matches("[a-zA-Z_][a-zA-Z0-9_]*=.+"),
          "%s must be NAME=VALUE, separated by commas, got %s".formatted(name, label));
    }
  }

  static void requireTenant(String name, String tenant) {
    require(
        tenant.equals("*") || tenant.matches("[A-Za-z0-9!._*'()-]{1,150}"),
        "%s must be one name of a tenant or *, got %s; several tenants need a daemon each"
            .formatted(name, tenant));
  }

  static void requireVersion(String name, String version) {
    require(
        version.matches(VERSION),
        "%s must be three numbers from 7.0.0 on, such as 8.19.0, got %s".formatted(name, version));
  }

  /// The configured number of lanes; the default for a text that is refused.
  static int lanes(Map<String, String> texts) {
    String text = texts.getOrDefault("lanes", "").strip();
    int lanes = text.matches("[1-9][0-9]?") ? Integer.parseInt(text) : 0;
    return lanes > 0 && lanes <= ConfigKeys.LANES_MAX ? lanes : MachineLimits.ofProcess().lanes();
  }
}
