package io.widerow.query.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.aggregation.Aggregate;
import io.widerow.query.aggregation.StatsQuery;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: each reader of a daemon's responses picks members by name, ignores unknown ones, and takes
/// missing ones as empty, so that client and daemon may be of different versions. Method: all
/// readers of objects against a server that sends their lines as they are, with members added at
/// both ends of each object, and without each of their members in turn. Events are no such objects:
/// each of their members is an attribute.
class OtherVersionsTest {
  private static final String ADDED = "{\"deep\":[1,{\"x\":\"}]\\\"\"},null]}";
  private static final String TOKEN = "\"" + Token.before(1_763_666_100_000_000_000L) + "\"";

  private static final StatsQuery COUNTS =
      new StatsQuery(Aggregate.parse("count,max(n)"), List.of(), 60_000_000_000L);

  private final HttpServer server = server();
  private volatile String body = "";

  /// A reader of responses.
  ///
  /// @param lines a response, each line with its members in order
  /// @param required members without which a line has no meaning: it is refused, with a sentence
  record Reader(
      String name,
      Function<DaemonAddress, Object> read,
      List<Map<String, String>> lines,
      Set<String> required) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Map<String, String> line(String... members) {
    Map<String, String> line = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      line.put(members[i], members[i + 1]);
    }
    return line;
  }

  private static Stream<Reader> readers() {
    String time = "\"2025-11-20T19:15:00Z\"";
    Map<String, String> step = line("ts", time, "count", "2", "max(n)", "7");
    return Stream.of(
        new Reader(
            "rows",
            daemon -> RemoteRows.ask(daemon, "/x", List.of("a", "b", "c")),
            List.of(line("a", "1", "b", "\"two\"", "c", "null")),
            Set.of()),
        new Reader(
            "rows and sums",
            daemon -> RemoteRows.askSummed(daemon, "/x", List.of("a", "b"), List.of("n", "m")),
            List.of(line("a", "1", "b", "2"), line("n", "1", "m", "2")),
            Set.of()),
        new Reader(
            "aggregates",
            daemon -> {
              try (RemoteResponse answer = RemoteResponse.open(daemon, Map.of())) {
                return RemoteStats.rows(answer, COUNTS, ZoneOffset.UTC);
              }
            },
            List.of(step, step),
            Set.of()),
        new Reader(
            "types",
            daemon -> RemoteTypes.ask(daemon, List.of()),
            List.of(
                line("type", "\"a\"", "first", time, "last", time, "events", "3", "bytes", "9")),
            Set.of("type", "first", "last")),
        new Reader(
            "survey",
            daemon -> {
              RemoteSurvey survey = RemoteSurvey.ask(daemon, "/x");
              return List.of(
                  survey.exact(),
                  survey.text("events"),
                  survey.rows().stream()
                      .map(row -> List.of("" + row.get("pattern"), "" + row.get("count")))
                      .toList());
            },
            List.of(line("events", "2", "exact", "true"), line("pattern", "\"p\"", "count", "2")),
            Set.of()),
        new Reader(
            "lines of a kind",
            daemon -> {
              Set<String> kinds = Set.of("lane", "partition");
              return RemoteSurvey.linesOf(daemon, "/x", "partition", kinds).rows().stream()
                  .map(row -> List.of("" + row.get("partition"), "" + row.get("lane")))
                  .toList();
            },
            List.of(line("lane", "1", "slots", "2"), line("partition", "\"p\"", "lane", "1")),
            Set.of()),
        new Reader(
            "fields",
            daemon -> {
              RemoteFields fields = RemoteFields.ask(daemon, "/x");
              return List.of(
                  fields.exact(),
                  fields.fields().stream()
                      .map(
                          field -> List.of(field.text("field"), field.text("kind"), field.values()))
                      .toList());
            },
            List.of(
                line("exact", "true", "events", "3"),
                line("field", "\"f\"", "kind", "\"text\"", "values", "[{\"value\":\"v\"}]")),
            Set.of()),
        new Reader(
            "document",
            daemon -> RemoteDocument.ask(daemon, "/x").rows("findings", List.of("code", "subject")),
            List.of(line("findings", "[{\"code\":\"disk\",\"subject\":\"/\"}]")),
            Set.of("findings")),
        new Reader(
            "steps",
            daemon -> RemoteSteps.ask(daemon, Map.of(), COUNTS, ZoneOffset.UTC),
            List.of(step, line("token", TOKEN, "arrived", "\"1\"", "more", "true")),
            Set.of("token")),
        new Reader(
            "cluster",
            daemon -> String.valueOf(RemoteCluster.daemons(daemon)),
            List.of(
                line(
                    "daemons",
                    "[{\"daemon\":3,\"host\":\"h\",\"applied\":\"0\",\"seen\":%s}]"
                        .formatted(time))),
            Set.of()),
        new Reader(
            "saved query",
            daemon -> SavedQueries.get(daemon, "q"),
            List.of(line("query", "\"q\"", "parameters", "\"type=a\"")),
            Set.of()));
  }

  private static HttpServer server() {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @BeforeEach
  void serve() {
    server.createContext(
        "/",
        exchange -> {
          byte[] sent = body.getBytes(UTF_8);
          exchange.sendResponseHeaders(200, sent.length);
          exchange.getResponseBody().write(sent);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private String read(Reader reader, Function<Map<String, String>, Map<String, String>> change) {
    StringBuilder sent = new StringBuilder();
    for (Map<String, String> line : reader.lines()) {
      List<String> members = new ArrayList<>();
      change.apply(line).forEach((name, value) -> members.add("\"%s\":%s".formatted(name, value)));
      sent.append('{').append(String.join(",", members)).append("}\n");
    }
    body = sent.toString();
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    return String.valueOf(reader.read().apply(DaemonAddress.of(url, null, Map.of())));
  }

  private static Map<String, String> with(Map<String, String> line, boolean first) {
    Map<String, String> more = new LinkedHashMap<>();
    if (first) {
      more.put("added.first", "[]");
      more.put("added", ADDED);
    }
    more.putAll(line);
    more.put("added.last", ADDED);
    more.put("added.none", "null");
    return more;
  }

  @ParameterizedTest
  @MethodSource("readers")
  void unknownMembersAreIgnored(Reader reader) {
    String known = read(reader, line -> line);
    assertEquals(known, read(reader, line -> with(line, false)));
    assertEquals(known, read(reader, line -> with(line, true)));
  }

  @ParameterizedTest
  @MethodSource("readers")
  void missingMembersAreEmpty(Reader reader) {
    Set<String> names = new TreeSet<>();
    reader.lines().stream()
        .filter(line -> line.size() > 1)
        .forEach(line -> names.addAll(line.keySet()));
    names.addAll(reader.required());
    for (String name : names) {
      Function<Map<String, String>, Map<String, String>> without =
          line -> {
            Map<String, String> fewer = new LinkedHashMap<>(line);
            fewer.remove(name);
            return fewer;
          };
      if (reader.required().contains(name)) {
        var refused = assertThrows(QueryException.class, () -> read(reader, without), name);
        assertFalse(String.valueOf(refused.getMessage()).isBlank(), name);
      } else {
        String read = read(reader, without);
        assertTrue(!read.isEmpty(), name);
      }
    }
  }
}
