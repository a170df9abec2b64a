package io.widerow.storage.cassandra.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.TestEvent;
import io.widerow.storage.cassandra.keyspace.EventRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: rows for users of CQL have all that events have, in statements that are not too large.
class ProjectionTest {
  private static final long NANOS = 1_764_000_000_000_000_000L;
  private static final long BYTES_MAX = 32 << 10;

  private static TestEvent event(int number, String body) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    TestEvent.putText(attributes, "body", body);
    EventId id =
        new EventId(
            TimeUuid.timeOfNanos(NANOS + number * 1_000L), TimeUuid.tailOf(NANOS, 1, number));
    return new TestEvent(id, 0, "log", attributes);
  }

  @Test
  void globsSayWhichTypesAreWanted() {
    Projection projection = new Projection(List.of("app.*", "a?c", "x(y"));
    assertTrue(projection.wants("app.log"));
    assertTrue(projection.wants("abc"));
    assertTrue(projection.wants("x(y"));
    assertFalse(projection.wants("app"));
    assertFalse(projection.wants("appXlog"), "a dot is a dot");
    assertFalse(projection.wants("abbc"));
    assertFalse(new Projection(List.of()).wants("app.log"));
  }

  @Test
  void aRowHasTheBodyTextsAndNumbers() {
    TestEvent event = event(1, "a line");
    TestEvent.putText(event.attributes(), "host", "h1");
    TestEvent.putBits(event.attributes(), "n", AttributeKind.LONG, -3);
    TestEvent.putBits(
        event.attributes(), "d", AttributeKind.DOUBLE, Double.doubleToRawLongBits(0.25));
    TestEvent.putBits(event.attributes(), "b", AttributeKind.BOOLEAN, 1);
    event
        .attributes()
        .put(
            AttributeName.of("raw"),
            TestEvent.Words.of(AttributeKind.BYTES, new byte[] {1, (byte) 0xfe}));
    Projection projection = new Projection(List.of("*"));
    projection.begin();
    assertNull(projection.add(event));
    assertEquals(
        List.of(
            new EventRow(
                event.id(),
                "a line",
                Map.of("host", "h1", "b", "true", "raw", "01fe"),
                Map.of("n", -3.0, "d", 0.25))),
        Objects.requireNonNull(projection.take()).rows());
    assertNull(projection.take());
  }

  @Test
  void aStatementHasAtMost32KiBUnlessOneRowIsLarger() {
    Projection projection = new Projection(List.of("*"));
    projection.begin();
    List<Projection.Rows> statements = new ArrayList<>();
    List<EventId> ids = new ArrayList<>();
    int[] sizes = {100, 20_000, 20_000, 40_000, 5, 31_000, 900, 32_000, 32_000, 1};
    for (int i = 0; i < sizes.length; i++) {
      TestEvent event = event(i, "x".repeat(sizes[i]));
      ids.add(event.id());
      Projection.Rows full = projection.add(event);
      if (full != null) {
        statements.add(full);
      }
    }
    statements.add(Objects.requireNonNull(projection.take()));
    for (Projection.Rows statement : statements) {
      assertTrue(
          statement.rows().size() == 1 || statement.bytes() <= BYTES_MAX, statement::toString);
      long bodies =
          statement.rows().stream()
              .mapToLong(row -> Objects.requireNonNull(row.body()).length())
              .sum();
      assertTrue(statement.bytes() > bodies, "what the rows have is counted");
    }
    assertEquals(
        ids, statements.stream().flatMap(one -> one.rows().stream()).map(EventRow::id).toList());
    assertEquals(6, statements.size());
  }
}
