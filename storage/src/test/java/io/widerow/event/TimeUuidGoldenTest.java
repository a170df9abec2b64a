package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/// Goal: our order of ids is Cassandra's. Method: pairs of UUIDs with the sign that
/// `TimeUUIDType.compare` of cassandra-all 5.0.9 returned; `src/test/cassandra` generated them.
class TimeUuidGoldenTest {
  private static final int PAIRS_MIN = 10_000;

  @Test
  void ordersAsCassandraDoes() throws IOException {
    int pairs = 0;
    try (var reader = golden()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        int cassandra = "<=>".indexOf(line.charAt(0)) - 1;
        EventId a = idOf(line.substring(1, 33));
        EventId b = idOf(line.substring(33, 65));

        assertEquals(cassandra, Integer.signum(a.compareTo(b)), line);
        assertEquals(-cassandra, Integer.signum(b.compareTo(a)), line);
        assertEquals(
            cassandra,
            Integer.signum(TimeUuid.compare(a.time(), a.tail(), b.time(), b.tail())),
            line);
        pairs++;
      }
    }

    assertTrue(pairs >= PAIRS_MIN, pairs + " pairs");
  }

  @Test
  void printsParsesAndConvertsAsTheJdkDoes() throws IOException {
    try (var reader = golden()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        UUID uuid = uuidOf(line.substring(1, 33));
        EventId id = EventId.of(uuid);

        assertEquals(uuid, id.toUuid());
        assertEquals(uuid.timestamp(), id.time());
        assertEquals(uuid.toString(), id.toString());
        assertEquals(id, EventId.parse(uuid.toString()));
      }
    }
  }

  private static EventId idOf(String hex) {
    return EventId.of(uuidOf(hex));
  }

  private static UUID uuidOf(String hex) {
    return new UUID(
        Long.parseUnsignedLong(hex, 0, 16, 16), Long.parseUnsignedLong(hex, 16, 32, 16));
  }

  private static BufferedReader golden() throws IOException {
    InputStream file =
        Objects.requireNonNull(
            TimeUuidGoldenTest.class.getResourceAsStream("/golden/timeuuid-order.txt.gz"));
    return new BufferedReader(
        new InputStreamReader(new GZIPInputStream(file), StandardCharsets.US_ASCII));
  }
}
