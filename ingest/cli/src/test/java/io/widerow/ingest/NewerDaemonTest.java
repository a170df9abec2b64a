package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandTable;
import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import io.widerow.faults.Await;
import io.widerow.storage.BuildVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/// Goal: a command works with a daemon of another version: it shows the same of a newer one, which
/// sends members and lines that the command does not know, and of an older one, which lacks the
/// endpoint, it reports the version. Method: each command that asks a daemon, in all output
/// formats, with a daemon, and with a server that repeats the responses of it with further members
/// in every object and further lines in every response of lines; and with a server that has no
/// endpoint but `/health`.
@Timeout(300)
class NewerDaemonTest {
  private static final String ID = "80e08f78-e85b-11f1-8080-8180808523ff";
  private static final String NEWER = "0.2.0-SNAPSHOT";
  private static final String OLDER = "0.0.9";
  private static final String LOG = "one\ntwo\nthree\n";

  /// Of an event each member is an attribute, and of an error the text is shown.
  private static final List<String> AS_THEY_ARE = List.of("{\"id\":", "{\"error\":");

  private static final String ADDED =
      "\"added\":{\"deep\":[1,{\"x\":\"}]\\\"\"},null]},\"added.list\":[],\"added.none\":null";

  /// Before and after the members that are there.
  private static final String FIRST = "\"added.first\":\"1\",";

  private static final String LAST = ",\"added.last\":7," + ADDED;
  private static final String LINE = "{\"added.line\":{\"deep\":[1]}," + ADDED + "}\n";

  /// Commands that ask no daemon over HTTP: they run one, read a stopped store or a cluster, or
  /// speak CQL.
  private static final Set<String> ALONE =
      Set.of(
          "serve",
          "demo",
          "token",
          "completion",
          "cql",
          "explore",
          "check",
          "check verify",
          "check repair",
          "transforms",
          "transforms check",
          "transforms try",
          "cluster",
          "cluster status",
          "cluster init",
          "cluster retain",
          "cluster release",
          "cluster verify",
          "cluster migrate",
          "backup list",
          "backup verify",
          "backup restore",
          "backup forget",
          "backup take-over");

  @TempDir private Path directory = Path.of(".");

  /// A command that asks the daemon. In its arguments `FILES` is a directory for its files, and
  /// `ID` the id of an event.
  ///
  /// @param before runs before it; null for none
  private record Asked(String command, List<String> arguments, @Nullable Asked before) {
    Asked(String command, String... arguments) {
      this(command, List.of(arguments), null);
    }

    Asked after(String... words) {
      return new Asked(command, arguments, new Asked(command, words));
    }

    /// The command line of it.
    CommandLine line() {
      Shell shell =
          new Shell(new ByteArrayOutputStream(), System.err, false, false, true, Map.of());
      CommandLine line = Main.commandLine(shell, command);
      CommandLine below =
          arguments.isEmpty() ? null : line.getSubcommands().get(arguments.getFirst());
      return below == null ? line : below;
    }

    String name() {
      String word = line().getCommandName();
      return command.equals(word) || command.endsWith(" " + word) ? command : command + " " + word;
    }

    /// The command in each output format that it has, and what runs before each.
    List<Asked> forms() {
      OptionSpec output = line().getCommandSpec().findOption("--output");
      boolean one = output == null || arguments.contains("--output");
      return (one ? Stream.of("") : Stream.of(output.type().getEnumConstants()))
          .flatMap(format -> {
            Asked form = one ? this : new Asked(command, with("--output", format.toString()), null);
            return before == null ? Stream.of(form) : Stream.of(before, form);
          })
          .toList();
    }

    private List<String> with(String... more) {
      return Stream.concat(arguments.stream(), Stream.of(more)).toList();
    }

    String[] words(Path files, String id) {
      return arguments.stream()
          .map(word -> word.replace("FILES", files.toString()).replace("ID", id))
          .toArray(String[]::new);
    }

    @Override
    public String toString() {
      return command + " " + String.join(" ", arguments);
    }
  }

