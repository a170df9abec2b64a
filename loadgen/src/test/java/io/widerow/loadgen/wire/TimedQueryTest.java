package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: answers are counted to the byte, however they are cut into pieces. Method: a server that
/// sends known text, once with its length and once in chunks.
class TimedQueryTest {
  private static final String TEXT = "a,b\r\n".repeat(100_000) + "the end";

  private final HttpServer server;

  TimedQueryTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    server.createContext("/sized", exchange -> answer(exchange, 200, TEXT.length()));
    server.createContext("/chunked", exchange -> answer(exchange, 200, 0));
    server.createContext("/bad", exchange -> answer(exchange, 400, TEXT.length()));
    server.start();
  }

  private static void answer(com.sun.net.httpserver.HttpExchange exchange, int status, long length)
      throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(status, length);
      exchange.getResponseBody().write(TEXT.getBytes(StandardCharsets.US_ASCII));
    }
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void bytesAndLinesAreCountedOnOneConnection() throws IOException {
    try (TimedQuery query = TimedQuery.open(server.getAddress())) {
      for (String path : new String[] {"/sized", "/chunked", "/sized"}) {
        TimedQuery.Answer answer = query.get(path, false);
        assertEquals(TEXT.length(), answer.bytes(), path);
        assertEquals(100_001, answer.lines(), path);
        assertEquals("", answer.body());
      }
      assertEquals(TEXT, query.get("/chunked", true).body());
    }
  }

  /// As VictoriaLogs does when a query takes too long.
  @Test
  void responseThatIsBrokenOffIsAnError() throws IOException, InterruptedException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server =
          Thread.startVirtualThread(() -> {
            try (Socket client = socket.accept()) {
              String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
              client
                  .getOutputStream()
                  .write((head + "3\r\nabc\r\nthe end\r\n").getBytes(StandardCharsets.US_ASCII));
              client.shutdownOutput();
              client.getInputStream().readAllBytes();
            } catch (IOException failure) {
              throw new UncheckedIOException(failure);
            }
          });
      var address = new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
      try (TimedQuery query = TimedQuery.open(address)) {
        IOException broken = assertThrows(IOException.class, () -> query.get("/", false));
        String message = String.valueOf(broken.getMessage());
        assertTrue(message.contains("after 3 bytes, got 'the end'"), message);
      }
      server.join();
    }
  }

  @Test
  void refusalCarriesTheAnswer() throws IOException {
    try (TimedQuery query = TimedQuery.open(server.getAddress())) {
      IOException refused = assertThrows(IOException.class, () -> query.get("/bad", false));
      assertEquals(true, String.valueOf(refused.getMessage()).endsWith("the end"));
    }
  }
}
