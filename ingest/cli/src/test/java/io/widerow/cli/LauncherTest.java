package io.widerow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the launcher works through symbolic links, help and versions never build, and messages
/// name it as it can be called. Method: the launcher in a checkout where nothing is built, with a
/// Maven that leaves a mark; and in the layout of a distribution.
@Tag("process")
class LauncherTest {
  private static final String TABLE = "ingest/cli/src/main/resources/io/widerow/cli/commands.psv";

  @TempDir Path directory;

  private Path checkout = Path.of("");
  private Path mark = Path.of("");

  /// The exit code and all output of one run.
  private record Run(int code, String text) {}

  @BeforeEach
  void lay() throws IOException {
    checkout = Files.createDirectories(directory.resolve("checkout"));
    mark = directory.resolve("maven-was-called");
    executable(checkout.resolve("widerow"), Files.readString(Path.of("../../widerow")));
    copy("pom.xml", "packaging/checkout.sh", "packaging/build.sh", "packaging/test.sh", TABLE);
    Path tools = Files.createDirectories(directory.resolve("tools"));
    executable(tools.resolve("mvn"), "#!/bin/sh\ntouch '" + mark + "'\nexit 1\n");
  }

  private void copy(String... files) throws IOException {
    for (String file : files) {
      Path _ = Files.createDirectories(checkout.resolve(file).getParent());
      Path _ = Files.copy(Path.of("../..", file), checkout.resolve(file));
    }
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Run run(Path launcher, String... arguments) throws IOException, InterruptedException {
    Process process = start(launcher, arguments);
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Run(process.waitFor(), text);
  }

  private Process start(Path launcher, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    String path = directory.resolve("tools") + ":" + builder.environment().get("PATH");
    builder.environment().put("PATH", path);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.directory(directory.toFile());
    return builder.start();
  }

  @Test
  @Timeout(300)
  void oneLauncherBuildsAtATime() throws IOException, InterruptedException {
    Path log = directory.resolve("log");
    Path go = directory.resolve("go");
    executable(
        directory.resolve("tools/mvn"),
        """
        #!/bin/sh
        echo begin >>'%s'
        until [ -e '%s' ]; do :; done
        echo end >>'%1$s'
        exit 1
        """
            .formatted(log, go));
    Process first = start(checkout.resolve("widerow"), "types");
    Await.until(() -> Files.exists(log), "the first build waits");
    Process second = start(checkout.resolve("widerow"), "types");
    try (BufferedReader told = second.inputReader(UTF_8)) {
      assertEquals(
          "widerow: another build of this checkout is running; waiting for it ...",
          told.readLine());
      Files.createFile(go);
      assertEquals(70, first.waitFor());
      assertEquals(70, second.waitFor());
    }
    assertEquals(List.of("begin", "end", "begin", "end"), Files.readAllLines(log));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "help",
        "-h",
        "--version",
        "query --help",
        "help query",
        "serve -h",
        "help serve",
        "query --data x --help",
        "retention set --help",
        "help check verify",
        "rule check --help",
        "test --help",
        "dist --help",
        "load --help",
        "query --version"
      })
  void helpNeverBuilds(String typed) throws IOException, InterruptedException {
    Run run = run(checkout.resolve("widerow"), typed.split(" ", -1));
    assertEquals(0, run.code(), run.text());
    assertFalse(Files.exists(mark), run.text());
    assertFalse(run.text().contains("building"), run.text());
    String expected = typed.contains("version") ? "widerow 0" : "usage: ";
    assertTrue(run.text().startsWith(expected), run.text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"WRONG", "", "test", "tests,faults", "all", "*"})
  void aPartOfTheNightlyTestsThatThereIsNotIsRefused(String part)
      throws IOException, InterruptedException {
    Run run = run(checkout.resolve("widerow"), "test", "--nightly=" + part, "-pl", "storage");
    assertEquals(
        "widerow: --nightly: no such part, got "
            + part
            + "; name tests, faults, cluster, fuzzing or packages\n",
        run.text());
    assertEquals(64, run.code());
    assertFalse(Files.exists(mark), "Maven was called");
  }

  @Test
  void aCommandThatIsNotBuiltIsBuilt() throws IOException, InterruptedException {
    assertEquals(70, run(checkout.resolve("widerow"), "query").code());
    assertTrue(Files.exists(mark));
    assertEquals(64, run(checkout.resolve("widerow"), "help", "nothing").code());
  }

