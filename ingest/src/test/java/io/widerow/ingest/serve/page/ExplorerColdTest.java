package io.widerow.ingest.serve.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: the map shows which wide rows are kept elsewhere, and how many bytes. Method: Chromium
/// over a store whose old hours are cold and whose newest one is not.
@Tag("browser")
class ExplorerColdTest extends ExplorerRun {
  private static final Instant START = Instant.parse("2025-11-20T10:00:00Z");
  private static final int HOURS = 6;
  private static final String MAP = element("map");

  @Override
  Map<String, String> keys() {
    return Map.of(
        "cold", "file:" + directory.resolve("place"),
        "cold-after", "1s",
        "cold-min-bytes", "0",
        "bucket-minutes", "60",
        "final", "keep");
  }

  @Override
  void fill() throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(36);
    for (int hour = 0; hour < HOURS; hour++) {
      write(random, hour);
      operated.merge();
    }
    Await.until(
        () -> http.get("/v1/admin/cold").body().lines().count() == HOURS, "the hours have moved");
    write(random, HOURS);
  }

  private void write(SplittableRandom random, int hour) throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    long from = START.toEpochMilli() + hour * 3_600_000L;
    for (int i = 0; i < 400; i++) {
      lines.append(
          "{\"ts\":%d,\"type\":\"shop.web\",\"body\":\"line %d\"}%n"
              .formatted(from + random.nextInt(3_600_000), random.nextInt(1_000)));
    }
    post(lines.toString());
  }

  @Test
  void coldRowsAreMarked() throws IOException {
    browser.open(url + "/ui/?view=layout&from=2025-11-20T09:00:00Z&to=2025-11-20T18:00:00Z");
    browser.await(MAP + ".dataset.partitions > 0");
    int all = browser.evaluate(MAP + ".dataset.partitions").asInt();
    int cold = browser.evaluate(MAP + ".dataset.cold").asInt();
    int open = browser.evaluate(MAP + ".dataset.open").asInt();
    assertTrue(open > 0, "open rows");
    assertEquals(all - open, cold);
    browser.await(element("map-cold") + " !== null");
    for (int width : new int[] {390, 900, 2_560}) {
      browser.size(width, 900);
      shots("cold-" + width);
      String side = element("map-side");
      assertTrue(
          browser.evaluate(side + ".scrollWidth <= " + side + ".clientWidth").asBoolean(),
          "totals and key fit at " + width);
    }
    assertEquals(List.of(), browser.problems());
  }
}
