package io.widerow.ingest.config;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The typed values of all keys, by name, with those of keys that name types.
public final class ConfigValues {
  private final Map<String, Object> values;
  private final Map<String, Object> defaults;
  private final Map<String, String> origins;

  private ConfigValues(
      Map<String, Object> values, Map<String, Object> defaults, Map<String, String> origins) {
    this.values = Collections.unmodifiableMap(values);
    this.defaults = Collections.unmodifiableMap(defaults);
    this.origins = Collections.unmodifiableMap(origins);
  }

  /// Reads texts of known keys. A key with a refused text has its default.
  ///
  /// @param sources where the texts come from, by name
  /// @param refused gets the name and the sentence of each text that is refused
  static ConfigValues read(
      Map<String, String> texts, Map<String, String> sources, BiConsumer<String, String> refused) {
    Map<String, Object> values = new LinkedHashMap<>();
    Map<String, Object> defaults = new LinkedHashMap<>();
    Map<String, String> origins = new HashMap<>();
    for (Key<?> key : ConfigKeys.ALL) {
      if (key.isOfType()) {
        for (String name : new TreeSet<>(texts.keySet())) {
          if (key.isNamed(name)) {
            read(key, name, texts, refused).ifPresent(value -> values.put(name, value));
            origins.put(name, sources.getOrDefault(name, ""));
          }
        }
      } else {
        Object fallback = valueOf(key, key.name(), key.fallback().text().apply(texts));
        defaults.put(key.name(), fallback);
        Optional<Object> value = read(key, key.name(), texts, refused);
        values.put(key.name(), value.orElse(fallback));
        origins.put(
            key.name(),
            value.isPresent()
                ? sources.getOrDefault(key.name(), "")
                : key.fallback().origin(texts));
      }
    }
    return new ConfigValues(values, defaults, origins);
  }

  /// The value of a text; empty when there is none, or it is refused.
  private static Optional<Object> read(
      Key<?> key, String name, Map<String, String> texts, BiConsumer<String, String> refused) {
    String text = texts.get(name);
    if (text == null || (text.isBlank() && key.fallback().isComputed() && !key.isOfType())) {
      return Optional.empty();
    }
    try {
      return Optional.of(valueOf(key, name, text));
    } catch (IllegalArgumentException wrong) {
      refused.accept(name, String.valueOf(wrong.getMessage()));
      return Optional.empty();
    }
  }

  private static <T> Object valueOf(Key<T> key, String name, String text) {
    T value = key.read(name, text);
    assert value != null : name;
    return value;
  }

  /// The value of a key that names no type.
  @SuppressWarnings("unchecked") // values are put by their keys only
  <T> T get(Key<T> key) {
    Object value = values.get(key.name());
    if (value == null) {
      throw new IllegalArgumentException("no value of " + key.name());
    }
    return (T) value;
  }

  /// The values of a key that stands for those of types, by type or pattern.
  @SuppressWarnings("unchecked") // as above
  <T> Map<String, T> ofTypes(Key<T> key) {
    Map<String, T> ofTypes = new TreeMap<>();
    values.forEach((name, value) -> {
      if (key.isNamed(name)) {
        ofTypes.put(name.substring(key.prefix().length()), (T) value);
      }
    });
    return Collections.unmodifiableMap(ofTypes);
  }

  /// The lines of a file with these values.
  ///
  /// @param changed true to omit values equal to their defaults
  /// @param origins true to add a comment to each line: where its value comes from
  String print(boolean changed, boolean origins) {
    StringBuilder lines = new StringBuilder();
    for (Key<?> key : ConfigKeys.ALL) {
      values.forEach((name, value) -> {
        if (key.isNamed(name) && !(changed && value.equals(defaults.get(name)))) {
          String line = name + "=" + print(key, value);
          lines.append(origins ? withOrigin(line, this.origins.get(name)) : line).append('\n');
        }
      });
    }
    return lines.toString();
  }

  /// A line of `--print-config`: [ConfigSources] reads it without the comment.
  static String withOrigin(String line, @Nullable String origin) {
    return "%-32s  # %s".formatted(line, origin);
  }

  @SuppressWarnings("unchecked") // as above
  private static <T> String print(Key<T> key, Object value) {
    return key.form().printer().apply((T) value);
  }
}
