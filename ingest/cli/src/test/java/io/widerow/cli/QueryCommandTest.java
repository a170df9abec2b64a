package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: every option of `widerow query` works as its help describes, and every mistake gives one
/// sentence and its exit code. Method: run the command line in this process on a store on disk,
/// half of it sealed and half in the journal; compare outputs with text written by hand.
class QueryCommandTest {
  private static final long START = 1_763_666_100_000_000_000L; // 2025-11-20T19:15:00Z
  private static final long MINUTE = 60_000_000_000L;
  private static final int EVENTS = 20;
  private static final Pattern TOKEN = Pattern.compile("\\{\"token\":\"(.*)\"}\n");
  private static final Pattern TOLD = Pattern.compile("continue with --after (w1\\.\\S+)\n");

  @TempDir static Path directory;

  /// Events numbered from 0, a minute apart; every fourth is an error.
  @BeforeAll
  static void fill() throws IOException {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      Map<String, Object> attributes = new LinkedHashMap<>();
      attributes.put("body", i == 3 ? "say \"hi\", \u001b[31mred" : "line " + i);
      attributes.put("n", (long) i);
      attributes.put("status", i % 4 == 3 ? 500L : 200L);
      String type = i % 4 == 3 ? "nginx.error" : "nginx.access";
      events.add(new Stored(type, START + i * MINUTE, attributes));
    }
    StoreDirectory.write(directory.resolve("store"), events.reversed());
  }

  /// The exit code and the output of one run.
  private record Run(int code, String out, String err) {}

  private static Run run(Path data, boolean terminal, String... arguments) {
    var out = new ByteArrayOutputStream();
    List<String> all = new ArrayList<>(List.of("--data", data.toString()));
    Collections.addAll(all, arguments);
    return run(out, terminal, all.toArray(String[]::new));
  }

  private static Run run(OutputStream out, boolean terminal, String... arguments) {
    var err = new ByteArrayOutputStream();
    var messages = new PrintStream(err, true, StandardCharsets.UTF_8);
    var shell = new Shell(out, messages, terminal, false, false, Map.of());
    int code = Main.commandLine(shell, "query").execute(arguments);
    return new Run(code, out.toString(), err.toString(StandardCharsets.UTF_8));
  }

  private static String shows(String... arguments) {
    Run run = run(directory.resolve("store"), false, arguments);
    assertEquals("", TOLD.matcher(told(run.err())).replaceFirst(""));
    assertEquals(0, run.code());
    return run.out();
  }

  /// What it shows with the token as last line.
  private static String showsToken(String... arguments) {
    return shows(with(arguments, "--token"));
  }

  /// Messages without the reasons for which nothing was found, see [EmptyResultHintsTest].
  private static String told(String err) {
    return err.replaceAll("widerow query: (there is no type|no events) .*\n", "");
  }

  private static List<Integer> numbers(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--output", "json"));
    Collections.addAll(all, arguments);
    return numbersOf(shows(all.toArray(String[]::new)));
  }

  private static List<Integer> numbersOf(String lines) {
    return lines
        .lines()
        .filter(line -> line.contains("\"n\":"))
        .map(line -> Integer.valueOf(line.replaceAll(".*\"n\":(\\d+).*", "$1")))
        .toList();
  }

  private static List<Integer> upTo(int from, int until) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = from; i < until; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  @Test
  void rangeOrderLimitAndLast() {
    assertEquals(upTo(0, EVENTS), numbers());
    assertEquals(upTo(0, EVENTS).reversed(), numbers("--order", "desc"));
    assertEquals(upTo(0, 5), numbers("--limit", "5"));
    assertEquals(upTo(EVENTS - 5, EVENTS), numbers("--last", "5"));
    assertEquals(upTo(0, EVENTS), numbers("--last", "100"));
    assertEquals(
        upTo(3, 7), numbers("--from", "2025-11-20T19:18:00Z", "--to", "2025-11-20T19:22:00Z"));
    assertEquals(List.of(), numbers("--since", "15m"));
    assertEquals(List.of(3, 7, 11, 15, 19), numbers("*.error"));
    assertEquals(upTo(0, EVENTS), numbers("nginx.access", "nginx.error"));
    assertEquals(List.of(), numbers("none"));
    assertEquals(
        List.of(7, 11), numbers("--where", "status >= 500 and n in (7, 8, 11) and body ~ '1|7'"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"asc", "desc"})
  void pagesByTokenReachTheEnd(String order) {
    List<Integer> expected = order.equals("asc") ? upTo(0, EVENTS) : upTo(0, EVENTS).reversed();
    List<Integer> seen = new ArrayList<>();
    List<String> arguments = new ArrayList<>(List.of("--order", order, "--limit", "3"));
    while (seen.size() <= EVENTS) {
      String page = showsToken(arguments.toArray(String[]::new));
      List<Integer> part = numbersOf(page);
      if (part.isEmpty()) {
        break;
      }
      seen.addAll(part);
      Matcher token = TOKEN.matcher(page);
      assertTrue(token.find(), page);
      arguments = new ArrayList<>(List.of("--order", order, "--limit", "3"));
      Collections.addAll(arguments, "--after", token.group(1));
    }
    assertEquals(expected, seen);
    String end = showsToken(arguments.toArray(String[]::new));
    assertEquals(arguments.getLast(), end.replaceAll(".*:\"(.*)\"}\n", "$1"), "same token");
  }

  @Test
  void tokenOfTheLastEventsContinuesAfterThem() {
    String last = showsToken("--last", "3", "--to", "2025-11-20T19:20:00Z");
    assertEquals(upTo(2, 5), numbersOf(last));
    Matcher token = TOKEN.matcher(last);
    assertTrue(token.find(), last);
    assertEquals(upTo(5, EVENTS), numbers("--after", token.group(1)));
  }

  @Test
  void everyFormat() {
    String[] range = {"--from", "2025-11-20T19:17:00Z", "--limit", "2"};
    assertEquals(
        """
        2025-11-20T19:17:00.000000000Z nginx.access   line 2 n=2 status=200
        2025-11-20T19:18:00.000000000Z nginx.error    say "hi", \\x1b[31mred n=3 status=500
        """,
        shows(with(range, "--output", "table")));
    assertEquals("line 2\nsay \"hi\", \u001b[31mred\n", shows(with(range, "--output", "raw")));
    assertEquals(
        """
        ts=2025-11-20T19:17:00.000000000Z type=nginx.access body="line 2" n=2 status=200
        ts=2025-11-20T19:18:00.000000000Z type=nginx.error body="say \\"hi\\", \\x1b[31mred" n=3 \
        status=500
        """,
        shows(with(range, "--output", "logfmt")));
    assertEquals(
        """
        id,ts,type,n,body\r
        ID,2025-11-20T19:17:00.000000000Z,nginx.access,2,line 2\r
        ID,2025-11-20T19:18:00.000000000Z,nginx.error,3,"say ""hi"", \u001b[31mred"\r
        """,
        shows(with(range, "--output", "csv", "--fields", "n, body"))
            .replaceAll("(?m)^[0-9a-f-]{36}", "ID"));
    assertEquals(
        """
        {"id":"ID","ts":"2025-11-20T20:17:00.000000000+01:00","type":"nginx.access","n":2}
        {"id":"ID","ts":"2025-11-20T20:18:00.000000000+01:00","type":"nginx.error","n":3}
        """,
        shows(
                "--from",
                "2025-11-20 20:17",
                "--limit",
                "2",
                "--tz",
                "Europe/Berlin",
                "--fields",
                "n")
            .replaceAll("\"id\":\"[0-9a-f-]{36}", "\"id\":\"ID"));
  }

  private static String[] with(String[] first, String... more) {
    List<String> all = new ArrayList<>(List.of(first));
    Collections.addAll(all, more);
    return all.toArray(String[]::new);
  }

  /// `jq` and `wc -l` count the lines of standard output.
  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "table", "logfmt", "raw"})
  void standardOutputHasEventsAloneAndTheTokenIsTold(String format) {
    Run run = run(directory.resolve("store"), false, "--limit", "3", "--output", format);
    assertEquals(format.equals("csv") ? 4 : 3, run.out().lines().count(), run.out());
    Matcher told = TOLD.matcher(run.err());
    assertTrue(told.matches(), run.err());
    assertEquals(List.of(3, 4), numbers("--limit", "2", "--after", told.group(1)));
    String asked = showsToken("--limit", "3", "--output", format);
    String last = asked.lines().toList().getLast();
    assertEquals(run.out() + last + "\n", asked, "--token adds a line");
    String token = told.group(1);
    assertEquals(format.equals("json") ? "{\"token\":\"" + token + "\"}" : token, last);
    Run quiet = run(directory.resolve("store"), false, "--token", "--last", "3");
    assertEquals("", quiet.err(), "not told twice");
    assertEquals(3, shows("--last", "3").lines().count());
  }

  /// A failure is told on standard error, so that nothing that is no event is counted as one.
  @Test
  void failureIsNoLineOfTheOutput() throws IOException {
    Path damaged = directory.resolve("damaged");
    StoreDirectory.write(
        damaged,
        List.of(
            new Stored("one", START, Map.of("n", 1L)), new Stored("one", START, Map.of("n", 2L))));
    try (var files = Files.list(damaged.resolve("segments"))) {
      for (Path file : files.toList()) {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, 70));
      }
    }
    Run run = run(damaged, false);
    assertEquals(65, run.code(), run.err());
    assertEquals("", run.out());
  }

  @Test
  void csvIsExactUnlessItIsForASpreadsheet() throws IOException {
    Path store = directory.resolve("formulas");
    Map<String, Object> attributes = Map.of("body", "=1+1", "+head", "-2, @x", "n", -3L);
    StoreDirectory.write(store, List.of(new Stored("app", START, attributes)));
    String[] asked = {"--fields", "body,n,+head", "--output", "csv"};
    assertEquals(
        "id,ts,type,body,n,+head\r\n2025-11-20T19:15:00.000000000Z,app,=1+1,-3,\"-2, @x\"\r\n",
        run(store, false, asked).out().replaceAll("(?m)^[0-9a-f-]{36},", ""));
    String safe = "--csv-safe"; // which means CSV
    assertEquals(
        "id,ts,type,body,n,'+head\r\n2025-11-20T19:15:00.000000000Z,app,'=1+1,-3,\"'-2, @x\"\r\n",
        run(store, false, safe, "--fields", "body,n,+head")
            .out()
            .replaceAll("(?m)^[0-9a-f-]{36},", ""));
    assertEquals(
        "body,count\r\n=1+1,1\r\n",
        run(store, false, "--stats", "count", "--by", "body", "--output", "csv").out());
    assertEquals(
        "body,count\r\n'=1+1,1\r\n",
        run(store, false, "--stats", "count", "--by", "body", "--csv-safe").out());
  }

  /// 19:15 to 19:34 UTC of a day on which Berlin is an hour ahead and New York five hours behind.
  @Test
  void timesWithoutAZoneAreInTheZoneAskedFor() {
    assertEquals(upTo(3, 7), numbers("--from", "2025-11-20 19:18", "--to", "2025-11-20T19:22"));
    String[] berlin = {"--tz", "Europe/Berlin", "--output", "json"};
    assertEquals(
        upTo(3, 7),
        numbersOf(
            shows(with(berlin, "--from", "2025-11-20 20:18", "--to", "2025-11-20 20:22:00"))));
    assertEquals(upTo(0, EVENTS), numbersOf(shows(with(berlin, "--since", "2025-11-20"))));
    assertEquals(List.of(), numbersOf(shows(with(berlin, "--from", "2025-11-20 23:00"))));
    assertEquals(
        upTo(3, EVENTS),
        numbersOf(shows(with(berlin, "--from", "2025-11-20T19:18Z"))),
        "a zone of its own stays");
    assertEquals(
        upTo(3, EVENTS), numbers("--tz", "America/New_York", "--from", "2025-11-20 14:18"));
  }

  @Test
  void terminalGetsTheTableWithColoursAndNoControlCharacters() {
    Run run = run(directory.resolve("store"), true, "--limit", "4");
    assertTrue(run.out().contains("\u001b[36mnginx.error"), run.out());
    assertFalse(run.out().contains("\u001b[31m"), run.out());
    assertTrue(run.err().startsWith("continue with --after w1."), run.err());
    Run raw = run(directory.resolve("store"), true, "--output", "raw");
    assertFalse(raw.out().contains("\u001b"), raw.out());
  }

  @Test
  void aggregates() {
    assertEquals(
        """
        {"type":"nginx.access","count":15,"sum(n)":135,"min(n)":0,"max(n)":18}
        {"type":"nginx.error","count":5,"sum(n)":55,"min(n)":3,"max(n)":19}
        """,
        shows("--stats", "count,sum(n),min(n),max(n)", "--by", "type"));
    assertEquals(
        "avg(n),p50(n)\r\n11.0,11.0\r\n",
        shows("*error", "--stats", "avg(n),p50(n)", "--output", "csv").replaceAll("0\\d+", "0"));
    String[] steps = {"--stats", "count", "--by", "status", "--every", "10m"};
    assertEquals(
        """
        ts                              status  count
        2025-11-20T19:20:00.000000000Z  200     8
        2025-11-20T19:20:00.000000000Z  500     2
        2025-11-20T19:30:00.000000000Z  200     3
        2025-11-20T19:30:00.000000000Z  500     2
        """,
        shows(with(steps, "--output", "table", "--from", "2025-11-20T19:20:00Z")));
  }

  @Test
  void theGreatestGroupsComeFirst() {
    assertEquals(
        """
        {"status":200,"count(*)":15}
        """,
        shows(
            "--stats",
            "count(*)",
            "--by",
            "status",
            "--order-by",
            "count(*) desc",
            "--limit",
            "1"));
    assertEquals("{\"count\":20}\n", shows("--stats", "count", "--limit", "1"));
    assertEquals("{\"count\":0}\n", shows("none", "--stats", "count"));
    assertEquals("", shows("none", "--stats", "count", "--by", "status"));
  }

  @Test
  void typeTimeAndIdAreFiltered() {
    assertEquals(List.of(3, 7, 11, 15, 19), numbers("--where", "type = 'nginx.error'"));
    assertEquals(List.of(3, 7), numbers("--where", "type icontains 'ERR' and n < 8"));
    assertEquals(List.of(18, 19), numbers("--where", "ts > 2025-11-20T19:32:00Z"));
    assertEquals(List.of(0, 1), numbers("--where", "not ts >= '2025-11-20T19:17:00Z'"));
    assertEquals(List.of(17), numbers("--where", "ts = 2025-11-20T19:32:00Z"));
    assertEquals(List.of(), numbers("--where", "ts < 2025-11-20"));
    String line = shows("--output", "json", "--where", "n = 5").lines().findFirst().orElse("");
    String id = line.replaceAll("\\{\"id\":\"([^\"]*)\".*", "$1");
    assertEquals(List.of(5), numbers("--where", "id = '" + id + "'"));
    assertEquals(EVENTS - 1, numbers("--where", "id != " + id).size());
    assertEquals(upTo(0, EVENTS), numbers("--where", "absent != 5"));
  }

  /// A time of the filter is a range: what lies outside is not read.
  @Test
  void timesOfTheFilterNarrowWhatIsRead() {
    Run run =
        run(
            directory.resolve("store"),
            false,
            "--explain",
            "--where",
            "ts >= 2025-11-20T19:33:00Z");
    assertTrue(run.err().contains("events: 2 scanned, 2 kept"), run.err());
    run = run(directory.resolve("store"), false, "--explain", "--where", "type = 'nginx.error'");
    assertTrue(run.err().contains("plan: 1 partitions"), run.err());
    assertTrue(run.err().contains("events: 5 scanned, 5 kept"), run.err());
  }

  @Test
  void histogramCountsEventsOverTime() {
    String plot = shows("--histogram", "nginx.error");
    String bar = "#".repeat(50);
    assertEquals(33, plot.lines().count());
    assertEquals("2025-11-20T19:18:00 " + bar + " 1", plot.lines().findFirst().orElse(""));
    assertEquals("2025-11-20T19:18:30 " + " ".repeat(50) + " 0", plot.lines().toList().get(1));
    assertEquals("no events\n", shows("--histogram", "none"));
  }

  @Test
  void explainSaysWhatWasRead() {
    Run run = run(directory.resolve("store"), false, "--explain", "--where", "n = 17");
    assertEquals(0, run.code());
    String told = TOLD.matcher(run.err()).replaceFirst("");
    String shown = told.replaceAll("\\d+ bytes", "N bytes").replaceAll("\\d+ ms", "N ms");
    assertEquals(
        """
        plan: 2 partitions in 1 groups, 1 groups opened
        read: 2 blocks, N bytes; skipped: 0 blocks
        events: 20 scanned, 1 kept; N ms
        """,
        shown);
    run = run(directory.resolve("store"), false, "--explain", "--stats", "count");
    assertTrue(
        Pattern.compile("\nrollup count: \\d+ cells, ").matcher(run.err()).find(), run.err());
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "64|--from tomorrow|from: not a time: tomorrow (write 15m, 1y, 2026-11-20,",
        "64|--from 2026-02-30|from: not a time: 2026-02-30 (write",
        "64|--csv-safe --output json|csv-safe: not with --output json",
        "64|--limit 0|limit: must be at least 1, got 0",
        "64|--last 0|last: must be at least 1, got 0",
        "64|--last 1 --limit 2|last: not together with order, limit or after",
        "64|--order up|order: must be asc or desc, got up",
        "64|--after w1.x|after: not a token: w1.x",
        "64|--verbose-2|Unknown option: '--verbose-2'; `widerow query --help` lists all options",
        "64|--outptu=csv|Unknown option: '--outptu=csv'; did you mean --output? `widerow query",
        "64|--output xml|Invalid value for option '--output'",
        "64|--last 1 --stats count|last: not together with stats",
        "64|--order desc --stats count|order: not together with stats",
        "64|--order-by n|order-by: orders the rows of stats",
        "64|--stats count --order-by n|order-by: no such column: n; there are: count",
        "64|--by n|stats: by and every need it; add --stats count",
        "64|--stats median(n)|stats: not an aggregate: median(n)",
        "64|--stats count --every 5|every: not a duration: 5 (write 5m)",
        "64|--tz Mars|tz: no such time zone: Mars",
        "64|--from 2 --to 1|from: the range is empty",
        "64|--from 1 --since 1|since: give either from or since",
        "64|--url http://127.0.0.1:1|data: give either data or url, not both",
      })
  void mistakesAreOneSentence(int code, String arguments, String message) {
    Run run = run(directory.resolve("store"), false, arguments.split(" "));
    assertTrue(run.err().startsWith("widerow query: " + message), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals(code, run.code());
    assertEquals("", run.out());
  }

  @Test
  void filterErrorPointsAtTheCharacter() {
    Run run = run(directory.resolve("store"), false, "--where", "n = 1 and status =< 500");
    assertEquals(64, run.code());
    List<String> lines = run.err().lines().toList();
    assertEquals(3, lines.size(), run.err());
    assertTrue(lines.get(0).startsWith("widerow query: where: "), run.err());
    assertEquals("  n = 1 and status =< 500", lines.get(1));
    assertEquals('<', lines.get(1).charAt(lines.get(2).indexOf('^')), run.err());
  }

  @Test
  void storesThatCannotBeRead() throws IOException {
    Run none = run(directory.resolve("nothing"), false);
    assertEquals(66, none.code(), none.err());
    assertTrue(none.err().contains("not a Widerow store: there is no such directory"), none.err());
    Path busy = directory.resolve("busy");
    try (EmbeddedStore store = EmbeddedStore.open(StoreConfig.at(busy), Runnable::run)) {
      assertEquals(1, store.lanes());
      Run locked = run(busy, false);
      assertEquals(75, locked.code(), locked.err());
      assertTrue(locked.err().contains("in use by process"), locked.err());
      assertEquals(1, locked.err().lines().count(), locked.err());
    }
  }

  @Test
  void unreachableDaemonNamesTheAlternatives() {
    Run run = run(new ByteArrayOutputStream(), false, "--url", "http://127.0.0.1:1");
    assertEquals(69, run.code(), run.err());
    assertTrue(run.err().contains("no daemon answers at http://127.0.0.1:1"), run.err());
    assertTrue(run.err().contains("--data DIR"), run.err());
    assertFalse(run.err().contains("./widerow"), "a distribution has no such file");
  }

  /// Each result takes the place of the one before on a terminal; elsewhere they follow each other.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void watchShowsTheResultAgainUntilNobodyReads(boolean terminal) {
    var shown = new ByteArrayOutputStream();
    OutputStream three =
        new OutputStream() {
          private int results;

          @Override
          public void write(int one) {
            throw new AssertionError("a byte alone");
          }

          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            String text = new String(bytes, from, length, StandardCharsets.UTF_8);
            results += text.contains("count") ? 1 : 0;
            if (results > 3) {
              throw new IOException("Broken pipe");
            }
            shown.write(bytes, from, length);
          }
        };
    String data = directory.resolve("store").toString();
    Run run = run(three, terminal, "--data", data, "--stats", "count", "--watch", "1ms");
    assertEquals(0, run.code(), run.err());
    String out = shown.toString(StandardCharsets.UTF_8);
    assertEquals(3, out.split("count", -1).length - 1, out);
    assertEquals(terminal ? 4 : 0, out.split("\033\\[H\033\\[2J20", -1).length - 1, out);
    assertEquals(
        64, run(directory.resolve("store"), terminal, "--watch", "soon").code(), "an interval");
    Run saved = run(directory.resolve("store"), terminal, "--watch", "1s", "--save", "x");
    assertEquals(
        "widerow query: watch: not together with save, forget, after or a list of saved"
            + " queries\n",
        saved.err());
  }

  @Test
  void closedPipeIsNoFailureButAFullDiskIs() {
    String data = directory.resolve("store").toString();
    Run gone = run(new ClosedPipe("Broken pipe"), false, "--data", data);
    assertEquals(new Run(0, gone.out(), ""), gone);
    Run full = run(new ClosedPipe("No space left on device"), false, "--data", data);
    assertEquals(74, full.code());
    assertEquals("widerow query: cannot write the output: No space left on device\n", full.err());
  }

  @Test
  void helpAndVersion() {
    Run help = run(new ByteArrayOutputStream(), false, "--help");
    assertEquals(0, help.code());
    for (String option : List.of("--last", "--where", "--histogram", "--data", "Exit codes")) {
      assertTrue(help.out().contains(option), option);
    }
    Run version = run(new ByteArrayOutputStream(), false, "--version");
    assertTrue(version.out().startsWith("widerow "), version.out());
  }
}
