package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.widerow.house.Layers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The walls of the daemon: which package may import which. No protocol imports another.
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
          query: event storage
          query.output: event query
          query.figures: event storage query query.output
          query.answer: event storage query query.output query.figures
          query.cli: event storage storage.embedded query query.answer
          ingest.decode: event
          ingest.config: storage ingest.decode
          ingest.lane: event storage ingest.decode
          ingest.intake: ingest.decode ingest.lane
          ingest.http: event storage ingest.decode ingest.config ingest.lane ingest.intake
          ingest.socket: event storage ingest.decode ingest.lane ingest.intake
          ingest.receive.influx: event ingest.decode ingest.lane ingest.http
          ingest.receive.json: event ingest.decode ingest.lane ingest.http
          ingest.receive.syslog: event storage ingest.decode ingest.socket
          ingest.serve.query: storage query query.output query.answer ingest.config ingest.http
          ingest.serve.status: event storage storage.embedded ingest.config ingest.lane \
              ingest.intake ingest.http
          ingest: storage storage.embedded query ingest.decode ingest.config ingest.lane \
              ingest.intake ingest.http ingest.socket ingest.receive.influx ingest.receive.json \
              ingest.receive.syslog ingest.serve.query ingest.serve.status
          ingest.demo: storage storage.embedded query.cli ingest.config ingest
          """);

  private static final JavaClasses MAIN =
      new ClassFileImporter().importPath(Path.of("target/classes"));

  @Test
  void packagesImportOnlyWhatTheTableAllows() {
    assertEquals(List.of(), LAYERS.findings(MAIN));
  }

  @Test
  void anArrowThatTheTableLacksIsFound() {
    List<String> findings = LAYERS.without("ingest.receive.json", "ingest.http").findings(MAIN);
    assertTrue(
        findings.stream()
            .anyMatch(finding -> finding.startsWith("ingest.receive.json -> ingest.http: ")),
        () -> String.join("\n", findings));
  }

  @Test
  void noPackageIsCrowded() {
    assertEquals(List.of(), Layers.crowded(MAIN, TYPES_MAX));
  }
}
