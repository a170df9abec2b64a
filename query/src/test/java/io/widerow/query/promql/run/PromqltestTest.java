package io.widerow.query.promql.run;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: expressions evaluate as in Prometheus. Method: Prometheus' own scripts, `*.test` of
/// `promql/promqltest/testdata`, in the directory `-Dpromqltest=DIR`; skipped without it. Scripts
/// and evaluations of experiments are left out and counted.
public class PromqltestTest {
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
    run(null);
  }

  /// Runs all scripts.
  ///
  /// @param store null to keep the samples in memory
  public static void run(PromqlScript.@Nullable Store store) throws IOException {
    String directory = System.getProperty("promqltest");
    assumeTrue(directory != null, "needs -Dpromqltest=DIR");
    List<String> differences = new ArrayList<>();
    int evaluated = 0;
    int leftOut = 0;
    int otherwise = 0;
    try (var files = Files.list(Path.of(directory))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".test")).sorted().toList()) {
        String name = file.getFileName().toString().replace(".test", "");
        if (!LEFT_OUT.contains(name)) {
          PromqlScript script =
              new PromqlScript(name, Files.readAllLines(file), differences, store);
          script.run();
          evaluated += script.evaluated();
          leftOut += script.leftOut();
          otherwise += script.otherwise();
        }
      }
    }
    differences.forEach(System.out::println);
    System.out.printf(
        "promqltest: %d of %d agree; %d left out%n",
        evaluated - otherwise - differences.size(), evaluated, leftOut);
    assertTrue(evaluated > 1_700, evaluated + " evaluations");
    assertTrue(differences.isEmpty(), differences.size() + " differences");
  }
}
