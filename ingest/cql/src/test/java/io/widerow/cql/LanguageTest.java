package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/// The method of tests of the language: statements in a keyspace `k` of a server of its own, and
/// their rows as texts.
abstract class LanguageTest {
  protected final TableServer server = new TableServer();
  protected Asking asking = server.asking("k");

  @BeforeEach
  void makesAKeyspace() {
    run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
  }

  final void run(String... statements) {
    for (String statement : statements) {
      asking.run(statement);
    }
  }

  final void assertRows(String statement, String... rows) {
    assertEquals(List.of(rows), asking.rows(statement), statement);
  }

  final void assertRefused(String statement, String refusal) {
    assertEquals(refusal, asking.refusal(statement), statement);
  }
}
