package io.widerow.query.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.query.QueryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: QUERY.md has the parameters that a query takes, and no others. Method: compares its table
/// with the refusal of an unknown parameter, which lists all of them.
class DocumentedParametersTest {
  @Test
  void everyParameterIsDocumented() throws IOException {
    String page = Files.readString(Path.of("QUERY.md"));
    String table =
        page.substring(page.indexOf("<!-- parameters"), page.indexOf("<!-- end of parameters"));
    List<String> documented =
        table
            .lines()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.split("`", -1)[1])
            .sorted()
            .toList();
    var refused =
        assertThrows(
            QueryException.Refused.class,
            () -> QueryParameters.parse(Map.of("unknown", List.of("1")), 0));
    assertEquals(
        "unknown: no such parameter; known: " + String.join(", ", documented),
        refused.getMessage());
  }
}
