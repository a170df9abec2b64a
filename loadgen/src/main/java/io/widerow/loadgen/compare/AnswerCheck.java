package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Csv;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.verify.ReadBackCheck;
import io.widerow.loadgen.wire.TimedQuery;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
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
/// Times are compared to the microsecond, numbers by their value. A percentile of fields may be off
/// by the width of Widerow's grid; that of VictoriaLogs, which samples, lies between two others. It
/// returns all events in no order: each of its rows is compared with the event of that time.
///
/// - Threads: one.
final class AnswerCheck implements TimedQuery.LineSink, AutoCloseable {
  private static final String TIME = "time_us";
  private static final String ID = "id";
  private static final String VALUE = "n"; // of an aggregate of fields
  private static final String LOW = "low"; // bounds of a sampled percentile
  private static final String HIGH = "high";
  private static final double GRID_SHARE = 0.002; // of a percentile that is not sampled
  private static final long MICROS = 1_000_000;
  private static final long TICKS_A_MICRO = 10; // of a version-1 UUID
  private static final long GREGORIAN_MICROS = 0x01B2_1DD2_1381_4000L / TICKS_A_MICRO;

  private final String who;
  private final boolean isVictoria;
  private final Question question;
  private final BufferedReader expected;
  private final List<String> expectedTitles;
  private final List<List<String>> foundGroups = new ArrayList<>(); // of a question without order
  private @Nullable List<String> titles;
  private List<String> shared = List.of();
  private List<String> expectedCells = List.of(); // of the row that was compared last
  private final @Nullable EventRows events; // of a result with all of them
  private final BitSet seen = new BitSet(); // of these
  private @Nullable UUID lastId;
  private long rows;

  /// @param who name of the contestant
  /// @param right the response as DuckDB wrote it, with titles
  AnswerCheck(Object who, Contestant.Kind kind, Question question, Path right) throws IOException {
    this(who, kind, question, Files.newBufferedReader(right), null);
  }

  /// Checks a result with all events.
  AnswerCheck(Object who, Contestant.Kind kind, Question question, EventRows events)
      throws IOException {
    this(
        who,
        kind,
        question,
        new BufferedReader(new StringReader(String.join(",", events.titles()))),
        events);
  }

