package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a deletion that a client of Loki asks for removes exactly the lines that its query
/// selects. Method: for each query, the lines that it returns before are gone after it, and the
/// others are there.
@Timeout(300)
class LokiDeletionsTest {
  private static final long T = 1_780_000_000L; // seconds
  private static final String[] RANGE = {"start", "" + T, "end", "" + (T + 100), "limit", "1000"};
  private static final String ALL = "{service_name=~\".+\"}";

  private static void push(LokiDaemon loki) throws IOException, InterruptedException {
    int number = 0;
    for (String labels :
        List.of(
            "{\"app\":\"shop\",\"env\":\"a\",\"pod_id\":\"7\"}",
            "{\"app\":\"shop\",\"env\":\"b\",\"id\":\"7\"}",
            "{\"app\":\"bank\",\"level\":\"warn\",\"code\":\"007\"}")) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        String time = "\"" + (T + number++) + "000000000\"";
        String text = List.of("Red x", "red|y", "green z").get(i % 3);
        String metadata = i % 2 == 0 ? "" : ",{\"code\":\"7\",\"trace_id\":\"t" + i + "\"}";
        values.add("[" + time + ",\"line " + number + " " + text + "\"" + metadata + "]");
      }
      loki.push(labels, String.join(",", values));
    }
    loki.http.post(
        "/v1/events",
        "application/x-ndjson",
        "{\"type\":\"shop\",\"ts\":%d000000000,\"body\":\"line 90 red\",\"code\":7}\n"
                .formatted(T + 50)
            + "{\"type\":\"shop\",\"ts\":%d000000000,\"body\":\"line 91\",\"code\":7.5}\n"
                .formatted(T + 51));
  }

  /// The numbers of the lines that a query returns.
  private static List<String> lines(LokiDaemon loki, String query)
      throws IOException, InterruptedException {
    String[] asked = new String[RANGE.length + 2];
    System.arraycopy(RANGE, 0, asked, 0, RANGE.length);
    asked[RANGE.length] = "query";
    asked[RANGE.length + 1] = query;
    List<String> numbers = new ArrayList<>();
    for (String part : loki.get("query_range", asked).split("\"line ", -1)) {
      numbers.add(part.split("[^0-9]", 2)[0]);
    }
    return numbers.subList(1, numbers.size()).stream().sorted().toList();
  }

  private static HttpResponse<String> send(LokiDaemon loki, String method, String... parameters)
      throws IOException, InterruptedException {
    return loki.http.send(method, "/loki/api/v1/delete?" + LokiDaemon.form(parameters));
  }

  @Test
  void exactlyTheLinesOfTheQueryGo(@TempDir Path directory)
      throws IOException, InterruptedException {
    int number = 0;
    for (String query :
        List.of(
            "{app=\"bank\"}",
            "{service_name=\"shop\", env!=\"a\"}",
            "{env=~\"a|c\"} |= \"red\"",
            "{app=~\".+\"} |= \"red\" != \"y\"",
            "{app=\"shop\"} |~ \"(?i)RED\"",
            "{app=\"shop\"} |~ \"green|Red\" | env=\"b\"",
            "{service_name=\"shop\"} != \"red\"",
            "{service_name=~\"shop|bank\"} | code=\"7\"",
            "{code=\"007\"}",
            "{service_name=\"shop\"} | code=\"7.5\"",
            "{id=\"7\"}",
            "{pod_id=\"7\"} | trace_id=\"t3\" or trace_id=\"t5\"",
            "{service_name=\"shop\", id!=\"7\"}",
            "{service_name=\"shop\"} | id=\"\"",
            "{service_name=~\".*\"} | detected_level=\"warn\"",
            "{detected_level!=\"warn\"}",
            "{app=\"none\"}")) {
      try (LokiDaemon loki = new LokiDaemon(directory.resolve("d" + number++))) {
        push(loki);
        List<String> left = new ArrayList<>(lines(loki, ALL));
        assertEquals(20, left.size());
        List<String> gone = lines(loki, query);
        left.removeAll(gone);
        HttpResponse<String> answer =
            send(loki, "POST", "query", query, "start", "" + T, "end", "" + (T + 100));
        assertEquals(204, answer.statusCode(), query + answer.body());
        assertEquals(left, lines(loki, ALL), query);
        assertEquals(gone.isEmpty(), answer.headers().firstValue("x-delete-request-id").isEmpty());
      }
    }
  }

  @Test
  void deletionsAreListedAndMistakesAreRefused(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      push(loki);
      assertEquals("[]\n", send(loki, "GET").body());
      String start = "2026-05-28T20:26:40Z";
      assertEquals(204, send(loki, "PUT", "query", "{app=\"bank\"}", "start", start).statusCode());
      String list = send(loki, "GET").body();
      assertTrue(
          list.startsWith("[{\"request_id\":\"d-1\",\"start_time\":%d,\"end_time\":".formatted(T))
              && list.contains(",\"query\":\"{app=\\\"bank\\\"}\",\"status\":\""),
          list);
      assertEquals(400, send(loki, "DELETE", "request_id", "d-1").statusCode());
      assertEquals(404, send(loki, "DELETE", "request_id", "d-2").statusCode());
      assertEquals(404, send(loki, "DELETE").statusCode());
      String[][] refused = {
        {"query not set", "start", "" + T},
        {"start time not set", "query", "{app=\"shop\"}"},
        {"deletes in the future", "query", "{app=\"shop\"}", "start", "" + T, "end", "3000000000"},
        {"start time can't be", "query", "{app=\"shop\"}", "start", "" + T, "end", "" + T},
        {"not a time: x", "query", "{app=\"shop\"}", "start", "x"},
        {"parse error at line 1", "query", "{app=", "start", "" + T},
        {"a log query is required", "query", "vector(1)", "start", "" + T},
        {"the regular expression a.*b", "query", "{app=~\"a.*b\"}", "start", "" + T},
        {"a stage other than", "query", "{app=\"shop\"} | json", "start", "" + T},
        {"a comparison of a number", "query", "{app=\"shop\"} | code > 5", "start", "" + T},
        {"an address or a pattern", "query", "{a=\"b\"} |= ip(\"::1\")", "start", "" + T}
      };
      List<String> left = lines(loki, ALL);
      for (String[] each : refused) {
        String[] parameters = Arrays.copyOfRange(each, 1, each.length);
        HttpResponse<String> answer = send(loki, "POST", parameters);
        assertEquals(400, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(each[0]), answer.body());
      }
      HttpResponse<String> form =
          loki.http.post(
              "/loki/api/v1/delete",
              "application/x-www-form-urlencoded",
              LokiDaemon.form("query", "{app=\"shop\"} |= \"green\"", "start", "" + T));
      assertEquals(204, form.statusCode(), form.body());
      assertEquals(left.size() - 4, lines(loki, ALL).size());
    }
  }
}
