package io.widerow.ingest.cli;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Goal: the launcher starts every command of this module and those below. Method: the classes that
/// its table names are loaded.
class LauncherTableTest {
  private static final Pattern ROW = Pattern.compile("(?m)^[a-z]+\\|(io\\.widerow\\.[\\w.]+)\\|");

  @Test
  void theClassesOfTheTableAreThere() throws IOException, ReflectiveOperationException {
    List<String> classes =
        ROW.matcher(Files.readString(Path.of("../widerow")))
            .results()
            .map(row -> row.group(1))
            .filter(name -> !name.startsWith("io.widerow.loadgen."))
            .toList();
    assertTrue(classes.size() > 15, classes::toString);
    for (String name : classes) {
      assertNotNull(Class.forName(name).getMethod("main", String[].class));
    }
  }
}
