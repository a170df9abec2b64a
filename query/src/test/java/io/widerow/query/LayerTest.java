package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.widerow.house.Layers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The walls of the query module: which package may import which, and what of the store.
class LayerTest {
  private static final int TYPES_MAX = 30;

  /// Lowest first; a package imports only packages above its row. Those of other modules that have
  /// a row are exported; no other package of them may be imported.
  private static final Layers LAYERS =
      Layers.of(
          """
          event:
          storage: event
          storage.embedded: event storage
          storage.repair: event storage
          query: event storage
          query.filter: event storage query
          query.output: event query
          query.figures: event storage query query.output
          query.remote: event storage query query.output query.figures
          query.answer: event storage query query.filter query.output query.figures
          query.cli: event storage storage.embedded storage.repair query query.output \
              query.figures query.remote query.answer
          """);

  private static final JavaClasses MAIN =
      new ClassFileImporter().importPath(Path.of("target/classes"));

  @Test
  void packagesImportOnlyWhatTheTableAllows() {
    assertEquals(List.of(), LAYERS.findings(MAIN));
  }

  @Test
  void anArrowThatTheTableLacksIsFound() {
    List<String> findings = LAYERS.without("query.remote", "query.output").findings(MAIN);
    assertTrue(
        findings.stream().anyMatch(finding -> finding.startsWith("query.remote -> query.output: ")),
        () -> String.join("\n", findings));
  }

  @Test
  void noPackageIsCrowded() {
    assertEquals(List.of(), Layers.crowded(MAIN, TYPES_MAX));
  }
}
