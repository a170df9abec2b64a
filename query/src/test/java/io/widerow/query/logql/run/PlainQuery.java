package io.widerow.query.logql.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A log query as text, and what it means for one line, in a few plain words of Java.
final class PlainQuery {
  private final SplittableRandom random;
  private final StringBuilder text = new StringBuilder();
  private final List<Predicate<PlainLine>> steps = new ArrayList<>();
  private final Map<String, String> equalities = new TreeMap<>(); // of the selector
  private boolean lineChanged;

  PlainQuery(SplittableRandom random) {
    this(random, false);
  }

  /// @param ofLabels whether no stage looks at the line itself, so that the store may decide
  PlainQuery(SplittableRandom random, boolean ofLabels) {
    this.random = random;
    selector();
    int stages = random.nextInt(4);
    for (int i = 0; i < stages; i++) {
      if (ofLabels) {
        labelStage();
      } else {
        stage();
      }
    }
  }

  /// The query.
  String text() {
    return text.toString();
  }

  /// The labels of the selector's equalities: what a missing series is named by. None when one of
  /// them is tested twice.
  Map<String, String> equalities() {
    return equalities;
  }

  /// Runs a copy of a line through. False when it is not kept.
  boolean run(PlainLine line) {
    for (Predicate<PlainLine> step : steps) {
      if (!step.test(line)) {
        return false;
      }
    }
    return true;
  }

  /// Adds a stage that keeps lines without an error only.
  void withoutErrors() {
    add(" | __error__=\"\"", line -> line.error.isEmpty());
  }

  private void add(String stage, Predicate<PlainLine> step) {
    text.append(stage);
    steps.add(step);
  }

