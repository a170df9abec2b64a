package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import io.widerow.cli.CommandDaemon;
import io.widerow.cluster.CassandraNode;
import io.widerow.cql.server.ConditionStatements.Case;
import io.widerow.cql.server.CqlAnswers.Given;
import io.widerow.cql.server.CqlAnswers.Step;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a condition is evaluated as Cassandra does it, or refused; none is left out; and what has
/// only static columns is seen and left out where Cassandra does. Method: [ConditionStatements] and
/// [StaticStatements] are given to a daemon, and their answers, with all rows after each change,
/// compared with the recorded ones of Cassandra 5.0.9 (`cql/conditions.txt`: a statement, a tab,
/// its result), or with a running one; `-Dcql.record=DIR` writes these. The first tier takes every
/// tenth case, `-Dcql.stride=1` all.
class CqlConditionsTest {
  private static final int DIFFERENCES_SHOWN = Integer.getInteger("cql.shown", 60);

  /// Of several faults of a statement Cassandra names another one first, or has other words for a
  /// null.
  private static final Pattern OWN_SENTENCES =
      Pattern.compile(
          "error 2200 (.*[Nn]ull (map )?value .*|.*cannot be restricted \\(preceding column.*|Some"
              + " clustering keys are missing.*|Unable to make .*|Slice restrictions are not"
              + " supported on duration columns|PER PARTITION LIMIT is not allowed.*|SELECT"
              + " DISTINCT .*|DELETE statements must .*)");

  /// What fails in Cassandra on its way, after it was taken.
  private static final Pattern FAILURES =
      Pattern.compile("error (0000|.*(WriteFailure|WriteTimeout|ReadFailure)Exception).*");

  /// Statements refused here, and accepted by Cassandra: null bounds, and empty ranges.
  private static final Pattern REFUSED =
      Pattern.compile(
          "error 2200 (Invalid null value in condition for column .*"
              + "|The token function cannot be used in WHERE clauses for DELETE statements"
              + "|Range deletions are not supported for specific columns)");

  private static final int STRIDE = Slice.of("cql.stride", 10, 1);

  @TempDir private Path directory = Path.of(".");

  /// The statements.
  @SuppressWarnings("ImmutableEnumChecker") // method references
  enum Subject {
    CONDITIONS("conditions", ConditionStatements::all),
    STATICS("statics", StaticStatements::all);

    private final String file;
    private final Supplier<List<Case>> cases;

    Subject(String file, Supplier<List<Case>> cases) {
      this.file = file;
      this.cases = cases;
    }
  }

  private static String answer(CqlSession session, Case each) {
    for (String statement : each.before()) {
      Given given = CqlAnswers.of(session, new Step(statement, 100));
      assertEquals("", given.told(), statement);
    }
    Given given = CqlAnswers.of(session, each.step());
    if (!given.told().isEmpty()) {
      String told = given.told().replace("\n", "\\n").replace("\t", " ");
      return "%s %s".formatted(given.answer(), told).strip();
    }
    String rows =
        each.after().isEmpty()
            ? ""
            : " -> " + CqlAnswers.of(session, new Step(each.after(), 100)).answer();
    return (given.answer() + rows).strip();
  }

  /// Whether an answer is that of Cassandra. Grammar has sentences of its own here.
  private static boolean isSame(String cassandra, String here) {
    if (cassandra.equals(here)) {
      return true;
    }
    boolean refused = here.startsWith("error 2200");
    if (cassandra.startsWith("error 2000")) {
      return refused || here.startsWith("error 2000");
    }
    return refused
        && (FAILURES.matcher(cassandra).matches()
            || OWN_SENTENCES.matcher(cassandra).matches()
            || REFUSED.matcher(here).matches());
  }

  private static void compare(List<Case> cases, List<String> wanted, List<String> given) {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      if (!isSame(wanted.get(i), given.get(i))) {
        differences.add(
            "%s\n  Cassandra: %s\n  here:      %s"
                .formatted(cases.get(i).step(), wanted.get(i), given.get(i)));
      }
    }
    List<String> shown = differences.stream().limit(DIFFERENCES_SHOWN).toList();
    assertEquals("", String.join("\n", shown), () -> differences.size() + " differences");
  }

  /// The answers of a daemon, whose rows can all be read afterwards.
  private List<String> answers(List<Case> cases) {
    List<String> answers;
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.session()) {
      answers = cases.stream().map(each -> answer(session, each)).toList();
    }
    String data = directory.resolve("store").toString();
    CommandDaemon.Ran verified = CommandDaemon.run(Map.of(), "check verify", "--data", data);
    assertEquals(0, verified.code(), () -> verified.out() + verified.err());
    return answers;
  }

  @ParameterizedTest
  @EnumSource(Subject.class)
  @Timeout(600)
  void asRecorded(Subject subject) throws IOException {
    List<Case> cases = subject.cases.get();
    List<String> statements = new ArrayList<>();
    List<String> wanted = new ArrayList<>();
    for (String[] parts : CqlAnswers.recorded(subject.file)) {
      statements.add(parts[0]);
      wanted.add(parts[1]);
    }
    assertEquals(
        cases.stream().map(each -> each.step().statement()).toList(),
        statements,
        "the recording is of other statements");
    List<Integer> taken = taken(cases);
    List<Case> given = taken.stream().map(cases::get).toList();
    compare(given, taken.stream().map(wanted::get).toList(), answers(given));
  }

  /// The places of every [#STRIDE]th case, and of the statements that make tables and rows for all.
  private static List<Integer> taken(List<Case> cases) {
    List<Integer> taken = new ArrayList<>();
    int cut = 0;
    boolean isTaken = true;
    for (int i = 0; i < cases.size(); i++) {
      Case each = cases.get(i);
      if (!each.before().isEmpty() || each.step().statement().startsWith("SELECT")) {
        isTaken = cut++ % STRIDE == 0;
      } else if (each.after().isEmpty()) {
        isTaken = true;
      } // otherwise it continues the case before it
      if (isTaken) {
        taken.add(i);
      }
    }
    return taken;
  }

  @ParameterizedTest
  @EnumSource(Subject.class)
  @Tag("cluster")
  @Timeout(1_200)
  void asCassandra(Subject subject) throws IOException {
    CassandraNode.require();
    List<Case> cases = subject.cases.get();
    List<String> wanted;
    try (CqlSession session = CassandraNode.shared().session()) {
      wanted = cases.stream().map(each -> answer(session, each)).toList();
    }
    String record = System.getProperty("cql.record");
    if (record != null) {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < cases.size(); i++) {
        lines.add(cases.get(i).step().statement() + "\t" + wanted.get(i));
      }
      Files.write(Path.of(record, subject.file + ".txt"), lines);
    }
    compare(cases, wanted, answers(cases));
  }
}
