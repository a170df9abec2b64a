package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import io.widerow.cluster.CassandraNode;
import io.widerow.cql.server.CqlAnswers.Given;
import io.widerow.cql.server.CqlAnswers.Step;
import io.widerow.cql.server.RandomTable.Kind;
import io.widerow.faults.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: rows, their order and types, and codes of errors are those of Cassandra, with secondary
/// indexes and arithmetic. Method: random statements over random tables, each with a page size of
/// its own, are given to a daemon and to Cassandra 5.0.9, and the answers are compared as texts.
/// Without the cluster they are compared with a recording (`cql/NAME.txt`: a page size, a statement
/// and its answer); `-Dcql.record=DIRECTORY` writes these. `-Dcql.statements=N` sets the number of
/// statements.
class CqlDifferentialTest {
  private static final int STATEMENTS = Integer.getInteger("cql.statements", 5_000);
  private static final int STATEMENTS_PER_TABLE = Math.max(1, STATEMENTS / 20);
  private static final int DIFFERENCES_SHOWN = 40;

  /// In a recording: an answer that is meant to differ.
  private static final String OURS = "*";

  private static final List<Integer> PAGES = List.of(1, 2, 3, 7, 100, 5_000);

  @TempDir private Path directory = Path.of(".");

  /// What makes statements.
  enum Generator {
    /// Tables of all kinds, each with some indexes.
    RECORDED,
    /// Tables with many indexes, and queries by them.
    INDEXES;

    private List<Step> steps(long seed) {
      return this == RECORDED
          ? CqlDifferentialTest.steps(seed, STATEMENTS)
          : IndexStatements.steps(seed, Math.max(1, STATEMENTS / IndexStatements.OF_TABLE));
    }

    private String file() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static List<Arguments> seeds() {
    return Seeds.of(1).stream()
        .flatMap(seed -> Stream.of(Generator.values()).map(each -> Arguments.of(each, seed)))
        .toList();
  }

  private static List<Step> steps(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Step> steps = new ArrayList<>();
    String keyspace = "d" + Long.toUnsignedString(seed);
    steps.add(
        new Step(
            "CREATE KEYSPACE "
                + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            100));
    steps.add(new Step("USE " + keyspace, 100));
    steps.add(new Step("CREATE TYPE pair (a int, b text)", 100));
    for (int n = 0; steps.size() < count; n++) {
      Kind kind = n % 5 == 4 ? Kind.COUNTED : n % 5 == 3 ? Kind.CONDITIONAL : Kind.TIMED;
      RandomTable table = new RandomTable("t" + n, kind, random);
      steps.add(new Step(table.definition(), 100));
      RandomStatements statements = new RandomStatements(table, random);
      for (int i = random.nextInt(3); i > 0; i--) {
        steps.add(new Step(statements.index(), 100));
      }
      for (int i = 0; i < STATEMENTS_PER_TABLE && steps.size() < count; i++) {
        steps.add(new Step(statements.next(), RandomTable.any(PAGES, random)));
      }
    }
    return steps;
  }

  /// Answers that are meant to differ: an order over several partitions has pages here; Cassandra
  /// fails over pages of some groups, has a type of its own for the least of some timeuuids, and
  /// does not cast a text in descending order to text.
  private static boolean isOurs(Given cassandra) {
    return cassandra.answer().equals(OURS)
        || cassandra
            .told()
            .startsWith("Cannot page queries with both ORDER BY and a IN restriction")
        || cassandra.told().startsWith("Invalid call to function system.cast_as_text")
        || cassandra.answer().contains("ProtocolError: Invalid value for the paging state")
        || cassandra.answer().contains("ReadFailureException")
        || cassandra.answer().contains("LegacyTimeUUIDType");
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

  @ParameterizedTest
  @EnumSource
  @Timeout(300)
  void asRecorded(Generator generator) throws IOException {
    List<Step> steps = new ArrayList<>();
    List<Given> wanted = new ArrayList<>();
    for (String[] parts : CqlAnswers.recorded(generator.file())) {
      steps.add(new Step(parts[1], Integer.parseInt(parts[0])));
      wanted.add(new Given(parts[2], ""));
    }
    compare(steps, wanted, answers(steps));
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("seeds")
  @Tag("cluster")
  @Timeout(1_200)
  void asCassandra(Generator generator, long seed) throws IOException {
    CassandraNode.require();
    List<Step> steps = generator.steps(seed);
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
        Step step = steps.get(i);
        Given given = wanted.get(i);
        String answer = isOurs(given) ? OURS : given.answer();
        lines.add(step.page() + "\t" + step.statement() + "\t" + answer);
      }
      Files.write(Path.of(record, generator.file() + ".txt"), lines);
    }
    compare(steps, wanted, answers(steps));
  }
}
