package io.widerow.ingest.config;

import io.widerow.query.Variables;
import io.widerow.query.WholeFile;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/// The sources of the configuration. Flags win over the environment, that over the file, and that
/// over the defaults. The key `open-age` is the flag `--open-age`, the variable `WIDEROW_OPEN_AGE`
/// and the line `open-age=10m`. Keys that name a type, `retention.<type>`, cannot be variables.
final class ConfigSources {
  /// A comment after a value, as `--print-config` prints it.
  private static final Pattern COMMENT = Pattern.compile("(^|\\s\\s)\\s*# .*$");

  private ConfigSources() {}

  static Map<String, String> ofFile(Path file) {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(WholeFile.read(file)));
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "config: cannot read %s: %s".formatted(file, FailureReason.of(unreadable)), unreadable);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "config: %s: %s".formatted(file, malformed.getMessage()), malformed);
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (String key : properties.stringPropertyNames()) {
      values.put(key, COMMENT.matcher(properties.getProperty(key)).replaceFirst(""));
    }
    return values;
  }

  /// Reads the variables of known keys. [ConfigCheck] reports other variables of the prefix.
  static Map<String, String> ofEnvironment(Map<String, String> environment) {
    Map<String, String> values = new LinkedHashMap<>();
    ConfigKeys.names()
        .forEach(name -> {
          String value = environment.get(Variables.of(name));
          if (value != null) {
            values.put(name, value);
          }
        });
    return values;
  }
}
