package io.widerow.cli.serve;

import io.widerow.ingest.config.ConfigKeys;
import io.widerow.ingest.config.Key;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The arguments of `widerow serve` in their plainest forms: `--key=value`, `--key value`,
/// `--switch`, each at most once, and `--set key=value`.
///
/// Any other form is for picocli, which reports mistakes. `PlainArgumentsTest` compares the two.
///
/// @param flags values by key
/// @param file the file of `--config`; null without one
record PlainArguments(Map<String, String> flags, @Nullable Path file) {
  private static final String CONFIG = "config";
  private static final String SET = "set";

  /// A value without a character that picocli or [Path] may treat in its own way.
  private static final Pattern VALUE =
      Pattern.compile("[\\w./:,+@%~=*?\\[\\]][\\w./:,+@%~=*?\\[\\]-]*");

  PlainArguments {
    flags = Map.copyOf(flags);
  }

  /// Returns null when picocli has to read the arguments.
  static @Nullable PlainArguments read(List<String> arguments) {
    Map<String, Key<?>> keys = new HashMap<>();
    for (Key<?> key : ConfigKeys.ALL) {
      if (!key.isOfType()) {
        keys.put(key.name(), key);
      }
    }
    Map<String, String> flags = new LinkedHashMap<>();
    Set<String> seen = new HashSet<>();
    Path file = null;
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (!argument.startsWith("--")) {
        return null;
      }
      int equals = argument.indexOf('=');
      String name = argument.substring(2, equals < 0 ? argument.length() : equals);
      Key<?> key = keys.get(name);
      String value;
      if (equals >= 0) {
        value = argument.substring(equals + 1);
      } else if (key != null && key.isSwitch()) {
        boolean alone = i + 1 == arguments.size() || arguments.get(i + 1).startsWith("--");
        value = alone ? "true" : "";
      } else {
        i++;
        value = i < arguments.size() ? arguments.get(i) : "";
      }
      if (!VALUE.matcher(value).matches() || (!name.equals(SET) && !seen.add(name))) {
        return null;
      }
      if (key != null) {
        flags.put(name, value);
      } else if (name.equals(CONFIG)) {
        file = Path.of(value);
      } else if (name.equals(SET) && value.indexOf('=') > 0) {
        flags.put(value.substring(0, value.indexOf('=')), value.substring(value.indexOf('=') + 1));
      } else {
        return null;
      }
    }
    return new PlainArguments(flags, file);
  }
}
