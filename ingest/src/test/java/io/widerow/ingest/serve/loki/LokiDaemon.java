package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// A daemon with a store that is asked as Loki.
final class LokiDaemon implements AutoCloseable {
  private final EventStore store;
  final Daemon daemon;
  final Http http;

  /// @param more keys of the configuration and their values, in turn
  LokiDaemon(Path directory, String... more) {
    Map<String, String> keys = new HashMap<>();
    keys.put("data", directory.toString());
    keys.put("http", "127.0.0.1:0");
    keys.put("lanes", "1");
    for (int i = 0; i < more.length; i += 2) {
      keys.put(more[i], more[i + 1]);
    }
    DaemonConfig config = DaemonConfig.of(keys);
    store = LocalStore.open(config);
    daemon = Daemon.start(config, store);
    http = new Http(daemon);
  }

  /// Pushes lines of one stream.
  ///
  /// @param labels as JSON, such as `{"app":"x"}`
  /// @param values as JSON, such as `["1","line"],["2","line",{"k":"v"}]`
  void push(String labels, String values) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.post(
            "/loki/api/v1/push",
            "application/json",
            "{\"streams\":[{\"stream\":" + labels + ",\"values\":[" + values + "]}]}");
    assertEquals(204, answer.statusCode(), answer.body());
  }

  /// The answer to a question, without what it cost.
  ///
  /// @param parameters names and values, in turn
  String get(String path, String... parameters) throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(path, parameters);
    assertEquals(200, answer.statusCode(), answer.body());
    return withoutStats(answer.body());
  }

  /// The message of a refusal.
  String refusal(int status, String path, String... parameters)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(path, parameters);
    assertEquals(status, answer.statusCode(), answer.body());
    String body = answer.body();
    int at = body.indexOf("\"message\":\"");
    return body.substring(at + 11, body.lastIndexOf('"'));
  }

  HttpResponse<String> ask(String path, String... parameters)
      throws IOException, InterruptedException {
    return http.get("/loki/api/v1/" + path + "?" + form(parameters));
  }

  static String form(String... parameters) {
    StringBuilder form = new StringBuilder();
    for (int i = 0; i < parameters.length; i += 2) {
      form.append(form.isEmpty() ? "" : "&").append(parameters[i]).append('=');
      form.append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
    }
    return form.toString();
  }

  static String withoutStats(String body) {
    return body.replaceFirst(",\"stats\":\\{.*?}}", "").strip();
  }

  @Override
  public void close() {
    http.close();
    daemon.close();
    store.close();
  }
}
