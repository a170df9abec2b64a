package io.widerow.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Shell;
import io.widerow.ingest.config.ConfigKeys;
import io.widerow.ingest.config.Key;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Goal: the plain reader and picocli agree on all arguments that the plain reader takes. Method:
/// random lines of arguments, with mistakes, read by both.
class PlainArgumentsTest {
  private static final int LINES = 20_000;
  private static final List<String> VALUES =
      List.of(
          "7",
          "/data/x",
          "a=b",
          "127.0.0.1:0",
          "true",
          "false",
          "",
          "-1",
          "--lanes",
          "\"q\"",
          "'q'",
          "a b",
          "@file",
          "$HOME",
          "${x}",
          "x,y",
          "retention.a=3d",
          "lanes=2",
          "=x",
          "a=",
          "[::1]:1",
          "-",
          "--",
          "~/x",
          "a\\b",
          "é",
          "a|b",
          "*.x=1d");

  private static List<String> names() {
    List<String> names = new ArrayList<>(List.of("config", "set", "print-config", "no-such", ""));
    for (Key<?> key : ConfigKeys.ALL) {
      names.add(key.name());
    }
    return names;
  }

  private static List<String> line(Random random, List<String> names) {
    List<String> line = new ArrayList<>();
    for (int left = random.nextInt(5); left > 0; left--) {
      String name = "--" + names.get(random.nextInt(names.size()));
      String value = VALUES.get(random.nextInt(VALUES.size()));
      switch (random.nextInt(8)) {
        case 0 -> line.add(name);
        case 1 -> line.add(value);
        case 2 -> line.addAll(List.of("--set", value));
        case 3, 4, 5 -> line.add(name + "=" + value);
        default -> line.addAll(List.of(name, value));
      }
    }
    return line;
  }

  @Test
  void plainArgumentsMeanWhatPicocliReads() {
    Random random = new Random(20_261_129);
    List<String> names = names();
    int plain = 0;
    for (int i = 0; i < LINES; i++) {
      List<String> line = line(random, names);
      PlainArguments read = PlainArguments.read(line);
      if (read != null) {
        plain++;
        assertEquals(byPicocli(line), read, line::toString);
      }
    }
    assertTrue(plain > LINES / 20, "plain lines: " + plain);
  }

  private static PlainArguments byPicocli(List<String> line) {
    var shell =
        new Shell(
            new ByteArrayOutputStream(),
            new PrintStream(new ByteArrayOutputStream()),
            false,
            false,
            false,
            Map.of());
    ServeCommand command = new ServeCommand(shell);
    CommandLine picocli = new CommandLine(command);
    picocli.parseArgs(line.toArray(String[]::new));
    return command.arguments();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--data /x",
        "--data=/x --http 127.0.0.1:0",
        "--config /etc/widerow.conf",
        "--insecure",
        "--insecure --data /x",
        "--insecure=false",
        "--set retention.audit=30d --set lanes=2"
      })
  void usualArgumentsNeedNoPicocli(String line) {
    assertNotNull(PlainArguments.read(words(line)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "-h",
        "--version",
        "--print-config",
        "--lanes",
        "--lanes 1 --lanes 2",
        "--no-such 1",
        "--data -x",
        "--insecure yes",
        "--set lanes",
        "x"
      })
  void picocliReadsAllOthers(String line) {
    assertNull(PlainArguments.read(words(line)));
  }

  private static List<String> words(String line) {
    return line.isEmpty() ? List.of() : Arrays.asList(line.split(" ", -1));
  }
}
