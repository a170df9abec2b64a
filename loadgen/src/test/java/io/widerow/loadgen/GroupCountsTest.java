package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a count has its groups, whoever counts, and reads the newest time alone. Method: a server
/// with known rows that counts itself, or refuses to.
class GroupCountsTest {
  private static final long NEWEST_NANOS = 1_795_201_200L * Quantity.SECOND; // 2026-11-20T19:00
  private static final String ROWS =
      """
      id,ts,type,region
      a,2026-11-20T18:58:59.000000000Z,cpu.1,west
      b,2026-11-20T18:58:59.500000000Z,cpu.1,east
      c,2026-11-20T18:59:01.000000000Z,cpu.2,west
      d,2026-11-20T18:59:59.999999999Z,cpu.1,west
      """;

  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final HttpServer server;
  private volatile boolean counts;

  GroupCountsTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    server.createContext("/v1/query", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    asked.add(query);
    boolean stats = query.contains("stats=");
    String text = stats ? "ts,region,count\n1,2,3\n" : ROWS;
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    exchange.sendResponseHeaders(stats && !counts ? 400 : 200, bytes.length);
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
  void targetThatRefusesIsAskedForTheFieldAndCountedHere() throws IOException {
    GroupCounts byRegion = by("region", 60);
    assertEquals(3, ask(byRegion)); // 18:58 west, east; 18:59 west
    assertTrue(byRegion.isCountedHere());
    assertEquals(3, ask(byRegion));
    assertEquals(1, asked.stream().filter(path -> path.contains("stats=")).count(), "once refused");
    assertTrue(asked.getLast().contains("fields=region"), asked.toString());
    assertEquals(2, ask(by("region", 3_600)));
    assertEquals(3, ask(by("type", 60)));
    assertTrue(asked.getLast().contains("fields=none"), asked.toString());
  }

  @Test
  void targetThatCountsIsLeftToIt() throws IOException {
    counts = true;
    GroupCounts byRegion = by("region", 60);
    assertEquals(1, ask(byRegion));
    assertFalse(byRegion.isCountedHere());
    String path = asked.getFirst();
    assertTrue(path.contains("stats=count&by=region&every=60s"), path);
    assertTrue(path.contains("from=2026-11-20T18:58:00.000000000Z"), path);
    assertTrue(path.contains("to=2026-11-20T19:00:00.000000000Z"), path);
  }

  @Test
  void newestEventIsTheEndOfTheTimeRead() {
    Workload workload = Workload.of(Scenario.DEVOPS, 1, NEWEST_NANOS);
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
