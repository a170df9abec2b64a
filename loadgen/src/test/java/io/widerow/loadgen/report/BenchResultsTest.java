package io.widerow.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: `bench-results` holds the newest run of each comparison and the runs that its pages cite.
/// Method: its files are read.
class BenchResultsTest {
  private static final int PAGE_LINES_MAX = 140;

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
    assertEquals(Set.of(), runs.staleLines(), "delete them with ./widerow load report --prune");
  }

  @Test
  void everyPictureIsShown() throws IOException {
    assertEquals(List.of(), runs.unshown());
  }
}
