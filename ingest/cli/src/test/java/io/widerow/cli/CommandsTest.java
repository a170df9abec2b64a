package io.widerow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Goal: the table of commands is whole and plain, its commands run by their names and by earlier
/// ones, and the same mistake has the same exit code whatever the command. Method: each row of the
/// table in this process.
class CommandsTest {
  private static final int SUMMARY_MAX = 45;
  private static final Pattern NO_VERB =
      Pattern.compile("(?i)\\b(what|who|how|where|which|whose|when)\\b");

  @TempDir Path directory;

  /// The exit code and all output of one run.
  private record Run(int code, String text) {}

  private static Run run(String name, String... arguments) {
    var text = new ByteArrayOutputStream();
    var print = new PrintStream(text, true, UTF_8);
    String[] words =
        Stream.concat(Stream.of(name.split(" ", -1)), Stream.of(arguments)).toArray(String[]::new);
    int code = Main.execute(new Shell(print, print, false, false, false, Map.of()), words);
    return new Run(code, text.toString(UTF_8));
  }

  /// All commands and sub-commands.
  private static Stream<String> names() {
    return CommandTable.rows().stream()
        .filter(row -> row.isCommand() || row.isSubcommand())
        .map(CommandTable.Row::name);
  }

  /// Commands with sub-commands.
  private static Stream<String> groups() {
    return CommandTable.rows().stream()
        .filter(CommandTable.Row::isSubcommand)
        .map(CommandTable.Row::command)
        .distinct();
  }

  private static List<String> below(String command) {
    return CommandTable.rows().stream()
        .filter(row -> row.isSubcommand() && row.command().equals(command))
        .map(CommandTable.Row::word)
        .toList();
  }

  private static CommandLine line(String name) {
    var none = new PrintStream(OutputStream.nullOutputStream());
    return Main.commandLine(new Shell(none, none, false, false, false, Map.of()), name);
  }

  @Test
  void twentyFourCommandsAreListed() {
    List<CommandTable.Row> rows = CommandTable.rows();
    assertEquals(24, rows.stream().filter(CommandTable.Row::isCommand).count());
    assertEquals(rows.size(), rows.stream().map(CommandTable.Row::name).distinct().count());
  }

