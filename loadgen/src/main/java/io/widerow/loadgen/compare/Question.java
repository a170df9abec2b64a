package io.widerow.loadgen.compare;

import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.LineWord;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
  ROWS_LATEST(200),

  FIELD_COUNT(
      20,
      new FieldQuery(
          "count", "stats=count", "* | stats count() n", "select count(*) n from $events")),
  FIELD_MINUTES(
      5,
      new FieldQuery(
          "count by minute",
          "stats=count&every=1m",
          "* | stats by (_time:1m) count() n",
          "select time_us, count(*) n from (select $minute time_us from $events)"
              + " group by time_us")),
  FIELD_STATUS(
      5,
      new FieldQuery(
          "count by status",
          "stats=count&by=status",
          "* | stats by (status) count() n",
          "select status, count(*) n from $events group by status")),
  FIELD_HOURS(
      5,
      new FieldQuery(
          "count by status and hour",
          "stats=count&by=status&every=1h",
          "* | stats by (status, _time:1h) count() n",
          "select time_us, status, count(*) n from (select $hour time_us, status from $events)"
              + " group by time_us, status")),
  FIELD_P99(
      5,
      new FieldQuery(
          "p99(bytes) by status",
          "stats=p99(bytes)&by=status",
          "* | stats by (status) quantile(0.99, bytes) n",
          "select status, $p99 from $events group by status")),
  /// VictoriaLogs has a sum of no numbers, NaN, first.
  FIELD_TOP(
      5,
      new FieldQuery(
          "top 10 clients by sum(bytes)",
          "stats=sum(bytes)&by=client&order-by=sum(bytes) desc&limit=10",
          "* | stats by (client) sum(bytes) n | filter n:>=0 | sort by (n desc) limit 10",
          "select client, sum(bytes) n from $events where bytes is not null group by client"
              + " order by n desc limit 10")),
  FIELD_DISTINCT(
      5,
      new FieldQuery(
          "distinct(client)",
          "stats=distinct(client)",
          "* | stats count_uniq(client) n",
          "select count(distinct client) n from $events")),
  FIELD_NUMBER(
      10,
      FieldQuery.counting("count, status = 404", "status = 404", "status:=404", "status = 404")),
  FIELD_GREATER(
      10,
      FieldQuery.counting(
          "count, bytes > 1000000", "bytes > 1000000", "bytes:>1000000", "bytes > 1000000")),
  FIELD_WORD(
      5,
      FieldQuery.counting(
          "count, a word in the body",
          "body has \"$word\"",
          "\"$word\"",
          FieldQuery.word("body", "$word"))),
  FIELD_PART(
      5,
      FieldQuery.counting(
          "count, a substring of the agent",
          "agent contains \"$part\"",
          "agent:~\"$part\"",
          "agent like '%$part%'")),
  FIELD_RARE(
      5,
      FieldQuery.counting(
          "count, a rare substring",
          "agent contains \"$rare\"",
          "agent:~\"$rare\"",
          "agent like '%$rare%'")),
  FIELD_ABSENT(
      20,
      FieldQuery.counting(
          "count, an absent word",
          "body has \"$absent\"",
          "\"$absent\"",
          FieldQuery.word("body", "$absent"))),
  FIELD_REGEX(
      5,
      FieldQuery.counting(
          "count, a regex on the path",
          "path ~ \"[.](png|jpg|gif)$\"",
          "path:~\"[.](png|jpg|gif)$\"",
          "path ~ '^.*[.](png|jpg|gif)$'")),
  FIELD_LATEST(
      20, new FieldQuery("latest 100", "order=desc&limit=100", "*&limit=100", "latest 1 = 1")),
  FIELD_LATEST_TYPE(
      20,
      new FieldQuery(
          "latest 100 of one type",
          "type=$type&order=desc&limit=100",
          "{type=\"$type\"}&limit=100",
          "latest type = '$type'")),
  /// By sorting, VictoriaLogs answers this one faster than by its parameter `limit`.
  FIELD_LATEST_STATUS(
      5,
      new FieldQuery(
          "latest 100 of status 500",
          "where=status = 500&order=desc&limit=100",
          "status:=500 | sort by (_time desc) limit 100",
          "latest status = 500")),
  FIELD_HOUR(
      3,
      new FieldQuery(
          "one hour in order, JSON",
          "from=$from&to=$to",
          "_time:[$from, $to) | sort by (_time)",
          "select $rows from $events where $range order by $time")),
  /// VictoriaLogs returns all in no order: it would have to sort them in memory.
  FIELD_ALL(
      1, new FieldQuery("all in order, JSON", "", "*", "select $rows from $events order by $time"));

  static final int LATEST_ROWS = 100;

  private static final int TIMES_FOR_TAIL = 100;
  private static final double FREQUENT = 0.25; // share of the lines with a word
  private static final String ABSENT = "zqxwvukj";

  /// How often a turn asks it. The median counts, and the 99th percentile where there are enough.
  final int times;

  /// Its texts; null for a question that is not about fields.
  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final @Nullable FieldQuery field;

  Question(int times) {
    this(times, null);
  }

  Question(int times, @Nullable FieldQuery field) {
    this.times = times;
    this.field = field;
  }

  /// The data that a question is about.
  ///
  /// @param typeGlob all types at once
  /// @param types each of them
  /// @param columns that are shown
  /// @param groupField what [#COUNT] counts by
  /// @param token a word, for [#TOKEN]
  /// @param values what the texts of [FieldQuery] leave open, by name
  public record Subject(
      String typeGlob,
      List<String> types,
      String columns,
      String groupField,
      String token,
      Map<String, String> values) {
    public Subject {
      types = List.copyOf(types);
      values = Map.copyOf(values);
    }

    public static Subject of(Workload workload, List<String> types, String token) {
      Scenario scenario = workload.scenario();
      return new Subject(
          workload.typeGlob(), types, scenario.shownFields, scenario.groupField, token, Map.of());
    }

    /// Words, a type and an hour for the questions about fields.
    ///
    /// @param samples drawn events
    /// @param events number of events in all
    public static Subject fields(Workload workload, List<List<Sample>> samples, long events) {
      List<String> types = types(samples);
      List<String> bodies = texts(samples, Sample::body);
      List<String> agents = texts(samples, sample -> sample.text("agent"));
      long middleNanos = workload.timeNanos(events / 2, 0);
      Instant hour = Instant.ofEpochSecond(0, middleNanos).truncatedTo(ChronoUnit.HOURS);
      Instant end = hour.plus(1, ChronoUnit.HOURS);
      Map<String, String> values = new HashMap<>();
      values.put("type", types.getFirst());
      values.put("word", LineWord.nearest(bodies, FREQUENT));
      values.put("part", LineWord.nearest(agents, FREQUENT).substring(1));
      values.put("rare", LineWord.nearest(agents, LineWord.RARE).substring(1));
      values.put("absent", ABSENT);
      values.put("from", hour.toString());
      values.put("to", end.toString());
      values.put("fromMicros", Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, hour)));
      values.put("toMicros", Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, end)));
      return new Subject(
          workload.typeGlob(),
          types,
          workload.scenario().shownFields,
          workload.scenario().groupField,
          "",
          values);
    }

    /// The types of drawn events, in order.
    public static List<String> types(List<List<Sample>> samples) {
      return samples.stream().map(batch -> batch.getFirst().type()).distinct().sorted().toList();
    }

    private static List<String> texts(
        List<List<Sample>> samples, Function<Sample, @Nullable String> text) {
      return samples.stream().flatMap(List::stream).map(text).filter(Objects::nonNull).toList();
    }
  }

  /// Whether it is asked often enough for a 99th percentile.
  public boolean hasTail() {
    return times >= TIMES_FOR_TAIL;
  }

  public String label() {
    return field != null ? field.label() : name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// Whether only one order of the rows is right.
  public boolean isOrdered() {
    return switch (this) {
      case COUNT -> false;
      case FIELD_TOP, FIELD_HOUR -> true;
      default -> field == null || isDescending();
    };
  }

  boolean isDescending() {
    return switch (this) {
      case LATEST, ROWS_LATEST, FIELD_LATEST, FIELD_LATEST_TYPE, FIELD_LATEST_STATUS -> true;
      default -> false;
    };
  }

  /// Whether it is about fields: its result is compared by the names of its columns.
  boolean isAboutFields() {
    return field != null;
  }

  /// Whether the rows of its result are events in full.
  boolean hasEvents() {
    return field == null
        ? this != COUNT
        : isDescending() || this == FIELD_HOUR || this == FIELD_ALL;
  }

  /// Whether its result is read as JSON where the contestant has the choice.
  boolean isJson() {
    return this == RANGE_JSON || (field != null && hasEvents());
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

  /// The questions about fields that a contestant can answer.
  public static List<Question> aboutFields(Contestant contestant) {
    return suiting(Scenario.FIELDS, contestant, contestant);
  }

  /// Metrics have fields to count by, log lines have words.
  private boolean suits(Scenario scenario) {
    if (scenario == Scenario.FIELDS || field != null) {
      return scenario == Scenario.FIELDS && field != null;
    }
    boolean log = scenario.isLog();
    return switch (this) {
      case TOKEN -> log;
      case COUNT -> !log;
      default -> true;
    };
  }

  /// Cassandra reads partitions; it neither searches text nor counts by a field. In process there
  /// is what Cassandra holds, by the driver of the one or the store of the other.
  private boolean suits(Contestant contestant) {
    boolean rows = contestant.kind() == Contestant.Kind.CASSANDRA;
    return switch (this) {
      case RANGE, LATEST -> true;
      case ROWS, ROWS_LATEST -> rows || contestant.isOnCluster();
      default -> !rows;
    };
  }

  public String widerowPath(Subject of) {
    if (field != null) {
      return field.widerowPath(of, hasEvents());
    }
    String format = this == RANGE_JSON ? "json" : "csv";
    String path = "/v1/query?format=" + format + "&type=" + of.typeGlob();
    String rows = path + "&fields=" + of.columns();
    return switch (this) {
      case RANGE, RANGE_JSON, ROWS -> rows;
      case LATEST, ROWS_LATEST -> rows + "&order=desc&limit=" + LATEST_ROWS;
      case TOKEN -> rows + "&where=" + HttpText.encoded("body contains \"" + of.token() + "\"");
      case COUNT -> path + "&stats=count&by=" + of.groupField() + "&every=1m";
      default -> throw new IllegalStateException(label() + " has texts of its own");
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
          default -> Objects.requireNonNull(field).questSql(of);
        };
    return (isJson() ? "/exec?query=" : "/exp?query=") + HttpText.encoded(sql);
  }

  String victoriaPath(Subject of) {
    return Objects.requireNonNull(field, "VictoriaLogs is asked about fields").victoriaPath(of);
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
    if (field != null) {
      return field.duckSql(of, table);
    }
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
      default -> throw new IllegalStateException(label() + " has texts of its own");
    };
  }
}
