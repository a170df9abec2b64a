package io.widerow.ingest.config;

import io.widerow.query.Variables;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A key of the configuration: its name, default, syntax and check. Each is a constant of
/// [ConfigKeys].
///
/// @param name of the line, the flag and the variable; one that ends with [#OF_TYPE] stands for a
///   key of each type or pattern, with [#OF_NAME] of each name
/// @param group where it is documented
/// @param fallback its default
/// @param form how its text is read and printed
/// @param check validates its value
/// @param summary one line for help, documents and the shipped file
public record Key<T>(
    String name, Group group, Default fallback, Form<T> form, Check<T> check, String summary) {
  /// The end of a name that stands for the names of types.
  public static final String OF_TYPE = ".<type>";

  /// The end of a name that stands for other names.
  static final String OF_NAME = ".<name>";

  /// Where a key is documented.
  public enum Group {
    /// The address of a protocol with a socket of its own: all share a row of the first table.
    SOCKET,
    /// The first table.
    MAIN,
    /// The second table.
    ADVANCED
  }

  /// A default.
  ///
  /// @param text given the texts of all keys that are set
  /// @param shown in documents
  /// @param basis from what it was computed, given the same texts; null when it is fixed
  public record Default(
      Function<Map<String, String>, String> text,
      String shown,
      @Nullable Function<Map<String, String>, String> basis) {
    static Default of(String text) {
      return new Default(_ -> text, text.isEmpty() ? "empty" : text, null);
    }

    static Default computed(
        Function<Map<String, String>, String> text,
        String shown,
        Function<Map<String, String>, String> basis) {
      return new Default(text, shown, basis);
    }

    /// Whether it follows from the machine or from other keys.
    public boolean isComputed() {
      return basis != null;
    }

    /// Where its value comes from, as `--print-config` reports it.
    String origin(Map<String, String> texts) {
      return basis == null ? "default" : "computed: " + basis.apply(texts);
    }
  }

  /// Refuses values that cannot work.
  @FunctionalInterface
  public interface Check<T> {
    /// @throws IllegalArgumentException with the key and the value in it
    void check(String key, T value);

    /// Takes every value.
    static <T> Check<T> any() {
      return (_, _) -> {};
    }

    static <N extends Number> Check<N> from(long min) {
      return (key, value) ->
          require(
              value.longValue() >= min,
              "%s must be at least %d, got %d".formatted(key, min, value.longValue()));
    }

    static <N extends Number> Check<N> range(long min, long max) {
      return (key, value) ->
          require(
              value.longValue() >= min && value.longValue() <= max,
              "%s must be %d to %d, got %d".formatted(key, min, max, value.longValue()));
    }
  }

  /// @throws IllegalArgumentException with the message, unless it holds
  static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// Whether it stands for a key of each type, or of each name.
  public boolean isOfType() {
    return name.endsWith(OF_TYPE) || name.endsWith(OF_NAME);
  }

  /// Whether it is true or false, so that its flag needs no value.
  @SuppressWarnings("ReferenceEquality") // there is one form of a kind
  public boolean isSwitch() {
    return form == (Form<?>) Form.TRUTH;
  }

  /// The common prefix of its names, such as `retention.`. Only when [#isOfType].
  String prefix() {
    return name.substring(0, name.indexOf('<'));
  }

  /// Whether it has this name, or stands for it.
  boolean isNamed(String given) {
    return isOfType()
        ? given.startsWith(prefix()) && given.length() > prefix().length()
        : given.equals(name);
  }

  /// The environment variable; keys of types have none.
  public String variable() {
    return Variables.of(name);
  }

  /// Reads and checks a value.
  ///
  /// @param given its name
  /// @throws IllegalArgumentException with the name and the text in it
  T read(String given, String text) {
    T value = form.reader().read(given, text.strip());
    check.check(given, value);
    return value;
  }
}
