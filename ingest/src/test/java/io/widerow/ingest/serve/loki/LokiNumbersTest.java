package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each entrance reads the numbers, times and durations of its parameters as Loki does, and
/// refuses the same ones with the same status and words. Method: each value of a table of kinds, at
/// each entrance: refused where the parameter is read, and left out elsewhere.
@Timeout(300)
class LokiNumbersTest {
  /// Entrances, and the numbers that they read.
  private static final Map<String, String> ENTRANCES = new LinkedHashMap<>();

  static {
    String range = "start end since ";
    ENTRANCES.put("query", "limit time direction");
    ENTRANCES.put("query_range", range + "limit direction step interval");
    ENTRANCES.put("labels", range);
    ENTRANCES.put("label/a/values", range);
    ENTRANCES.put("series", range);
    ENTRANCES.put("index/stats", range + "limit direction step interval");
    ENTRANCES.put("index/volume", range + "limit direction time");
    ENTRANCES.put("index/volume_range", range + "limit direction step interval");
    ENTRANCES.put("detected_labels", range);
    ENTRANCES.put("detected_fields", range + "limit field_limit line_limit step");
    ENTRANCES.put("detected_field/a/values", range + "limit field_limit line_limit step");
    ENTRANCES.put("patterns", range + "step");
    ENTRANCES.put("tail", range + "limit delay_for");
  }

  /// Parameters, blanks between values, and the beginning of the message; `%s` is the value.
  private static final String[][] REFUSED = {
    {
      "start end time",
      "x NaN Inf -Inf 0x10 0x1p4 1_000 1e -",
      "strconv.ParseInt: parsing \"%s\": invalid syntax"
    },
    {
      "start end time",
      "99999999999999999999 9223372036854775808 -9223372036854775809",
      "strconv.ParseInt: parsing \"%s\": value out of range"
    },
    {
      "since",
      "later -5m -1 NaN Inf 5m1 99999999999999999999s",
      "not a valid duration string: \"%s\""
    },
    {"since", "300y 9999999999999s", "duration out of range"},
    {"since", "5x", "unknown unit \"x\" in duration \"%s\""},
    {
      "step", "NaN nan 0 -0 +0 0x0p0 -1 -1e9 1e-10 -0.5 0s 0ms", "zero or negative query resolution"
    },
    {"step", "9223372036.854775807 -9223372036.854775807", "zero or negative query resolution"},
    {"interval", "NaN -1 -0.5 -1e9 9223372036.854775807", "interval must be >= 0"},
    {
      "step interval",
      "Inf +Inf -inf Infinity 1e300 -1e300 9223372037",
      "cannot parse \"%s\" to a valid duration. It overflows int64"
    },
    {
      "step interval",
      "x 1e400 -1e400 0x10 0b1 5x -5m -1s -NaN 1__0 _1 1_ 5m1 m 300y",
      "cannot parse \"%s\" to a valid duration"
    },
    {
      "step", "0.1 0.4545 1ms 454ms", "exceeded maximum resolution of 11,000 points per time series"
    },
    {
      "limit field_limit line_limit delay_for",
      "x 5.0 1e3 0x10 1_000 NaN Inf + -",
      "strconv.Atoi: parsing \"%s\": invalid syntax"
    },
    {
      "limit field_limit line_limit delay_for",
      "99999999999999999999 9223372036854775808 -9223372036854775809",
      "strconv.Atoi: parsing \"%s\": value out of range"
    },
    {
      "limit field_limit line_limit",
      "0 -0 +0 -1 -5 -9223372036854775808",
      "limit must be a positive value"
    },
    {"limit field_limit", "4294967296 +4294967296 9223372036854775807", "limit value "},
    {"line_limit", "4294967296", "line_limit value 4294967296 is out of range [0, 4294967295]"},
    {"line_limit", "1000001 4294967295", "max entries limit per query exceeded, limit >"},
    {"delay_for", "-1 4294967296", "delay_for value %s is out of range [0, 4294967295]"},
    {"delay_for", "6 4294967295", "delay_for can't be greater than 5"},
    {"direction", "up back FORWARDS b", "invalid direction '%s'"}
  };

  /// Parameters, and values that every entrance takes.
  private static final String[][] TAKEN = {
    {"start time", "0 -5 +5 00000000005 0x1.8p3 1_0.5 .5 5. 1.5e3 -1.5e-3 1970-01-01T00:00:01Z"},
    {"end", "5000 +5000 5000.5 0x1.388p12 9223372036854775807 4e3"},
    {"since", "0 0s 1h 1d 1h30m 1y 250ms 1.5h 5"},
    {"step", "1000 1e3 +1000 1_000 1000. 0x10p0 16m40s 1d 0.45454545 9223372036 1E3 1h30m"},
    {"interval", "0 +0 -0 0s 1 1e-3 5m 0x1p0 1d 9223372036"},
    {"limit field_limit line_limit", "1 +5 005 1000000"},
    {"field_limit", "4294967295"},
    {"delay_for", "0 -0 +5 005"},
    {"direction", "BACKWARD Forward fOrWaRd backward"}
  };

