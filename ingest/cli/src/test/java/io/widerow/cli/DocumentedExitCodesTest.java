package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: INSTALL.md has every exit code. Method: compares its table with [ExitCode].
class DocumentedExitCodesTest {
  @Test
  void everyExitCodeIsDocumented() throws IOException {
    String page = Files.readString(Path.of("../docs/INSTALL.md"));
    String table =
        page.substring(page.indexOf("<!-- exit codes"), page.indexOf("<!-- end of exit codes"));
    List<Integer> documented =
        table
            .lines()
            .filter(line -> line.matches("\\| \\d+ \\|.*"))
            .map(line -> Integer.valueOf(line.split(" ", -1)[1]))
            .toList();
    assertEquals(Arrays.stream(ExitCode.values()).map(code -> code.number).toList(), documented);
  }
}
