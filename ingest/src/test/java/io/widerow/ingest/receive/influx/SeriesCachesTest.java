package io.widerow.ingest.receive.influx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

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
