package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.compare.ProtocolRun.Figures;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a session of protocols reports the medians of its rounds, and missing values. Method:
/// figures that are known.
class ProtocolTableTest {
  @TempDir private Path directory;

  private static Figures figures(double eventsPerSecond, double p99Micros, double lostShare) {
    return new Figures(
        eventsPerSecond, 2.5, p99Micros / 2, p99Micros, 50_000, 321.4, lostShare, false);
  }

  private static ProtocolTable table() {
    ProtocolTable table =
        new ProtocolTable(
            List.of(Target.OTLP, Target.LOKI, Target.STATSD_UDP, Target.GELF, Target.BULK));
    table.add(Target.OTLP, figures(400_000, 3_000, 0));
    table.add(Target.OTLP, figures(100_000, 9_000, 0));
    table.add(Target.OTLP, figures(300_000, 4_560, 0));
    table.note(Target.LOKI, "not served");
    table.add(Target.STATSD_UDP, figures(200_000, Double.NaN, 0.25));
    table.add(Target.GELF, figures(9_000, 700, 0));
    table.note(Target.BULK, "failed: it | stored\nless");
    return table;
  }

  @Test
  void eachProtocolIsARow() {
    List<String> rows =
        table().render("what", 3).lines().filter(line -> line.startsWith("| ")).skip(2).toList();
    assertEquals(
        List.of(
            "| otlp | 300,000 | 2.50 | 2.28 | 4.56 | 50,000 | 321 |  |",
            "| loki | - | - | - | - | - | - | not served |",
            "| statsd-udp | 200,000 | 2.50 | - | - | - | 321 | no acknowledgements; 25.0 % lost |",
            "| gelf | 9,000 | 2.50 | 0.35 | 0.70 | 50,000 | 321 | one event a request |",
            "| bulk | - | - | - | - | - | - | failed: it / stored |"),
        rows);
  }

  @Test
  void aSessionIsOneEntryOfThePage() throws IOException {
    String name = "20261125T150000-protocols-access";
    ComparisonFolder folder =
        new ComparisonFolder(directory, name, List.of("protocols", "--rounds", "3"));
    ProtocolTable table = table();
    folder.finish("protocols", "target", table.lines(), table.render("what", 3));
    String page = Files.readString(directory.resolve("README.md"));
    assertTrue(page.contains("| 3 | otlp 300,000 (2.5; 4.56); statsd-udp 200,000 (2.5; -);"), page);
    assertTrue(page.contains("(runs/" + name + "/report.md)"), page);
    List<String> lines = Files.readAllLines(directory.resolve("data/runs.ndjson"));
    assertEquals(5, lines.size());
    for (String member : List.of("commit", "machine", "jdk", "command", "protocols", "target")) {
      assertTrue(lines.get(0).contains("\"" + member + "\":"), lines.get(0));
    }
  }
}