  private String pick(String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private void selector() {
    text.append('{');
    int matchers = random.nextInt(4);
    Set<String> named = new TreeSet<>();
    for (int i = 0; i < matchers; i++) {
      text.append(i == 0 ? "" : ", ");
      int from = text.length();
      matcher("");
      String[] parts = text.substring(from).split("[=!~]+", 2);
      boolean isEquality = text.substring(from).matches("\\w+=\".+\"");
      if (named.add(parts[0]) && isEquality) {
        equalities.put(parts[0], parts[1].substring(1, parts[1].length() - 1));
      } else {
        equalities.remove(parts[0]);
      }
    }
    text.append('}');
  }

  /// A test of the text of a label.
  private void matcher(String before) {
    String name =
        pick(
            "service_name",
            "env",
            "level",
            "code",
            "k8s_pod_name",
            "http_status",
            "ok",
            "detected_level",
            "none",
            "ratio",
            "took");
    String value =
        switch (name) {
          case "service_name" -> pick("shop", "web", "w.*", "web|shop", ".+");
          case "env" -> pick("prod", "dev", "p.*", "");
          case "level" -> pick("info", "ERROR", "ERROR|crit", ".*", "low");
          case "code" -> pick("200", "300", "0200", "[23]00");
          case "k8s_pod_name" -> pick("p1", "p[12]", "", ".+");
          case "http_status" -> pick("ok", "bad|x", "");
          case "ok" -> pick("true", "false", "t.*");
          case "ratio" -> pick("1", "0.5", "1.0", ".*5");
          case "took" -> pick("5ms", ".*ms");
          case "detected_level" -> pick("error", "warn|info", "unknown");
          default -> pick("", "x", ".*");
        };
    String sign = pick("=", "!=", "=~", "!~");
    boolean regex = sign.endsWith("~");
    boolean negated = sign.startsWith("!");
    add(
        before + name + sign + "\"" + value + "\"",
        line -> {
          String is = line.get(name);
          return (regex ? Pattern.matches(value, is) : is.equals(value)) != negated;
        });
  }

  private void stage() {
    switch (random.nextInt(lineChanged ? 12 : 18)) {
      case 0 -> lineFilter();
      case 1 -> matcher(" | ");
      case 2 -> number();
      case 3 -> either();
      case 4 -> drop();
      case 5 -> keepOrFormat();
      case 6 -> lineFormat();
      case 7 -> addressOfLine();
      case 8 -> linePattern();
      case 9 -> addressOfLabel();
      case 10 -> decolorize();
      case 11 -> ofErrors();
      case 12 -> lineFilter();
      case 13 -> json();
      case 14 ->
          add(
              " | logfmt",
              line -> {
                line.found(line.asLogfmt);
                return true;
              });
      case 15 -> regexp();
      case 16 -> pattern();
      default -> extract();
    }
  }

  private void labelStage() {
    switch (random.nextInt(13)) {
      case 0 -> matcher(" | ");
      case 1 -> either();
      case 2 -> drop();
      case 3 -> keepOrFormat();
      case 4 -> addressOfLabel();
      case 5 -> ofErrors();
      case 6 -> lineFilter();
      case 7 -> matcher(" | ");
      default -> number();
    }
  }

  /// `drop a != "b"` is no line filter.
  private boolean isAfterName() {
    return text.toString().matches(".*\\| (drop|keep) [^|\"]*");
  }

  private void lineFilter() {
    String sign = isAfterName() ? pick("|=", "|~") : pick("|=", "!=", "|~", "!~");
    String one = pick("GET", "red", "a", "", "env=", "\\\"b\\\"", "/1");
    String other = pick("POST", "green", "level");
    boolean both = random.nextBoolean();
    boolean regex = sign.endsWith("~");
    boolean negated = sign.startsWith("!");
    String first = regex && one.equals("GET") ? "G.T|msg" : one;
    String plain = first.replace("\\\"", "\"");
    add(
        " " + sign + " \"" + first + "\"" + (both ? " or \"" + other + "\"" : ""),
        line -> {
          boolean found =
              regex ? Pattern.compile(plain).matcher(line.text).find() : line.text.contains(plain);
          return (found || (both && line.text.contains(other))) != negated;
        });
  }

  /// Compares a number; a text that is none keeps the line and marks it.
  private static boolean compare(
      PlainLine line, String name, double factor, Predicate<Double> test) {
    if (!line.has(name)) {
      return false;
    }
    if (line.get(name).equals("NaN") && factor == 1) {
      return test.test(Double.NaN);
    }
    Matcher parts = Pattern.compile("(-?[0-9.]+)(ms|s|KB|MiB|)").matcher(line.get(name));
    boolean isKind =
        parts.matches()
            && switch (parts.group(2)) {
              case "" -> factor == 1 || factor == 3;
              case "ms", "s" -> factor == 2;
              default -> factor == 3;
            };
    if (!isKind) {
      line.error = line.error.isEmpty() ? "LabelFilterErr" : line.error;
      return true;
    }
    return test.test(value(parts));
  }

  static double value(Matcher parts) {
    double number = Double.parseDouble(parts.group(1));
    return switch (parts.group(2)) {
      case "ms" -> number / 1000;
      case "KB" -> number * 1000;
      case "MiB" -> number * 1024 * 1024;
      default -> number;
    };
  }

  private void number() {
    switch (random.nextInt(12)) {
      case 0 -> add(" | code >= 300", line -> compare(line, "code", 1, value -> value >= 300));
      case 4 -> add(" | wait_ms > 100", line -> compare(line, "wait_ms", 1, value -> value > 100));
      case 5 -> add(" | wait_ms != 7", line -> compare(line, "wait_ms", 1, value -> value != 7));
      case 6 -> add(" | ratio < 1", line -> compare(line, "ratio", 1, value -> value < 1));
      case 7 ->
          add(" | wait_ms_2 <= 200", line -> compare(line, "wait_ms_2", 1, value -> value <= 200));
      case 8 -> add(" | odd == 7", line -> compare(line, "odd", 1, value -> value == 7));
      case 9 -> add(" | odd != 7", line -> compare(line, "odd", 1, value -> value != 7));
      case 10 ->
          add(
              " | (odd > -1 or wait_ms == 200)",
              line ->
                  compare(line, "odd", 1, value -> value > -1)
                      || compare(line, "wait_ms", 1, value -> value == 200));
      case 11 ->
          add(
              " | code < 400, wait_ms >= 100",
              line ->
                  compare(line, "code", 1, value -> value < 400)
                      && compare(line, "wait_ms", 1, value -> value >= 100));
      case 1 -> add(" | took < 20ms", line -> compare(line, "took", 2, value -> value < 0.02));
      case 2 -> add(" | size > 1500B", line -> compare(line, "size", 3, value -> value > 1500));
      default -> add(" | a_b == 2", line -> compare(line, "a_b", 1, value -> value == 2));
    }
  }

  private void either() {
    add(
        " | (env=\"dev\" or code==200) and ok!=\"true\"",
        line ->
            (line.get("env").equals("dev") || compare(line, "code", 1, value -> value == 200))
                && !line.get("ok").equals("true"));
  }

  private void drop() {
    switch (random.nextInt(3)) {
      case 0 ->
          add(
              " | drop env, took",
              line -> {
                line.remove("env");
                line.remove("took");
                return true;
              });
      case 1 ->
          add(
              " | drop __error__, __error_details__",
              line -> {
                line.error = "";
                return true;
              });
      default ->
          add(
              " | drop code=\"200\"",
              line -> {
                if (line.get("code").equals("200")) {
                  line.remove("code");
                }
                return true;
              });
    }
  }

  private void keepOrFormat() {
    switch (random.nextInt(3)) {
      case 0 ->
          add(
              " | keep env, code, service_name",
              line -> {
                for (Map<String, String> of : List.of(line.stream, line.metadata, line.parsed)) {
                  of.keySet().retainAll(List.of("env", "code", "service_name"));
                }
                return true;
              });
      case 1 ->
          add(
              " | label_format where=env",
              line -> {
                if (line.has("env")) {
                  String value = line.get("env");
                  line.remove("env");
                  line.remove("where");
                  line.parsed.put("where", value);
                }
                return true;
              });
      default -> {
        PlainTemplate one = template();
        PlainTemplate other = template();
        String target = pick("both", "env", "made");
        add(
            " | label_format " + target + "=" + quoted(one) + ", last=" + quoted(other),
            line -> {
              PlainLine before = line.copy();
              before.parsed.putAll(line.parsed);
              before.text = line.text;
              set(line, target, one.of().apply(before));
              set(line, "last", other.of().apply(before));
              return true;
            });
      }
    }
  }

  private PlainTemplate template() {
    return PlainTemplate.ALL.get(random.nextInt(PlainTemplate.ALL.size()));
  }

  private static String quoted(PlainTemplate template) {
    return "\"" + template.text().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /// A template that fails marks the line.
  private static void set(PlainLine line, String label, @Nullable String value) {
    if (value == null) {
      line.error = "TemplateFormatErr";
    } else {
      line.remove(label);
      line.parsed.put(label, value);
    }
  }

  private void lineFormat() {
    lineChanged = true;
    PlainTemplate template = template();
    add(
        " | line_format \"{{.env}}: {{__line__}} " + quoted(template).substring(1),
        line -> {
          String made = template.of().apply(line);
          if (made == null) {
            line.error = "TemplateFormatErr";
          } else {
            line.text = line.get("env") + ": " + line.text + " " + made;
          }
          return true;
        });
  }

  private void addressOfLine() {
    boolean negated = random.nextInt(3) == 0 && !isAfterName();
    int of = random.nextInt(PlainAddress.ALL.size());
    String or = random.nextInt(4) == 0 ? " or \"green\"" : "";
    add(
        (negated ? " != ip(\"" : " |= ip(\"") + PlainAddress.ALL.get(of).text() + "\")" + or,
        line ->
            (PlainAddress.ALL.get(of).isIn(line.text)
                    || (!or.isEmpty() && line.text.contains("green")))
                != negated);
  }

  private void addressOfLabel() {
    boolean negated = random.nextBoolean();
    int of = random.nextInt(PlainAddress.ALL.size());
    add(
        (negated ? " | addr != ip(\"" : " | addr = ip(\"")
            + PlainAddress.ALL.get(of).text()
            + "\")",
        line ->
            !line.error.isEmpty()
                || (line.has("addr")
                    && PlainAddress.ALL.get(of).isIn(line.get("addr")) != negated));
  }

  /// Captures are not empty, and a text at the start may stand anywhere.
  private void linePattern() {
    boolean negated = random.nextBoolean();
    String pattern =
        pick(
            "<_> - GET <_>",
            "<_> - <_> x",
            "msg=\\\"red\\\" <_>",
            "<_>env=in",
            "{<_>}",
            "<_>",
            "level<_>",
            "POST");
    Pattern plain = linePattern(pattern.replace("\\\"", "\""));
    add(
        (negated ? " !> \"" : " |> \"") + pattern + "\"",
        line -> plain.matcher(line.text).matches() != negated);
  }

  /// Each text is where it comes first.
  private static Pattern linePattern(String pattern) {
    StringBuilder regex = new StringBuilder("(?s)");
    String[] texts = pattern.split("<_>", -1);
    for (int i = 0; i < texts.length; i++) {
      String text = Pattern.quote(texts[i]);
      if (texts[i].isEmpty()) {
        regex.append(i > 0 ? ".+" : "");
      } else if (i == 0) {
        regex.append("(?>.*?").append(text).append(')');
      } else {
        regex.append("(?>(?!").append(text).append(").+?").append(text).append(')');
      }
    }
    return Pattern.compile(regex.toString());
  }

  private void decolorize() {
    add(
        " | decolorize",
        line -> {
          line.text = line.text.replaceAll("\u001b\\[[0-9;]*m", "");
          return true;
        });
  }

  private void ofErrors() {
    switch (random.nextInt(4)) {
      case 0 ->
          add(" | __error__ = \"LabelFilterErr\"", line -> line.error.equals("LabelFilterErr"));
      case 1 ->
          add(" | __error__ != \"JSONParserErr\"", line -> !line.error.equals("JSONParserErr"));
      case 2 ->
          add(
              " | __error__ =~ \"Label.*|Temp.*\"",
              line -> line.error.startsWith("Label") || line.error.startsWith("Temp"));
      default -> withoutErrors();
    }
  }

  private void json() {
    add(
        " | json",
        line -> {
          if (line.asJson == null) {
            line.error = "JSONParserErr";
          } else {
            line.found(line.asJson);
          }
          return true;
        });
  }

  private void extract() {
    add(
        " | json n=\"a.b\", c",
        line -> {
          Map<String, String> fields = line.asJson;
          if (fields == null) {
            line.error = "JSONParserErr";
          } else {
            line.extracted(
                Map.of("n", fields.getOrDefault("a_b", ""), "c", fields.getOrDefault("c", "")));
          }
          return true;
        });
  }

  private void regexp() {
    add(
        " | regexp `(?P<method>GET|POST) (?P<path>\\S+)`",
        line -> {
          Matcher found = Pattern.compile("(GET|POST) (\\S+)").matcher(line.text);
          if (found.find()) {
            line.found(Map.of("method", found.group(1), "path", found.group(2)));
          }
          return true;
        });
  }

  private void pattern() {
    add(
        " | pattern `<ip> - <method> <_>`",
        line -> {
          String[] ends = line.text.split(" - ", 2);
          line.found(Map.of("ip", ends[0]));
          if (ends.length > 1) {
            line.found(Map.of("method", ends[1].split(" ", 2)[0]));
          }
          return true;
        });
  }
}
