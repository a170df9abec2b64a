package io.widerow.ingest.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: the demo does what it says, twice in one directory, and the queries that train the JVM's
/// AOT cache have answers. Method: the real log files.
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class DemoCommandTest {
  @Test
  void itRunsTwiceInOneDirectory(@TempDir Path directory) {
    Path data = directory.resolve("demo");
    String first = demo(data, "0");
    assertTrue(first.contains("What to type next"), first);
    String again = demo(data, "1");
    assertTrue(again.contains("Replacing the store of an earlier demo"), again);
    assertTrue(Files.exists(data.resolve("FORMAT")));
  }

  private static String demo(Path data, String rounds) {
    StringWriter out = new StringWriter();
    int exit =
        new CommandLine(new DemoCommand())
            .setOut(new PrintWriter(out, true))
            .execute("--logs", "../loadgen/logs", "--data", data.toString(), "--rehearse", rounds);
    assertEquals(0, exit, out::toString);
    return out.toString();
  }
}
