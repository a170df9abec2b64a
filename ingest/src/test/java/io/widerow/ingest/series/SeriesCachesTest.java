package io.widerow.ingest.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.Swar;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeriesCachesTest {
  @ParameterizedTest
  @CsvSource({"16, 2, 1", "64, 2, 1", "256, 2, 2", "256, 64, 4", "16384, 64, 64"})
  void asManyAsProcessorsAndHeapAllow(long heapMebibytes, int processors, int expected) {
    SeriesCaches caches = new SeriesCaches(heapMebibytes << 20, processors);
    int made = 0;
    while (caches.take() != null) {
      made++;
    }
    assertEquals(expected, made);
  }

  @Test
  void aSeriesIsFoundByAllBytesOfItsHead() {
    SeriesCache cache = new SeriesCache();
    try (EventBatch events = new EventBatch(1 << 10, 1 << 20)) {
      for (int length = 0; length <= 40; length++) {
        byte[] head = new byte[5 + length + Swar.SLACK_BYTES];
        Arrays.fill(head, (byte) 7); // before and after the head anything may stand
        assertNull(cache.findHead(head, 5, length));
        events.begin(head, 5, 1, 1);
        events.putString(head, 5, 1, head, 5, length);
        events.putDouble(head, 5, 2, length);
        assertNull(events.end());
        cache.learnNumber(events, head);
      }
      for (int length = 1; length <= 40; length++) {
        byte[] head = new byte[length + Swar.SLACK_BYTES];
        Arrays.fill(head, 0, length, (byte) 7);
        KnownSeries found = cache.findHead(head, 0, length);
        assertNotNull(found);
        assertEquals(1, found.number());
        assertEquals(length, found.record().textBytes(0));
        head[length - 1]++;
        assertNull(cache.findHead(head, 0, length));
      }
    }
  }

  @Test
  void aCacheThatWasGivenBackIsTakenAgain() {
    SeriesCaches caches = new SeriesCaches(64 << 20, 1);
    SeriesCache cache = caches.take();
    assertNotNull(cache);
    assertNull(caches.take());
    caches.give(null);
    caches.give(cache);
    assertSame(cache, caches.take());
  }
}