  /// In an order in which each finds what it asks for.
  private static final List<Asked> COMMANDS =
      List.of(
          new Asked("query", "web"),
          new Asked("query", "web", "--where", "user = \"none\""),
          new Asked("query", "web", "--explain", "--limit", "3"),
          new Asked("query", "web", "--stats", "count,p50(bytes)", "--by", "user"),
          new Asked("query", "web", "--stats", "count", "--every", "1m"),
          new Asked("query", "none", "--stats", "count", "--by", "user"),
          new Asked("query", "web", "--histogram"),
          new Asked("query", "web", "--limit", "4", "--save", "four"),
          new Asked("query", "--saved"),
          new Asked("query", "--saved", "four"),
          new Asked("query", "--forget", "four").after("web", "--limit", "4", "--save", "four"),
          new Asked("promql", "sum(web_bytes)", "--to", "2025-11-21T10:00:00Z"),
          new Asked(
              "promql", "web_bytes", "--from", "2025-11-21", "--to", "2025-11-22", "--step", "1h"),
          new Asked("explore types"),
          new Asked("explore fields"),
          new Asked("explore fields", "--field", "user"),
          new Asked("explore patterns", "web"),
          new Asked("explore diff", "web", "--from=2025-11-21", "--to=2025-11-22"),
          new Asked("explore event", "web/ID"),
          new Asked("explore event", "web/ID", "--around", "2"),
          new Asked("explore event", "none/ID"),
          new Asked("check doctor"),
          new Asked("check health"),
          new Asked("check health", "--ready"),
          new Asked("check senders"),
          new Asked("layout", "show"),
          new Asked("layout", "overrides"),
          new Asked("layout", "set", "web", "--width", "2h", "--shards", "2"),
          new Asked("layout", "overrides"),
          new Asked("layout", "unset", "web").after("set", "web", "--width", "2h"),
          new Asked("layout plan"),
          new Asked("layout partitions"),
          new Asked("layout partitions", "--long"),
          new Asked("layout partitions", "--lanes"),
          new Asked("layout partitions", "--segments"),
          new Asked("layout partitions", "--damage"),
          new Asked("layout repartition", "--dry-run"),
          new Asked("retention", "list"),
          new Asked("retention", "plan", "web", "--age", "7d"),
          new Asked("retention", "set", "web", "--age", "3650d"),
          new Asked("retention", "list"),
          new Asked("retention", "unset", "web").after("set", "web", "--age", "3650d"),
          new Asked("rollups", "list"),
          new Asked("rollups", "set", "hits", "--type", "web", "--stats", "count"),
          new Asked("rollups", "list"),
          new Asked("rollups", "unset", "hits")
              .after("set", "hits", "--type", "web", "--stats", "count"),
          new Asked("alerts", "list"),
          new Asked("alerts", "history"), // of no alert yet: labels show whatever is in them
          new Asked("alerts", "check", "none"),
          new Asked("alerts", "set", "silent", "--stats", "count", "--below", "1", "--every", "1d"),
          new Asked(
              "alerts",
              "backtest",
              "../../packaging/rules/widerow.yml",
              "--from",
              "2025-11-21",
              "--to",
              "2025-11-21T00:10:00Z"),
          new Asked("alerts", "unset", "silent")
              .after("set", "silent", "--stats", "count", "--below", "1", "--every", "1d"),
          new Asked(
              "transforms reparse",
              "--with",
              "src/test/resources/io/widerow/cli/seen.rules",
              "--type",
              "web",
              "--dry-run"),
          new Asked("delete", "list"),
          new Asked("delete", "plan", "web", "--where", "user = \"u3\"", "--output", "csv"),
          new Asked("delete", "list"),
          new Asked("delete", "run", "d-1"),
          new Asked("delete", "show", "d-1"),
          new Asked("delete", "verify", "d-1"),
          new Asked("tail", "web", "--since", "2025-11-21", "--limit", "3"),
          new Asked(
              "tail",
              "web",
              "--stats",
              "count",
              "--every",
              "1m",
              "--since",
              "2025-11-21",
              "--limit",
              "1"),
          new Asked("export", "web", "--out", "FILES/out", "--from=2025-11-21", "--to=2025-11-22"),
          new Asked("import", "FILES/out"),
          new Asked(
              "ship", "FILES/a.log", "--once", "--type", "shipped", "--checkpoint", "FILES/point"),
          new Asked("kafka", "list"),
          new Asked("kafka", "seen"),
          new Asked("backup", "now"),
          new Asked("cold", "list"),
          new Asked("cold", "recall"),
          new Asked("cold", "verify"),
          new Asked("snapshot", "--to", "one"));

  @Test
  void eachCommandThatAsksADaemonIsHere() {
    Set<String> asked = COMMANDS.stream().map(Asked::name).collect(Collectors.toSet());
    for (CommandTable.Row row : CommandTable.rows()) {
      String name = row.name();
      boolean below =
          CommandTable.rows().stream().anyMatch(each -> each.name().startsWith(name + " "));
      boolean listed =
          asked.contains(name)
              || (below && asked.stream().anyMatch(each -> each.startsWith(name + " ")))
              || name.contains(" --");
      assertTrue(listed != ALONE.contains(name) || (listed && below), name);
    }
  }

