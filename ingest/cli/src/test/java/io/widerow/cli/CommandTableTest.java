package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a mistake in the table of commands is an error, so that no command disappears. Method:
/// rows as text.
class CommandTableTest {
  @Test
  void commentsAndGroupsAreNoRows() {
    assertEquals(
        List.of(new CommandTable.Row("tail", "T", "client", "Follow", "tail x", "")),
        CommandTable.rows("# a|b\nread\ntail|T|client|Follow|tail x|\n\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tail|T|client|Follow|tail x", // without the last bar
        "tail|T|client|Follow|tail x||",
        "tail|T|client|Follow a|b|tail x|",
        "tail|T",
        "|",
      })
  void aRowWithoutSixColumnsIsAnError(String row) {
    IllegalStateException error =
        assertThrows(
            IllegalStateException.class, () -> CommandTable.rows("read\n" + row + "\nexplore"));
    assertEquals(
        "commands.psv: a row has 6 columns, got %d: %s".formatted(row.split("\\|", -1).length, row),
        error.getMessage());
  }
}
