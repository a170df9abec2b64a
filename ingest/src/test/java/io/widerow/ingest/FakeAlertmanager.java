package io.widerow.ingest;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A server that takes alerts as an Alertmanager does, or refuses them, and keeps what it got.
public final class FakeAlertmanager implements AutoCloseable {
  private final HttpServer server;
  private final List<String> bodies = new ArrayList<>(); // guarded by itself
  private final List<String> credentials = new ArrayList<>(); // guarded by `bodies`
  private volatile int status = 200;

  /// @param port 0 for a free one
  public FakeAlertmanager(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext(
        "/api/v2/alerts",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          synchronized (bodies) {
            if (status == 200) {
              bodies.add(body);
            }
            credentials.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// Responds with this status from now on.
  public void status(int newStatus) {
    status = newStatus;
  }

  /// The bodies of the requests that it took.
  public List<String> bodies() {
    synchronized (bodies) {
      return List.copyOf(bodies);
    }
  }

  /// The credentials of all requests.
  public List<String> credentials() {
    synchronized (bodies) {
      return List.copyOf(credentials);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
