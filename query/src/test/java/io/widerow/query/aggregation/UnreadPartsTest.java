package io.widerow.query.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.storage.Damage;
import io.widerow.storage.ScanWatch.Unread;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: rows are flagged exactly when their step overlaps a missing part, of their type when rows
/// are by type; sentences describe the parts exactly. Method: made rows and parts, compared with a
/// comparison of each with each.
class UnreadPartsTest {
  private static final long STEP = 60_000_000_000L;
  private static final long START =
      Instant.parse("2025-11-20T12:00:00Z").getEpochSecond() * 1_000_000_000L;

  private static Unread part(@Nullable String type, long first, long last) {
    return new Unread(
        Damage.Kind.BLOCK,
        "a\u001b.seg",
        64,
        "a \"checksum\"",
        type == null ? null : PartitionKey.parse("2025-11-20T12|" + type + "|3"),
        12,
        first,
        last);
  }

  private static StatsQuery asked(@Nullable String by, @Nullable String every) {
    StatsQuery asked = StatsQuery.parse("count", by, every);
    assertTrue(asked != null);
    return asked;
  }

  private static boolean isFlagged(List<Cell> row) {
    return row.getLast().kind() == Cell.Kind.BOOLEAN;
  }

  @Test
  void rowsThatOverlapAreFlagged() {
    SplittableRandom random = new SplittableRandom(36);
    List<String> types = List.of("a", "b", "c");
    for (int round = 0; round < 200; round++) {
      List<Unread> parts = new ArrayList<>();
      for (int i = random.nextInt(1, 8); i > 0; i--) {
        long first = START + random.nextLong(100 * STEP);
        String type = random.nextInt(8) == 0 ? null : types.get(random.nextInt(3));
        parts.add(part(type, first, first + random.nextLong(random.nextBoolean() ? 3 : 9 * STEP)));
      }
      List<List<Cell>> rows = new ArrayList<>();
      for (int step = -2; step < 115; step++) {
        for (String type : types) {
          rows.add(
              List.of(
                  Cell.ofTime(START + step * STEP, "t"),
                  Cell.ofText("x"),
                  Cell.ofText(type),
                  Cell.of(1L)));
        }
      }
      List<List<Cell>> marked = new IncompleteRows(asked("n,type", "1m"), parts).marked(rows);
      for (List<Cell> row : marked) {
        long step = row.getFirst().whole();
        boolean expected =
            parts.stream()
                .anyMatch(part ->
                    part.firstNanos() < step + STEP
                        && part.lastNanos() >= step
                        && (part.partition() == null
                            || part.partition().type().equals(row.get(2).text())));
        assertEquals(expected, isFlagged(row), row + " " + parts);
      }
    }
  }

  @Test
  void withoutStepsEachRowOfTheTypeIsFlagged() {
    List<List<Cell>> rows =
        List.of(List.of(Cell.ofText("a"), Cell.of(1L)), List.of(Cell.ofText("b"), Cell.of(2L)));
    List<Unread> parts = List.of(part("b", START, START));
    List<List<Cell>> byType = new IncompleteRows(asked("type", null), parts).marked(rows);
    assertEquals(List.of(false, true), byType.stream().map(UnreadPartsTest::isFlagged).toList());
    List<List<Cell>> other = new IncompleteRows(asked("host", null), parts).marked(rows);
    assertEquals(List.of(true, true), other.stream().map(UnreadPartsTest::isFlagged).toList());
  }

  @Test
  void sentencesHaveNoControlCharacters() {
    String said = UnreadText.sentence(part("a", START, START + STEP), ZoneOffset.UTC);
    assertEquals(
        "a\\x1b.seg: corrupt at byte 64: a \"checksum\"; up to 12 events of partition"
            + " 2025-11-20T12|a|3, between 2025-11-20T12:00:00.000000000Z and"
            + " 2025-11-20T12:01:00.000000000Z",
        said);
    assertEquals(
        "parts=1 first=2025-11-20T12:00:00.000000000Z last=2025-11-20T12:01:00.000000000Z",
        UnreadText.header(List.of(part("a", START, START + STEP))));
  }

  /// Without missing parts the rows are written as they are.
  @Test
  void nothingIsFlaggedWithoutParts() {
    List<List<Cell>> rows = List.of(List.of(Cell.of(7L)));
    OutputBuffer plain = new OutputBuffer(64);
    OutputBuffer same = new OutputBuffer(64);
    StatsQuery asked = asked(null, null);
    for (OutputFormat format : OutputFormat.values()) {
      new StatsWriter(format).write(asked.heads(), rows, plain);
      new StatsWriter(format).write(asked, rows, List.of(), same);
    }
    assertEquals(plain.toString(), same.toString());
  }
}