  @Test
  void theListHasTheCommandsInGroupsAndFits() throws IOException, InterruptedException {
    Path launcher = checkout.resolve("widerow");
    String text = run(launcher, "--help").text().replace(launcher.toString(), "./widerow");
    List<String> lines = text.lines().toList();
    Pattern listed = Pattern.compile("  ([a-z]+) +([A-Z].*)");
    List<String> shown = new ArrayList<>();
    for (String line : lines) {
      assertTrue(line.length() <= 80, line);
      Matcher command = listed.matcher(line);
      if (command.matches()) {
        shown.add(command.group(1) + ": " + command.group(2));
      }
    }
    List<String> rows =
        CommandTable.rows().stream()
            .filter(CommandTable.Row::isCommand)
            .map(row -> row.name() + ": " + row.summary())
            .toList();
    assertEquals(rows, shown);
    List<String> groups = lines.stream().filter(line -> line.matches("[A-Z][a-z]+:")).toList();
    assertEquals(List.of("Run:", "Read:", "Explore:", "Manage:", "Check:", "Move:"), groups);
    for (CommandTable.Row row : CommandTable.rows()) {
      assertTrue(
          !row.isSubcommand() || lines.stream().anyMatch(line -> line.contains(row.word())),
          row.toString());
    }
  }

  /// The launcher finds the row of a command as `Main` does: the unbuilt help names it.
  @Test
  void eachNameAndEarlierNameIsFound() throws IOException, InterruptedException {
    for (CommandTable.Row row : CommandTable.rows()) {
      for (String name : List.of(row.name(), row.also())) {
        if (!name.isEmpty()) {
          String[] words = (name + " --help").split(" ", -1);
          Run run = run(checkout.resolve("widerow"), words);
          assertEquals(0, run.code(), run.text());
          assertTrue(run.text().contains(" " + row.name() + " [OPTIONS]"), run.text());
          assertTrue(run.text().contains("  " + row.summary() + "; "), run.text());
        }
      }
    }
    assertEquals(64, run(checkout.resolve("widerow"), "manage").code(), "a heading");
  }

  @Test
  void theLauncherIsShort() throws IOException {
    assertTrue(Files.readAllLines(Path.of("../../widerow")).size() <= 250);
  }

  /// A link in another directory, relative, to a link that is absolute.
  @Test
  void symbolicLinksWork() throws IOException, InterruptedException {
    Path bin = Files.createDirectories(directory.resolve("bin/deep"));
    Path first =
        Files.createSymbolicLink(
            directory.resolve("bin/first"), checkout.resolve("widerow").toAbsolutePath());
    Path second = Files.createSymbolicLink(bin.resolve("second"), Path.of("../first"));
    for (Path link : List.of(first, second)) {
      Run run = run(link, "--help");
      assertEquals(0, run.code(), run.text());
      assertTrue(run.text().startsWith("usage: " + link + " COMMAND"), run.text());
    }
    Path onPath = Files.createSymbolicLink(directory.resolve("tools/wr"), Path.of("../bin/first"));
    assertTrue(run(onPath, "--help").text().startsWith("usage: wr COMMAND"), "as it is on PATH");
  }

  @Test
  void aDistributionNamesItselfAsItIsCalled() throws IOException, InterruptedException {
    Path home = directory.resolve("widerow-1");
    Path bin = Files.createDirectories(home.resolve("bin"));
    executable(bin.resolve("widerow"), Files.readString(Path.of("../../widerow")));
    Files.writeString(home.resolve("widerow.properties"), "version=1\ncommit=abc\n");
    Path _ = Files.copy(Path.of("../..", TABLE), home.resolve("commands.psv"));
    Path link = Files.createSymbolicLink(directory.resolve("widerow"), bin.resolve("widerow"));
    Run help = run(link, "--help");
    assertEquals(0, help.code(), help.text());
    assertTrue(help.text().startsWith("usage: widerow COMMAND"), help.text());
    assertFalse(help.text().contains("./widerow"), help.text());
    assertEquals(64, run(link, "load", "--help").code());
    assertTrue(run(link, "--version").text().startsWith("widerow 1, commit abc, Java"));
  }
}