  @Test
  void aSummaryIsAShortSentenceWithAVerb() {
    for (CommandTable.Row row : CommandTable.rows()) {
      assertTrue(row.summary().length() <= SUMMARY_MAX, row.toString());
      assertTrue(row.summary().matches("[A-Z].*[^.]"), row.toString());
      assertFalse(NO_VERB.matcher(row.summary()).find(), row.toString());
      assertTrue(
          row.example().startsWith(row.name().replace("explore types", "explore")), "" + row);
      assertTrue(List.of("client", "tool", "daemon").contains(row.kind()), row.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tail t --to, kafka:nope, widerow tail: to: must be kafka:HOST:PORT/TOPIC",
    "tail t --to, kafka:far.example:1/t, is not on this machine",
    "backup list --from, s3://bucket, 'widerow backup list: from: must be s3://BUCKET/PREFIX, got'",
    "backup list --s3-endpoint http://192.0.2.1 --from, s3://bucket/p, s3-endpoint:"
        + " http://192.0.2.1",
    "backup list --s3-endpoint nowhere --from, s3://bucket/p, s3-endpoint: must be http[s]://HOST",
    "backup list --s3-ca /no/file --from, s3://bucket/p, s3-ca: cannot read the certificate file",
    "backup list --from, s3://id:word@bucket/p, from: must be s3://BUCKET/PREFIX without"
        + " credentials",
    "backup forget --before 1h --from, nowhere, from: must be file:/DIRECTORY",
    "backup verify --from, nowhere, 'widerow backup verify: from: must be file:/DIRECTORY'",
    "backup restore --data d --from, nowhere, from: must be file:/DIRECTORY",
    "backup take-over --data d --to, nowhere, to: must be file:/DIRECTORY",
  })
  void aWrongPlaceIsOneSentence(String command, String place, String sentence) {
    Run run = run(command, place);
    assertEquals(ExitCode.USAGE.number, run.code, run.text);
    assertTrue(run.text.contains(sentence), run.text);
    assertEquals(1, run.text.lines().count(), run.text);
  }

  /// A method of a class that has no row, or a row without its method, would show here.
  @ParameterizedTest
  @MethodSource("groups")
  void theTableHasTheSubcommandsOfEachClass(String name) {
    assertEquals(below(name), List.copyOf(line(name).getSubcommands().keySet()));
  }

  @ParameterizedTest
  @MethodSource("groups")
  void aGroupAloneRunsItsFirstSubcommand(String name) {
    String first = name + " " + below(name).getFirst();
    for (String[] arguments : new String[][] {{}, {"--no-such-option"}}) {
      Run run = run(name, arguments);
      assertEquals(run(first, arguments), run);
      assertNotEquals(0, run.code(), run.text());
      assertTrue(run.text().startsWith("widerow " + first + ": "), run.text());
    }
    Run unknown = run(name, below(name).getLast() + "x");
    assertEquals(64, unknown.code(), unknown.text());
    assertTrue(unknown.text().contains("did you mean " + below(name).getLast()), unknown.text());
  }

  @Test
  void anEarlierNameRunsItsCommand() {
    int earlier = 0;
    for (CommandTable.Row row : CommandTable.rows()) {
      if (!row.also().isEmpty()) {
        assertFalse(names().toList().contains(row.also()), row.toString());
        assertEquals(run(row.name(), "--help"), run(row.also(), "--help"));
        earlier++;
      }
    }
    assertEquals(18, earlier);
  }

  @Test
  void anUnknownCommandIsOneSentenceAnd64() {
    Run run = run("retentoin");
    assertEquals(64, run.code());
    assertEquals(
        "widerow: there is no command 'retentoin'; did you mean retention? `widerow --help` lists"
            + " all\n",
        run.text());
    assertEquals(64, run("").code());
  }

  @Test
  void completionHasAllCommandsAndTheirOptions() {
    Run made = run("completion");
    assertEquals(0, made.code(), made.text());
    assertTrue(made.text().contains("complete -F _complete_widerow"), "for bash");
    List<String> commands =
        names()
            .filter(name ->
                CommandTable.rows().stream()
                    .anyMatch(row -> row.isCommand() && row.name().equals(name)))
            .toList();
    assertEquals(commands, offered(made.text()));
    for (String option : List.of("--histogram", "--print-config", "--scopes", "--accept-loss")) {
      assertTrue(made.text().contains(option), option);
    }
  }

  /// The words that the script completes as a command.
  private static List<String> offered(String script) {
    String line = script.lines().filter(l -> l.contains("commands=\"")).findFirst().orElse("");
    return List.of(line.replaceAll(".*commands=\"|\"$", "").split(" ", -1));
  }

  @ParameterizedTest
  @MethodSource("names")
  void anOptionThatThereIsNotIsOneSentenceAnd64(String name) {
    Run run = run(name, "--no-such-option");
    assertEquals(64, run.code(), run.text());
    assertTrue(run.text().startsWith("widerow " + name), run.text());
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
        "check verify",
        "check repair",
        "snapshot",
        "token",
        "check verify --data DIR --output xml"
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
        "check verify --data DIR",
        "check repair --data DIR",
        "snapshot --data DIR --to DIR2"
      })
  void noStoreIs66(String typed) {
    Run run = typed(typed, directory.resolve("nothing"));
    assertEquals(66, run.code(), run.text());
    assertEquals(1, run.text().lines().count(), run.text());
  }

  private static final String[] OF_A_STORE = {
    "query --data DIR",
    "check verify --data DIR",
    "check repair --data DIR",
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
