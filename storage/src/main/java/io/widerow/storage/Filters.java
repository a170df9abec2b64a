package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Static analysis of filters, without an event.
public final class Filters {
  private static final Filter EVERYTHING = new Filter.Everything();
  private static final Filter NOTHING = new Filter.Or(List.of());

  private Filters() {}

  /// Adds the attributes that a filter examines.
  public static void addColumns(Filter filter, Set<AttributeName> columns) {
    addColumns(filter, columns, LevelAttribute.READ);
  }

  /// @param ofLevel added for a test of the level
  private static void addColumns(
      Filter filter, Set<AttributeName> columns, List<AttributeName> ofLevel) {
    switch (filter) {
      case Filter.Everything() -> {}
      case Filter.And(var parts) -> parts.forEach(part -> addColumns(part, columns, ofLevel));
      case Filter.Or(var parts) -> parts.forEach(part -> addColumns(part, columns, ofLevel));
      case Filter.Not(Filter inner) -> addColumns(inner, columns, ofLevel);
      case Filter.Exists(var name) -> columns.add(name);
      case Filter.Compare(var name, _, _) -> columns.add(name);
      case Filter.OfType _, Filter.OfTime _, Filter.OfId _, Filter.ArrivedBefore _ -> {}
      case Filter.OfLevel _, Filter.HasLevel _ -> columns.addAll(ofLevel);
      case Filter.Contains(var name, _) -> columns.add(name);
      case Filter.ContainsFolded(var name, _) -> columns.add(name);
      case Filter.Has(var name, _) -> columns.add(name);
      case Filter.Matches(var name, _) -> columns.add(name);
    }
  }

  /// The values of groups that a filter of attributes examines: an attribute, or the level. Null
  /// when it examines the attribute of the same name as the level, which no rollup groups by.
  public static @Nullable Set<AttributeName> groupColumns(Filter filter) {
    Set<AttributeName> columns = named(filter);
    if (columns.contains(Level.FIELD)) {
      return null;
    }
    addColumns(filter, columns, List.of(Level.FIELD));
    return columns;
  }

  /// The attributes that a filter names; the level is none.
  public static Set<AttributeName> named(Filter filter) {
    Set<AttributeName> names = new HashSet<>();
    addColumns(filter, names, List.of());
    return names;
  }

  /// A scan without its filter, which still shows what the filter examines: for filters that come
  /// after a merge.
  public static Scan removedFrom(Scan scan) {
    Set<AttributeName> columns = scan.columns();
    if (columns != null) {
      columns = new HashSet<>(columns);
      addColumns(scan.filter(), columns);
    }
    return scan.withColumns(columns).withFilter(EVERYTHING);
  }

  /// What stands for a filter when it is compared with others: equal for filters that differ only
  /// in the order of their parts, in parts that are there twice, in parentheses that change
  /// nothing, and in negations of negations.
  static Object sameAs(Filter filter) {
    return switch (filter) {
      case Filter.And(var parts) -> sameAs(parts, Filter.And.class);
      case Filter.Or(var parts) -> sameAs(parts, Filter.Or.class);
      case Filter.Not(Filter.Not(Filter inner)) -> sameAs(inner);
      case Filter.Not(Filter inner) -> List.of(Filter.Not.class, sameAs(inner));
      case Filter.OfType(Filter test) -> List.of(Filter.OfType.class, sameAs(test));
      default -> filter;
    };
  }

  private static Object sameAs(List<Filter> parts, Class<?> kind) {
    Set<Object> same = new HashSet<>();
    for (Filter part : parts) {
      Object each = sameAs(part);
      if (each instanceof Map.Entry<?, ?> nested && nested.getKey() == kind) {
        same.addAll((Set<?>) nested.getValue());
      } else {
        same.add(each);
      }
    }
    return same.size() == 1 ? same.iterator().next() : Map.entry(kind, same);
  }

