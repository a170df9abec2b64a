package io.widerow.loadgen;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The walls between the packages of a module: which package may import which.
///
/// @param mayImport each package of the module, and the packages that it may import; names without
///   `io.widerow.`, those of other modules only as what is imported
record Layers(Map<String, Set<String>> mayImport) {
  private static final String ROOT = "io.widerow.";

  /// The main classes of the module whose tests run.
  static JavaClasses mainClasses() {
    return new ClassFileImporter().importPath(Path.of("target/classes"));
  }

  /// One line for each forbidden import, for each package that the table lacks or that has no
  /// class, and one for the packages that import each other in a circle.
  List<String> violations(JavaClasses classes) {
    Set<String> lines = new TreeSet<>();
    Set<String> found = new TreeSet<>();
    for (JavaClass from : classes) {
      found.add(name(from));
      from.getDirectDependenciesFromSelf().stream()
          .filter(d -> isOurs(d.getTargetClass()) && !mayImport(name(from), d.getTargetClass()))
          .map(d -> name(from) + " -> " + name(d.getTargetClass()) + ": " + d.getDescription())
          .forEach(lines::add);
    }
    found.stream()
        .filter(name -> !mayImport.containsKey(name))
        .forEach(name -> lines.add(name + ": not in the table"));
    mayImport.keySet().stream()
        .filter(name -> !found.contains(name))
        .forEach(name -> lines.add(name + ": no such package"));
    Set<String> circle = circle();
    if (!circle.isEmpty()) {
      lines.add("in a circle, or above one: " + circle);
    }
    return List.copyOf(lines);
  }

  private boolean mayImport(String from, JavaClass target) {
    return name(target).equals(from)
        || mayImport.getOrDefault(from, Set.of()).contains(name(target));
  }

  /// Packages left when those that import none of the others are taken away, again and again.
  private Set<String> circle() {
    Map<String, Set<String>> left = new HashMap<>(mayImport);
    while (left.values().removeIf(imports -> imports.stream().noneMatch(left::containsKey))) {}
    return new TreeSet<>(left.keySet());
  }

  private static boolean isOurs(JavaClass type) {
    return type.getBaseComponentType().getPackageName().startsWith(ROOT);
  }

  private static String name(JavaClass type) {
    return type.getBaseComponentType().getPackageName().substring(ROOT.length());
  }
}
