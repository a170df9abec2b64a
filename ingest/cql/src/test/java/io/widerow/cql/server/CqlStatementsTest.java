package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import io.widerow.cluster.CassandraNode;
import io.widerow.cql.server.CqlAnswers.Step;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: statements of schema scripts, arithmetic, conditions and vectors have the results and the
/// codes of errors that Cassandra gives. Method: the statements of `cql/statements.txt` (a
/// statement, a tab, the answer of Cassandra 5.0.9; `*` where ours differs on purpose) are given to
/// a daemon. With the cluster they are given to Cassandra, too; `-Dcql.record=FILE` writes its
/// answers, also to statements without one.
class CqlStatementsTest {
  private static final String OURS = "*";

  @TempDir private Path directory = Path.of(".");

  private static List<String> lines() throws IOException {
    InputStream text = CqlStatementsTest.class.getResourceAsStream("/cql/statements.txt");
    try (InputStream stream = Objects.requireNonNull(text)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static boolean isStatement(String line) {
    return !line.isEmpty() && !line.startsWith("#");
  }

  /// Each statement with its answer.
  private static List<String> answered(CqlSession session, List<String> lines) {
    List<String> answered = new ArrayList<>();
    for (String line : lines) {
      String statement = line.split("\t", -1)[0];
      answered.add(
          isStatement(line)
              ? statement + "\t" + CqlAnswers.of(session, new Step(statement, 100)).answer()
              : line);
    }
    return answered;
  }

  private List<String> ours(List<String> lines) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.session()) {
      return answered(session, lines);
    }
  }

  private static void compare(List<String> wanted, List<String> given) {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      if (!wanted.get(i).endsWith("\t" + OURS) && !wanted.get(i).equals(given.get(i))) {
        differences.add("Cassandra: %s\nhere:      %s".formatted(wanted.get(i), given.get(i)));
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  @Test
  @Timeout(300)
  void asRecorded() throws IOException {
    List<String> lines = lines();
    compare(lines, ours(lines));
  }

  @Test
  @Tag("cluster")
  @Timeout(600)
  void asCassandra() throws IOException {
    CassandraNode.require();
    List<String> lines = lines();
    List<String> wanted;
    try (CqlSession session = CassandraNode.shared().session()) {
      wanted = new ArrayList<>(answered(session, lines));
    }
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).endsWith("\t" + OURS)) {
        wanted.set(i, lines.get(i));
      }
    }
    String record = System.getProperty("cql.record");
    if (record != null) {
      Files.write(Path.of(record), wanted);
    }
    compare(wanted, ours(lines));
  }
}
