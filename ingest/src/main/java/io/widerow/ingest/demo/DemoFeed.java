package io.widerow.ingest.demo;

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
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Sends the data of the demo: two real log files, over protocols that agents speak.
final class DemoFeed {
  private static final Pattern ACCESS =
      Pattern.compile("\\S+ \\S+ \\S+ \\[([^\\]]+)\\] \"(\\w+) .*?\" (\\d{3}) (\\d+|-) .*");
  private static final DateTimeFormatter CLF =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);
  private static final Pattern BROKER_ERROR =
      Pattern.compile("\\[(\\S+) (\\S+),(\\d{3})\\] ERROR (.*)");

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

  /// Reports size and status of each answer in the access log, as a metrics agent would.
  String accessFigures() throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (String line :
        Files.readAllLines(logs.resolve("apache_access.log"), StandardCharsets.ISO_8859_1)) {
      Matcher fields = ACCESS.matcher(line);
      if (fields.matches()) {
        long seconds = ZonedDateTime.parse(fields.group(1), CLF).toEpochSecond();
        String bytes = fields.group(4).equals("-") ? "0" : fields.group(4);
        lines.append("http,method=").append(fields.group(2));
        lines.append(",status=").append(fields.group(3));
        lines.append(" bytes=").append(bytes).append("i ").append(seconds).append('\n');
      }
    }
    return post("/api/v2/write?precision=s", "text/plain", lines.toString());
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

  /// The token at the end of an answer of `limit` events.
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
      throw new IOException("an answer has no token: " + answer);
    }
    return token.group(1);
  }

  /// Sends each error as one line of RFC 5424.
  String brokerErrors(InetSocketAddress syslog) throws IOException {
    int sent = 0;
    try (Socket socket = new Socket(syslog.getAddress(), syslog.getPort());
        OutputStream out = socket.getOutputStream()) {
      for (String line : Files.readAllLines(logs.resolve("kafka_broker.log"))) {
        Matcher fields = BROKER_ERROR.matcher(line);
        if (fields.matches()) {
          String message =
              "<11>1 %sT%s.%sZ broker-0 kafka - - - %s\n"
                  .formatted(fields.group(1), fields.group(2), fields.group(3), fields.group(4));
          out.write(message.getBytes(StandardCharsets.UTF_8));
          sent++;
        }
      }
    }
    return sent + " messages sent";
  }
}
