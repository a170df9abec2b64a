package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.widerow.house.Layers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The walls of the storage module: which package may import which.
class LayerTest {
  private static final int TYPES_MAX = 30;

  /// Lowest first; a package imports only packages above its row.
  private static final Layers LAYERS =
      Layers.of(
          """
          event:
          storage: event
          storage.disk: storage
          storage.codec: event storage storage.disk
          storage.text: event storage.disk storage.codec
          storage.cursor: event storage storage.codec
          storage.journal: event storage storage.disk
          storage.rows: event storage storage.disk storage.codec storage.cursor
          storage.segment: event storage storage.disk storage.codec storage.text storage.cursor
          storage.scan: event storage storage.disk storage.codec storage.cursor storage.segment
          storage.manifest: event storage storage.disk storage.segment
          storage.live: event storage storage.disk storage.rows storage.segment storage.manifest
          storage.upkeep: event storage storage.disk storage.cursor storage.journal storage.rows \
              storage.segment storage.scan storage.manifest storage.live
          storage.recovery: event storage storage.disk storage.journal storage.rows storage.live \
              storage.upkeep
          storage.embedded: event storage storage.disk storage.cursor storage.journal storage.rows \
              storage.segment storage.scan storage.manifest storage.live storage.upkeep \
              storage.recovery
          storage.repair: event storage storage.disk storage.codec storage.journal storage.segment \
              storage.scan storage.manifest storage.live storage.recovery storage.embedded
          """);

  private static final JavaClasses MAIN =
      new ClassFileImporter().importPath(Path.of("target/classes"));

  @Test
  void packagesImportOnlyWhatTheTableAllows() {
    assertEquals(List.of(), LAYERS.findings(MAIN));
  }

  @Test
  void anArrowThatTheTableLacksIsFound() {
    List<String> findings = LAYERS.without("storage.rows", "storage.codec").findings(MAIN);
    assertTrue(
        findings.stream()
            .anyMatch(finding -> finding.startsWith("storage.rows -> storage.codec: ")),
        () -> String.join("\n", findings));
  }

  @Test
  void aPackageWithoutARowAndAnArrowInVainAreFound() {
    List<String> findings = Layers.of("event:\nstorage: event\n").findings(MAIN);
    assertTrue(findings.contains("storage.disk has no row"), () -> String.join("\n", findings));
    List<String> vain = Layers.of("storage:\nevent: storage\n").findings(MAIN);
    assertTrue(vain.contains("event -> storage is allowed and not needed"));
  }

  @Test
  void aCircleIsFound() {
    List<String> findings = Layers.of("event: storage\nstorage: event\n").findings(MAIN);
    assertTrue(findings.contains("event imports storage, which is not above it in the table"));
  }

  @Test
  void noPackageIsCrowded() {
    assertEquals(List.of(), Layers.crowded(MAIN, TYPES_MAX));
  }
}
