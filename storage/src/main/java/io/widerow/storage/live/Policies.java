package io.widerow.storage.live;

import io.widerow.event.GlobPolicies;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.TypeGlob;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Retention policies and their precedence for a type. No clock, no state.
///
/// - Threads: any; immutable.
public final class Policies extends GlobPolicies<RetentionPolicy, Policies> {
  /// Keeps everything.
  public static final Policies NONE = new Policies(List.of());

  private static final int REMEMBERED_MAX = 1 << 16;

  private final Map<String, RetentionPolicy> exact = new HashMap<>();
  private final List<RetentionPolicy> patterns;
  private final Map<String, RetentionPolicy> decided = new ConcurrentHashMap<>(); // by type

  private Policies(List<RetentionPolicy> all) {
    super(all);
    inOrder().forEach(policy -> exact.putIfAbsent(policy.glob(), policy));
    exact.keySet().removeIf(glob -> !TypeGlob.isExact(glob));
    this.patterns = inOrder().stream().filter(policy -> !TypeGlob.isExact(policy.glob())).toList();
  }

  /// @param policies in the order in which they were set
  public static Policies of(Collection<RetentionPolicy> policies) {
    return policies.isEmpty() ? NONE : new Policies(List.copyOf(policies));
  }

  @Override
  protected Policies copyOf(List<RetentionPolicy> policies) {
    return of(policies);
  }

  /// The policy that decides about a type; [RetentionPolicy#FOREVER] when none matches it.
  public RetentionPolicy of(String type) {
    if (patterns.isEmpty()) {
      return exact.getOrDefault(type, RetentionPolicy.FOREVER);
    }
    RetentionPolicy known = decided.get(type);
    if (known != null) {
      return known;
    }
    RetentionPolicy found = exact.get(type);
    if (found == null) {
      found =
          patterns.stream()
              .filter(policy -> policy.matches(type))
              .findFirst()
              .orElse(RetentionPolicy.FOREVER);
    }
    if (decided.size() < REMEMBERED_MAX) {
      decided.put(type, found);
    }
    return found;
  }

  public boolean keepsAll() {
    return all().stream().allMatch(RetentionPolicy::keepsAll);
  }

  /// True when a limit of bytes may decide.
  public boolean weighs() {
    return all().stream().anyMatch(policy -> policy.bytes() != RetentionPolicy.UNLIMITED);
  }

  /// The shortest age; null when all are kept indefinitely.
  public @Nullable Duration shortest() {
    return all().stream()
        .map(RetentionPolicy::age)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /// True when, of some types, everything is kept that others keep.
  public boolean keepAllOf(Policies others, Collection<String> types) {
    return types.stream().allMatch(type -> of(type).keepsAllOf(others.of(type)));
  }

  /// The group of events with the same retention.
  ///
  /// @param age null for no limit
  /// @param limit the policy that limits their bytes; null when none does
  public record Group(@Nullable Duration age, @Nullable RetentionPolicy limit) {}

  /// The group of a type. Segments hold types of one group, so that they go as a whole.
  public Group groupOf(String type) {
    RetentionPolicy policy = of(type);
    return new Group(policy.age(), policy.bytes() == RetentionPolicy.UNLIMITED ? null : policy);
  }
}
