package io.widerow.loadgen.verify;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.workload.Stamp;
import io.widerow.loadgen.workload.Stamper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Reads everything back over `GET /v1/query` and checks it against the ledger.
///
/// - Threads: one.
record ReadBack(String host, int port) {
  /// Queries all events of the workload's types and time range and passes each to the check.
  ///
  /// @return number of events read
  long read(List<String> types, long fromNanos, long untilNanos, ReadBackCheck check)
      throws IOException, InterruptedException {
    List<String> parameters = new ArrayList<>();
    for (String type : types) {
      parameters.add("type=" + URLEncoder.encode(type, StandardCharsets.UTF_8));
    }
    parameters.add("from=" + time(fromNanos));
    parameters.add("to=" + time(untilNanos));
    parameters.add("order=asc");
    URI uri =
        URI.create("http://%s:%d/v1/query?%s".formatted(host, port, String.join("&", parameters)));
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() != 200) {
        throw new IOException("GET " + uri + " answered " + response.statusCode());
      }
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(response.body(), StandardCharsets.UTF_8), 1 << 16)) {
        return lines(lines, check);
      }
    }
  }

  private static long lines(BufferedReader lines, ReadBackCheck check) throws IOException {
    long read = 0;
    boolean whole = false;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, String> members = FlatJson.parse(line);
      if (members.containsKey("id")) {
        check.see(members);
        read++;
      } else if (members.containsKey("token")) {
        whole = true;
      } else {
        throw new IOException("the query failed in the middle: " + line);
      }
    }
    if (!whole && read > 0) {
      throw new IOException("the response ended without a token after " + read + " events");
    }
    return read;
  }

  private static String time(long nanos) {
    return new Stamper().text(Stamp.RFC3339, 0, nanos);
  }
}
