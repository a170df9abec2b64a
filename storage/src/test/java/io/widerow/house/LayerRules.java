package io.widerow.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The walls of one module, for its `LayerTest` to extend with a table of its packages. Reads the
/// module's class files, so it runs from the module's directory.
public abstract class LayerRules {
  private static final int TYPES_MAX = 40;

  /// The rules need the names of imported classes only, so classes of libraries are not read.
  protected static final JavaClasses MAIN =
      ArchConfiguration.withThreadLocalScope(configuration -> {
        configuration.setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter().importPath(Path.of("target/classes"));
      });

  private final Layers layers;
  private final String from;
  private final String to;

  /// @param table see [Layers#of]
  /// @param from a package of the module, and
  /// @param to one that it imports: the arrow whose absence from the table must be found
  protected LayerRules(String table, String from, String to) {
    this.layers = Layers.of(table);
    this.from = from;
    this.to = to;
  }

  @Test
  public void packagesImportOnlyWhatTheTableAllows() {
    assertEquals(List.of(), layers.findings(MAIN));
  }

  @Test
  public void anArrowThatTheTableLacksIsFound() {
    List<String> findings = layers.without(from, to).findings(MAIN);
    assertTrue(
        findings.stream().anyMatch(finding -> finding.startsWith(from + " -> " + to + ": ")),
        () -> String.join("\n", findings));
  }

  /// The first tier starts no process: such tests carry the tag `process`, or that of a later tier.
  @Test
  public void testsThatStartAProcessAreTagged() throws IOException {
    assertEquals("", String.join("\n", Tiers.findings(Path.of("target/test-classes"))));
  }

  @Test
  public void noPackageIsCrowded() {
    assertEquals(List.of(), Layers.crowded(MAIN, TYPES_MAX));
  }
}
