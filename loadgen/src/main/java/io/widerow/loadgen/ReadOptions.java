package io.widerow.loadgen;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/// The options that decide what is read while events are written.
final class ReadOptions {
  @Option(
      names = "--read",
      paramLabel = "WHAT=RATE",
      description =
          "ask so often a second while writing, on a fixed schedule: latest (100), range (the"
              + " newest 10,000), filter (the newest 20 of a word); repeatable")
  private List<String> reads = new ArrayList<>();

  /// @param what is asked
  /// @param perSecond how often
  record Read(Kind what, double perSecond) {}

  /// What can be asked.
  enum Kind {
    LATEST("&order=desc&limit=100"),
    RANGE("&order=desc&limit=10000"),
    FILTER("&order=desc&limit=20&where=" + HttpText.encoded("body contains \"404\""));

    private final String parameters;

    Kind(String parameters) {
      this.parameters = parameters;
    }

    String path(String type) {
      return "/v1/query?format=csv&type=" + HttpText.encoded(type) + parameters;
    }
  }

  List<Read> reads() {
    return reads.stream().map(ReadOptions::read).toList();
  }

  private static Read read(String text) {
    int equals = text.indexOf('=');
    for (Kind kind : Kind.values()) {
      if (equals > 0 && kind.name().equalsIgnoreCase(text.substring(0, equals))) {
        try {
          double perSecond = Double.parseDouble(text.substring(equals + 1));
          if (perSecond > 0 && perSecond <= 100_000) {
            return new Read(kind, perSecond);
          }
        } catch (NumberFormatException notANumber) {
          break;
        }
      }
    }
    throw new IllegalArgumentException(
        "--read is latest, range or filter and a rate, such as latest=10; got '" + text + "'");
  }
}