  /// A request of an entrance, so that only the parameter in question can be wrong.
  private static String[] request(String query, String name, String value) {
    Map<String, String> asked = new HashMap<>();
    asked.put("query", query);
    switch (name) {
      case "start", "since" -> asked.put("end", "5000");
      case "end" -> {}
      default -> {
        asked.put("start", "0");
        asked.put("end", "5000");
      }
    }
    asked.put(name, value);
    List<String> parameters = new ArrayList<>();
    asked.forEach((each, text) -> parameters.addAll(List.of(each, text)));
    return parameters.toArray(String[]::new);
  }

  private static String query(String path) {
    return path.equals("query") ? "vector(1)" : "{app=\"a\"}";
  }

  private static boolean reads(String path, String name) {
    return List.of(Objects.requireNonNull(ENTRANCES.get(path)).split(" ", -1)).contains(name);
  }

  /// A limit of volumes may be 0.
  private static boolean takesZero(String path, String name, String value) {
    return path.startsWith("index/volume") && name.equals("limit") && value.matches("[-+]?0");
  }

  private static void requireTaken(String path, HttpResponse<String> response, String what) {
    if (path.equals("tail")) { // which goes on as a WebSocket only
      assertTrue(!response.body().contains("\"errorType\""), what + response.body());
    } else {
      assertEquals(200, response.statusCode(), what + response.body());
    }
  }

  @Test
  void eachEntranceRefusesWhatLokiRefuses(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      loki.push("{\"app\":\"a\"}", "[\"1000000000\",\"line\"]");
      for (String[] kind : REFUSED) {
        for (String name : kind[0].split(" ", -1)) {
          for (String value : kind[1].split(" ", -1)) {
            for (String path : ENTRANCES.keySet()) {
              String[] request = request(query(path), name, value);
              String what = path + " " + name + "=" + value + ": ";
              HttpResponse<String> response = loki.ask(path, request);
              if (!reads(path, name) || takesZero(path, name, value)) {
                requireTaken(path, response, what);
                continue;
              }
              boolean isTime = name.equals("start") || name.equals("end") || name.equals("since");
              String about = isTime ? "could not parse '%s' parameter: ".formatted(name) : "";
              String told = (about + kind[2].formatted(value)).replace("\"", "\\\"");
              assertEquals(400, response.statusCode(), what + response.body());
              String message = "\"errorType\":\"bad_data\",\"message\":\"" + told;
              assertTrue(response.body().contains(message), what + response.body());
            }
          }
        }
      }
    }
  }

  @Test
  void eachEntranceTakesWhatLokiTakes(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      loki.push("{\"app\":\"a\"}", "[\"1000000000\",\"line\"]");
      for (String[] kind : TAKEN) {
        for (String name : kind[0].split(" ", -1)) {
          for (String value : kind[1].split(" ", -1)) {
            for (String path : ENTRANCES.keySet()) {
              HttpResponse<String> response = loki.ask(path, request(query(path), name, value));
              requireTaken(path, response, path + " " + name + "=" + value + ": ");
            }
          }
        }
      }
      String rate = "rate({app=\"a\"}[1m])";
      String[] most = request(rate, "limit", "4294967295");
      assertEquals(200, loki.ask("query_range", most).statusCode()); // it has no lines
      most = request(query("query_range"), "limit", "4294967295");
      String message = loki.refusal(400, "query_range", most);
      assertTrue(message.startsWith("max entries limit per query exceeded, limit > max_"), message);
    }
  }

  @Test
  void anEndBeforeTheStartIsRefused(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (String path : ENTRANCES.keySet()) {
        String[] request = {"query", query(path), "start", "10", "end", "5", "time", "7"};
        HttpResponse<String> response = loki.ask(path, request);
        if (path.equals("query") || path.equals("tail")) {
          requireTaken(path, response, path + ": ");
        } else {
          String message = loki.refusal(400, path, request);
          assertTrue(message.startsWith("end timestamp must not be before or equal"), message);
        }
        request[5] = "10"; // both are the same
        requireTaken(path, loki.ask(path, request), path + ": ");
      }
    }
  }

  /// Parameters are checked before the query, in Loki's order.
  @Test
  void theFirstMistakeIsTold(@TempDir Path directory) throws IOException, InterruptedException {
    String[][] mistakes = { // each with all after it
      {"since", "x", "could not parse 'since'"},
      {"end", "x", "could not parse 'end'"},
      {"start", "x", "could not parse 'start'"},
      {"limit", "x", "strconv.Atoi"},
      {"direction", "x", "invalid direction"},
      {"step", "x", "cannot parse \\\"x\\\" to"},
      {"interval", "-1", "interval must be"},
      {"query", "{", "parse error at line 1"}
    };
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (int first = 0; first < mistakes.length; first++) {
        List<String> request = new ArrayList<>();
        for (int i = first; i < mistakes.length; i++) {
          request.addAll(List.of(mistakes[i][0], mistakes[i][1]));
        }
        String message = loki.refusal(400, "query_range", request.toArray(String[]::new));
        assertTrue(message.startsWith(mistakes[first][2]), message);
      }
    }
  }
}
