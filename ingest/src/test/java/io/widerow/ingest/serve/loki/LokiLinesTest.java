package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: lines that are no JSON or logfmt, or not to their end, and lines of which a metric query
/// needs few labels, are parsed as Loki does. Method: tables of queries over one line each, and
/// over all of them, with the labels or the numbers that Loki's own engine has.
@Timeout(300)
class LokiLinesTest {
  private static final String AT = "1780000060";
  private static final Pattern STREAM =
      Pattern.compile("\"stream\":\\{((?:\"(?:[^\"\\\\]|\\\\.)*\"[:,]?)*)}");
  private static final Pattern VALUE =
      Pattern.compile("\"metric\":\\{([^}]*)},\"value\":\\[\\d+,\"([^\"]*)\"]");

  /// Lines, each of the stream `n`.
  private static final String[] LINES = {
    "{\"a\":\"1\",\"b\":{\"c\":2},\"d\":x}", // a mistake after two values
    "{\"a\":\"1\",\"b\":{\"c\":2}} more", // more than an object
    "{\"a\":\"1\",\"e\":\"\\x\",\"f\":\"\\u00e9\"", // not closed; an escape that is none
    "a=1 uri=/x?y=2 b=\"two\" c=\"\\q\" =3 d=4", // pairs that are broken
    "plain text",
    "",
    "{\"pod\":\"p\",\"n\":1}", // packed without an entry
    "{\"_entry\":\"inner\",\"pod\":\"p\",\"n\":1}",
    " {\"a\":\"1\"}"
  };

  /// The number of a line, stages, and the labels that they make.
  private static final String[][] LABELS = {
    {"0", "| json", "__error__=JSONParserErr __error_details__=Unknown value type a=1 b_c=2"},
    {
      "0",
      "| json x=\"d\", y=\"a\", z=\"b\"",
      "__error__=JSONParserErr __error_details__=Unknown" + " value type x= y=1 z={\\\"c\\\":2}"
    },
    {"0", "| json y=\"a\", q=\"nope\"", "q= y=1"}, // a mistake in a member that is not looked for
    {
      "4",
      "| line_format `{{ .x }}{{\n  div 1 0 }}`",
      "__error__=TemplateFormatErr __error_details__=template: line:2:2: executing \\\"line\\\" at"
          + " <div 1 0>: error calling div: runtime error: integer divide by zero"
    },
    {"1", "| json", "a=1 b_c=2"},
    {
      "2",
      "| json",
      "__error__=JSONParserErr __error_details__=Value is array, but can't find"
          + " closing ']' symbol a=1 e= f=é"
    },
    {"3", "| logfmt", "a=1 b=two d=4"},
    {
      "3",
      "| logfmt --strict",
      "__error__=LogfmtParserErr __error_details__=logfmt syntax error at"
          + " pos 13 : unexpected '=' a=1"
    },
    {"3", "| logfmt q=\"b\", a", "a=1 q=two"},
    {"3", "| logfmt | logfmt q=\"b\"", "a=1 b=two d=4 q="},
    {
      "4",
      "| json",
      "__error__=JSONParserErr __error_details__=Value looks like object, but can't"
          + " find closing '}' symbol"
    },
    {"4", "| json x=\"a\"", "__error__=JSONParserErr"},
    {"5", "| json x=\"a\"", ""},
    {"5", "| pattern \"<x>\"", ""},
    {"6", "| unpack", ""},
    {"7", "| unpack", "pod=p"},
    {"8", "| json", "a=1"},
    {"8", "| json x=\"a\"", "__error__=JSONParserErr"},
    {"3", "| b!=\"two\" | logfmt", "dropped"},
    {"4", "| __error__=\"\" | logfmt --strict | x=\"\"", ""},
    {"3", "| __error__=\"\" | logfmt --strict", "dropped"},
    {"3", "| logfmt | drop b | logfmt", "a=1 d=4"},
    {"3", "| label_format b=`new` | logfmt", "a=1 b=new d=4"},
    {"3", "| logfmt | a=\"9\", b=\"two\" or d=\"4\"", "dropped"},
    {"3", "| logfmt | label_format n=n", "a=1 b=two d=4"}
  };

  /// Queries over all lines, and their series.
  private static final String[][] NUMBERS = {
    {"sum(count_over_time({app=\"a\"} | json [1m]))", "9"},
    {"SUM BY (app) (Count_Over_Time({app=\"a\"} | JSON | drop n, __error__ [1m]))", "app=a 9"},
    {"sum by (a) (count_over_time({n=~\"0|1\"} | json [1m]))", "a=1 2"},
    {"sum(count_over_time({app=\"a\"} | json | a=\"1\" [1m]))", "4"},
    {"absent_over_time({app=\"a\"} | json [1m])", ""},
    {"sum by (b_c) (count_over_time({n=~\"0|1\"} | json [1m]))", "b_c=2 2"},
    {
      "sum by (__error__) (count_over_time({n=\"4\"} | json | __error__!=\"\" [1m]))",
      "__error__=JSONParserErr 1"
    },
    {"count_over_time({n=\"4\"} | json [1m])", "pipeline error: 'JSONParserErr'"},
    {"sum by (d) (count_over_time({n=\"0\"} | json [1m]))", "pipeline error: 'JSONParserErr'"},
    {"max by (n) (max_over_time({n=~\"3|4\"} | unwrap n [1m]))", "4"},
    {"stddev(max_over_time({n=\"3\"} | label_format x=`NaN` | unwrap x [1m]))", "0"}
  };

  private static String shown(String labels, String... left) {
    List<String> shown = new ArrayList<>();
    Pattern.compile("\"([^\"]*)\":\"((?:[^\"\\\\]|\\\\.)*)\"")
        .matcher(labels)
        .results()
        .filter(label -> !List.of(left).contains(label.group(1)))
        .forEach(label -> shown.add(label.group(1) + "=" + label.group(2)));
    return String.join(" ", shown);
  }

  private static String series(String answer) {
    List<String> series = new ArrayList<>();
    VALUE
        .matcher(answer)
        .results()
        .forEach(one -> series.add((shown(one.group(1)) + " " + one.group(2)).strip()));
    return String.join("; ", series);
  }

  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  @Test
  void linesAreParsedAsByLoki(@TempDir Path directory) throws IOException, InterruptedException {
    try (LokiDaemon loki =
        new LokiDaemon(directory.resolve("d"), "loki-discover-levels", "false")) {
      for (int i = 0; i < LINES.length; i++) {
        loki.push(
            "{\"app\":\"a\",\"n\":\"%d\"}".formatted(i),
            "[\"17800000%02d000000000\",\"%s\"]".formatted(10 + i, quoted(LINES[i])));
      }
      for (String[] each : LABELS) {
        String query = "{n=\"" + each[0] + "\"} " + each[1];
        String answer = loki.get("query_range", "query", query, "start", "1780000000", "end", AT);
        var stream = STREAM.matcher(answer);
        String found =
            stream.find()
                ? shown(stream.group(1), "app", "n", "service_name", "detected_level")
                : "dropped";
        assertEquals(each[2], found, query);
      }
      for (String[] each : NUMBERS) {
        var answer = loki.ask("query", "query", each[0], "time", AT);
        String found =
            answer.statusCode() == 200
                ? series(answer.body())
                : answer.body().replaceAll("(?s).*\"message\":\"(pipeline error: '\\w+').*", "$1");
        assertEquals(each[1], found, each[0]);
      }
    }
  }
}
