package io.widerow.loadgen;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What the contestants are asked, each in its own language, with rows of the same meaning.
/// Widerow's rows carry the id and the type as well.
enum Question {
  /// Every event in full, in order of time.
  RANGE(1),
  /// The first twenty thousand of them, to look at their order; not timed.
  FIRST(0),
  /// The newest hundred.
  LATEST(40),
  /// Lines that hold a word which one in a thousand has.
  TOKEN(3),
  /// Events of each region in each minute.
  COUNT(1);

  /// How often a turn asks it; the median counts.
  final int times;

  Question(int times) {
    this.times = times;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// What can be asked about the events of a scenario.
  static List<Question> suiting(Scenario scenario) {
    return Arrays.stream(values()).filter(question -> question.suits(scenario)).toList();
  }

  /// Metrics have fields to count by, log lines have words.
  private boolean suits(Scenario scenario) {
    boolean log = scenario == Scenario.ACCESS || scenario == Scenario.BROKER;
    return switch (this) {
      case RANGE, LATEST -> true;
      case FIRST -> false;
      case TOKEN -> log;
      case COUNT -> scenario == Scenario.DEVOPS;
    };
  }

  /// @param token a word, for [#TOKEN]
  String widerowPath(String type, String columns, String token) {
    String path = "/v1/query?format=csv&type=" + type;
    String rows = path + "&fields=" + columns;
    return switch (this) {
      case RANGE -> rows;
      case FIRST -> rows + "&limit=20000";
      case LATEST -> rows + "&order=desc&limit=100";
      case TOKEN -> rows + "&where=" + HttpText.encoded("body contains \"" + token + "\"");
      case COUNT -> path + "&stats=count&by=region&every=1m";
    };
  }

  String questPath(String type, String columns, String token) {
    String rows = "select timestamp, " + columns + " from '" + type + "'";
    String sql =
        switch (this) {
          case RANGE -> rows + " order by timestamp";
          case FIRST -> rows + " order by timestamp limit 20000";
          case LATEST -> rows + " order by timestamp desc limit 100";
          case TOKEN -> rows + " where body like '%" + token + "%' order by timestamp";
          case COUNT ->
              "select timestamp, region, count() from '"
                  + type
                  + "' sample by 1m align to calendar";
        };
    return "/exp?query=" + HttpText.encoded(sql);
  }
}