  /// True when a filter tests the type.
  public static boolean testsType(Filter filter) {
    return switch (filter) {
      case Filter.OfType _ -> true;
      case Filter.And(var parts) -> parts.stream().anyMatch(Filters::testsType);
      case Filter.Or(var parts) -> parts.stream().anyMatch(Filters::testsType);
      case Filter.Not(Filter inner) -> testsType(inner);
      default -> false;
    };
  }

  /// True when a filter examines nothing but attributes.
  public static boolean isOfAttributes(Filter filter) {
    return switch (filter) {
      case Filter.OfType _, Filter.OfTime _, Filter.OfId _, Filter.ArrivedBefore _ -> false;
      case Filter.And(var parts) -> parts.stream().allMatch(Filters::isOfAttributes);
      case Filter.Or(var parts) -> parts.stream().allMatch(Filters::isOfAttributes);
      case Filter.Not(Filter inner) -> isOfAttributes(inner);
      default -> true;
    };
  }

  /// True when a filter examines more of an attribute than whether it is there.
  public static boolean testsValue(Filter filter, AttributeName name) {
    return switch (filter) {
      case Filter.Exists _ -> false;
      case Filter.And(var parts) -> parts.stream().anyMatch(part -> testsValue(part, name));
      case Filter.Or(var parts) -> parts.stream().anyMatch(part -> testsValue(part, name));
      case Filter.Not(Filter inner) -> testsValue(inner, name);
      default -> named(filter).contains(name);
    };
  }

  /// True when a filter tests the time of an event, its id or its arrival.
  public static boolean testsTime(Filter filter) {
    return switch (filter) {
      case Filter.OfTime _, Filter.OfId _, Filter.ArrivedBefore _ -> true;
      case Filter.And(var parts) -> parts.stream().anyMatch(Filters::testsTime);
      case Filter.Or(var parts) -> parts.stream().anyMatch(Filters::testsTime);
      case Filter.Not(Filter inner) -> testsTime(inner);
      default -> false;
    };
  }

  /// The filter for the events of one type: the same filter with its conditions on the type
  /// decided.
  public static Filter ofType(Filter filter, String type) {
    if (!testsType(filter)) {
      return filter;
    }
    return decided(filter, MemorySegment.ofArray(type.getBytes(StandardCharsets.UTF_8)));
  }

  /// False when a filter keeps no event of a type, whatever its attributes.
  public static boolean mayKeepType(Filter filter, String type) {
    return !isNothing(ofType(filter, type));
  }

  private static Filter decided(Filter filter, MemorySegment type) {
    return switch (filter) {
      case Filter.OfType(Filter test) ->
          FilterEvaluation.keepsType(test, type, 0, (int) type.byteSize(), new AttributeValue())
              ? EVERYTHING
              : NOTHING;
      case Filter.Not(Filter inner) -> {
        Filter decided = decided(inner, type);
        yield isNothing(decided)
            ? EVERYTHING
            : isEverything(decided) ? NOTHING : new Filter.Not(decided);
      }
      case Filter.And(var parts) -> {
        List<Filter> left = new ArrayList<>();
        for (Filter part : parts) {
          Filter decided = decided(part, type);
          if (isNothing(decided)) {
            yield NOTHING;
          }
          if (!isEverything(decided)) {
            left.add(decided);
          }
        }
        yield left.isEmpty() ? EVERYTHING : left.size() == 1 ? left.get(0) : new Filter.And(left);
      }
      case Filter.Or(var parts) -> {
        List<Filter> left = new ArrayList<>();
        for (Filter part : parts) {
          Filter decided = decided(part, type);
          if (isEverything(decided)) {
            yield EVERYTHING;
          }
          if (!isNothing(decided)) {
            left.add(decided);
          }
        }
        yield left.size() == 1 ? left.get(0) : new Filter.Or(left);
      }
      default -> filter;
    };
  }

  private static boolean isEverything(Filter filter) {
    return filter instanceof Filter.Everything;
  }

  private static boolean isNothing(Filter filter) {
    return filter instanceof Filter.Or(var parts) && parts.isEmpty();
  }
}
