package io.widerow.ingest.config;

import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/// The sources of the configuration. Flags win over the environment, that over the file, and that
/// over the defaults. The key `lane-slots` is the flag `--lane-slots`, the variable
/// `WIDEROW_LANE_SLOTS` and the line `lane-slots=1024`. Keys that name a type, `retention.<type>`,
/// cannot be variables.
final class ConfigSources {
  private static final String PREFIX = "WIDEROW_";

  private ConfigSources() {}

  static Map<String, String> ofFile(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "config: cannot read %s: %s".formatted(file, FailureReason.of(unreadable)), unreadable);
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (String key : properties.stringPropertyNames()) {
      values.put(key, properties.getProperty(key));
    }
    return values;
  }

  /// Reads the variables of known keys. `ServeCommand` refuses other variables of this prefix.
  static Map<String, String> ofEnvironment(Map<String, String> environment) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String key : DaemonConfig.DEFAULTS.keySet()) {
      String value = environment.get(PREFIX + key.replace('-', '_').toUpperCase(Locale.ROOT));
      if (value != null) {
        values.put(key, value);
      }
    }
    return values;
  }
}
