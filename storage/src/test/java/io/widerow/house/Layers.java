package io.widerow.house;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A table of the packages below `io.widerow` and what each may import, held against class files.
/// One row a package, the lowest first:
///
/// ```
///   event:
///   storage: event
///   storage.disk: event storage
/// ```
///
/// A row names only packages of rows above it, so a table without findings has no circle of
/// packages. A package without a row is a finding, and so is an arrow that the table does not have,
/// an arrow of the table that no class needs any more, and a row without a class that no row names.
/// Rows of other modules say which of their packages may be imported.
public final class Layers {
  private static final String ROOT = "io.widerow.";
  private static final Pattern WORD = Pattern.compile("[a-z.]+");

  private final Map<String, Set<String>> rows = new LinkedHashMap<>();
  private final List<String> findings = new ArrayList<>();

  private Layers() {}

  /// @param table the rows, a line each; an empty package name stands for no package
  public static Layers of(String table) {
    Layers layers = new Layers();
    for (String line : table.lines().filter(l -> !l.isBlank()).toList()) {
      String[] row = line.strip().split(":", 2);
      Set<String> allowed = new TreeSet<>();
      for (String below : WORD.matcher(row[1]).results().map(MatchResult::group).toList()) {
        if (!layers.rows.containsKey(below)) {
          layers.findings.add(
              row[0] + " imports " + below + ", which is not above it in the table");
        }
        allowed.add(below);
      }
      layers.rows.put(row[0], allowed);
    }
    return layers;
  }

  /// The table without one arrow, to show that its absence is found.
  public Layers without(String from, String to) {
    Layers less = new Layers();
    rows.forEach((row, allowed) -> less.rows.put(row, new TreeSet<>(allowed)));
    if (!less.rows.getOrDefault(from, Set.of()).remove(to)) {
      throw new IllegalArgumentException("the table has no arrow " + from + " -> " + to);
    }
    return less;
  }

  /// What the classes do that the table does not allow, and what the table allows in vain; empty
  /// when the two agree.
  public List<String> findings(JavaClasses classes) {
    List<String> found = new ArrayList<>(findings);
    Map<String, Set<String>> unused = new LinkedHashMap<>();
    rows.forEach((row, allowed) -> unused.put(row, new TreeSet<>(allowed)));
    Map<String, String> told = new TreeMap<>();
    Set<String> seen = new TreeSet<>();
    for (JavaClass type : classes) {
      String from = name(type);
      seen.add(from);
      for (Dependency arrow : type.getDirectDependenciesFromSelf()) {
        JavaClass target = arrow.getTargetClass().getBaseComponentType();
        String to = name(target);
        if (!target.getPackageName().concat(".").startsWith(ROOT) || to.equals(from)) {
          continue;
        }
        if (rows.getOrDefault(from, Set.of()).contains(to)) {
          unused.getOrDefault(from, Set.of()).remove(to);
        } else {
          told.putIfAbsent(from + " -> " + to, arrow.getDescription());
        }
      }
    }
    rows.keySet().stream()
        .filter(row -> !seen.contains(row))
        .filter(row -> rows.values().stream().noneMatch(allowed -> allowed.contains(row)))
        .forEach(row -> found.add(row + " has no class, and no row names it"));
    seen.stream().filter(p -> !rows.containsKey(p)).forEach(p -> found.add(p + " has no row"));
    told.forEach((arrow, example) -> found.add(arrow + ": " + example));
    unused.forEach((from, left) -> {
      if (seen.contains(from)) {
        left.forEach(to -> found.add(from + " -> " + to + " is allowed and not needed"));
      }
    });
    return found;
  }

  /// Packages that have more types of their own than a reader can hold, with their number.
  public static List<String> crowded(JavaClasses classes, int typesMax) {
    return classes.stream()
        .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
        .collect(Collectors.groupingBy(Layers::name, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(row -> row.getValue() > typesMax)
        .map(row -> row.getKey() + " has " + row.getValue() + " types")
        .sorted()
        .toList();
  }

  private static String name(JavaClass type) {
    String full = type.getBaseComponentType().getPackageName();
    return full.startsWith(ROOT) ? full.substring(ROOT.length()) : full;
  }
}
