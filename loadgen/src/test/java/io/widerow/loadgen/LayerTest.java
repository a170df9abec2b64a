package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: imports go down only. Method: the imports of all main classes are checked against one
/// table.
class LayerTest {
  private static final Map<String, Set<String>> MAY_IMPORT =
      Map.of(
          "loadgen.format", Set.of(),
          "loadgen.workload", Set.of("loadgen.format"),
          "loadgen.wire", Set.of("loadgen.format", "loadgen.workload"),
          "loadgen.run", Set.of("loadgen.format", "loadgen.workload", "loadgen.wire"),
          "loadgen.verify",
              Set.of("loadgen.format", "loadgen.workload", "loadgen.wire", "loadgen.run"),
          "loadgen.report",
              Set.of("loadgen.format", "loadgen.workload", "loadgen.wire", "loadgen.run"),
          "loadgen.compare",
              Set.of(
                  "loadgen.format",
                  "loadgen.workload",
                  "loadgen.wire",
                  "loadgen.run",
                  "loadgen.verify",
                  "loadgen.report"),
          "loadgen",
              Set.of(
                  "loadgen.format",
                  "loadgen.workload",
                  "loadgen.wire",
                  "loadgen.run",
                  "loadgen.verify",
                  "loadgen.report",
                  "loadgen.compare"));

  private static final JavaClasses MAIN = Layers.mainClasses();

  @Test
  void importsGoDownOnly() {
    assertEquals(List.of(), new Layers(MAY_IMPORT).violations(MAIN));
  }

  @Test
  void importThatTheTableLacksIsFound() {
    List<String> violations = with("loadgen.wire", Set.of("loadgen.format"));
    assertTrue(
        violations.stream().anyMatch(line -> line.startsWith("loadgen.wire -> loadgen.workload: ")),
        violations.toString());
  }

  @Test
  void packageThatTheTableLacksIsFound() {
    Map<String, Set<String>> table = new HashMap<>(MAY_IMPORT);
    table.remove("loadgen.format");
    assertEquals(List.of("loadgen.format: not in the table"), new Layers(table).violations(MAIN));
    assertEquals(
        List.of("loadgen.moon: no such package"), with("loadgen.moon", Set.of("loadgen.format")));
  }

  @Test
  void circleIsFound() {
    assertEquals(
        List.of(
            "in a circle, or above one:"
                + " [loadgen, loadgen.compare, loadgen.report, loadgen.run, loadgen.verify]"),
        with(
            "loadgen.run",
            Set.of("loadgen.format", "loadgen.workload", "loadgen.wire", "loadgen.report")));
  }

  private static List<String> with(String name, Set<String> imports) {
    Map<String, Set<String>> table = new HashMap<>(MAY_IMPORT);
    table.put(name, imports);
    return new Layers(table).violations(MAIN);
  }
}
