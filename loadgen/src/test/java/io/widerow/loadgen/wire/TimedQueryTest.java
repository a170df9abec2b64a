package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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

  @Test
  void refusalCarriesTheAnswer() throws IOException {
    try (TimedQuery query = TimedQuery.open(server.getAddress())) {
      IOException refused = assertThrows(IOException.class, () -> query.get("/bad", false));
      assertEquals(true, String.valueOf(refused.getMessage()).endsWith("the end"));
    }
  }
}
