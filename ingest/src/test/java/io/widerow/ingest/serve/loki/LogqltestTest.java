package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.logql.LogqlParser;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// Goal: LogQL's results are those of Loki. Method: Loki's own declarative tests, read from the
/// directory `-Dlogqltest=DIR` and sent to a daemon over HTTP; each result is compared series by
/// series. Prints the evaluations that agree, and the differences by file and line. The differences
/// must be those that LOGQL.md lists. The form of the tests is described in their README.
@Timeout(900)
@EnabledIfSystemProperty(named = "logqltest", matches = ".+")
class LogqltestTest {
  private static final long EPOCH =
      Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000_000;
  private static final long BETWEEN_CLEARS = 2 * 86_400_000_000_000L;
  private static final double TOLERANCE = 1e-9;
  private static final Pattern LOAD =
      Pattern.compile(
          "(\\{.*?})\\s*(?:\"([^\"]*)\"|`([^`]*)`)\\s*@\\s*(\\S+)"
              + "(?:\\s*\\[repeat every\\s+(\\S+)\\s+for\\s+(\\d+)])?"
              + "(?:\\s*\\[metadata\\s+(.*?)])?");
  private static final Pattern PAIR = Pattern.compile("(?:\"([^\"]*)\"|([^\\s\"=]+))=\"([^\"]*)\"");
  private static final Pattern INSTANT = Pattern.compile("eval instant at (\\S+)\\s+(.+)");
  private static final Pattern RANGE =
      Pattern.compile("eval range from (\\S+) to (\\S+) step (\\S+)\\s+(.+)");
  private static final Pattern DURATION = Pattern.compile("([0-9.]+)(ms|us|ns|s|m|h)");
  private static final Pattern REPEATED = Pattern.compile("(-?[0-9.]+)(?:([+-][0-9.]+))?x(\\d+)");

  private final List<String> differences = new ArrayList<>();
  private final List<String> wording = new ArrayList<>();
  private long epoch = EPOCH;
  private int agreed;
  private int evaluations;

