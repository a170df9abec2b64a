package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.RetentionPolicy;
import io.widerow.event.TypeGlob;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Retention by type. Its text is the body of the policy `retention`:
///
/// ```
/// 1                       version of the text
/// * PT168H                the default: 7 days after the end of the bucket
/// cpu forever             types with a retention of their own, in order
/// nginx.access PT720H
/// ```
///
/// Durations are those of ISO 8601, positive, at most 200 years. Names are written by
/// [EscapedName]. A line feed ends each line.
///
/// @param others the default; empty to keep indefinitely
/// @param byType types that differ from the default; empty to keep indefinitely
record RetentionRules(Optional<Duration> others, SortedMap<String, Optional<Duration>> byType) {
  /// Everything is kept.
  static final RetentionRules FOREVER = new RetentionRules(Optional.empty(), new TreeMap<>());

  private static final String VERSION = "1";
  static final String DEFAULT = "*";
  private static final String KEPT = "forever";
  private static final Duration LONGEST = Duration.ofDays(200L * 365);

  RetentionRules {
    byType = Collections.unmodifiableSortedMap(new TreeMap<>(byType));
  }

  /// @throws IllegalArgumentException when it is not positive, or longer than 200 years
  static Optional<Duration> requireAge(@Nullable Duration age) {
    if (age != null && (!age.isPositive() || age.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "retention must be positive and at most 200 years, got " + age);
    }
    return Optional.ofNullable(age);
  }

  /// These rules with one changed.
  ///
  /// @param type null for the default
  RetentionRules with(@Nullable String type, @Nullable Duration age) {
    Optional<Duration> checked = requireAge(age);
    if (type == null) {
      return new RetentionRules(checked, byType);
    }
    TreeMap<String, Optional<Duration>> changed = new TreeMap<>(byType);
    changed.put(type, checked);
    return new RetentionRules(others, changed);
  }

  /// These rules without one.
  ///
  /// @param type null for the default
  RetentionRules without(@Nullable String type) {
    if (type == null) {
      return new RetentionRules(Optional.empty(), byType);
    }
    TreeMap<String, Optional<Duration>> changed = new TreeMap<>(byType);
    changed.remove(type);
    return new RetentionRules(others, changed);
  }

  /// The rules as policies, by precedence; without the default when it keeps everything.
  List<RetentionPolicy> policies() {
    List<RetentionPolicy> all = new ArrayList<>();
    byType.forEach((type, age) -> all.add(policy(TypeGlob.of(type), age)));
    if (others.isPresent()) {
      all.add(policy(DEFAULT, others));
    }
    return all;
  }

  private static RetentionPolicy policy(String glob, Optional<Duration> age) {
    return new RetentionPolicy(
        glob,
        age.orElse(null),
        RetentionPolicy.UNLIMITED,
        RetentionSweeper.DELAY,
        RetentionPolicy.Source.API);
  }

  @Nullable Duration of(String type) {
    return byType.getOrDefault(type, others).orElse(null);
  }

  /// When a bucket of a type is past its retention, in nanoseconds since the Unix epoch;
  /// [Long#MAX_VALUE] for never.
  long expiryNanos(String type, long bucketEndNanos) {
    Duration age = of(type);
    return age == null ? Long.MAX_VALUE : bucketEndNanos + age.toNanos();
  }

  /// The shortest of all; null when everything is kept.
  @Nullable Duration shortest() {
    Duration least = others.orElse(null);
    for (Optional<Duration> age : byType.values()) {
      if (age.isPresent() && (least == null || age.get().compareTo(least) < 0)) {
        least = age.get();
      }
    }
    return least;
  }

  /// @throws PolicyException when the text is not what [#text] writes; the message quotes the line
  static RetentionRules parse(String text) {
    String[] lines = text.split("\n", -1);
    if (!lines[0].equals(VERSION)) {
      throw new PolicyException(
          "policy retention of version '%s'; this program knows version %s"
              .formatted(lines[0], VERSION));
    }
    Optional<Duration> others = Optional.empty();
    Map<String, Optional<Duration>> byType = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      if (lines[i].isEmpty() && i == lines.length - 1) {
        continue;
      }
      String[] words = lines[i].split(" ", -1);
      if (words.length != 2) {
        throw new PolicyException("policy retention has the line '%s'".formatted(lines[i]));
      }
      Optional<Duration> age = age(words[1], lines[i]);
      if (words[0].equals(DEFAULT)) {
        others = age;
      } else {
        byType.put(name(words[0], lines[i]), age);
      }
    }
    return new RetentionRules(others, new TreeMap<>(byType));
  }

  private static String name(String word, String line) {
    try {
      return EscapedName.parse(word);
    } catch (IllegalArgumentException bad) {
      throw new PolicyException("policy retention has the line '%s'".formatted(line), bad);
    }
  }

  private static Optional<Duration> age(String word, String line) {
    try {
      return word.equals(KEPT) ? Optional.empty() : requireAge(Duration.parse(word));
    } catch (DateTimeParseException | IllegalArgumentException bad) {
      throw new PolicyException("policy retention has the line '%s'".formatted(line), bad);
    }
  }

  String text() {
    StringBuilder text = new StringBuilder(VERSION + "\n");
    text.append(DEFAULT).append(' ').append(word(others)).append('\n');
    byType.forEach((type, age) ->
        text.append(EscapedName.of(type)).append(' ').append(word(age)).append('\n'));
    return text.toString();
  }

  private static String word(Optional<Duration> age) {
    return age.map(Duration::toString).orElse(KEPT);
  }
}
