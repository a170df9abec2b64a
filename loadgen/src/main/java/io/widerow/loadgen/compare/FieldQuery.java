package io.widerow.loadgen.compare;

import io.widerow.loadgen.wire.HttpText;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A question about the fields of events, in the languages of those who answer it. `$NAME` stands
/// for a value of [Question.Subject#values], or for what a dialect of SQL has of its own.
///
/// The value of an aggregate is named `n`.
///
/// @param widerow parameters of `/v1/query`, not encoded
/// @param logsql a query of VictoriaLogs; `&limit=N` at its end is a parameter of its request
/// @param sql `latest` and a condition for the newest events that meet it, otherwise a statement
record FieldQuery(String label, String widerow, String logsql, String sql) {
  private static final String LATEST = "latest ";
  static final String QUEST_TABLE = "events";

  private static final String LIMIT = "&limit=";

  /// The number of events that pass a filter, in the form of each language.
  static FieldQuery counting(String label, String where, String logsql, String condition) {
    return new FieldQuery(
        label,
        "stats=count&where=" + where,
        logsql + " | stats count() n",
        "select count(*) n from $events where " + condition);
  }

  /// A condition in SQL: a column has the word, not as part of a longer one.
  static String word(String column, String word) {
    return column + " ~ '^(.*[^A-Za-z0-9_])?" + word + "([^A-Za-z0-9_].*)?$'";
  }

  String widerowPath(Question.Subject of, boolean json) {
    String type = widerow.contains("type=") ? "" : "&type=" + of.typeGlob();
    String parameters =
        Arrays.stream(filled(widerow, of.values()).split("&", -1))
            .filter(parameter -> !parameter.isEmpty())
            .map(parameter -> {
              int is = parameter.indexOf('=');
              return "&"
                  + parameter.substring(0, is + 1)
                  + HttpText.encoded(parameter.substring(is + 1));
            })
            .collect(Collectors.joining());
    return "/v1/query?format=" + (json ? "json" : "csv") + type + parameters;
  }

  String victoriaPath(Question.Subject of) {
    int limit = logsql.indexOf(LIMIT);
    String query = limit < 0 ? logsql : logsql.substring(0, limit);
    return "/select/logsql/query?query="
        + HttpText.encoded(filled(query, of.values()))
        + (limit < 0 ? "" : logsql.substring(limit));
  }

  String questSql(Question.Subject of) {
    return sql(
        of,
        Map.of(
            "events", QUEST_TABLE,
            "time", "timestamp",
            "minute", "timestamp_floor('1m', timestamp)",
            "hour", "timestamp_floor('1h', timestamp)",
            "p99", "approx_percentile(bytes, 0.99, 3) n",
            "range", "timestamp >= '$from' and timestamp < '$to'"));
  }

  /// QuestDB receives a table for each type. This makes one of them, in the form that its manual
  /// advises: texts that come again are symbols.
  ///
  /// @param tables of the types
  static String questTable(List<String> tables, String columns) {
    String all =
        tables.stream()
            .map(type -> "select timestamp, '%1$s' type, %2$s from '%1$s'".formatted(type, columns))
            .collect(Collectors.joining(" union all "));
    String symbols =
        Stream.of("type", "client", "method", "path", "referrer", "agent")
            .map(", cast(%s as symbol)"::formatted)
            .collect(Collectors.joining());
    return "create table %s as (select * from (%s) order by timestamp)%s"
            .formatted(QUEST_TABLE, all, symbols)
        + " timestamp(timestamp) partition by hour";
  }

  /// @param table with `time_us`, `type` and the columns
  String duckSql(Question.Subject of, String table) {
    return sql(
        of,
        Map.of(
            "events", table,
            "time", "time_us",
            "minute", "time_us // 60000000 * 60000000",
            "hour", "time_us // 3600000000 * 3600000000",
            "p99",
                "quantile_disc(bytes, 0.99) n, quantile_disc(bytes, 0.98) low,"
                    + " quantile_disc(bytes, 0.998) high",
            "range", "time_us >= $fromMicros and time_us < $toMicros"));
  }

  private String sql(Question.Subject of, Map<String, String> dialect) {
    String statement =
        sql.startsWith(LATEST)
            ? "select $rows from $events where %s order by $time desc limit %d"
                .formatted(sql.substring(LATEST.length()), Question.LATEST_ROWS)
            : sql;
    String rows = statement.replace("$rows", "$time, type, " + of.columns());
    return filled(filled(rows, dialect), of.values());
  }

  /// Longer names first, because one may begin with another.
  private static String filled(String text, Map<String, String> values) {
    List<String> names =
        values.keySet().stream().sorted((a, b) -> b.length() - a.length()).toList();
    String filled = text;
    for (String name : names) {
      filled = filled.replace("$" + name, values.getOrDefault(name, ""));
    }
    return filled;
  }
}
