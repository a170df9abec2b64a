package io.widerow.cli.ship;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.query.json.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the daemon has every line of a Loki once, with its time to the nanosecond, its labels and
/// its metadata, whatever fails and wherever the command is interrupted. Method: a Loki of a test
/// with small pages, equal times and failing requests, and another daemon as the source.
@Timeout(300)
class LokiImportTest {
  private static final long T = 1_780_000_000_000_000_000L;
  private static final long HOUR = 3_600_000_000_000L;
  private static final String UNTIL = "2026-05-29T20:26:40Z"; // a day later

  @TempDir Path directory;

  private CommandDaemon to;

  @BeforeEach
  void start() throws IOException {
    to = new CommandDaemon(Files.createDirectory(directory.resolve("to")), Map.of());
  }

  @AfterEach
  void stop() {
    to.close();
  }

  private Ran copy(String url, Map<String, String> environment, String... more) {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of("--from-loki", url, "--from", "2026-05-28T20:26:40Z", "--to", UNTIL));
    if (!arguments.contains("--state")) {
      arguments.addAll(List.of("--state", directory.resolve("state").toString()));
    }
    Map<String, String> all = new TreeMap<>(environment);
    all.put("WIDEROW_URL", to.url());
    return CommandDaemon.run(all, "import", arguments.toArray(String[]::new));
  }

  /// All lines of a daemon, sorted.
  private static List<String> lines(CommandDaemon daemon) throws Exception {
    String query = URLEncoder.encode("{service_name=~\".+\"}", StandardCharsets.UTF_8);
    String body =
        daemon
            .http
            .get(
                "/loki/api/v1/query_range?limit=100000&start=%d&end=%d&query=%s"
                    .formatted(T, T + 24 * HOUR, query),
                "X-Loki-Response-Encoding-Flags",
                "categorize-labels")
            .body();
    List<String> lines = new ArrayList<>();
    @Nullable JsonNode streams =
        JsonNode.parse(body.strip(), 64, _ -> {}).at(List.of("data", "result"));
    for (JsonNode stream : items(streams)) {
      for (JsonNode value : items(stream.at(List.of("values")))) {
        lines.add(
            "%s %s %s %s"
                .formatted(
                    items(value).get(0),
                    texts(stream.at(List.of("stream"))),
                    items(value).get(1),
                    texts(value.at(List.of(2, "structuredMetadata")))));
      }
    }
    return lines.stream().sorted().toList();
  }

  private static List<JsonNode> items(@Nullable JsonNode list) {
    return Objects.requireNonNull(Objects.requireNonNull(list).items());
  }

  private static Map<String, String> texts(@Nullable JsonNode object) {
    return object == null ? Map.of() : object.texts();
  }

  private static List<String> expected(List<LokiLine> lines) {
    return lines.stream()
        .map(line -> {
          Map<String, String> metadata = new TreeMap<>();
          line.metadata()
              .forEach((name, value) ->
                  metadata.put(name.equals("app") ? "app_extracted" : name, value));
          metadata.put("detected_level", "unknown");
          return "%d %s %s %s".formatted(line.nanos(), line.labels(), line.line(), metadata);
        })
        .sorted()
        .toList();
  }

  @Test
  void everyLineIsCopiedOnceWhateverFails() throws Exception {
    List<LokiLine> lines = FakeLoki.lines(1, 3_000, T, 20 * HOUR);
    Map<String, String> headers =
        Map.of("X-Scope-OrgID", "tenant", "Authorization", "Basic bWU6c2VjcmV0");
    Map<String, String> environment =
        Map.of("LOKI_ORG_ID", "tenant", "LOKI_USERNAME", "me", "LOKI_PASSWORD", "secret");
    try (FakeLoki loki = new FakeLoki(lines, 50, 1, 0.1, Integer.MAX_VALUE, headers)) {
      Ran ran = copy(loki.url(), environment, "--page-lines", "50");
      assertEquals(0, ran.code(), ran.err());
      assertEquals(expected(lines), lines(to));
      int served = loki.served;
      Ran again = copy(loki.url(), environment, "--page-lines", "50");
      assertEquals(0, again.code(), again.err());
      assertTrue(loki.served <= served + 5, "nothing is read again");
      assertEquals(expected(lines), lines(to));
    }
  }

  /// Each run ends somewhere; then the state is that of a run that was killed after a push and
  /// before the state was written.
  @Test
  void anInterruptedCopyContinues() throws Exception {
    List<LokiLine> lines = FakeLoki.lines(2, 2_000, T, 20 * HOUR);
    Path state = directory.resolve("state").resolve("checkpoint");
    String url = "";
    int kills = 0;
    for (int run = 0; run < 100; run++) {
      int left = run == 99 ? Integer.MAX_VALUE : 4 + run % 9;
      try (FakeLoki loki = new FakeLoki(lines, 100, run, 0, left, Map.of())) {
        if (Files.exists(state)) {
          String before = Files.readString(state);
          Files.writeString(state, before.replace("source " + url, "source " + loki.url()));
        }
        url = loki.url();
        Ran ran = copy(url, Map.of(), "--page-lines", "100");
        if (ran.code() == 0) {
          break;
        }
        assertEquals(69, ran.code(), ran.err());
        String[] words = Files.readString(state).split("\n", -1)[3].split(" ", -1);
        assertEquals(words[3], words[4], "nothing is in progress");
        String killed = killedBefore(lines, Long.parseLong(words[3]));
        if (run % 2 == 0 && !killed.isEmpty()) {
          String text = Files.readString(state);
          Files.writeString(state, text.replaceFirst("\\d+ \\d+\n$", killed));
          kills++;
        }
      }
    }
    assertTrue(kills > 1, kills + " kills");
    assertEquals(expected(lines), lines(to));
  }

  /// The state before the last page was acknowledged: the pages of the test's Loki begin at the
  /// last time of a full page.
  private static String killedBefore(List<LokiLine> lines, long next) {
    long at = T;
    while (at < next) {
      long from = at;
      List<LokiLine> page = lines.stream().filter(line -> line.nanos() >= from).limit(100).toList();
      long until = page.size() < 100 ? next : page.getLast().nanos();
      if (until >= next) {
        return until == next ? at + " " + next + "\n" : "";
      }
      at = until;
    }
    return "";
  }

  @Test
  void anotherDaemonIsALoki() throws Exception {
    List<LokiLine> lines = FakeLoki.lines(3, 4_000, T, 20 * HOUR);
    Path own = Files.createDirectory(directory.resolve("from"));
    try (CommandDaemon from = new CommandDaemon(own, Map.of())) {
      LokiBatch push = LokiBatch.of("k", lines);
      var pushed =
          from.http.post(
              "/loki/api/v1/push",
              "application/json",
              new String(push.json(), StandardCharsets.UTF_8));
      assertEquals(204, pushed.statusCode(), pushed.body());
      List<String> expected = lines(from);
      assertEquals(expected(lines), expected);
      Ran ran = copy(from.url(), Map.of(), "--page-lines", "37");
      assertEquals(0, ran.code(), ran.err());
      assertEquals(expected, lines(to));
    }
  }

  @Test
  void moreLinesOfOneTimeThanAPageHasAreReadByStream() throws Exception {
    List<LokiLine> lines = FakeLoki.lines(4, 200, T, HOUR);
    List<LokiLine> at =
        lines.stream()
            .map(line -> new LokiLine(T + 5, line.labels(), line.line(), line.metadata()))
            .toList();
    try (FakeLoki loki = new FakeLoki(at, 60, 4, 0, Integer.MAX_VALUE, Map.of())) {
      Ran ran = copy(loki.url(), Map.of(), "--page-lines", "60");
      assertEquals(0, ran.code(), ran.err());
      assertEquals(expected(at), lines(to));
      Ran few =
          copy(
              loki.url(),
              Map.of(),
              "--page-lines",
              "20",
              "--query",
              "{app=~\".+\"}",
              "--state",
              "" + directory.resolve("x"));
      assertEquals(69, few.code(), few.err());
      assertTrue(
          few.err().contains("20 or more lines of the stream {app=\"a\\\"\\\\\\n"), few.err());
    }
  }

  @Test
  void mistakesAreSentences() throws Exception {
    try (FakeLoki loki = new FakeLoki(List.of(), 60, 4, 0, Integer.MAX_VALUE, Map.of())) {
      String[][] refused = {
        {"name files or --from-loki URL, one of both", "file"},
        {"query: must be a selector {...}, got a", "--query", "a"},
        {"page-lines: must be 1 to 1000000, got 0", "--page-lines", "0"}
      };
      for (String[] each : refused) {
        Ran ran =
            copy(
                loki.url(), Map.of(), List.of(each).subList(1, each.length).toArray(String[]::new));
        assertEquals(64, ran.code(), ran.err());
        assertTrue(ran.err().contains(each[0]), ran.err());
      }
      assertEquals(0, copy(loki.url(), Map.of()).code());
      Ran other = copy(loki.url(), Map.of(), "--query", "{app=\"x\"}");
      assertEquals(64, other.code(), other.err());
      assertTrue(other.err().contains("state: is of another import"), other.err());
    }
    Ran none =
        copy(
            "http://127.0.0.1:1",
            Map.of(),
            "--give-up-after",
            "1s",
            "--state",
            "" + directory.resolve("y"));
    assertEquals(69, none.code(), none.err());
    assertTrue(none.err().contains("no response of http://127.0.0.1:1"), none.err());
  }
}
