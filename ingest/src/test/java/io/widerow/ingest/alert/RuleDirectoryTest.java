package io.widerow.ingest.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what is in force is the newest version of each file that could be used, and what is wrong
/// is reported as long as it is. Method: a directory that is away for a while, and files that
/// become wrong and right again.
class RuleDirectoryTest {
  private static final String RIGHT = "groups: [{name: %s, rules: [{record: a, expr: b}]}]";

  @TempDir private Path temporary = Path.of(".");

  private static List<String> names(RuleDirectory rules) {
    return rules.groups().stream().map(RuleGroup::name).toList();
  }

  @Test
  void aDirectoryThatWasAwayIsNoProblemAnyMore() throws IOException {
    Path directory = Files.createDirectory(temporary.resolve("rules"));
    Files.writeString(directory.resolve("r.yml"), RIGHT.formatted("one"));
    RuleDirectory rules = new RuleDirectory(directory, 60_000);
    assertTrue(rules.reload(false));
    Path away = temporary.resolve("away");
    Files.move(directory, away);
    assertFalse(rules.reload(false));
    assertEquals(1, rules.problems().size());
    assertEquals(List.of("one"), names(rules), "the old rules stay in force");
    Files.move(away, directory);
    assertFalse(rules.reload(false), "the files are the same");
    assertEquals(List.of(), rules.problems());
    assertEquals(List.of("one"), names(rules));
  }

  @Test
  void aFileThatIsWrongKeepsItsOldVersion() throws IOException {
    Files.writeString(temporary.resolve("r.yml"), RIGHT.formatted("one"));
    RuleDirectory rules = new RuleDirectory(temporary, 60_000);
    assertTrue(rules.reload(false));
    Files.writeString(temporary.resolve("r.yml"), "groups: [{nam: two}]");
    Files.writeString(temporary.resolve("s.yml"), "\ufeff" + RIGHT.formatted("three"));
    assertTrue(rules.reload(false));
    assertEquals(List.of("one", "three"), names(rules));
    assertEquals(1, rules.problems().size());
    assertTrue(rules.problems().getFirst().contains("r.yml"), rules.problems()::toString);
    Files.writeString(temporary.resolve("r.yml"), RIGHT.formatted("four"));
    assertTrue(rules.reload(false));
    assertEquals(List.of("four", "three"), names(rules));
    assertEquals(List.of(), rules.problems());
    Files.delete(temporary.resolve("s.yml"));
    assertTrue(rules.reload(false));
    assertEquals(List.of("four"), names(rules));
  }
}