  @Test
  void resultsAreThoseOfLoki(@TempDir Path directory) throws Exception {
    Path scripts = Path.of(System.getProperty("logqltest"));
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"), "loki-discover-levels", "false");
        Stream<Path> files = Files.list(scripts)) {
      for (Path file :
          files.filter(each -> each.toString().endsWith(".logqltest")).sorted().toList()) {
        run(file, loki);
      }
    }
    System.out.printf("%d of %d evaluations agree%n", agreed, evaluations);
    differences.forEach(System.out::println);
    System.out.printf("%d errors in other words%n", wording.size());
    wording.forEach(System.out::println);
    assertEquals(List.of(), differences);
  }

  /// The queries of Loki's benchmark, in `bench` of the same directory: none is refused.
  @Test
  void benchQueriesAreParsed() throws Exception {
    Path bench = Path.of(System.getProperty("logqltest"), "bench");
    List<String> refused = new ArrayList<>();
    int count = 0;
    try (Stream<Path> files = Files.list(bench)) {
      for (Path file : files.sorted().toList()) {
        for (String query : queries(Files.readString(file))) {
          count++;
          try {
            var _ = LogqlParser.parse(query);
          } catch (RuntimeException no) {
            refused.add(query + ": " + no.getMessage());
          }
        }
      }
    }
    assertTrue(count > 100, count + " queries");
    assertEquals(List.of(), refused);
  }

  /// The values of `query:` in a list of YAML, on one line or in a block.
  private static List<String> queries(String yaml) {
    List<String> queries = new ArrayList<>();
    List<String> lines = yaml.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip().replaceFirst("^- ", "");
      if (!line.startsWith("query:")) {
        continue;
      }
      String value = line.substring("query:".length()).strip();
      if (value.matches("[|>][-+]?")) {
        int indent = lines.get(i).indexOf("query:");
        StringBuilder block = new StringBuilder();
        while (i + 1 < lines.size() && lines.get(i + 1).matches(" {" + (indent + 1) + ",}\\S.*")) {
          block.append(lines.get(++i).strip()).append('\n');
        }
        value = block.toString();
      } else if (value.startsWith("'")) {
        value = value.substring(1, value.length() - 1).replace("''", "'");
      } else if (value.startsWith("\"")) {
        value = value.substring(1, value.length() - 1).replace("\\\"", "\"").replace("\\\\", "\\");
      }
      queries.add(
          value
              .replace("${SELECTOR}", "{app=\"x\"}")
              .replace("${RANGE}", "5m")
              .replace("${LABEL_NAME}", "pod")
              .replace("${LABEL_VALUE}", "a"));
    }
    return queries;
  }

  private void run(Path file, LokiDaemon loki) throws Exception {
    List<String> lines = Files.readAllLines(file);
    epoch -= BETWEEN_CLEARS;
    for (int i = 0; i < lines.size(); i++) {
      String line = withoutComment(lines.get(i));
      int first = i;
      List<String> block = new ArrayList<>();
      while (!line.isBlank() && i + 1 < lines.size() && lines.get(i + 1).startsWith(" ")) {
        String inside = withoutComment(lines.get(++i)).strip();
        if (!inside.isEmpty()) {
          block.add(inside);
        }
      }
      if (line.equals("clear")) {
        epoch -= BETWEEN_CLEARS;
      } else if (line.equals("load")) {
        load(block, loki);
      } else if (line.startsWith("eval")) {
        evaluations++;
        String where = file.getFileName() + ":" + (first + 1);
        String difference = evaluate(line, block, loki);
        if (difference.isEmpty()) {
          agreed++;
        } else {
          differences.add(where + ": " + line + ": " + difference);
        }
      } else {
        assertTrue(line.isBlank(), file + ":" + (first + 1) + ": " + line);
      }
    }
  }

  private static String withoutComment(String line) {
    char quote = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote != 0) {
        if (c == '\\' && quote == '"') {
          i++;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '"' || c == '`') {
        quote = c;
      } else if (c == '#') {
        return line.substring(0, i).stripTrailing();
      }
    }
    return line.stripTrailing();
  }

  private void load(List<String> block, LokiDaemon loki) throws IOException, InterruptedException {
    StringBuilder streams = new StringBuilder();
    for (String line : block) {
      Matcher parts = LOAD.matcher(line);
      assertTrue(parts.matches(), line);
      String text = parts.group(2) == null ? parts.group(3) : parts.group(2);
      long step = parts.group(5) == null ? 0 : nanos(parts.group(5));
      int count = parts.group(6) == null ? 1 : Integer.parseInt(parts.group(6));
      String metadata = parts.group(7) == null ? "" : "," + json(parts.group(7));
      StringBuilder values = new StringBuilder();
      for (int i = 0; i < count; i++) {
        values.append(i == 0 ? "[\"" : ",[\"").append(epoch + nanos(parts.group(4)) + i * step);
        values.append("\",").append(quoted(text.replace("{{.i}}", Integer.toString(i))));
        values.append(metadata).append(']');
      }
      streams.append(streams.isEmpty() ? "" : ",").append("{\"stream\":");
      streams.append(json(parts.group(1))).append(",\"values\":[").append(values).append("]}");
    }
    HttpResponse<String> answer =
        loki.http.post(
            "/loki/api/v1/push?type=logqltest",
            "application/json",
            "{\"streams\":[" + streams + "]}");
    assertEquals(204, answer.statusCode(), answer.body());
  }

  private static String json(String pairs) {
    StringBuilder json = new StringBuilder("{");
    Matcher pair = PAIR.matcher(pairs.replace("{", " ").replace(", ", " ").replace(",", " "));
    while (pair.find()) {
      json.append(json.length() == 1 ? "" : ",");
      json.append(quoted(pair.group(1) == null ? pair.group(2) : pair.group(1)));
      json.append(':').append(quoted(pair.group(3)));
    }
    return json.append('}').toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\t", "\\t") + '"';
  }

  private static long nanos(String duration) {
    if (duration.equals("0")) {
      return 0;
    }
    double nanos = 0;
    Matcher part = DURATION.matcher(duration);
    while (part.find()) {
      nanos +=
          Double.parseDouble(part.group(1))
              * switch (part.group(2)) {
                case "ns" -> 1;
                case "us" -> 1e3;
                case "ms" -> 1e6;
                case "s" -> 1e9;
                case "m" -> 60e9;
                default -> 3_600e9;
              };
    }
    return Math.round(duration.startsWith("-") ? -nanos : nanos);
  }

  /// The difference of a result; empty without one.
  private String evaluate(String line, List<String> expected, LokiDaemon loki) throws Exception {
    Matcher instant = INSTANT.matcher(line);
    Matcher range = RANGE.matcher(line);
    long start;
    long step = 1;
    int steps = 1;
    HttpResponse<String> answer;
    if (instant.matches()) {
      start = epoch + nanos(instant.group(1));
      answer = loki.ask("query", "query", instant.group(2), "time", "" + start);
    } else {
      assertTrue(range.matches(), line);
      start = epoch + nanos(range.group(1));
      long end = epoch + nanos(range.group(2));
      step = nanos(range.group(3));
      steps = (int) ((end - start) / step) + 1;
      String width = step / 1_000_000 + "ms";
      String query = range.group(4);
      answer =
          loki.ask(
              "query_range", "query", query, "start", "" + start, "end", "" + end, "step", width);
    }
    List<String> lines = new ArrayList<>(expected);
    lines.removeIf(each -> each.startsWith("skip "));
    boolean ordered = lines.remove("expect ordered");
    if (lines.getFirst().startsWith("expect fail")) {
      return failure(lines.getFirst(), line, answer);
    }
    if (answer.statusCode() != 200) {
      return answer.statusCode() + " " + answer.body().strip();
    }
    Map<String, double[]> wanted = new LinkedHashMap<>();
    lines.removeIf(each -> each.equals("expect empty"));
    for (String each : lines) {
      int close = each.startsWith("{") ? each.lastIndexOf('}') : -1;
      String labels = close < 0 ? "scalar" : labels(json(each.substring(0, close + 1)));
      wanted.put(labels, points(each.substring(close + 1).strip(), steps));
    }
    return compare(wanted, found(answer.body(), start, step, steps), ordered);
  }

  private String failure(String expectation, String line, HttpResponse<String> answer) {
    if (answer.statusCode() / 100 != 4) {
      return answer.statusCode() + " instead of " + expectation;
    }
    Matcher words = Pattern.compile("expect fail (msg|regex): (.*)").matcher(expectation);
    if (words.matches()) {
      String body = answer.body().replace("\\\"", "\"");
      boolean there =
          words.group(1).equals("msg")
              ? body.contains(words.group(2).replace("\\\"", "\"")) || body.contains(words.group(2))
              : Pattern.compile(words.group(2)).matcher(body).find();
      if (!there) {
        wording.add(line + ": wanted " + expectation + ", found " + body.strip());
      }
    }
    return "";
  }

  private static String labels(String json) throws JsonException {
    return labels(JsonNode.parse(json, JsonNode.DEPTH_MAX, _ -> {}));
  }

  private static String labels(JsonNode object) {
    Map<String, String> labels = new TreeMap<>();
    Objects.requireNonNull(object.members())
        .forEach((name, value) -> labels.put(name, value.toString()));
    labels.remove("service_name");
    return labels.toString();
  }

  private static Map<String, double[]> found(String body, long start, long step, int steps)
      throws JsonException {
    JsonNode data =
        Objects.requireNonNull(
            JsonNode.parse(body, JsonNode.DEPTH_MAX, _ -> {}).at(List.of("data")));
    String type = String.valueOf(data.at(List.of("resultType")));
    JsonNode result = Objects.requireNonNull(data.at(List.of("result")));
    Map<String, double[]> found = new LinkedHashMap<>();
    if (type.equals("scalar")) {
      found.put("scalar", new double[] {number(result)});
      return found;
    }
    for (JsonNode series : Objects.requireNonNull(result.items())) {
      double[] points = new double[steps];
      java.util.Arrays.fill(points, Double.MIN_VALUE);
      JsonNode values = series.at(List.of("values"));
      List<JsonNode> all =
          values == null
              ? List.of(Objects.requireNonNull(series.at(List.of("value"))))
              : Objects.requireNonNull(values.items());
      for (JsonNode point : all) {
        double seconds = Double.parseDouble(String.valueOf(point.at(List.of(0))));
        long at = Math.round((seconds - start / 1e9) * 1e9 / step);
        points[steps == 1 ? 0 : (int) at] = number(point);
      }
      String labels = labels(Objects.requireNonNull(series.at(List.of("metric"))));
      found.put(found.containsKey(labels) ? labels + " again" : labels, points);
    }
    return found;
  }

  private static double number(JsonNode point) {
    return value(String.valueOf(point.at(List.of(1))));
  }

  private static double value(String text) {
    return switch (text) {
      case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /// The points of a line; `Double.MIN_VALUE` stands for none.
  private static double[] points(String text, int steps) {
    List<Double> points = new ArrayList<>();
    for (String word : text.split("\\s+", -1)) {
      Matcher repeated = REPEATED.matcher(word);
      if (word.equals("_")) {
        points.add(Double.MIN_VALUE);
      } else if (repeated.matches()) {
        double base = Double.parseDouble(repeated.group(1));
        double step = repeated.group(2) == null ? 0 : Double.parseDouble(repeated.group(2));
        for (int i = 0; i <= Integer.parseInt(repeated.group(3)); i++) {
          points.add(base + i * step);
        }
      } else {
        points.add(value(word));
      }
    }
    assertEquals(steps, points.size(), text);
    return points.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static String compare(
      Map<String, double[]> wanted, Map<String, double[]> found, boolean ordered) {
    boolean same = wanted.keySet().equals(found.keySet());
    if (ordered) {
      same &= List.copyOf(wanted.keySet()).equals(List.copyOf(found.keySet()));
    }
    for (Map.Entry<String, double[]> each : wanted.entrySet()) {
      double[] other = found.get(each.getKey());
      for (int i = 0; same && other != null && i < other.length; i++) {
        double one = each.getValue()[i];
        double off = Math.abs(one - other[i]);
        same = Double.compare(one, other[i]) == 0 || off <= TOLERANCE * Math.max(1, Math.abs(one));
      }
    }
    return same ? "" : "wanted " + shown(wanted) + ", found " + shown(found);
  }

  private static String shown(Map<String, double[]> series) {
    StringBuilder text = new StringBuilder();
    series.forEach((labels, points) ->
        text.append(labels)
            .append(' ')
            .append(java.util.Arrays.toString(points).replace("4.9E-324", "_")));
    return text.isEmpty() ? "nothing" : text.toString();
  }
}
