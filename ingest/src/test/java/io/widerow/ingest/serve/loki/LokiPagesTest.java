package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: pages that continue after a token have each line once, in the order of arrival at equal
/// times, and no more than the limit; `interval` thins lines out. Method: several streams with many
/// lines at few times, read in pages of each size, in both directions.
@Timeout(300)
class LokiPagesTest {
  private static final long T = 1_780_000_000_000_000_000L;
  private static final int LINES = 60;
  private static final int TIMES = 4;
  private static final Pattern LINE = Pattern.compile("\\[\"\\d+\",\"line (\\d+)\"]");
  private static final Pattern TOKEN = Pattern.compile("},\"token\":\"(w1[^\"]+)\"}$");

  private final LokiDaemon loki;

  LokiPagesTest(@TempDir Path directory) throws IOException, InterruptedException {
    loki = new LokiDaemon(directory.resolve("d"), "loki-discover-levels", "false");
    for (int i = 0; i < LINES; i++) {
      long time = T + (i * TIMES / LINES) * 1_000_000_000L;
      loki.push(
          "{\"app\":\"a\",\"pod\":\"p%d\"}".formatted(i % 3),
          "[\"%d\",\"line %d\"]".formatted(time, i));
    }
  }

  private String page(String query, String... more) throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(
            List.of("query", query, "start", "" + T, "end", "" + (T + 60_000_000_000L)));
    all.addAll(List.of(more));
    return loki.get("query_range", all.toArray(String[]::new));
  }

  private static List<Integer> lines(String answer) {
    return LINE.matcher(answer).results().map(one -> Integer.valueOf(one.group(1))).toList();
  }

  /// Lines of all pages; of a page with several streams, sorted as the page is read.
  private List<Integer> all(String query, String direction, int limit)
      throws IOException, InterruptedException {
    List<Integer> all = new ArrayList<>();
    for (String after = ""; true; ) {
      String answer = page(query, "direction", direction, "limit", "" + limit, "after", after);
      List<Integer> lines = new ArrayList<>(lines(answer));
      assertTrue(lines.size() <= limit, answer);
      Collections.sort(lines);
      if (direction.equals("backward")) {
        Collections.reverse(lines);
      }
      all.addAll(lines);
      Matcher token = TOKEN.matcher(answer);
      assertTrue(token.find(), answer);
      if (lines.isEmpty()) {
        assertEquals(after, token.group(1), "a page without lines ends where it began");
        return all;
      }
      after = token.group(1);
    }
  }

  @Test
  void pagesAfterATokenHaveEachLineOnce() throws IOException, InterruptedException {
    try (loki) {
      List<Integer> forward = IntStream.range(0, LINES).boxed().toList();
      List<Integer> ofPod = forward.stream().filter(line -> line % 3 == 1).toList();
      for (int limit : new int[] {1, 2, 7, LINES - 1, LINES, 1_000}) {
        assertEquals(forward, all("{app=\"a\"}", "forward", limit), "limit " + limit);
        assertEquals(forward.reversed(), all("{app=\"a\"}", "backward", limit), "limit " + limit);
        assertEquals(ofPod, all("{app=\"a\"} | pod=\"p1\"", "forward", limit), "limit " + limit);
      }
      String plain = page("{app=\"a\"}", "limit", "1", "direction", "forward");
      assertEquals(LINES / TIMES, lines(plain).size(), "without tokens, a page ends between times");
      assertTrue(!plain.contains("token"), plain);
    }
  }

  @Test
  void anIntervalLeavesOutLines() throws IOException, InterruptedException {
    try (loki) {
      String[] interval = {"interval", "2", "limit", "1000", "direction"};
      for (String direction : List.of("forward", "backward")) {
        interval = java.util.Arrays.copyOf(interval, 6);
        interval[5] = direction;
        List<Integer> first = direction.equals("forward") ? List.of(0, 30) : List.of(29, 59);
        assertEquals(
            first, lines(page("{app=\"a\"}", interval)).stream().sorted().toList(), direction);
      }
      String[] zero = {"interval", "0s", "limit", "1000"};
      assertEquals(LINES, lines(page("{app=\"a\"}", zero)).size());
    }
  }
}
