package io.widerow.ingest;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// An HTTP client for tests, for a daemon on this machine.
public final class Http implements AutoCloseable {
  public static final String NDJSON = "application/x-ndjson";
  public static final String TEXT = "text/plain";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Daemon daemon;

  public Http(Daemon daemon) {
    this.daemon = daemon;
  }

  public HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /// The bodies of all events, sorted.
  public List<String> bodies() throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/v1/query?fields=body&format=csv");
    if (answer.statusCode() != 200) {
      throw new IOException(answer.statusCode() + ": " + answer.body());
    }
    return answer
        .body()
        .lines()
        .skip(1)
        .map(line -> line.substring(line.lastIndexOf(',') + 1))
        .sorted()
        .toList();
  }

  /// Sends a request without a body.
  public HttpResponse<String> send(String method, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path).method(method, BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  public HttpResponse<String> post(String path, String contentType, String body, String... headers)
      throws IOException, InterruptedException {
    return post(path, contentType, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  public HttpResponse<String> post(String path, String contentType, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(path).header("content-type", contentType).POST(BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /// The same for an answer that is no text.
  public HttpResponse<byte[]> exchange(
      String path, String contentType, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(path).header("content-type", contentType).POST(BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  CompletableFuture<HttpResponse<String>> postLater(
      String path, String contentType, byte[] body, String... headers) {
    HttpRequest.Builder request =
        request(path).header("content-type", contentType).POST(BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    int port = daemon.httpAddress().getPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  @Override
  public void close() {
    client.close();
  }
}
