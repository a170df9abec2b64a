package io.widerow.loadgen.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Short HTTP requests, not timed.
public final class HttpText {
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private HttpText() {}

  /// A status and a text.
  public record Answer(int status, String body) {}

  /// @param path with its parameters, encoded
  public static Answer get(InetSocketAddress address, String path)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri(address, path)).timeout(LONGEST).build();
    HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body());
  }

  /// @param path with its parameters, encoded
  public static URI uri(InetSocketAddress address, String path) {
    return URI.create("http://%s:%d%s".formatted(address.getHostString(), address.getPort(), path));
  }

  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
