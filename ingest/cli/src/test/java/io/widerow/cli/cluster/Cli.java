package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Commands run in this process with the driver of a real cluster, as the launcher runs them.
///
/// @param environment variables of the commands
record Cli(Map<String, String> environment) {
  private static final Pattern CLASS_NAME =
      Pattern.compile("Exception|java\\.|com\\.datastax|\\bat [a-z]+\\.[a-z]+\\.");

  /// What a command printed.
  record Run(int code, String out, String err) {}

  Run run(String command, String... arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    Shell shell =
        new Shell(
            out,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            false,
            environment);
    String[] words = Stream.concat(Stream.of(command), Stream.of(arguments)).toArray(String[]::new);
    int code = Main.execute(shell, words);
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /// The standard output of a command that succeeds.
  String answer(String command, String... arguments) {
    Run run = run(command, arguments);
    assertEquals(0, run.code, command + " " + List.of(arguments) + ": " + run.err);
    return run.out;
  }

  /// The command fails with one sentence, which has all of these parts and no name of a class.
  void fails(int code, List<String> parts, String command, String... arguments) {
    Run run = run(command, arguments);
    assertEquals(code, run.code, run.err);
    assertEquals("", run.out);
    assertEquals(1, run.err.lines().count(), run.err);
    assertTrue(
        run.err.matches("(?s)widerow ([a-z]+ )?" + command + "\\b.*"), run.err); // in a group
    parts.forEach(part -> assertTrue(run.err.contains(part), () -> part + " in " + run.err));
    assertFalse(CLASS_NAME.matcher(run.err).find(), run.err);
  }
}
