package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.RawHttp;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TunedConfig;
import io.widerow.ingest.http.OpenConnections.Connection.State;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: connections that ask nothing cannot keep others out. Method: connections in each state,
/// and a daemon with few places, all of which are held.
@Timeout(300)
class OpenConnectionsTest {
  private static final class Fake implements OpenConnections.Connection {
    private final State state;
    private final long sinceNanos;
    private boolean evicted;

    Fake(State state, long sinceNanos) {
      this.state = state;
      this.sinceNanos = sinceNanos;
    }

    @Override
    public State state() {
      return state;
    }

    @Override
    public long sinceNanos() {
      return sinceNanos;
    }

    @Override
    public void evict() {
      evicted = true;
    }
  }

  @Test
  void theOldestUnfinishedGoesFirstThenTheLongestQuiet() {
    OpenConnections open = new OpenConnections(5);
    Fake answering = new Fake(State.ANSWERING, 0);
    Fake quiet = new Fake(State.QUIET, 1);
    Fake quietLater = new Fake(State.QUIET, 2);
    Fake begun = new Fake(State.UNFINISHED, 4);
    Fake begunFirst = new Fake(State.UNFINISHED, 3);
    for (Fake each : List.of(answering, quiet, quietLater, begun, begunFirst)) {
      assertTrue(open.add(each));
    }
    for (Fake next : List.of(begunFirst, begun, quiet, quietLater)) {
      assertFalse(next.evicted);
      assertTrue(open.add(new Fake(State.ANSWERING, 5)));
      assertTrue(next.evicted);
      open.remove(next);
    }
    Fake late = new Fake(State.UNFINISHED, 6);
    assertFalse(open.add(late), "all are being answered");
    open.remove(late);
    assertFalse(answering.evicted);
    assertEquals(4, open.evicted());
    open.remove(answering);
    assertTrue(open.add(new Fake(State.UNFINISHED, 7)), "one has ended");
  }

  @Test
  void timesMayWrap() {
    OpenConnections open = new OpenConnections(2);
    Fake before = new Fake(State.QUIET, Long.MAX_VALUE);
    assertTrue(open.add(new Fake(State.QUIET, Long.MIN_VALUE)));
    assertTrue(open.add(before));
    assertTrue(open.add(new Fake(State.ANSWERING, 0)));
    assertTrue(before.evicted);
  }

  @Test
  void heldConnectionsDoNotKeepOthersOut() throws IOException {
    Map<String, String> values = new HashMap<>();
    values.put("http", "127.0.0.1:0");
    values.put("lanes", "1");
    values.put("connections-max", "20");
    values.put("header-seconds", "1000"); // that time must not be what ends them
    List<RawHttp> held = new ArrayList<>();
    try (Daemon daemon = Daemon.start(TunedConfig.of(values), new MemoryStore(1))) {
      int port = daemon.httpAddress().getPort();
      for (int i = 0; i < 60; i++) {
        RawHttp next = new RawHttp(port);
        held.add(next);
        next.sendUnlessReset(i % 2 == 0 ? "" : "GET /ready HTTP/1.1\r\nx: ");
      }
      for (int answered = 0; answered < 60; ) { // while many arrive at once, some are refused
        RawHttp next = new RawHttp(port);
        held.add(next);
        answered += asks(next) ? 1 : 0;
      }
      assertTrue(held.getFirst().untilClosed().isBlank());
    } finally {
      for (RawHttp each : held) {
        each.close();
      }
    }
  }

  private static boolean asks(RawHttp raw) throws IOException {
    try {
      return raw.send("GET /ready HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").status() == 200;
    } catch (SocketException closed) {
      return false;
    }
  }
}