  private AnswerCheck(
      Object who,
      Contestant.Kind kind,
      Question question,
      BufferedReader expected,
      @Nullable EventRows events)
      throws IOException {
    this.who = who.toString();
    this.isVictoria = kind == Contestant.Kind.VICTORIALOGS;
    this.events = events;
    this.question = question;
    this.expected = expected;
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

  boolean isAboutFields() {
    return question.isAboutFields();
  }

  void titles(List<String> names) throws WrongAnswer {
    List<String> known = names.stream().map(this::plain).toList();
    titles = known;
    List<String> compared =
        expectedTitles.stream().filter(title -> !title.equals(LOW) && !title.equals(HIGH)).toList();
    shared = compared.stream().filter(known::contains).toList();
    if (question.isAboutFields()
        ? !shared.equals(compared)
        : shared.size() < 2 || !shared.contains(TIME)) {
      throw wrong("has the columns %s, right are %s".formatted(names, expectedTitles));
    }
  }

  private String plain(String title) {
    return switch (title) {
      case "ts", "timestamp", "time", "_time" -> TIME;
      case "_msg" -> "body";
      case "count()" -> question.isAboutFields() ? VALUE : "count";
      default -> expectedTitles.contains(VALUE) && !expectedTitles.contains(title) ? VALUE : title;
    };
  }

  /// An object of a result with fields; it does not have the fields that its event lacks.
  void object(Map<String, String> members) throws WrongAnswer, IOException {
    if (titles == null) {
      titles(expectedTitles);
    }
    Map<String, String> found = new HashMap<>();
    for (Map.Entry<String, String> member : members.entrySet()) {
      found.put(plain(member.getKey()), member.getValue());
    }
    take(found);
  }

  void row(List<String> cells) throws WrongAnswer, IOException {
    List<String> names = Objects.requireNonNull(titles, "titles come first");
    if (cells.size() != names.size()) {
      throw wrong("row %d has %d cells: %s".formatted(rows, cells.size(), cells));
    }
    Map<String, String> found = new HashMap<>();
    for (int i = 0; i < cells.size(); i++) {
      String name = names.get(i);
      found.put(name, cells.get(i));
    }
    take(found);
  }

  private void take(Map<String, String> found) throws WrongAnswer, IOException {
    if (found.containsKey(TIME)) {
      found.put(TIME, Long.toString(micros(cell(found, TIME))));
    }
    if (found.containsKey(ID)) {
      id(found);
    }
    List<String> row = shared.stream().map(name -> cell(found, name)).toList();
    if (events != null) {
      same(event(events, row), row);
    } else if (question.isOrdered()) {
      same(expectedRow(), row);
    } else {
      foundGroups.add(row);
    }
    rows++;
  }

  private static String cell(Map<String, String> row, String name) {
    String cell = row.getOrDefault(name, "");
    return cell.equals("NaN") || cell.equals("null") ? "" : cell;
  }

  /// The event that a row must be: the next one, or of a result without order the one of its time.
  private @Nullable List<String> event(EventRows all, List<String> row) throws WrongAnswer {
    long place = isVictoria ? all.placeOf(Long.parseLong(row.get(shared.indexOf(TIME)))) : rows;
    if (place < 0 || place >= all.count()) {
      return null;
    }
    if (seen.get(Math.toIntExact(place))) {
      throw wrong("has a row twice: %s".formatted(row));
    }
    seen.set(Math.toIntExact(place));
    return all.row(place);
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
    expectedCells = cells;
    return shared.stream().map(name -> cells.get(expectedTitles.indexOf(name))).toList();
  }

  private void same(@Nullable List<String> right, List<String> found) throws WrongAnswer {
    if (right == null) {
      throw wrong("row %d is too many: %s".formatted(rows, found));
    }
    for (int i = 0; i < right.size(); i++) {
      if (!isSame(right.get(i), found.get(i))
          && !(shared.get(i).equals(VALUE) && isNear(right.get(i), found.get(i)))) {
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

  /// Whether a percentile is one that is right for the contestant.
  private boolean isNear(String right, String found) {
    int low = expectedTitles.indexOf(LOW);
    if (low < 0 || right.isEmpty() || found.isEmpty()) {
      return false;
    }
    double number = Double.parseDouble(found);
    double exact = Double.parseDouble(right);
    return isVictoria
        ? number >= Double.parseDouble(expectedCells.get(low))
            && number <= Double.parseDouble(expectedCells.get(expectedTitles.indexOf(HIGH)))
        : Math.abs(number - exact) <= GRID_SHARE * exact;
  }

  /// Ends the check and returns the number of rows, all of them right.
  ///
  /// @throws WrongAnswer when rows are missing
  long finish() throws WrongAnswer, IOException {
    if (titles == null) {
      throw wrong("is empty");
    }
    if (events != null) {
      int missing = seen.nextClearBit(0);
      if (missing < events.count()) {
        throw wrong("lacks %s".formatted(events.row(missing)));
      }
      return rows;
    }
    if (!question.isOrdered() && question.isAboutFields()) {
      groups();
    } else if (!question.isOrdered()) {
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

  /// Compares groups by their names.
  private void groups() throws WrongAnswer, IOException {
    Map<String, List<String>> byName = new HashMap<>();
    for (List<String> row : foundGroups) {
      if (byName.put(groupName(row), row) != null) {
        throw wrong("has the group %s twice".formatted(row));
      }
    }
    rows = 0;
    for (List<String> right = expectedRow(); right != null; right = expectedRow()) {
      List<String> found = byName.remove(groupName(right));
      if (found == null) {
        throw wrong("lacks %s".formatted(right));
      }
      same(right, found);
      rows++;
    }
    if (!byName.isEmpty()) {
      throw wrong("has groups that are too many: %s".formatted(byName.values()));
    }
  }

  private String groupName(List<String> row) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      name.append(shared.get(i).equals(VALUE) ? "" : row.get(i)).append('\0');
    }
    return name.toString();
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
