package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Csv;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.verify.ReadBackCheck;
import io.widerow.loadgen.wire.TimedQuery;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks a response against the reference answer, row by row as it arrives: the same rows, in the
/// same order where the question defines one, in all columns that both have. The time of an id must
/// be that of its row, and ids must be in order.
///
/// Times are compared to the microsecond, numbers by their value.
///
/// - Threads: one.
final class AnswerCheck implements TimedQuery.LineSink, AutoCloseable {
  private static final String TIME = "time_us";
  private static final String ID = "id";
  private static final long MICROS = 1_000_000;
  private static final long TICKS_A_MICRO = 10; // of a version-1 UUID
  private static final long GREGORIAN_MICROS = 0x01B2_1DD2_1381_4000L / TICKS_A_MICRO;

  private final String who;
  private final Question question;
  private final BufferedReader expected;
  private final List<String> expectedTitles;
  private final List<List<String>> foundGroups = new ArrayList<>(); // of a question without order
  private @Nullable List<String> titles;
  private List<String> shared = List.of();
  private @Nullable UUID lastId;
  private long rows;

  /// @param who name of the contestant
  /// @param right the response as DuckDB wrote it, with titles
  AnswerCheck(Object who, Question question, Path right) throws IOException {
    this.who = who.toString();
    this.question = question;
    this.expected = Files.newBufferedReader(right);
    this.expectedTitles = Csv.cells(Objects.requireNonNull(expected.readLine(), "no titles"));
  }

  /// The next line of CSV, titles first.
  @Override
  public void line(String line) throws WrongAnswer, IOException {
    List<String> cells =
        Csv.cells(line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
    if (titles == null) {
      titles(cells);
    } else {
      row(cells);
    }
  }

  void titles(List<String> names) throws WrongAnswer {
    List<String> known = names.stream().map(AnswerCheck::plain).toList();
    titles = known;
    shared = expectedTitles.stream().filter(known::contains).toList();
    if (shared.size() < 2 || !shared.contains(TIME)) {
      throw wrong("has the columns %s, right are %s".formatted(names, expectedTitles));
    }
  }

  private static String plain(String title) {
    return switch (title) {
      case "ts", "timestamp", "time" -> TIME;
      case "count()" -> "count";
      default -> title;
    };
  }

  void row(List<String> cells) throws WrongAnswer, IOException {
    List<String> names = Objects.requireNonNull(titles, "titles come first");
    if (cells.size() != names.size()) {
      throw wrong("row %d has %d cells: %s".formatted(rows, cells.size(), cells));
    }
    Map<String, String> found = new HashMap<>();
    for (int i = 0; i < cells.size(); i++) {
      String name = names.get(i);
      found.put(name, name.equals(TIME) ? Long.toString(micros(cells.get(i))) : cells.get(i));
    }
    if (found.containsKey(ID)) {
      id(found);
    }
    List<String> row = shared.stream().map(name -> cell(found, name)).toList();
    if (question.isOrdered()) {
      same(expectedRow(), row);
    } else {
      foundGroups.add(row);
    }
    rows++;
  }

  private static String cell(Map<String, String> row, String name) {
    return row.getOrDefault(name, "");
  }

  private void id(Map<String, String> found) throws WrongAnswer {
    UUID id = UUID.fromString(cell(found, ID));
    long idMicros = Math.floorDiv(id.timestamp(), TICKS_A_MICRO) - GREGORIAN_MICROS;
    if (idMicros != Long.parseLong(cell(found, TIME))) {
      throw wrong("row %d: the id %s is not of its time".formatted(rows, id));
    }
    UUID last = lastId;
    lastId = id;
    if (last != null) {
      int order = ReadBackCheck.compare(last, id);
      if (question.isDescending() ? order <= 0 : order >= 0) {
        throw wrong("row %d: the id %s comes after %s".formatted(rows, id, last));
      }
    }
  }

  /// Microseconds since the epoch, from a number of them or a time in RFC 3339.
  private long micros(String time) throws WrongAnswer {
    if (time.endsWith("Z")) {
      Instant instant = Instant.parse(time);
      return instant.getEpochSecond() * MICROS + instant.getNano() / Quantity.MICRO;
    }
    try {
      return Long.parseLong(time);
    } catch (NumberFormatException noTime) {
      throw wrong("row %d: '%s' is no time".formatted(rows, time));
    }
  }

  /// The next right row; null when there are no more.
  private @Nullable List<String> expectedRow() throws IOException {
    String line = expected.readLine();
    if (line == null) {
      return null;
    }
    List<String> cells = Csv.cells(line);
    return shared.stream().map(name -> cells.get(expectedTitles.indexOf(name))).toList();
  }

  private void same(@Nullable List<String> right, List<String> found) throws WrongAnswer {
    if (right == null) {
      throw wrong("row %d is too many: %s".formatted(rows, found));
    }
    for (int i = 0; i < right.size(); i++) {
      if (!isSame(right.get(i), found.get(i))) {
        throw wrong("row %d is %s, right is %s".formatted(rows, found, right));
      }
    }
  }

  private static boolean isSame(String right, String found) {
    if (right.equals(found)) {
      return true;
    }
    try {
      return Double.parseDouble(right) == Double.parseDouble(found);
    } catch (NumberFormatException text) {
      return false;
    }
  }

  /// Ends the check and returns the number of rows, all of them right.
  ///
  /// @throws WrongAnswer when rows are missing
  long finish() throws WrongAnswer, IOException {
    if (titles == null) {
      throw wrong("is empty");
    }
    if (!question.isOrdered()) {
      foundGroups.sort(AnswerCheck::groupOrder);
      rows = 0;
      for (List<String> row : foundGroups) {
        same(expectedRow(), row);
        rows++;
      }
    }
    List<String> missing = expectedRow();
    if (missing != null) {
      throw wrong("ends after %d rows, %s is missing".formatted(rows, missing));
    }
    return rows;
  }

  /// By time, then by the other cells: as the right answer has them.
  private static int groupOrder(List<String> a, List<String> b) {
    int times = Long.compare(Long.parseLong(a.get(0)), Long.parseLong(b.get(0)));
    return times != 0 ? times : rest(a).compareTo(rest(b));
  }

  private static String rest(List<String> row) {
    return row.stream().skip(1).collect(Collectors.joining("\0"));
  }

  /// What to throw when the response is wrong.
  ///
  /// @param what goes on after "the answer to ..."
  WrongAnswer wrong(String what) {
    return new WrongAnswer("%s: the result of '%s' %s".formatted(who, question.label(), what));
  }

  @Override
  public void close() throws IOException {
    expected.close();
  }
}
