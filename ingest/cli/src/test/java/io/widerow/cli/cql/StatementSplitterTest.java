package io.widerow.cli.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cli.cql.StatementSplitter.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a text is cut where its statements end, and nowhere else, however it comes. Method: texts
/// with each kind of string and comment; made ones, taken in pieces of whole lines.
class StatementSplitterTest {
  private static List<String> cut(String text) {
    var statements = new StatementSplitter();
    List<Statement> all = new ArrayList<>(statements.take(text));
    all.addAll(statements.finish());
    return all.stream().map(Statement::text).toList();
  }

  @Test
  void semicolonsInStringsNamesAndCommentsEndNothing() {
    assertEquals(List.of("a", "b"), cut("a;b;"));
    assertEquals(List.of("a", "b"), cut(" a ;\n;\n b\n"));
    assertEquals(List.of("x = 'a;b''c;'"), cut("x = 'a;b''c;';"));
    assertEquals(List.of("\"n;m\" $$ ';' $$"), cut("\"n;m\" $$ ';' $$;"));
    assertEquals(List.of("a -- x; y\n b", "c"), cut("a -- x; y\n b; c"));
    assertEquals(List.of("a // it's\n b", "c"), cut("a // it's\n b; c"));
    assertEquals(List.of("a /* ; ' */ b", "c"), cut("a /* ; ' */ b; c"));
    assertEquals(List.of(), cut("-- nothing; here\n/* nor ; here */ ; "));
  }

  @Test
  void aBatchIsOneStatement() {
    String batch = "begin unlogged batch insert a; update b; apply  batch";
    assertEquals(List.of(batch, "c"), cut(batch + "; c;"));
    assertEquals(List.of("beginning", "c"), cut("beginning; c"));
    String quoted = "BEGIN BATCH insert 'APPLY BATCH'; APPLY BATCH";
    assertEquals(List.of(quoted), cut(quoted + ";"));
  }

  @Test
  void aStatementKnowsItsLine() {
    var statements = new StatementSplitter();
    assertEquals(List.of(new Statement("a\nb", 2)), statements.take("\na\nb;"));
    assertEquals(List.of(new Statement("c", 4)), statements.take("\nc;"));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void piecesMakeTheSame(long seed) {
    var random = new SplittableRandom(seed);
    List<String> parts =
        List.of("a", ";", "\n", "'", "\"", "$$", "--", "/*", "*/", " ", "BEGIN", "APPLY BATCH");
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      text.append(parts.get(random.nextInt(parts.size())));
    }
    var statements = new StatementSplitter();
    List<String> pieces = new ArrayList<>();
    for (String line : text.toString().split("(?<=\n)", -1)) {
      statements.take(line).forEach(each -> pieces.add(each.text()));
    }
    statements.finish().forEach(each -> pieces.add(each.text()));
    assertEquals(cut(text.toString()), pieces);
  }
}
