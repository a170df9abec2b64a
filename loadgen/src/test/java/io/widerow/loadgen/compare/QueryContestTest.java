package io.widerow.loadgen.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a server that is running gets all events, answers, and is timed. Method: a server that
/// stores lines of JSON, returns all of them or the latest, and counts them, as VictoriaLogs does.
@Tag("process")
class QueryContestTest {
  private static final int EVENTS = 200;

  @TempDir private Path directory;

  @SuppressWarnings("NullAway.Init")
  private HttpServer server;

  private final List<String> stored = Collections.synchronizedList(new ArrayList<>());
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final Workload workload =
      new Workload(
          Scenario.FIELDS, 5, 20, 100, 2, 0, 1, 0, 0, 0, Quantity.SECOND, 30 * Quantity.MILLI);
  private final List<List<Sample>> samples = QueryContest.samples(workload, EVENTS);
  private final Question.Subject subject = Question.Subject.fields(workload, samples, EVENTS);
  private final List<String> steps = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/health", exchange -> respond(exchange, "OK"));
    server.createContext(
        "/insert/jsonline",
        exchange -> {
          stored.addAll(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)
                  .lines()
                  .toList());
          respond(exchange, "");
        });
    server.createContext(
        "/select/logsql/query",
        exchange -> {
          String query = exchange.getRequestURI().getQuery();
          asked.add(query);
          List<String> rows = stored.stream().map(QueryContestTest::row).toList();
          if (query.contains("count()")) {
            respond(exchange, "{\"n\":\"" + rows.size() + "\"}\n");
          } else if (query.endsWith("&limit=100")) {
            respond(exchange, String.join("\n", rows.subList(EVENTS - 100, EVENTS)) + "\n");
          } else {
            respond(exchange, String.join("\n", rows.reversed()) + "\n");
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static void respond(HttpExchange exchange, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static String row(String sent) {
    return sent.replace("\"ts\":", "\"_time\":").replace("\"body\":", "\"_msg\":");
  }

  private Contestant contestant() throws IOException {
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    return Contestant.parse("victorialogs@" + url, directory, List.of(), "1g");
  }

  private QueryContest contest(List<Question> questions) throws Exception {
    DuckAnswers answers = new DuckAnswers(directory, workload, samples);
    List<String> latest = new ArrayList<>(List.of(String.join(",", answers.events(0).titles())));
    for (int place = EVENTS - 1; place >= EVENTS - 100; place--) {
      latest.add("\"" + String.join("\",\"", answers.events(EVENTS).row(place)) + "\"");
    }
    Files.write(answers.of(Question.FIELD_LATEST), latest);
    Files.write(answers.of(Question.FIELD_COUNT), List.of("n", EVENTS + ""));
    QueryContest contest = new QueryContest(workload, EVENTS, subject, answers, steps::add);
    contest.enter(
        contestant(), questions, directory.resolve("data"), new PrintWriter(new StringWriter()));
    return contest;
  }

  @Test
  void runningServerIsLoadedCheckedTimedAndLeftAlone() throws Exception {
    List<Question> questions =
        List.of(Question.FIELD_COUNT, Question.FIELD_LATEST, Question.FIELD_ALL);
    try (QueryContest contest = contest(questions)) {
      assertEquals(EVENTS, stored.size());
      assertTrue(stored.getFirst().startsWith("{\"ts\":\"1970-01-01T00:00:01.000000000Z\""));
      contest.check();
      assertEquals(3, steps.size(), steps.toString());
      assertTrue(steps.get(2).contains("victorialogs answers 'all in order, JSON'"), steps.get(2));
      contest.warmUp(0);
      ComparisonFolder folder = new ComparisonFolder(directory, "fields", List.of("compare"));
      PairedRuns<QueriedStore.Turn> runs = contest.run(2, Quantity.SECOND, folder, "fields");
      FieldTable table = FieldTable.of("fields", "a test", contest, runs);
      folder.finish(table.comparisons(), table.text());
      String report = Files.readString(folder.path().resolve("report.md"));
      assertTrue(report.contains("| query | A | A CPU |\n| --- | --- | --- |\n| count |"), report);
      assertTrue(report.contains(" MB resident at the end"), report); // its process is this one
      assertEquals(
          3 * runs.a().size(), Files.readAllLines(folder.path().resolve("runs.ndjson")).size());
    }
    assertEquals(EVENTS, stored.size());
    assertTrue(asked.contains("query=*&limit=100"), asked.toString());
  }

  @Test
  void eventThatTheServerChangedEndsTheContest() throws Exception {
    try (QueryContest contest = contest(List.of(Question.FIELD_ALL))) {
      stored.replaceAll(
          line -> line.contains("00:00:02.500") ? line.replace("\"web.", "\"app.") : line);
      WrongAnswer wrong = assertThrows(WrongAnswer.class, contest::check);
      assertTrue(String.valueOf(wrong.getMessage()).contains("right is"), wrong::getMessage);
    }
  }

  @Test
  void serverWithOtherEventsIsRefused() {
    stored.add("{}");
    var refused =
        assertThrows(IllegalArgumentException.class, () -> contest(List.of(Question.FIELD_ALL)));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("got one with 1 events"), message);
  }
}
