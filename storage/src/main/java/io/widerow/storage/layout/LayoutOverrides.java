package io.widerow.storage.layout;

import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionRule.Source;
import io.widerow.event.TypeGlob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// The layout overrides of a store and their precedence: an exact name before a pattern, more
/// literal characters before fewer; of equals one of the API before one of the configuration, and
/// the later before the earlier.
///
/// - Threads: any; immutable.
public final class LayoutOverrides {
  /// The greatest number of overrides.
  public static final int COUNT_MAX = 1_024;

  private static final Comparator<LayoutOverride> ORDER =
      Comparator.<LayoutOverride, Boolean>comparing(rule -> !TypeGlob.isExact(rule.glob()))
          .thenComparingInt(rule -> -TypeGlob.literals(rule.glob()))
          .thenComparing(rule -> rule.source() == Source.CONFIG);

  public static final LayoutOverrides NONE = new LayoutOverrides(List.of());

  private final List<LayoutOverride> all; // in the order in which they were set
  private final List<LayoutOverride> ordered; // by precedence

  private LayoutOverrides(List<LayoutOverride> all) {
    this.all = List.copyOf(all);
    this.ordered = all.reversed().stream().sorted(ORDER).toList(); // stable
  }

  /// @param rules in the order in which they were set
  /// @throws IllegalArgumentException when there are too many
  public static LayoutOverrides of(Collection<LayoutOverride> rules) {
    if (rules.size() > COUNT_MAX) {
      throw new IllegalArgumentException(
          "layout overrides: at most %d are possible, got %d".formatted(COUNT_MAX, rules.size()));
    }
    return rules.isEmpty() ? NONE : new LayoutOverrides(List.copyOf(rules));
  }

  /// Adds an override. A width or shard count that it leaves open stays as an earlier override of
  /// the same source and pattern sets it.
  public LayoutOverrides with(LayoutOverride rule) {
    LayoutOverride before = get(rule.glob(), rule.source());
    List<LayoutOverride> more = new ArrayList<>(without(rule.glob(), rule.source()).all);
    more.add(before == null ? rule : rule.over(before));
    return of(more);
  }

  public LayoutOverrides without(String glob, Source source) {
    return of(all.stream().filter(each -> !isOf(each, glob, source)).toList());
  }

  /// Replaces all overrides of one source.
  public LayoutOverrides with(Source source, List<LayoutOverride> rules) {
    List<LayoutOverride> others = new ArrayList<>(all);
    others.removeIf(each -> each.source() == source);
    others.addAll(0, rules);
    return of(others);
  }

  private static boolean isOf(LayoutOverride rule, String glob, Source source) {
    return rule.glob().equals(glob) && rule.source() == source;
  }

  /// The override with exactly this pattern and source; null when there is none.
  public @Nullable LayoutOverride get(String glob, Source source) {
    return all.stream().filter(each -> isOf(each, glob, source)).findFirst().orElse(null);
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  public List<LayoutOverride> of(Source source) {
    return all.stream().filter(each -> each.source() == source).toList();
  }

  /// The overrides by precedence.
  public List<LayoutOverride> inOrder() {
    return ordered;
  }

  /// The width for a type, in minutes; [LayoutOverride#AUTO], or [LayoutOverride#UNSAID] when no
  /// rule says anything about it.
  public int widthOf(String type) {
    return decided(type, LayoutOverride::widthMinutes);
  }

  /// The shards of a type, in the same way.
  public int shardsOf(String type) {
    return decided(type, LayoutOverride::shards);
  }

  private int decided(String type, ToIntFunction<LayoutOverride> value) {
    for (LayoutOverride rule : ordered) {
      int said = value.applyAsInt(rule);
      if (said != LayoutOverride.UNSAID && rule.matches(type)) {
        return said;
      }
    }
    return LayoutOverride.UNSAID;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LayoutOverrides rules && all.equals(rules.all);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }

  @Override
  public String toString() {
    return all.toString();
  }
}