  private CommandDaemon daemon(Path files) throws IOException, InterruptedException {
    CommandDaemon daemon =
        new CommandDaemon(
            files,
            Map.of(
                "lanes",
                "1",
                "bucket-minutes",
                "60",
                "shards",
                "1",
                "backup",
                "file:" + files.resolve("backup"),
                "cold",
                "file:" + files.resolve("backup")));
    StringBuilder events = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      events.append(
          "{\"ts\":\"2025-11-%02dT19:15:%02dZ\",\"user\":\"u%d\",\"bytes\":%d,\"body\":\"%d\"}\n"
              .formatted(20 + i % 3, i % 60, i % 7, i, i));
    }
    assertEquals(
        200, daemon.http.post("/v1/events?type=web", Http.NDJSON, events + "").statusCode());
    daemon.merge();
    Files.writeString(files.resolve("a.log"), LOG);
    return daemon;
  }

  private static String firstId(CommandDaemon daemon) throws IOException, InterruptedException {
    String line = daemon.get("/v1/query?type=web&limit=1");
    return line.substring(7, 43);
  }

  @Test
  void whatACommandDoesNotKnowChangesNothing() throws IOException, InterruptedException {
    Path one = Files.createDirectories(directory.resolve("one"));
    Path two = Files.createDirectories(directory.resolve("two"));
    Files.writeString(two.resolve("a.log"), LOG);
    try (CommandDaemon daemon = daemon(one)) {
      Repeater repeater = new Repeater(daemon.url());
      HttpServer server = server(repeater);
      try {
        Map<String, String> environment = Map.of("WIDEROW_URL", url(server));
        List<String> differences = new ArrayList<>();
        Await.until( // the daemon looks every few seconds
            () -> daemon.get("/v1/admin/doctor").contains("late-share"), "the finding is there");
        for (Asked asked : COMMANDS.stream().flatMap(each -> each.forms().stream()).toList()) {
          String id = firstId(daemon);
          repeater.newer = false;
          CommandDaemon.Ran known =
              CommandDaemon.run(environment, asked.command(), asked.words(one, id));
          assertTrue(known.code() != 64 && known.code() != 70, asked + ": " + known);
          repeater.newer = true;
          CommandDaemon.Ran added =
              CommandDaemon.run(environment, asked.command(), asked.words(two, id));
          String expected = steady(known);
          String found = steady(added);
          if (!expected.equals(found)) {
            differences.add("%s: %s%nof a newer daemon: %s".formatted(asked, expected, found));
          }
          repeater.left.forEach(given -> differences.add(asked + ": not asked again: " + given));
          repeater.left.clear();
        }
        assertEquals("", String.join("\n", differences));
      } finally {
        server.stop(0);
      }
    }
  }

  /// The output of a command, without its own speed, the names of its files, and the parts added to
  /// lines that a command passes on as the daemon wrote them.
  private String steady(CommandDaemon.Ran ran) {
    return (ran.code() + ran.out() + ran.err())
        .replace(LINE, "")
        .replace(FIRST, "")
        .replace(LAST, "")
        .replaceAll(Pattern.quote(directory.toString()) + "/(one|two)", "FILES")
        .replace(NEWER, BuildVersion.value())
        .replaceAll("[0-9.,]+ (ms|s|k?B/s|MB/s|events/s)\\b", "SPEED");
  }

  private static String url(HttpServer server) {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static HttpServer server(HttpHandler handler) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", handler);
    server.start();
    return server;
  }

  /// A response of the daemon.
  private record Given(
      String request, int status, Map<String, List<String>> headers, String body) {}

  /// Asks the daemon, and then gives its responses again, as a newer daemon would.
  private static final class Repeater implements HttpHandler {
    final Queue<Given> left = new ConcurrentLinkedQueue<>(); // that were not given again
    volatile boolean newer;
    private final HttpClient client = HttpClient.newHttpClient();
    private final String daemon;

    Repeater(String daemon) {
      this.daemon = daemon;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
      try (exchange) {
        String asked = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
        byte[] sent = exchange.getRequestBody().readAllBytes();
        Given given =
            newer
                ? left.stream().filter(one -> one.request.equals(asked)).findFirst().orElse(null)
                : null;
        if (given != null) {
          left.remove(given);
        } else if (!newer) {
          given = given(asked, exchange, sent);
          left.add(given);
        } else { // whether a daemon sent lines that are unknown
          assertEquals("GET /health", asked);
          given = given(asked, exchange, sent);
        }
        boolean lines =
            given.status == 200
                && given
                    .headers
                    .getOrDefault("content-type", List.of(""))
                    .toString()
                    .contains("nd");
        String text = newer ? newer(given.body, lines) : given.body;
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().putAll(given.headers);
        exchange.sendResponseHeaders(given.status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    private Given given(String asked, HttpExchange exchange, byte[] sent)
        throws IOException, InterruptedException {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(daemon + exchange.getRequestURI()))
              .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(sent));
      for (String name : List.of("Content-Type", "Idempotency-Key")) {
        List<String> values = exchange.getRequestHeaders().getOrDefault(name, List.of());
        values.forEach(value -> request.header(name, value));
      }
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      Map<String, List<String>> headers = new TreeMap<>(response.headers().map());
      Set.of("content-length", "transfer-encoding", "connection", ":status")
          .forEach(headers::remove);
      return new Given(asked, response.statusCode(), headers, response.body());
    }
  }

  /// The response of a newer daemon.
  ///
  /// @param lines whether it may have further lines: after the first one, and at the end
  private static String newer(String body, boolean lines) {
    StringBuilder more = new StringBuilder();
    int number = 0;
    for (String line : body.lines().toList()) {
      more.append(withMore(line)).append(number++ > 0 || body.endsWith("\n") ? "\n" : "");
      more.append(lines && number == 1 ? LINE : "");
    }
    String version = "\"version\":\"%s\"";
    return (more + (lines ? LINE : ""))
        .replace(version.formatted(BuildVersion.value()), version.formatted(NEWER));
  }

  /// A line whose objects have more members: before their first one, and at their end.
  private static String withMore(String line) {
    if (!line.startsWith("{") || AS_THEY_ARE.stream().anyMatch(line::startsWith)) {
      return line;
    }
    StringBuilder more = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char here = line.charAt(i);
      if (quoted && here == '\\') {
        more.append(here).append(line.charAt(++i));
        continue;
      }
      quoted ^= here == '"';
      boolean filled =
          !quoted
              && line.charAt(here == '}' ? i - 1 : Math.min(i + 1, line.length() - 1))
                  != (here == '}' ? '{' : '}');
      more.append(here == '}' && filled ? LAST : "").append(here);
      more.append(here == '{' && filled ? FIRST : "");
    }
    return more.toString();
  }

  /// The responses of servers without an endpoint.
  private static final Map<Integer, String> MISSING =
      Map.of(
          404, "{\"error\":\"no such endpoint: /v1/x; did you mean /v1/query?\"}\n",
          405, "{\"error\":\"/v1/x: no endpoint for PUT; it takes GET\"}\n");

  @Test
  void anEndpointThatADaemonLacksIsReportedWithItsVersion() throws IOException {
    Path files = Files.createDirectories(directory.resolve("files/out"));
    Files.writeString(directory.resolve("files/a.log"), "one\n");
    Files.writeString(
        files.resolve("events-0.ndjson"),
        "{\"id\":\"%s\",\"ts\":\"2025-11-21T00:00:00Z\",\"type\":\"a\",\"body\":\"b\"}\n"
            .formatted(ID));
    for (Map.Entry<Integer, String> missing : MISSING.entrySet()) {
      HttpServer older =
          server(exchange -> {
            boolean health = exchange.getRequestURI().getPath().equals("/health");
            String body =
                health
                    ? "{\"name\":\"widerow\",\"status\":\"pass\",\"version\":\"" + OLDER + "\"}\n"
                    : missing.getValue();
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(health ? 200 : missing.getKey(), body.length());
            exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
            exchange.close();
          });
      try {
        for (Asked asked : COMMANDS) {
          if (asked.name().equals("check health") && asked.arguments().isEmpty()) {
            continue; // every daemon has it
          }
          Path own = Files.createTempDirectory(directory, "own");
          Files.writeString(own.resolve("a.log"), "one\n");
          if (asked.name().equals("import")) {
            Files.createDirectories(own.resolve("out"));
            Files.copy(files.resolve("events-0.ndjson"), own.resolve("out/events-0.ndjson"));
          }
          CommandDaemon.Ran ran =
              CommandDaemon.run(
                  Map.of("WIDEROW_URL", url(older)), asked.command(), asked.words(own, ID));
          int expected =
              asked.name().equals("check health")
                  ? 1
                  : asked.name().equals("alerts check") ? 3 : 69;
          assertEquals(expected, ran.code(), asked + ": " + ran);
          String both =
              "the daemon is Widerow %s and this command is Widerow %s: upgrade the daemon"
                  .formatted(OLDER, BuildVersion.value());
          assertTrue((ran.out() + ran.err()).contains(both), asked + ": " + ran);
        }
      } finally {
        older.stop(0);
      }
    }
  }

  @Test
  @Tag("deep") // waits for a quarter of a minute
  void aServerThatSendsNothingIsNotWaitedFor() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      CommandDaemon.Ran ran = CommandDaemon.run(Map.of("WIDEROW_URL", url), "explore types");
      assertEquals(69, ran.code(), ran.err());
      assertTrue(ran.err().contains("accepts connections and sends nothing"), ran.err());
    }
  }
}
