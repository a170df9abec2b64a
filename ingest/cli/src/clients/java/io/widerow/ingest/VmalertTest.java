package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: alerting and recording rules in LogQL fire, resolve and record as the pushed lines say.
/// Method: vmalert evaluates twenty rules against a daemon with tokens and notifies an
/// Alertmanager; it writes what it records back to the daemon.
@Timeout(300)
@Tag("process")
class VmalertTest extends ClientDaemon {
  private static final int RULES = 20;
  private static final int ERRORS = 9; // lines
  private static final Pattern FIRING = Pattern.compile("\"alertname\":\"(Errors\\d+)\"");

  private final HttpClient client = HttpClient.newHttpClient();

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  boolean guarded() {
    return true;
  }

  private Process start(String name, String... command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(name + ".log").toFile())
        .start();
  }

  private String get(int port, String path) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + SECRET);
    return client.send(request.build(), BodyHandlers.ofString()).body();
  }

  private Path rules() throws IOException {
    StringBuilder rules = new StringBuilder("groups:\n- name: logs\n  interval: 1s\n  rules:\n");
    for (int i = 1; i <= RULES; i++) {
      rules.append("  - alert: Errors%02d\n".formatted(i));
      rules.append(
          "    expr: sum by (app) (count_over_time({app=\"shop\"} |= \"error\" [20s])) >= %d\n"
              .formatted(i));
    }
    rules.append("  - record: shop_lines\n");
    rules.append("    expr: sum by (env) (count_over_time({app=\"shop\"}[1h]))\n");
    return Files.writeString(directory.resolve("rules.yaml"), rules);
  }

  private Set<String> firing(int port) throws IOException, InterruptedException {
    return FIRING
        .matcher(get(port, "/api/v2/alerts?active=true"))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void rulesFireAndResolveAsTheLinesSay() throws Exception {
    requireProgram("vmalert", "victoria-metrics");
    requireProgram("prometheus-alertmanager", "prometheus-alertmanager");
    int alertmanager = freePort();
    String daemon = url();
    Path config =
        Files.writeString(
            directory.resolve("alertmanager.yaml"),
            "route: {receiver: x}\nreceivers: [{name: x}]\n");
    Process receiver =
        start(
            "alertmanager",
            "prometheus-alertmanager",
            "--config.file=" + config,
            "--storage.path=" + directory.resolve("alerts"),
            "--web.listen-address=127.0.0.1:" + alertmanager,
            "--cluster.listen-address=");
    Process rules =
        start(
            "vmalert",
            "vmalert",
            "-rule=" + rules(),
            "-rule.validateExpressions=false",
            "-datasource.url=" + daemon + "/loki",
            "-datasource.bearerToken=" + SECRET,
            "-remoteWrite.url=" + daemon,
            "-remoteWrite.bearerToken=" + SECRET,
            "-remoteWrite.flushInterval=1s",
            "-notifier.url=http://127.0.0.1:" + alertmanager,
            "-httpListenAddr=127.0.0.1:" + freePort());
    try {
      long now = System.currentTimeMillis() * 1_000_000L;
      String values =
          IntStream.range(0, ERRORS + 2)
              .mapToObj(
                  i -> "[\"%d\",\"%s %d\"]".formatted(now + i, i < ERRORS ? "an error" : "fine", i))
              .collect(Collectors.joining(","));
      HttpRequest push =
          HttpRequest.newBuilder(URI.create(daemon + "/loki/api/v1/push"))
              .header("Authorization", "Bearer " + SECRET)
              .header("content-type", "application/json")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "{\"streams\":[{\"stream\":{\"app\":\"shop\",\"env\":\"e\"},\"values\":["
                          + values
                          + "]}]}"))
              .build();
      assertEquals(204, client.send(push, BodyHandlers.ofString()).statusCode());
      Set<String> expected =
          IntStream.rangeClosed(1, ERRORS)
              .mapToObj("Errors%02d"::formatted)
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> most = new TreeSet<>();
      Await.until(
          () -> {
            most.addAll(firing(alertmanager));
            return most.containsAll(expected);
          },
          "alerts");
      Await.until(
          () ->
              get(httpPort(), "/api/v1/query?query=shop_lines")
                  .contains("\"" + (ERRORS + 2) + "\"]"),
          "a recorded series");
      Await.until(
          () -> {
            Set<String> left = firing(alertmanager);
            most.addAll(left);
            return left.isEmpty();
          },
          "the end of the alerts");
      assertEquals(expected, most);
    } finally {
      rules.destroy();
      receiver.destroy();
    }
  }
}
