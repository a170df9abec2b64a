package io.widerow.storage.layout;

import io.widerow.event.GlobPolicies;
import io.widerow.event.LayoutOverride;
import java.util.Collection;
import java.util.List;
import java.util.function.ToIntFunction;

/// The layout overrides of a store.
///
/// - Threads: any; immutable.
public final class LayoutOverrides extends GlobPolicies<LayoutOverride, LayoutOverrides> {
  /// The greatest number of overrides.
  public static final int COUNT_MAX = 1_024;

  public static final LayoutOverrides NONE = new LayoutOverrides(List.of());

  private LayoutOverrides(List<LayoutOverride> all) {
    super(all);
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

  @Override
  protected LayoutOverrides copyOf(List<LayoutOverride> rules) {
    return of(rules);
  }

  /// Adds an override. A width or shard count that it leaves open stays as an earlier override of
  /// the same source and pattern sets it.
  @Override
  public LayoutOverrides with(LayoutOverride rule) {
    LayoutOverride before = get(rule.glob(), rule.source());
    return super.with(before == null ? rule : rule.over(before));
  }

  /// The width for a type, in minutes; [LayoutOverride#AUTO], or [LayoutOverride#UNSAID] when no
  /// override sets it.
  public int widthOf(String type) {
    return decided(type, LayoutOverride::widthMinutes);
  }

  /// The shards of a type, in the same way.
  public int shardsOf(String type) {
    return decided(type, LayoutOverride::shards);
  }

  private int decided(String type, ToIntFunction<LayoutOverride> value) {
    for (LayoutOverride rule : inOrder()) {
      int said = value.applyAsInt(rule);
      if (said != LayoutOverride.UNSAID && rule.matches(type)) {
        return said;
      }
    }
    return LayoutOverride.UNSAID;
  }
}
