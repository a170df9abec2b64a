package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import io.widerow.cluster.CassandraNode;
import io.widerow.cql.server.CqlAnswers.Given;
import io.widerow.cql.server.CqlAnswers.Step;
import io.widerow.faults.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: queries by secondary indexes have the rows, the pages and the refusals of Cassandra.
/// Method: [IndexStatements] are given to a daemon, and the answers compared with the answers that
/// Cassandra 5.0.9 has given (`cql/indexes.txt`: a page size, a statement and its answer), or with
/// the answers of a running one; `-Dcql.record=FILE` writes these. `-Dcql.tables=<n>` sets the
/// number of tables, each with about 150 statements.
class CqlIndexesTest {
  private static final int TABLES = Integer.getInteger("cql.tables", 8);
  private static final int DIFFERENCES_SHOWN = 40;

  /// In a recording: an answer that is meant to differ.
  private static final String OURS = "*";

  @TempDir private Path directory = Path.of(".");

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  /// An order over several partitions has pages here.
  private static boolean isOurs(Given cassandra) {
    return cassandra.answer().equals(OURS)
        || cassandra
            .told()
            .startsWith("Cannot page queries with both ORDER BY and a IN restriction")
        || cassandra.answer().contains("ProtocolError: Invalid value for the paging state")
        || cassandra.answer().contains("ReadFailureException");
  }

  private static void compare(List<Step> steps, List<Given> wanted, List<Given> given) {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      boolean same = isOurs(wanted.get(i)) || wanted.get(i).answer().equals(given.get(i).answer());
      if (!same && differences.size() < DIFFERENCES_SHOWN) {
        differences.add(
            "%d %s\n  Cassandra: %s\n  here:      %s"
                .formatted(i, steps.get(i), wanted.get(i), given.get(i)));
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  private List<Given> answers(List<Step> steps) {
    List<Given> given = new ArrayList<>();
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.session()) {
      for (Step step : steps) {
        given.add(CqlAnswers.of(session, step));
      }
    }
    return given;
  }

  @Test
  @Timeout(300)
  void asRecorded() throws IOException {
    List<Step> steps = new ArrayList<>();
    List<Given> wanted = new ArrayList<>();
    for (String[] parts : CqlAnswers.recorded("indexes")) {
      steps.add(new Step(parts[1], Integer.parseInt(parts[0])));
      wanted.add(new Given(parts[2], ""));
    }
    compare(steps, wanted, answers(steps));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @Tag("cluster")
  @Timeout(1_200)
  void asCassandra(long seed) throws IOException {
    CassandraNode.require();
    List<Step> steps = IndexStatements.steps(seed, TABLES);
    List<Given> wanted = new ArrayList<>();
    try (CqlSession session = CassandraNode.shared().session()) {
      for (Step step : steps) {
        wanted.add(CqlAnswers.of(session, step));
      }
    }
    String record = System.getProperty("cql.record");
    if (record != null) {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < steps.size(); i++) {
        Given given = wanted.get(i);
        lines.add(
            steps.get(i).page()
                + "\t"
                + steps.get(i).statement()
                + "\t"
                + (isOurs(given) ? OURS : given.answer()));
      }
      Files.write(Path.of(record), lines);
    }
    compare(steps, wanted, answers(steps));
  }
}
