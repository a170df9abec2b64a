package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.house.LayerRules;
import io.widerow.house.Layers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The walls of the storage module: which package may import which.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      rollup: event
      storage: event rollup
      storage.disk: storage
      storage.codec: event storage storage.disk
      storage.sketch: event rollup storage storage.codec
      storage.text: event storage.disk storage.codec
      storage.cold: storage storage.disk
      storage.cursor: event storage storage.codec
      storage.journal: event storage storage.disk
      storage.layout: event
      storage.digest: event
      storage.rows: event storage storage.sketch storage.disk storage.codec storage.cursor \
          storage.layout
      storage.segment: event rollup storage storage.disk storage.codec storage.text \
          storage.cursor storage.sketch
      storage.aggregatefile: event rollup storage.disk storage.codec storage.sketch storage.segment
      storage.scan: event rollup storage storage.sketch storage.disk storage.codec storage.cursor \
          storage.rows storage.segment
      storage.manifest: event rollup storage storage.disk storage.digest storage.segment
      storage.live: event rollup storage storage.disk storage.cold storage.layout storage.rows \
          storage.segment storage.manifest storage.aggregatefile
      storage.aggregate: event rollup storage storage.disk storage.cold storage.cursor \
          storage.rows storage.sketch storage.segment storage.scan storage.live
      storage.maintenance: event rollup storage storage.disk storage.cold storage.cursor \
          storage.journal storage.rows storage.sketch storage.segment storage.scan storage.layout \
          storage.manifest storage.live storage.digest storage.aggregatefile
      storage.recovery: event storage storage.disk storage.journal storage.rows storage.manifest \
          storage.live storage.maintenance
      storage.embedded: event rollup storage storage.disk storage.cursor storage.journal \
          storage.layout storage.rows storage.aggregate storage.segment \
          storage.scan storage.manifest storage.live storage.maintenance storage.recovery \
          storage.digest
      storage.repair: event storage storage.disk storage.cold storage.codec storage.journal \
          storage.sketch storage.segment storage.scan storage.manifest storage.live \
          storage.recovery storage.embedded storage.aggregatefile
      """;

  LayerTest() {
    super(TABLE, "storage.rows", "storage.codec");
  }

  /// README.md lists every package of the table, and none imports a package of a higher level.
  @Test
  void theReadmeListsEveryPackage() throws IOException {
    Map<String, Integer> levels = new TreeMap<>();
    String list = Files.readString(Path.of("README.md")).split("<!-- (end of )?packages.*", 3)[1];
    for (String line :
        list.lines().filter(text -> !text.isBlank() && text.charAt(0) != '`').toList()) {
      String[] words = line.strip().split(" +", 3);
      int level = Integer.parseInt(words[0]);
      String name = level <= 1 ? words[1] : "storage." + words[1];
      assertNull(levels.put(name, level), () -> name + " is listed twice");
    }
    Map<String, Set<String>> imports = new TreeMap<>();
    for (String row : TABLE.lines().toList()) {
      String[] parts = row.split(":", 2);
      imports.put(parts[0], Set.of(parts[1].strip().split(" +")));
    }
    assertEquals(imports.keySet(), levels.keySet(), "README.md, section Packages");
    imports.forEach((name, allowed) ->
        allowed.stream()
            .filter(below -> !below.isEmpty())
            .forEach(below ->
                assertTrue(
                    levels.getOrDefault(below, 99) <= levels.getOrDefault(name, -1),
                    () -> "%s imports %s of a higher level".formatted(name, below))));
  }

  @Test
  void aPackageWithoutARowIsFound() {
    List<String> findings = Layers.of("event:\nstorage: event\n").findings(MAIN);
    assertTrue(findings.contains("storage.disk has no row"), () -> String.join("\n", findings));
  }

  @Test
  void anArrowInVainIsFound() {
    List<String> findings = Layers.of("storage:\nevent: storage\n").findings(MAIN);
    assertTrue(findings.contains("event -> storage is allowed and not needed"));
  }

  @Test
  void aRowWithoutAClassIsFound() {
    List<String> findings = Layers.of(TABLE + "storage.moon: event\n").findings(MAIN);
    assertTrue(findings.contains("storage.moon has no class, and no row names it"));
  }

  @Test
  void aCircleIsFound() {
    List<String> findings = Layers.of("event: storage\nstorage: event\n").findings(MAIN);
    assertTrue(findings.contains("event imports storage, which is not above it in the table"));
  }
}
