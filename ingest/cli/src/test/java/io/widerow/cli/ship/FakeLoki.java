package io.widerow.cli.ship;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A Loki of a test, with the limits of one: pages end anywhere between lines of equal times, and
/// some requests fail.
///
/// - Threads: one at a time.
final class FakeLoki implements AutoCloseable {
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~?)\"((?:[^\"\\\\]|\\\\.)*)\"");

  private final HttpServer server;
  private final List<LokiLine> lines;
  private final int limitMax;
  private final SplittableRandom random;
  private final double failures;
  private final Map<String, String> headers;
  private int left;
  int served;

  /// @param failures share of requests that fail in some way
  /// @param left requests after which every one is refused
  /// @param headers that each request must have
  FakeLoki(
      List<LokiLine> lines,
      int limitMax,
      long seed,
      double failures,
      int left,
      Map<String, String> headers)
      throws IOException {
    this.lines = lines.stream().sorted(Comparator.comparingLong(LokiLine::nanos)).toList();
    this.limitMax = limitMax;
    this.random = new SplittableRandom(seed);
    this.failures = failures;
    this.left = left;
    this.headers = headers;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/loki/api/v1/", this::serve);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      served++;
      for (Map.Entry<String, String> header : headers.entrySet()) {
        if (!header.getValue().equals(exchange.getRequestHeaders().getFirst(header.getKey()))) {
          respond(exchange, 401, "no " + header);
          return;
        }
      }
      if (left-- <= 0) {
        respond(exchange, 403, "enough");
        return;
      }
      Map<String, String> asked = new HashMap<>();
      for (String pair : exchange.getRequestURI().getRawQuery().split("&", -1)) {
        String[] parts = pair.split("=", 2);
        asked.put(parts[0], URLDecoder.decode(parts[1], UTF_8));
      }
      String path = exchange.getRequestURI().getPath();
      String body = json(answer(path.substring(path.lastIndexOf('/') + 1), asked));
      if (random.nextDouble() >= failures) {
        respond(exchange, 200, body);
        return;
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          exchange.getResponseHeaders().add("Retry-After", "0");
          respond(exchange, 429, "too many outstanding requests");
        }
        case 1 -> respond(exchange, 500, "oops");
        case 2 -> respond(exchange, 200, body.substring(0, body.length() / 2));
        default -> {
          exchange.sendResponseHeaders(200, body.length() + 10L);
          exchange.getResponseBody().write(body.getBytes(UTF_8), 0, 5);
        }
      }
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    }
  }

  private static String json(Object value) {
    JsonBuffer out = new JsonBuffer(1 << 12);
    put(value, out);
    return new String(out.copy(out.length()), UTF_8);
  }

  private static void put(Object value, JsonBuffer out) {
    String comma = "";
    switch (value) {
      case Map<?, ?> members -> {
        out.put("{");
        for (Map.Entry<?, ?> member : members.entrySet()) {
          out.put(comma);
          out.putString(member.getKey().toString());
          out.put(":");
          put(member.getValue(), out);
          comma = ",";
        }
        out.put("}");
      }
      case Collection<?> items -> {
        out.put("[");
        for (Object item : items) {
          out.put(comma);
          put(item, out);
          comma = ",";
        }
        out.put("]");
      }
      default -> out.putString(value.toString());
    }
  }

  private static void respond(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private Object answer(String endpoint, Map<String, String> asked) {
    if (endpoint.equals("labels")) {
      TreeSet<String> names = new TreeSet<>();
      lines.forEach(line -> names.addAll(line.labels().keySet()));
      return Map.of("status", "success", "data", names);
    }
    long from = Long.parseLong(asked.get("start"));
    long until = Long.parseLong(asked.get("end"));
    String query = asked.getOrDefault("query", asked.getOrDefault("match[]", ""));
    List<LokiLine> found =
        lines.stream()
            .filter(line -> line.nanos() >= from && line.nanos() < until)
            .filter(line -> selects(query, line.labels()))
            .toList();
    if (endpoint.equals("series")) {
      return Map.of(
          "status", "success", "data", found.stream().map(LokiLine::labels).distinct().toList());
    }
    int limit = Math.min(limitMax, Integer.parseInt(asked.get("limit")));
    Map<Map<String, String>, List<Object>> streams = new LinkedHashMap<>();
    for (LokiLine line : found.subList(0, Math.min(limit, found.size()))) {
      Map<String, Object> categories =
          line.metadata().isEmpty() ? Map.of() : Map.of("structuredMetadata", line.metadata());
      streams
          .computeIfAbsent(line.labels(), _ -> new ArrayList<>())
          .add(List.of("" + line.nanos(), line.line(), categories));
    }
    List<Object> result = new ArrayList<>();
    streams.forEach((stream, values) -> result.add(Map.of("stream", stream, "values", values)));
    return Map.of(
        "status",
        "success",
        "data",
        Map.of(
            "resultType",
            "streams",
            "encodingFlags",
            List.of("categorize-labels"),
            "result",
            result));
  }

  private static boolean selects(String query, Map<String, String> labels) {
    Matcher matcher = MATCHER.matcher(query);
    boolean all = true;
    while (matcher.find()) {
      String value = labels.getOrDefault(matcher.group(1), "");
      String wanted =
          matcher.group(3).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
      all &= matcher.group(2).equals("=") ? value.equals(wanted) : value.matches("(?s)" + wanted);
    }
    return all;
  }

  /// Random lines of some streams, many of them at equal times.
  static List<LokiLine> lines(long seed, int count, long fromNanos, long spanNanos) {
    SplittableRandom random = new SplittableRandom(seed);
    List<LokiLine> lines = new ArrayList<>();
    long nanos = fromNanos;
    for (int i = 0; i < count; i++) {
      nanos += random.nextInt(4) == 0 ? random.nextLong(2 * spanNanos / count * 4) : 0;
      TreeMap<String, String> labels = new TreeMap<>();
      int stream = random.nextInt(5);
      labels.put("service_name", "s" + stream % 3);
      labels.put("app", "a\"\\\n" + stream);
      if (stream == 4) {
        labels.put("env", "e");
      }
      Map<String, String> metadata =
          random.nextBoolean() ? Map.of() : Map.of("trace", "t" + random.nextInt(9), "app", "m");
      lines.add(new LokiLine(nanos, labels, "line " + i + " é\n", metadata));
    }
    return lines;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
