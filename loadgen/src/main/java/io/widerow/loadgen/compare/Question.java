package io.widerow.loadgen.compare;

import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The queries that contestants answer, each in its own language, with rows of the same meaning.
/// Widerow's rows also carry the id and the type. DuckDB answers the same queries over the same
/// rows as the reference.
public enum Question {
  /// Every event in full, in order of time.
  RANGE(1),
  /// [#RANGE] as JSON: of Widerow a line for each event, of QuestDB an array for each row.
  RANGE_JSON(1),
  /// The newest hundred.
  LATEST(200),
  /// Lines that hold a word which one in a thousand has.
  TOKEN(3),
  /// Events of each value of a field in each minute.
  COUNT(1),
  /// [#RANGE] as a program has it that reads rows itself: as objects in its own process, without
  /// HTTP and CSV.
  ROWS(1),
  /// [#LATEST] in the same way.
  ROWS_LATEST(200);

  static final int LATEST_ROWS = 100;

  private static final int TIMES_FOR_TAIL = 100;

  /// How often a turn asks it. The median counts, and the 99th percentile where there are enough.
  final int times;

  Question(int times) {
    this.times = times;
  }

  /// The data that a question is about.
  ///
  /// @param typeGlob all types at once
  /// @param types each of them
  /// @param columns that are shown
  /// @param groupField what [#COUNT] counts by
  /// @param token a word, for [#TOKEN]
  public record Subject(
      String typeGlob, List<String> types, String columns, String groupField, String token) {
    public Subject {
      types = List.copyOf(types);
    }

    public static Subject of(Workload workload, List<String> types, String token) {
      Scenario scenario = workload.scenario();
      return new Subject(
          workload.typeGlob(), types, scenario.shownFields, scenario.groupField, token);
    }
  }

  /// Whether it is asked often enough for a 99th percentile.
  public boolean hasTail() {
    return times >= TIMES_FOR_TAIL;
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// Whether only one order of the rows is right.
  public boolean isOrdered() {
    return this != COUNT;
  }

  boolean isDescending() {
    return this == LATEST || this == ROWS_LATEST;
  }

  /// Whether the rows are wanted as objects in the process of the load generator.
  boolean isInProcess() {
    return this == ROWS || this == ROWS_LATEST;
  }

  /// How many rows it asks for.
  long limit() {
    return isDescending() ? LATEST_ROWS : Long.MAX_VALUE;
  }

  /// The questions that suit the scenario and that both contestants can answer.
  public static List<Question> suiting(Scenario scenario, Contestant a, Contestant b) {
    return Arrays.stream(values())
        .filter(question -> question.suits(scenario))
        .filter(question -> question.suits(a) && question.suits(b))
        .toList();
  }

  /// Metrics have fields to count by, log lines have words.
  private boolean suits(Scenario scenario) {
    boolean log = scenario.isLog();
    return switch (this) {
      case RANGE, RANGE_JSON, LATEST, ROWS, ROWS_LATEST -> true;
      case TOKEN -> log;
      case COUNT -> !log;
    };
  }

  /// Cassandra reads partitions; it neither searches text nor counts by a field. In process there
  /// is what Cassandra holds, by the driver of the one or the store of the other.
  private boolean suits(Contestant contestant) {
    boolean rows = contestant.kind() == Contestant.Kind.CASSANDRA;
    return switch (this) {
      case RANGE, LATEST -> true;
      case RANGE_JSON, TOKEN, COUNT -> !rows;
      case ROWS, ROWS_LATEST -> rows || contestant.isOnCluster();
    };
  }

  public String widerowPath(Subject of) {
    String format = this == RANGE_JSON ? "json" : "csv";
    String path = "/v1/query?format=" + format + "&type=" + of.typeGlob();
    String rows = path + "&fields=" + of.columns();
    return switch (this) {
      case RANGE, RANGE_JSON, ROWS -> rows;
      case LATEST, ROWS_LATEST -> rows + "&order=desc&limit=" + LATEST_ROWS;
      case TOKEN -> rows + "&where=" + HttpText.encoded("body contains \"" + of.token() + "\"");
      case COUNT -> path + "&stats=count&by=" + of.groupField() + "&every=1m";
    };
  }

  String questPath(Subject of) {
    String rows = questRows(of, of.columns());
    String sql =
        switch (this) {
          case RANGE, RANGE_JSON, ROWS -> rows + " order by timestamp";
          case LATEST, ROWS_LATEST -> questLatest(of);
          case TOKEN ->
              (of.types().size() == 1 ? rows : "select * from (" + rows + ")")
                  + " where body like '%"
                  + of.token()
                  + "%' order by timestamp";
          case COUNT -> questCount(of);
        };
    return (this == RANGE_JSON ? "/exec?query=" : "/exp?query=") + HttpText.encoded(sql);
  }

  /// One table for each type, combined by a union where there are several.
  private static String questRows(Subject of, String columns) {
    boolean alone = of.types().size() == 1;
    return of.types().stream()
        .map(type ->
            "select timestamp, %s%s from '%s'"
                .formatted(alone ? "" : "'" + type + "' type, ", columns, type))
        .collect(Collectors.joining(" union all "));
  }

  /// With several tables, a union of the latest rows of each: otherwise it would sort all rows.
  private static String questLatest(Subject of) {
    String last = " order by timestamp desc limit " + LATEST_ROWS;
    if (of.types().size() == 1) {
      return questRows(of, of.columns()) + last;
    }
    return of.types().stream()
        .map(type ->
            "(select timestamp, '%s' type, %s from '%s'%s)"
                .formatted(type, of.columns(), type, last))
        .collect(Collectors.joining(" union all ", "select * from (", ")" + last));
  }

  private static String questCount(Subject of) {
    String field = of.groupField();
    return of.types().size() == 1
        ? "select timestamp, %s, count() from '%s' sample by 1m align to calendar"
            .formatted(field, of.types().get(0))
        : "select timestamp_floor('1m', timestamp) timestamp, %s, count() from (%s)"
            .formatted(field, questRows(of, field));
  }

  /// @param table with `time_us`, `seq`, `type`, `body` and the columns
  String duckSql(Subject of, String table) {
    String rows =
        "select time_us, type, body%s from %s"
            .formatted(of.columns().equals("body") ? "" : ", " + of.columns(), table);
    return switch (this) {
      case RANGE, RANGE_JSON, ROWS -> rows + " order by time_us, seq";
      case LATEST, ROWS_LATEST -> rows + " order by time_us desc, seq desc limit " + LATEST_ROWS;
      case TOKEN -> rows + " where contains(body, '" + of.token() + "') order by time_us, seq";
      case COUNT ->
          ("select time_us // 60000000 * 60000000 as time_us, %s, count(*) as count from %s"
                  + " group by all order by all")
              .formatted(of.groupField(), table);
    };
  }
}
