package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Edge cases of [EventBatch], one by one; [EventBatchModelTest] covers the rest.
class EventBatchTest {
  private static final byte[] TYPE = {'t'};
  private static final byte[] NAME = {'n'};

  @Test
  void aThousandAttributesInAnyOrderAndNotOneMore() {
    try (var batch = new EventBatch(64, 1 << 20)) {
      batch.begin(TYPE, 0, 1, 0);
      for (int i = 999; i >= 0; i--) {
        putLong(batch, "%03d".formatted(i * 7 % 1_000), i);
      }
      assertNull(batch.end());

      List<String> names = new ArrayList<>();
      new RecordView()
          .show(batch.memory(), 0)
          .forEach(new AttributeValue(), (name, _) -> names.add(name.toString()));
      assertEquals(names.stream().sorted().toList(), names);
      assertEquals(1_000, names.size());

      batch.begin(TYPE, 0, 1, 0);
      for (int i = 0; i <= 1_000; i++) {
        putLong(batch, "%04d".formatted(i), i);
      }
      assertEquals(Rejection.TOO_MANY_ATTRIBUTES, batch.end());
      assertEquals(1, batch.count());
    }
  }

  @Test
  void anEventMadeFromAnotherTakesNumbersAndNothingElse() {
    var template = new RecordTemplate();
    try (var batch = new EventBatch(64, 1 << 20)) {
      assertThrows(IllegalStateException.class, () -> batch.copyLast(template));
      assertThrows(IllegalArgumentException.class, () -> batch.begin(template, 0));
      batch.begin(TYPE, 0, 1, 0);
      batch.putString(NAME, 0, 1, new byte[] {'v'});
      batch.putLong(new byte[] {'o'}, 0, 1, 7);
      assertThrows(IllegalStateException.class, () -> batch.set(1, 8));
      assertNull(batch.end());
      batch.copyLast(template);

      batch.begin(template, 1_000);
      batch.set(1, 9);
      assertThrows(IllegalArgumentException.class, () -> batch.set(0, 9)); // a string
      assertThrows(IllegalArgumentException.class, () -> batch.set(2, 9));
      assertThrows(IllegalStateException.class, () -> batch.putLong(NAME, 0, 1, 9));
      assertThrows(IllegalStateException.class, () -> batch.putLong(9));
      assertTrue(batch.names() < 0);
      assertNull(batch.end());

      var view = new RecordView().show(batch.memory(), batch.bytes() / 2);
      List<String> attributes = new ArrayList<>();
      view.forEach(new AttributeValue(), (name, value) -> attributes.add(name + "=" + value));
      assertEquals(List.of("n=v", "o=9"), attributes);
    }
  }

  @Test
  void anEventHasSomeNamesOfAnother() {
    EventNames names = new EventNames();
    try (var batch = new EventBatch(64, 1 << 20)) {
      assertThrows(IllegalStateException.class, () -> batch.copyNames(names));
      batch.begin(TYPE, 0, 1, 0);
      putLong(batch, "b", 1);
      putLong(batch, "a", 2);
      assertThrows(IllegalStateException.class, batch::skipName);
      assertNull(batch.end());
      batch.copyNames(names);
      long first = batch.bytes();

      batch.begin(TYPE, 0, 1, 1_000, names);
      assertTrue(batch.names() < 0);
      assertThrows(IllegalStateException.class, () -> putLong(batch, "c", 3));
      batch.skipName();
      batch.putLong(7);
      assertThrows(IllegalStateException.class, () -> batch.putLong(8));
      assertThrows(IllegalStateException.class, batch::skipName);
      assertNull(batch.end());

      var view = new RecordView().show(batch.memory(), first);
      List<String> attributes = new ArrayList<>();
      view.forEach(new AttributeValue(), (name, value) -> attributes.add(name + "=" + value));
      assertEquals(List.of("b=7"), attributes);

      names.put(0, NAME, 0, 1); // any name, perhaps not a valid one
      assertThrows(IllegalArgumentException.class, () -> batch.begin(TYPE, 0, 1, 0, names));
    }
  }

  @Test
  void anEventAsLargeAsTheLimitFits() {
    int valueBytes = EventLayout.EVENT_BYTES_MAX - (32 + 1 + 1 + 2 + 1 + 4);
    try (var batch = new EventBatch(32, EventLayout.EVENT_BYTES_MAX)) {
      batch.begin(TYPE, 0, 1, 0);
      batch.putString(NAME, 0, 1, new byte[valueBytes + 1]);
      assertEquals(Rejection.EVENT_TOO_LARGE, batch.end());

      batch.begin(TYPE, 0, 1, 0);
      batch.putString(NAME, 0, 1, new byte[valueBytes]);
      assertNull(batch.end());
      assertEquals(EventLayout.EVENT_BYTES_MAX, batch.bytes());

      batch.begin(TYPE, 0, 1, 0);
      assertEquals(Rejection.BATCH_FULL, batch.end());
    }
  }

