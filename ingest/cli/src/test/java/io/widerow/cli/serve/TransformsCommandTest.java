package io.widerow.cli.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `widerow transforms check` and `try`: output, mistakes and exit codes.
class TransformsCommandTest {
  @TempDir Path directory;

  private String run(int code, String... words) {
    var text = new ByteArrayOutputStream();
    var print = new PrintStream(text, true, UTF_8);
    Shell shell = new Shell(print, print, false, false, false, Map.of());
    assertEquals(code, Main.execute(shell, words), () -> text.toString(UTF_8));
    return text.toString(UTF_8);
  }

  private String file(String rules) throws IOException {
    return Files.writeString(directory.resolve("rules"), rules).toString();
  }

  @Test
  void eachStepIsShown() throws IOException {
    String file = file("parse as logfmt\nwhen took > 5 then set slow = true\ndrop x\n");
    assertEquals(
        """
        sample  {"type":"sample","body":"took=7"}
        changed line 1: parse as logfmt
                {"type":"sample","body":"took=7","took":7}
        changed line 2: when took > 5 then set slow = true
                {"type":"sample","body":"took=7","slow":true,"took":7}
        same    line 3: drop x
        """,
        run(0, "transforms", "try", file, "--sample", "took=7"));
    String json =
        run(0, "transforms", "try", file, "--json", "--type", "t", "--sample", "{\"x\":1}");
    assertTrue(
        json.startsWith("{\"line\":0,\"effect\":\"sample\",\"event\":{\"type\":\"t\""), json);
    assertTrue(json.contains("\"rule\":\"drop x\",\"effect\":\"changed\""), json);
  }

  @Test
  void aFileIsChecked() throws IOException {
    assertEquals("3 transforms\n", run(0, "transforms", "check", file("drop a\nset b = 1, c = 2")));
    String wrong = run(64, "transforms", "check", file("drop a\nparse as xml\n"));
    assertTrue(wrong.contains("line 2: expected a format: json, logfmt"), wrong);
    assertTrue(wrong.startsWith("widerow transforms check: transforms: " + directory), wrong);
    String none = run(64, "transforms", "try", directory.resolve("none").toString());
    assertTrue(none.contains("cannot be read: no such file"), none);
  }
}
