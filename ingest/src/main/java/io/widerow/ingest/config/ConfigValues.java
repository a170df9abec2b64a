package io.widerow.ingest.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/// The typed values of all keys, by name, with those of keys that name types.
public final class ConfigValues {
  private final Map<String, Object> values;
  private final Map<String, Object> defaults;

  private ConfigValues(Map<String, Object> values, Map<String, Object> defaults) {
    this.values = Collections.unmodifiableMap(values);
    this.defaults = Collections.unmodifiableMap(defaults);
  }

  /// Reads texts of known keys. A key with a refused text has its default.
  ///
  /// @param refused gets the name and the sentence of each text that is refused
  static ConfigValues read(Map<String, String> texts, BiConsumer<String, String> refused) {
    Map<String, Object> values = new LinkedHashMap<>();
    Map<String, Object> defaults = new LinkedHashMap<>();
    for (Key<?> key : ConfigKeys.ALL) {
      if (key.isOfType()) {
        for (String name : new TreeSet<>(texts.keySet())) {
          if (key.isNamed(name)) {
            read(key, name, texts, refused).ifPresent(value -> values.put(name, value));
          }
        }
      } else {
        Object fallback = valueOf(key, key.name(), key.fallback().text().apply(texts));
        defaults.put(key.name(), fallback);
        values.put(key.name(), read(key, key.name(), texts, refused).orElse(fallback));
      }
    }
    return new ConfigValues(values, defaults);
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
  String print(boolean changed) {
    StringBuilder lines = new StringBuilder();
    for (Key<?> key : ConfigKeys.ALL) {
      values.forEach((name, value) -> {
        if (key.isNamed(name) && !(changed && value.equals(defaults.get(name)))) {
          lines.append(name).append('=').append(print(key, value)).append('\n');
        }
      });
    }
    return lines.toString();
  }

  @SuppressWarnings("unchecked") // as above
  private static <T> String print(Key<T> key, Object value) {
    return key.form().printer().apply((T) value);
  }
}
