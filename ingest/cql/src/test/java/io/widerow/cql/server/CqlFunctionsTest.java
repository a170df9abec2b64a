package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import io.widerow.cluster.CassandraNode;
import io.widerow.cql.server.CqlAnswers.Given;
import io.widerow.cql.server.CqlAnswers.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: results of functions, their types and the sentences of errors are those of Cassandra.
/// Method: [FunctionStatements] are given to a daemon, and the results compared with the results
/// that Cassandra 5.0.9 has given (`cql/functions.txt`: a statement, a tab, its answer), or with
/// the results of a running one; `-Dcql.record=FILE` writes these.
class CqlFunctionsTest {
  private static final int DIFFERENCES_SHOWN = 60;

  /// In a recording: an answer that is meant to differ.
  private static final String OURS = "*";

  /// Where an error lists functions, which Cassandra does in any order.
  private static final Pattern SIGNATURES = Pattern.compile("(signatures: )([^)]*.*)(\\))");

  /// What constants are refused with, and the grammar, have sentences of their own here.
  private static final Pattern OWN_SENTENCES =
      Pattern.compile("error 2000.*|error 2200 Unable to .*");

  @TempDir private Path directory = Path.of(".");

  private static List<String> statements() {
    return Stream.concat(
            FunctionStatements.all().stream(),
            FunctionStatements.prepared().stream().map(statement -> "PREPARE " + statement))
        .toList();
  }

  private static String answer(CqlSession session, String statement) {
    Given given =
        statement.startsWith("PREPARE ")
            ? CqlAnswers.variables(session, statement.substring("PREPARE ".length()))
            : CqlAnswers.of(session, new Step(statement, 100));
    return given.told().isEmpty() || given.answer().equals("error 0000")
        ? given.answer()
        : given.answer() + " " + sorted(given.told().replace("\n", "\\n"));
  }

  private static String sorted(String sentence) {
    Matcher signatures = SIGNATURES.matcher(sentence);
    return signatures.replaceFirst(found ->
        Matcher.quoteReplacement(
            found.group(1)
                + Arrays.stream(found.group(2).split(", (?=system)", -1))
                    .sorted()
                    .collect(Collectors.joining(", "))
                + found.group(3)));
  }

  /// Answers that are meant to differ. Cassandra fails over some literals of collections and over
  /// types of users, computes larger exponentials, and has a type of its own for some timeuuids.
  private static boolean isOurs(CqlSession session, String statement, String answer) {
    if (answer.equals("error 0000")) {
      String told = CqlAnswers.of(session, new Step(statement, 100)).told();
      return !told.contains("ArithmeticException") || told.contains("Overflow");
    }
    return answer.contains("LegacyTimeUUIDType");
  }

  private static void compare(List<String> statements, List<String> wanted, List<String> given) {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      String known = wanted.get(i);
      int compared = OWN_SENTENCES.matcher(known).matches() ? "error 2200".length() : -1;
      boolean same =
          compared < 0
              ? known.equals(given.get(i))
              : given.get(i).startsWith(known.substring(0, compared));
      if (!same && !known.equals(OURS)) {
        differences.add(
            "%s\n  Cassandra: %s\n  here:      %s"
                .formatted(statements.get(i), known, given.get(i)));
      }
    }
    List<String> shown = differences.stream().limit(DIFFERENCES_SHOWN).toList();
    assertEquals("", String.join("\n", shown), () -> differences.size() + " differences");
  }

  private List<String> answers(List<String> statements) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      return statements.stream().map(statement -> answer(session, statement)).toList();
    }
  }

  @Test
  @Timeout(300)
  @Tag("deep")
  void asRecorded() throws IOException {
    List<String> statements = new ArrayList<>();
    List<String> wanted = new ArrayList<>();
    for (String[] parts : CqlAnswers.recorded("functions")) {
      statements.add(parts[0]);
      wanted.add(parts[1]);
    }
    assertEquals(statements(), statements, "the recording is of other statements");
    compare(statements, wanted, answers(statements));
  }

  @Test
  @Tag("cluster")
  @Timeout(600)
  void asCassandra() throws IOException {
    CassandraNode.require();
    List<String> statements = statements();
    List<String> wanted = new ArrayList<>();
    try (CqlSession session = CassandraNode.shared().session()) {
      for (String statement : statements) {
        String answer = answer(session, statement);
        wanted.add(isOurs(session, statement, answer) ? OURS : answer);
      }
    }
    String record = System.getProperty("cql.record");
    if (record != null) {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < statements.size(); i++) {
        lines.add(statements.get(i) + "\t" + wanted.get(i));
      }
      Files.write(Path.of(record), lines);
    }
    compare(statements, wanted, answers(statements));
  }
}
