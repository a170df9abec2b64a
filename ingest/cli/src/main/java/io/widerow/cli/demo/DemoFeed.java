package io.widerow.cli.demo;

import io.widerow.ingest.http.HttpResponses;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Sends the data of the demo: two real log files, over protocols that agents speak.
final class DemoFeed {
  private static final Pattern ACCESS =
      Pattern.compile("(\\S+) \\S+ \\S+ \\[([^\\]]+)\\] \"(\\w+) (.*?)\" (\\d{3}) (\\d+|-) .*");
  private static final DateTimeFormatter CLF =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);
  private static final Pattern BROKER =
      Pattern.compile("\\[(\\S+) (\\S+),(\\d{3})\\] (ERROR|WARN) (.*)");

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy.MM.dd", Locale.ROOT);

  private static final long TOPICS_NANOS = Duration.ofSeconds(20).toNanos();
  private static final long TOPICS_LOOK_MILLIS = 100;
  private static final int TOPICS_LOOKS = 15; // a lag is known after the first fetch

  private static final Pattern TOKEN = Pattern.compile("\\{\"token\":\"([^\"]+)\"}\\s*$");

  private final HttpClient client = HttpClient.newHttpClient();
  private final String url;
  private final Path logs;

  DemoFeed(String url, Path logs) {
    this.url = url;
    this.logs = logs;
  }

  String accessLog() throws IOException, InterruptedException {
    return post(
        "/v1/events?type=apache.access&ts=clf",
        "text/plain",
        Files.readString(logs.resolve("apache_access.log"), StandardCharsets.ISO_8859_1));
  }

  /// A record is a line that starts with a bracket, and the lines up to the next such line.
  String brokerLog() throws IOException, InterruptedException {
    String start = URLEncoder.encode("^\\[", StandardCharsets.UTF_8);
    return post(
        "/v1/events?type=kafka.broker&ts=log4j&start=" + start,
        "text/plain",
        Files.readString(logs.resolve("kafka_broker.log"), StandardCharsets.UTF_8));
  }

  /// Reports size and status of each response in the access log, as a metrics agent would.
  String accessFigures() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (Request request : requests()) {
      lines.append("http,method=").append(request.method);
      lines.append(",status=").append(request.status).append(" bytes=").append(request.bytes);
      lines.append("i ").append(request.at.toEpochSecond()).append('\n');
    }
    return post("/api/v2/write?precision=s", "text/plain", lines.toString());
  }

  /// A line of the access log.
  private record Request(
      String client, ZonedDateTime at, String method, String path, String status, String bytes) {}

  private List<Request> requests() throws IOException {
    Path log = logs.resolve("apache_access.log");
    List<Request> requests = new ArrayList<>();
    for (String line : Files.readAllLines(log, StandardCharsets.ISO_8859_1)) {
      Matcher fields = ACCESS.matcher(line);
      if (fields.matches()) {
        ZonedDateTime at = ZonedDateTime.parse(fields.group(2), CLF);
        String bytes = fields.group(6).equals("-") ? "0" : fields.group(6);
        requests.add(
            new Request(
                fields.group(1), at, fields.group(3), fields.group(4), fields.group(5), bytes));
      }
    }
    return requests;
  }

  /// Sends the requests with status 404 as documents, with an index a day, as Filebeat would.
  String missing() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (Request request : requests()) {
      if (request.status.equals("404")) {
        String day = DAY.format(request.at);
        lines.append("{\"create\":{\"_index\":\"apache.missing-").append(day).append("\"}}\n");
        lines.append("{\"@timestamp\":\"").append(request.at.toInstant()).append("\",\"message\":");
        HttpResponses.appendString(lines, request.path).append(",\"client\":");
        HttpResponses.appendString(lines, request.client).append("}\n");
      }
    }
    String answer = post("/_bulk", "application/x-ndjson", lines.toString());
    return answer.replaceFirst(",\"items\".*", ",...}");
  }

  /// Sends the requests of each hour as a counter by status, as an OpenTelemetry SDK would.
  String counted() throws IOException, InterruptedException {
    Map<String, Map<Long, Long>> byStatus = new TreeMap<>();
    for (Request request : requests()) {
      long hour = request.at.truncatedTo(ChronoUnit.HOURS).toEpochSecond();
      byStatus.computeIfAbsent(request.status, _ -> new TreeMap<>()).merge(hour, 1L, Long::sum);
    }
    StringJoiner points = new StringJoiner(",");
    byStatus.forEach(
        (status, hours) -> hours.forEach((hour, count) -> points.add(point(status, hour, count))));
    return post(
        "/v1/metrics",
        "application/json",
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"http.requests\","
            + "\"sum\":{\"aggregationTemporality\":1,\"isMonotonic\":true,\"dataPoints\":["
            + points
            + "]}}]}]}]}");
  }

  private static String point(String status, long hour, long count) {
    return """
    {"startTimeUnixNano":"%d000000000","timeUnixNano":"%d000000000","asInt":"%d",\
    "attributes":[{"key":"status","value":{"stringValue":"%s"}}]}\
    """
        .formatted(hour, hour + Duration.ofHours(1).toSeconds(), count, status);
  }

  /// Sends the broker's warnings, as Promtail would.
  String brokerWarnings() throws IOException, InterruptedException {
    StringBuilder body =
        new StringBuilder("{\"streams\":[{\"stream\":{\"app\":\"kafka.warnings\"},\"values\":[");
    String comma = "";
    for (Matcher fields : broker("WARN")) {
      LocalDateTime at =
          LocalDateTime.parse(
              "%sT%s.%s".formatted(fields.group(1), fields.group(2), fields.group(3)));
      long millis = at.toInstant(ZoneOffset.UTC).toEpochMilli();
      body.append(comma).append("[\"").append(millis).append("000000\",");
      HttpResponses.appendString(body, fields.group(5)).append(']');
      comma = ",";
    }
    return post("/loki/api/v1/push", "application/json", body.append("]}]}").toString());
  }

  private List<Matcher> broker(String level) throws IOException {
    return Files.readAllLines(logs.resolve("kafka_broker.log")).stream()
        .map(BROKER::matcher)
        .filter(fields -> fields.matches() && fields.group(4).equals(level))
        .toList();
  }

  /// Waits until topics of Kafka are read to their ends. False when that takes too long.
  boolean awaitTopics() throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/kafka")).build();
    long until = System.nanoTime() + TOPICS_NANOS;
    int looks = 0; // in a row
    while (looks < TOPICS_LOOKS && System.nanoTime() < until) {
      String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
      boolean isRead =
          body.contains("\"state\":\"reading\"")
              && body.lines().allMatch(line -> line.contains("\"lag\":0,"));
      looks = isRead ? looks + 1 : 0;
      Thread.sleep(TOPICS_LOOK_MILLIS);
    }
    return looks == TOPICS_LOOKS;
  }

  private String post(String path, String contentType, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .header("content-type", contentType)
            .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
            .build();
    HttpResponse<String> answer =
        client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    if (answer.statusCode() / 100 != 2) {
      throw new IOException(path + " answered " + answer.statusCode() + ": " + answer.body());
    }
    return answer.statusCode() + " " + answer.body().strip();
  }

  /// The token at the end of a response of `limit` events.
  String tokenAfter(String type, int limit) throws IOException, InterruptedException {
    URI uri = URI.create(url + "/v1/query?type=" + type + "&limit=" + limit);
    String answer =
        client
            .send(
                HttpRequest.newBuilder(uri).build(),
                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
            .body();
    Matcher token = TOKEN.matcher(answer);
    if (!token.find()) {
      throw new IOException("a response has no token: " + answer);
    }
    return token.group(1);
  }

  /// Sends each error as one line of RFC 5424.
  String brokerErrors(InetSocketAddress syslog) throws IOException {
    int sent = 0;
    try (Socket socket = new Socket(syslog.getAddress(), syslog.getPort());
        OutputStream out = socket.getOutputStream()) {
      for (Matcher fields : broker("ERROR")) {
        String message =
            "<11>1 %sT%s.%sZ broker-0 kafka - - - %s\n"
                .formatted(fields.group(1), fields.group(2), fields.group(3), fields.group(5));
        out.write(message.getBytes(StandardCharsets.UTF_8));
        sent++;
      }
    }
    return sent + " messages sent";
  }
}
