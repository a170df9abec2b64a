package io.widerow.cli.demo;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Sends the first requests of typical users to a daemon while its JVM records an AOT cache:
/// probes, the page, a dashboard and queries, each a few times.
///
/// Each class and each hot method that the JVM meets here makes the first request of its kind
/// faster and all starts slower: the JVM loads all recorded classes and compiles all recorded
/// methods in each start.
final class DemoRehearsal {
  private static final int ROUNDS = 2;

  /// The days of the demo's access log.
  private static final String DAYS = "start=2015-05-17T00:00:00Z&end=2015-05-21T00:00:00Z";

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<URI> questions = new ArrayList<>();

  /// @param url of a daemon on the demo's store, sealed
  DemoRehearsal(String url) {
    for (String path : List.of("/ready", "/v1/status", "/metrics", "/ui/", "/ui/main.js")) {
      questions.add(URI.create(url + path));
    }
    for (String format : List.of("json", "csv")) {
      String all = url + "/v1/query?format=" + format;
      questions.add(URI.create(all + "&order=desc&limit=100"));
      questions.add(URI.create(all + "&type=apache.access&order=desc&limit=100"));
      questions.add(URI.create(all + "&type=apache.access&limit=500"));
      questions.add(URI.create(all + "&type=kafka.broker" + where("body contains \"ERROR\"")));
      questions.add(URI.create(all + "&type=apache.access" + where("body has \"logstash\"")));
      questions.add(URI.create(all + "&stats=count"));
      questions.add(URI.create(all + "&stats=count" + where("body has \"zyxwvu\"")));
      questions.add(
          URI.create(
              all
                  + "&type=apache.access&stats=count,distinct(body)"
                  + where("body ~ \"GET /pres.*html\" or status >= 400")));
      questions.add(URI.create(all + "&type=http&stats=count&by=status&every=1h"));
      questions.add(URI.create(all + "&type=http&stats=count,p99(bytes),avg(bytes)&by=method"));
    }
    questions.add(URI.create(url + "/v1/fields"));
    questions.add(URI.create(url + "/v1/fields/status"));
    questions.add(URI.create(url + "/v1/partitions"));
    String loki = url + "/loki/api/v1/"; // the first requests of a dashboard
    questions.add(URI.create(loki + "labels?" + DAYS));
    questions.add(URI.create(loki + "label/service_name/values?" + DAYS));
    String lines = "{service_name=\"apache.access\"} |= \"logstash\"";
    questions.add(URI.create(loki + "query_range?limit=100&" + DAYS + parameter("query", lines)));
    questions.add(
        URI.create(
            loki
                + "query_range?step=3600&"
                + DAYS
                + parameter("query", "sum(count_over_time(" + lines + "[1h]))")));
  }

  private static String where(String filter) {
    return parameter("where", filter);
  }

  private static String parameter(String name, String text) {
    return "&" + name + "=" + URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// @throws IOException when a response is an error or empty
  void run() throws IOException, InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      for (URI question : questions) {
        HttpResponse<byte[]> answer =
            client.send(
                HttpRequest.newBuilder(question).build(), HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200 || answer.body().length == 0) {
          throw new IOException(question + " answered " + answer.statusCode());
        }
      }
    }
  }
}
