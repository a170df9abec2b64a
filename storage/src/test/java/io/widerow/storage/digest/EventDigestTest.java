package io.widerow.storage.digest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: the digest of a set of events does not depend on their order, and everything else changes
/// it.
class EventDigestTest {
  private record Event(
      long idTime, long idTail, long version, String type, Map<String, String> attributes)
      implements EventView {
    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      new TreeMap<>(attributes)
          .forEach((name, value) -> {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            scratch.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
            visitor.visit(AttributeName.of(name), scratch);
          });
    }
  }

  private static String digest(Event... events) {
    EventHash hash = EventHash.asWritten();
    var sum = new EventDigest.Sum();
    List.of(events).forEach(event -> sum.add(hash, event));
    assertEquals(events.length, sum.digest().events());
    return sum.digest().text();
  }

  @Test
  void theOrderDoesNotMatterAndAllElseDoes() {
    var a = new Event(1, 2, 0, "cpu", Map.of("body", "x", "host", "a"));
    var b = new Event(1, 3, 0, "cpu", Map.of("body", "x"));
    var long1 = new Event(9, 3, 0, "cpu", Map.of("body", "x".repeat(5_000)));
    String both = digest(a, b, long1);
    assertEquals(both, digest(long1, b, a));
    assertEquals(32, both.length());
    assertNotEquals(both, digest(a, b));
    assertNotEquals(both, digest(a, b, b, long1));
    assertNotEquals(digest(a), digest(new Event(2, 2, 0, "cpu", a.attributes)));
    assertNotEquals(digest(a), digest(new Event(1, 2, 7, "cpu", a.attributes)));
    assertNotEquals(digest(a), digest(new Event(1, 2, 0, "cpus", a.attributes)));
    assertNotEquals(digest(a), digest(new Event(1, 2, 0, "cpu", Map.of("body", "x"))));
    assertNotEquals(
        digest(a), digest(new Event(1, 2, 0, "cpu", Map.of("body", "xhost", "host", "a"))));
  }

  /// Sums carry from the lower half to the upper one, so many events still add up in any order.
  @Test
  void manyEventsAddUpInAnyOrder() {
    Event[] events = new Event[200];
    Event[] reversed = new Event[200];
    for (int i = 0; i < events.length; i++) {
      events[i] = new Event(i, i, 0, "cpu", Map.of());
      reversed[events.length - 1 - i] = events[i];
    }
    assertEquals(digest(events), digest(reversed));
  }
}
