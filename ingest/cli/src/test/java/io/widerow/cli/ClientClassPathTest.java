package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands of the kind `client` find their classes in the few jars that the launcher gives
/// them. They run here in a class loader of these jars alone.
class ClientClassPathTest {
  private static final Pattern NAMES = Pattern.compile("for name in ([a-z0-9 -]+); do");

  /// Each client command, so that it reads a response of the daemon.
  private static final List<String> LINES =
      List.of(
          "query --type web",
          "query --type web --stats count --by n",
          "query --saved",
          "promql web_n",
          "promql sum(web_n) --from 5m --plot",
          "tail --type web --last 1 --limit 1",
          "cql --to 127.0.0.1:1 -e SELECT",
          "explore types",
          "explore fields --type web",
          "explore patterns --type web",
          "explore diff --type web --from 1h --where n=1",
          "explore event w1.x",
          "retention list",
          "retention plan",
          "retention set web 1d",
          "retention unset web",
          "layout show",
          "layout overrides",
          "layout set web --shards 2",
          "layout unset web",
          "layout partitions",
          "layout plan --rate 10",
          "alerts list",
          "alerts set many --stats count --type web --every 1m --above 100",
          "alerts check many",
          "alerts history",
          "alerts backtest ../../packaging/rules/widerow.yml --from 1m",
          "alerts unset many",
          "rollups list",
          "rollups set hits --stats count --type web --every 1h",
          "rollups unset hits",
          "transforms reparse --with src/test/resources/io/widerow/cli/seen.rules --type web",
          "delete list",
          "delete plan --type web --to 1h",
          "delete run --type web --to 1h --yes",
          "delete show 1",
          "delete verify 1",
          "check doctor",
          "check health",
          "check senders",
          "kafka list",
          "kafka seen",
          "cold list",
          "cold recall --from 1h",
          "cold verify",
          "snapshot");

  @TempDir Path directory;

  @Test
  void everyClientCommandIsRun() {
    Set<String> missing = new TreeSet<>();
    for (CommandTable.Row row : CommandTable.rows()) {
      boolean hasRun = LINES.stream().anyMatch(line -> (line + " ").startsWith(row.name() + " "));
      if (row.kind().equals("client") && !hasRun) {
        missing.add(row.name());
      }
    }
    assertEquals(Set.of(), missing);
  }

  @Test
  void theJarsOfTheLauncherAreEnough() throws Exception {
    try (var it = new CommandDaemon(directory, Map.of());
        var jars = new URLClassLoader(jars(), ClassLoader.getPlatformClassLoader())) {
      it.http.post("/v1/events", "application/x-ndjson", "{\"type\":\"web\",\"n\":1}\n");
      for (String line : LINES) {
        String text = run(jars, it.url(), line.split(" ", -1));
        assertFalse(text.contains("NoClassDefFound"), line + ": " + text);
      }
    }
  }

  private static String run(ClassLoader jars, String url, String... arguments) throws Exception {
    var out = new ByteArrayOutputStream();
    Class<?> shells = jars.loadClass(Shell.class.getName());
    Object shell =
        shells
            .getConstructor(
                OutputStream.class,
                PrintStream.class,
                boolean.class,
                boolean.class,
                boolean.class,
                Map.class)
            .newInstance(
                out,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                false,
                false,
                true,
                Map.of("WIDEROW_URL", url));
    Object code =
        jars.loadClass(Main.class.getName())
            .getMethod("execute", shells, String[].class)
            .invoke(null, shell, arguments);
    String text = out.toString(StandardCharsets.UTF_8);
    assertNotEquals(ExitCode.BUG.number, code, () -> String.join(" ", arguments) + ": " + text);
    return text;
  }

  /// The class path of this test as far as the launcher gives it to clients.
  private static URL[] jars() throws IOException {
    Matcher names = NAMES.matcher(Files.readString(Path.of("../../widerow")));
    assertTrue(names.find(), "the launcher names the jars of clients");
    Set<String> entries =
        new LinkedHashSet<>(
            List.of(
                Objects.requireNonNull(System.getProperty("java.class.path"))
                    .split(File.pathSeparator, -1)));
    List<URL> urls = new ArrayList<>();
    for (String name : ("cli " + names.group(1)).split(" ", -1)) {
      Pattern file =
          Pattern.compile(
              "(.*/%1$s/target/classes|.*/%1$s-[0-9][^/]*(?<!-tests)\\.jar)"
                  .formatted(Pattern.quote(name)));
      int before = urls.size();
      for (String entry : entries) {
        boolean isOfTests = entry.contains("/tools/jackson/"); // of a client of Elasticsearch
        if (file.matcher(entry).matches() && !isOfTests) {
          urls.add(Path.of(entry).toUri().toURL());
        }
      }
      assertEquals(before + 1, urls.size(), name);
    }
    return urls.toArray(URL[]::new);
  }
}
