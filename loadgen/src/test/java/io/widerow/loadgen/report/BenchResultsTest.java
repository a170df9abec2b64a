package io.widerow.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: `bench-results` holds what its pages cite, and no more. Method: its files are read.
class BenchResultsTest {
  private static final int PAGE_LINES_MAX = 120;

  private final ResultsLayout layout = new ResultsLayout(Path.of("../bench-results"));
  private final CitedRuns runs = new CitedRuns(layout);

  @Test
  void pageIsWhatTheToolWrites() throws IOException {
    String page = Files.readString(layout.page());
    assertEquals(ResultsPage.render(layout), page, "write it with ./widerow load report");
    assertTrue(page.lines().count() <= PAGE_LINES_MAX, page.lines().count() + " lines");
  }

  @Test
  void everyCitedRunHasItsFolder() throws IOException {
    assertEquals(Set.of(), runs.missing());
  }

  @Test
  void everyFolderIsNeededAndHasItsLine() throws IOException {
    assertEquals(Set.of(), runs.unneeded(), "delete them with ./widerow load report --prune");
    assertEquals(Set.of(), runs.withoutLine());
  }

  @Test
  void everyPictureIsShown() throws IOException {
    assertEquals(List.of(), runs.unshown());
  }
}
