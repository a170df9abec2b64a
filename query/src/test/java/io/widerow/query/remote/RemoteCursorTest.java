package io.widerow.query.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.widerow.query.QueryException;
import io.widerow.storage.EventCursor.Step;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: a complete answer over HTTP is shown completely; one that is cut off, failed or refused is
/// an error. Method: a server that answers with a given text.
class RemoteCursorTest {
  private static final String EVENT =
      "{\"id\":\"5a8c6b80-c64a-11f0-8080-808080808080\",\"ts\":\"2025-11-20T19:15:00.000000001Z\","
          + "\"type\":\"a b\",\"body\":\"x\"}\n";

  private static int read(int status, String answer) throws Exception {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server = HttpServer.create(address, 0);
    server.createContext(
        "/v1/query",
        exchange -> {
          assertEquals("type=a+b", exchange.getRequestURI().getRawQuery());
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    int events = 0;
    try (var cursor =
        RemoteCursor.open(DaemonAddress.of(url, null, Map.of()), Map.of("type", List.of("a b")))) {
      while (cursor.next() == Step.EVENT) {
        assertEquals("a b", cursor.event().type());
        events++;
      }
    } finally {
      server.stop(0);
    }
    return events;
  }

  private static void refuses(int status, String answer, String part) {
    var error = assertThrows(QueryException.Remote.class, () -> read(status, answer));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains(part), message);
  }

  @Test
  void completeAnswers() throws Exception {
    assertEquals(0, read(200, ""));
    assertEquals(2, read(200, EVENT + EVENT + "{\"token\":\"w1.x\"}\n"));
  }

  @Test
  void brokenAnswers() {
    refuses(200, EVENT, "was cut off");
    refuses(200, EVENT + "{\"error\":\"disk \\u001b\"}\n", "disk \\x1b");
    refuses(200, "{\"id\":", "not JSON lines");
    refuses(200, "{\"id\":\"1\"}\n", "not an event");
    refuses(200, EVENT.replace("\"type\"", "\"\":1,\"type\""), "invalid attribute name");
    refuses(400, "limit: zero", "answered 400: limit: zero");
  }
}
