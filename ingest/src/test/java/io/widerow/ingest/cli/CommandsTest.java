package io.widerow.ingest.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Goal: there is one list of commands, completion has all of it, and the same mistake has the same
/// exit code whatever the command. Method: the launcher's table beside the list; each command in
/// this process.
class CommandsTest {
  @TempDir Path directory;

  /// The exit code and all output of one run.
  private record Run(int code, String text) {}

  private static Run run(String name, String... arguments) {
    StringWriter text = new StringWriter();
    CommandLine line = Objects.requireNonNull(commands().get(name), name);
    line.setOut(new PrintWriter(text, true)).setErr(new PrintWriter(text, true));
    int code = line.execute(arguments);
    return new Run(code, text.toString());
  }

  private static Map<String, CommandLine> commands() {
    var none = new PrintStream(OutputStream.nullOutputStream());
    return Commands.in(new Shell(none, none, false, false, false, Map.of()));
  }

  private static Stream<String> names() {
    return commands().keySet().stream();
  }

  /// Rows of the launcher: name, class, kind, and so on.
  private static List<String[]> launcher() throws IOException {
    String script = Files.readString(Path.of("../widerow"));
    String table = script.split("<<'END'\n", 2)[1].split("\nEND\n", 2)[0];
    return table.lines().map(row -> row.split("\\|", -1)).toList();
  }

  @Test
  void launcherAndListHaveTheSameCommands() throws IOException {
    List<String> ofThisProgram = new ArrayList<>();
    for (String[] row : launcher()) {
      if (!row[2].equals("load") && !row[2].equals("build")) {
        ofThisProgram.add(row[0]);
      }
    }
    assertEquals(ofThisProgram, names().toList());
  }

  @Test
  void completionHasAllCommandsAndTheirOptions() throws IOException {
    List<String> all = launcher().stream().map(row -> row[0]).toList();
    Run made = run("completion", all.toArray(String[]::new));
    assertEquals(0, made.code(), made.text());
    assertTrue(made.text().contains("complete -F _complete_widerow"), "for bash");
    assertEquals(all, offered(made.text()));
    assertEquals(names().toList(), offered(run("completion").text()), "as without a launcher");
    for (String option : List.of("--histogram", "--print-config", "--scopes", "--accept-loss")) {
      assertTrue(made.text().contains(option), option);
    }
  }

  /// What the script completes as a command.
  private static List<String> offered(String script) {
    String line = script.lines().filter(l -> l.contains("commands=\"")).findFirst().orElse("");
    return List.of(line.replaceAll(".*commands=\"|\"$", "").split(" ", -1));
  }

  @ParameterizedTest
  @MethodSource("names")
  void anOptionThatThereIsNotIsOneSentenceAnd64(String name) {
    Run run = run(name, "--no-such-option");
    assertEquals(64, run.code(), run.text());
    assertTrue(run.text().startsWith("widerow " + name + ": "), run.text());
    assertEquals(1, run.text().lines().count(), run.text());
  }

  @ParameterizedTest
  @MethodSource("names")
  void helpAndVersionAre0(String name) {
    Run help = run(name, "--help");
    assertEquals(0, help.code(), help.text());
    assertTrue(help.text().startsWith("Usage: widerow " + name), help.text());
    Run version = run(name, "--version");
    assertEquals(0, version.code(), version.text());
    assertTrue(version.text().startsWith("widerow "), version.text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "query --limit x",
        "tail --limit x",
        "serve --lanes x",
        "serve --set lanes",
        "token name --scopes all",
        "verify",
        "repair",
        "snapshot",
        "token",
        "demo --rehearse x",
        "verify --data DIR --output xml"
      })
  void aValueThatCannotBeIs64(String typed) {
    assertEquals(64, typed(typed, directory).code());
  }

  private static Run typed(String typed, Path data) {
    String[] words = typed.replace("DIR", data.toString()).split(" ", -1);
    return run(words[0], List.of(words).subList(1, words.length).toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "query --data DIR",
        "verify --data DIR",
        "repair --data DIR",
        "snapshot --data DIR --to DIR2"
      })
  void noStoreIs66(String typed) {
    Run run = typed(typed, directory.resolve("nothing"));
    assertEquals(66, run.code(), run.text());
    assertEquals(1, run.text().lines().count(), run.text());
  }

  private static final String[] OF_A_STORE = {
    "query --data DIR",
    "verify --data DIR",
    "repair --data DIR",
    "snapshot --data DIR --to DIR2",
    "serve --data DIR --http 127.0.0.1:0 --lanes 1"
  };

  @Test
  void aStoreOfAnotherVersionIs66() throws IOException {
    Path data = directory.resolve("d");
    try (EmbeddedStore _ = EmbeddedStore.open(StoreConfig.at(data), Runnable::run)) {
      assertTrue(Files.exists(data));
    }
    Path format = data.resolve("FORMAT");
    Files.writeString(format, Files.readString(format).replace("store 1", "store 9"));
    for (String typed : OF_A_STORE) {
      Run run = typed(typed, data);
      assertEquals(66, run.code(), () -> typed + ": " + run.text());
    }
  }

  @Test
  void aStoreInUseIs75() {
    Path data = directory.resolve("d");
    try (EmbeddedStore store = EmbeddedStore.open(StoreConfig.at(data), Runnable::run)) {
      assertEquals(1, store.lanes());
      for (String typed : OF_A_STORE) {
        Run run = typed(typed, data);
        assertEquals(75, run.code(), () -> typed + ": " + run.text());
        assertTrue(run.text().contains("in use by process"), run.text());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"query", "tail", "snapshot --to x", "query --stats count"})
  void noDaemonIs69(String typed) {
    Run run = typed(typed + " --url http://127.0.0.1:1", directory);
    assertEquals(69, run.code(), run.text());
    assertTrue(run.text().contains("no daemon answers at http://127.0.0.1:1"), run.text());
  }

  @Test
  void aFileThatCannotBeWrittenIs74() {
    Run run = typed("token name --append DIR/no/such", directory);
    assertEquals(ExitCode.INPUT_OUTPUT.number, run.code(), run.text());
  }
}