  @Test
  void namesAreKnownUntilThereAreOthers() {
    try (var batch = new EventBatch(64, 1 << 20)) {
      batch.begin(TYPE, 0, 1, 0);
      putLong(batch, "a", 1);
      putLong(batch, "b", 2);
      long names = batch.names();
      assertNull(batch.end());

      batch.begin(TYPE, 0, 1, 0);
      putLong(batch, "a", 3);
      assertNull(batch.end());
      assertTrue(batch.knowsNames(names), "fewer are the same so far");

      batch.begin(TYPE, 0, 1, 0);
      batch.putLong(4);
      batch.putLong(5);
      assertEquals(names, batch.names());
      assertThrows(IllegalStateException.class, () -> batch.putLong(6));
      assertNull(batch.end());

      batch.begin(TYPE, 0, 1, 0);
      putLong(batch, "a", 7);
      putLong(batch, "c", 8);
      assertFalse(batch.knowsNames(names));
      assertNull(batch.end());
    }
  }

  @Test
  void namesOfAnEventThatIsRefusedOrNotInOrderAreNotKnown() {
    try (var batch = new EventBatch(64, 1 << 20)) {
      batch.begin(TYPE, 0, 1, 0);
      putLong(batch, "b", 1);
      putLong(batch, "a", 2);
      assertTrue(batch.names() < 0);
      assertNull(batch.end());

      batch.begin(TYPE, 0, 1, 0);
      batch.putString(NAME, 0, 1, new byte[] {(byte) 0xff});
      assertTrue(batch.names() < 0);
      assertEquals(Rejection.TEXT_NOT_UTF8, batch.end());
    }
  }

  @Test
  void timesAtTheEdges() {
    try (var batch = new EventBatch(64, 1 << 10)) {
      assertNull(endOf(batch, TimeUuid.NANOS_MIN));
      assertNull(endOf(batch, TimeUuid.NANOS_LIMIT - 1));
      assertEquals(Rejection.TIME_OUT_OF_RANGE, endOf(batch, TimeUuid.NANOS_MIN - 1));
      assertEquals(Rejection.TIME_OUT_OF_RANGE, endOf(batch, TimeUuid.NANOS_LIMIT));
      assertEquals(Rejection.TIME_OUT_OF_RANGE, endOf(batch, Long.MIN_VALUE));
      assertEquals(Rejection.TIME_OUT_OF_RANGE, endOf(batch, Long.MAX_VALUE));
    }
  }

  /// In nanoseconds these times overflow a long, some of them into the valid range.
  @Test
  void idsOfTheFarFutureAreRefused() {
    try (var batch = new EventBatch(64, 1 << 16)) {
      for (long time = TimeUuid.timeOfNanos(TimeUuid.NANOS_LIMIT);
          time < TimeUuid.ID_TIME_LIMIT;
          time += TimeUuid.ID_TIME_LIMIT / 1_000) {
        batch.begin(TYPE, 0, 1, new EventId(time, TimeUuid.tailLeast()));
        assertEquals(Rejection.TIME_OUT_OF_RANGE, batch.end(), "time " + time);
      }
      batch.begin(TYPE, 0, 1, EventId.leastOf(TimeUuid.NANOS_LIMIT - 100));
      assertNull(batch.end());
      batch.begin(TYPE, 0, 1, EventId.greatestOf(TimeUuid.NANOS_MIN - 1));
      assertEquals(Rejection.TIME_OUT_OF_RANGE, batch.end());
    }
  }

  @ParameterizedTest
  @EnumSource
  void callersReasonIsGivenBackAndTheFirstOneStays(Rejection why) {
    try (var batch = new EventBatch(64, 1 << 10)) {
      batch.begin(TYPE, 0, 1, 0);
      batch.reject(why);
      batch.reject(Rejection.TIME_IN_FUTURE);
      batch.putLong(NAME, 0, 0, 1);
      assertEquals(why, batch.end());
      assertEquals(0, batch.count());
      assertEquals(false, why.reason().isEmpty());
    }
  }

  @Test
  void buildingWithoutBeginIsCaught() {
    try (var batch = new EventBatch(64, 1 << 10)) {
      assertThrows(AssertionError.class, batch::end);
      assertNull(endOf(batch, 0));
      assertThrows(AssertionError.class, () -> batch.putLong(NAME, 0, 1, 1));
      assertThrows(AssertionError.class, batch::end);
    }
  }

  private static void putLong(EventBatch batch, String name, long value) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    batch.putLong(utf8, 0, utf8.length, value);
  }

  private static @Nullable Rejection endOf(EventBatch batch, long nanos) {
    batch.begin(TYPE, 0, 1, nanos);
    return batch.end();
  }
}
