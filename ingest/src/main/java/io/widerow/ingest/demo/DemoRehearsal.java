package io.widerow.ingest.demo;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Runs typical queries against the demo's store over HTTP, many times, while the JVM records its
/// AOT cache. The speed of a new daemon's first minute depends on what the JVM has learned here.
final class DemoRehearsal {
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<URI> questions = new ArrayList<>();

  /// @param url of a daemon on the demo's store, sealed
  DemoRehearsal(String url) {
    for (String format : List.of("json", "csv")) {
      String all = url + "/v1/query?format=" + format;
      questions.add(URI.create(all + "&order=desc&limit=100"));
      questions.add(URI.create(all + "&type=apache.access&order=desc&limit=100"));
      questions.add(URI.create(all + "&type=apache.access&limit=500"));
      questions.add(URI.create(all + "&type=kafka.broker" + where("body contains \"ERROR\"")));
      questions.add(URI.create(all + "&type=apache.access" + where("body has \"logstash\"")));
      questions.add(URI.create(all + "&type=http&stats=count&by=status&every=1h"));
      questions.add(URI.create(all + "&type=http&stats=count,p99(bytes),avg(bytes)&by=method"));
    }
    questions.add(URI.create(url + "/v1/fields"));
    questions.add(URI.create(url + "/v1/fields/status"));
  }

  private static String where(String filter) {
    return "&where=" + URLEncoder.encode(filter, StandardCharsets.UTF_8);
  }

  /// @throws IOException when an answer is an error or empty
  void rounds(int count) throws IOException, InterruptedException {
    for (int round = 0; round < count; round++) {
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
