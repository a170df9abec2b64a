package io.widerow.storage.live;

import io.widerow.event.RetentionRule;
import io.widerow.event.RetentionRule.Source;
import io.widerow.event.TypeGlob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Retention policies, and which of them decides about a type: an exact name before a pattern, more
/// literal characters before fewer; of equals one of the API before one of the configuration, and
/// the later before the earlier. No clock, no state.
///
/// - Threads: any; immutable.
public final class Policies {
  /// Keeps everything.
  public static final Policies NONE = new Policies(List.of());

  private static final int REMEMBERED_MAX = 1 << 16;

  private final List<RetentionRule> all; // in the order in which they were set
  private final List<RetentionRule> ordered; // the first that matches decides
  private final Map<String, RetentionRule> exact = new HashMap<>();
  private final List<RetentionRule> patterns;
  private final Map<String, RetentionRule> decided = new ConcurrentHashMap<>(); // by type

  private Policies(List<RetentionRule> all) {
    this.all = List.copyOf(all);
    this.ordered = all.reversed().stream().sorted(Policies::order).toList(); // stable
    ordered.forEach(policy -> exact.putIfAbsent(policy.glob(), policy));
    exact.keySet().removeIf(glob -> !TypeGlob.isExact(glob));
    this.patterns = ordered.stream().filter(policy -> !TypeGlob.isExact(policy.glob())).toList();
  }

  private static final Comparator<RetentionRule> ORDER =
      Comparator.<RetentionRule, Boolean>comparing(policy -> !TypeGlob.isExact(policy.glob()))
          .thenComparingInt(policy -> -TypeGlob.literals(policy.glob()))
          .thenComparing(policy -> policy.source() == Source.CONFIG);

  private static int order(RetentionRule a, RetentionRule b) {
    return ORDER.compare(a, b);
  }

  /// @param policies in the order in which they were set
  public static Policies of(Collection<RetentionRule> policies) {
    return policies.isEmpty() ? NONE : new Policies(List.copyOf(policies));
  }

  /// With one more, in place of the one of the same source and the same types.
  public Policies with(RetentionRule policy) {
    List<RetentionRule> more = new ArrayList<>(without(policy.glob(), policy.source()).all);
    more.add(policy);
    return of(more);
  }

  public Policies without(String glob, Source source) {
    return of(all.stream().filter(each -> !isOf(each, glob, source)).toList());
  }

  /// With other policies of one source, in place of all that there are.
  public Policies with(Source source, List<RetentionRule> policies) {
    List<RetentionRule> others = new ArrayList<>(all);
    others.removeIf(each -> each.source() == source);
    others.addAll(0, policies);
    return of(others);
  }

  private static boolean isOf(RetentionRule policy, String glob, Source source) {
    return policy.glob().equals(glob) && policy.source() == source;
  }

  /// The policy of exactly this pattern and source; null when there is none.
  public @Nullable RetentionRule get(String glob, Source source) {
    return all.stream().filter(each -> isOf(each, glob, source)).findFirst().orElse(null);
  }

  /// In the order in which they were set.
  public List<RetentionRule> all() {
    return all;
  }

  public List<RetentionRule> of(Source source) {
    return all.stream().filter(each -> each.source() == source).toList();
  }

  /// The first that matches a type decides about it.
  public List<RetentionRule> inOrder() {
    return ordered;
  }

  /// The policy that decides about a type; [RetentionRule#FOREVER] when none matches it.
  public RetentionRule of(String type) {
    if (patterns.isEmpty()) {
      return exact.getOrDefault(type, RetentionRule.FOREVER);
    }
    RetentionRule known = decided.get(type);
    if (known != null) {
      return known;
    }
    RetentionRule found = exact.get(type);
    if (found == null) {
      found =
          patterns.stream()
              .filter(policy -> policy.matches(type))
              .findFirst()
              .orElse(RetentionRule.FOREVER);
    }
    if (decided.size() < REMEMBERED_MAX) {
      decided.put(type, found);
    }
    return found;
  }

  public boolean keepsAll() {
    return all.stream().allMatch(RetentionRule::keepsAll);
  }

  /// True when a limit of bytes may decide.
  public boolean weighs() {
    return all.stream().anyMatch(policy -> policy.bytes() != RetentionRule.UNLIMITED);
  }

  /// The shortest age; null when all are kept for ever.
  public @Nullable Duration shortest() {
    return all.stream()
        .map(RetentionRule::age)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /// True when, of some types, everything is kept that others keep.
  public boolean keepAllOf(Policies others, Collection<String> types) {
    return types.stream().allMatch(type -> of(type).keepsAllOf(others.of(type)));
  }

  /// What events that are kept equally long have in common.
  ///
  /// @param age null for ever
  /// @param limit the policy that limits their bytes; null when none does
  public record Group(@Nullable Duration age, @Nullable RetentionRule limit) {}

  /// The group of a type. Segments hold types of one group, so that they go as a whole.
  public Group groupOf(String type) {
    RetentionRule policy = of(type);
    return new Group(policy.age(), policy.bytes() == RetentionRule.UNLIMITED ? null : policy);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Policies policies && all.equals(policies.all);
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
