package io.widerow.event;

import io.widerow.event.RetentionPolicy.Source;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Policies for types of events, and their precedence: an exact name before a pattern, more literal
/// characters before fewer; of equals one of the API before one of the configuration, and the later
/// before the earlier.
///
/// - Threads: any; immutable.
///
/// @param <T> the policy
/// @param <S> the subclass
public abstract class GlobPolicies<T extends GlobPolicies.Policy, S extends GlobPolicies<T, S>> {
  private static final Comparator<Policy> ORDER =
      Comparator.comparing(Policy::glob, TypeGlob.SPECIFIC_FIRST)
          .thenComparing(policy -> policy.source() == Source.CONFIG);

  private final List<T> all; // in the order in which they were set
  private final List<T> ordered; // the first that matches decides

  /// A policy for the types that a pattern matches.
  public interface Policy {
    String glob();

    Source source();

    /// True when it decides about a type, unless a more specific one does.
    default boolean matches(String type) {
      return TypeGlob.matches(glob(), type);
    }
  }

  protected GlobPolicies(List<T> all) {
    this.all = List.copyOf(all);
    this.ordered = all.reversed().stream().sorted(ORDER).toList(); // stable
  }

  /// The same class with other policies, in the order in which they were set.
  protected abstract S copyOf(List<T> policies);

  /// Adds a policy. It replaces the one of the same source and pattern.
  public S with(T policy) {
    List<T> more = new ArrayList<>(others(policy.glob(), policy.source()));
    more.add(policy);
    return copyOf(more);
  }

  public S without(String glob, Source source) {
    return copyOf(others(glob, source));
  }

  private List<T> others(String glob, Source source) {
    return all.stream().filter(each -> !isOf(each, glob, source)).toList();
  }

  /// Replaces all policies of one source.
  public S with(Source source, List<T> policies) {
    List<T> others = new ArrayList<>(all);
    others.removeIf(each -> each.source() == source);
    others.addAll(0, policies);
    return copyOf(others);
  }

  private static boolean isOf(Policy policy, String glob, Source source) {
    return policy.glob().equals(glob) && policy.source() == source;
  }

  /// The policy of exactly this pattern and source; null when there is none.
  public @Nullable T get(String glob, Source source) {
    return all.stream().filter(each -> isOf(each, glob, source)).findFirst().orElse(null);
  }

  /// The policy that was set for exactly this pattern.
  ///
  /// @param noun of a policy, in the refusal
  /// @throws IllegalArgumentException when none was set
  public T requireSet(String glob, String noun) {
    T found = get(glob, Source.API);
    if (found != null) {
      return found;
    }
    if (get(glob, Source.CONFIG) != null) {
      throw new IllegalArgumentException(
          "type: the %s of '%s' comes from the configuration; change it there"
              .formatted(noun, glob));
    }
    List<String> set = of(Source.API).stream().map(Policy::glob).toList();
    throw new IllegalArgumentException(
        "type: no %s was set for '%s'; %s"
            .formatted(
                noun,
                glob,
                set.isEmpty() ? "none was set" : "there are " + String.join(", ", set)));
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  /// The policies in the order in which they were set.
  public List<T> all() {
    return all;
  }

  public List<T> of(Source source) {
    return all.stream().filter(each -> each.source() == source).toList();
  }

  /// The policies by precedence.
  public List<T> inOrder() {
    return ordered;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof GlobPolicies<?, ?> policies
        && getClass() == policies.getClass()
        && all.equals(policies.all);
  }

  @Override
  public final int hashCode() {
    return all.hashCode();
  }

  @Override
  public final String toString() {
    return all.toString();
  }
}
