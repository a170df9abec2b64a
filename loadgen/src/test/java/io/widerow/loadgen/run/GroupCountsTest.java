package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.Failure;
import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a count is asked of the newest time alone. Method: a server that keeps what it was asked.
class GroupCountsTest {
  private static final long NEWEST_NANOS = 1_795_201_200L * Quantity.SECOND; // 2026-11-20T19:00
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final HttpServer server;

  GroupCountsTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    server.createContext("/v1/query", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    asked.add(query);
    String text = "ts,region,count\n1,2,3\n";
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private long ask(GroupCounts by) throws IOException {
    try (TimedQuery query = TimedQuery.open(server.getAddress())) {
      return by.ask(query);
    }
  }

  private static GroupCounts by(String field, long everySeconds) {
    return new GroupCounts(
        "cpu.*",
        new GroupOptions(field, everySeconds * Quantity.SECOND, 120 * Quantity.SECOND),
        () -> NEWEST_NANOS);
  }

  @Test
  void theTargetCountsTheNewestTime() throws IOException {
    GroupCounts byRegion = by("region", 60);
    assertEquals(1, ask(byRegion));
    String path = asked.getFirst();
    assertTrue(path.contains("stats=count&by=region&every=60s"), path);
    assertTrue(path.contains("from=2026-11-20T18:58:00.000000000Z"), path);
    assertTrue(path.contains("to=2026-11-20T19:00:00.000000000Z"), path);
  }

  @Test
  void newestEventIsTheEndOfTheTimeRead() {
    Workload workload =
        Workload.plain(Scenario.DEVOPS, 1, 1_000, 100_000, 100, NEWEST_NANOS, 2_000);
    List<Long> heard = new ArrayList<>();
    NewestEvent newest =
        new NewestEvent(workload, (first, slot, events, reply) -> heard.add(first));
    assertEquals(NEWEST_NANOS, newest.limitNanos());
    newest.answered(5_000, 0, 1_000, Reply.accepted(1_000));
    newest.answered(1_000, 0, 1_000, Reply.accepted(1_000));
    newest.answered(9_000, 0, 1_000, Reply.failed(Failure.DOWN, ""));
    assertEquals(workload.timeNanos(6_000, 0), newest.limitNanos());
    assertEquals(List.of(5_000L, 1_000L, 9_000L), heard);
  }
}
