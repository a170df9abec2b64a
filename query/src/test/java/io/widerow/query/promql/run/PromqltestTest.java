package io.widerow.query.promql.run;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: expressions evaluate as in Prometheus. Method: Prometheus' own scripts, `*.test` of
/// `promql/promqltest/testdata`, in the directory `-Dpromqltest=DIR`; skipped without it. Scripts
/// and evaluations of experiments are left out and counted.
class PromqltestTest {
  private static final List<String> LEFT_OUT =
      List.of(
          "extended_vectors",
          "fill-modifier",
          "info",
          "limit",
          "start_timestamps",
          "type_and_unit");

  @Test
  void scriptsOfPrometheusHaveTheirResults() throws IOException {
    String directory = System.getProperty("promqltest");
    assumeTrue(directory != null, "needs -Dpromqltest=DIR");
    List<String> differences = new ArrayList<>();
    int[] counts = new int[3];
    try (var files = Files.list(Path.of(directory))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".test")).sorted().toList()) {
        String name = file.getFileName().toString().replace(".test", "");
        if (!LEFT_OUT.contains(name)) {
          PromqlScript script = new PromqlScript(name, Files.readAllLines(file), differences);
          script.run();
          counts[0] += script.evaluated();
          counts[1] += script.leftOut();
          counts[2] += script.otherwise();
        }
      }
    }
    differences.forEach(System.out::println);
    System.out.printf(
        "promqltest: %d of %d agree; %d left out%n",
        counts[0] - counts[2] - differences.size(), counts[0], counts[1]);
    assertTrue(counts[0] > 800, counts[0] + " evaluations");
    assertTrue(differences.isEmpty(), differences.size() + " differences");
  }
}
