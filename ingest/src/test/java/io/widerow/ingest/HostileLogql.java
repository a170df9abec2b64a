package io.widerow.ingest;

import java.util.Random;

/// Makes LogQL that asks for much.
///
/// - Threads: one.
final class HostileLogql extends HostileTexts {
  HostileLogql(Random random) {
    super(random);
  }

  static String quoted(String text) {
    return "`" + text.replace("`", "") + "`";
  }

  String selector() {
    return made(
        () -> "{}",
        () -> "{service_name=\"" + type() + "\"}",
        () -> "{service_name=~" + quoted(regex()) + "}",
        () -> "{service_name=\"small\"}",
        () -> "{service_name=\"big\"}",
        () -> "{service_name=\"deep\"}",
        () -> "{service_name=\"flat\"}",
        () -> "{service_name=\"array\"}",
        () -> "{service_name=\"wide\"}",
        () -> "{service_name=\"ids\"}",
        () ->
            "{" + repeated(",", many(5, 999), () -> label() + one("!=", "=", "!~") + "`q`") + "}");
  }

  String template() {
    String line = "{{__line__}}";
    return made(
        () -> line.repeat(4),
        () -> line.repeat(many(10, 2_000)),
        () -> "{{." + label() + "}}" + line + line,
        () -> "{{.a}}{{.a}}{{.b}}{{.b}}".repeat(some(20)),
        () -> "{\"a\":\"{{.a}}{{.a}}\",\"b\":" + line + "}",
        () -> "[" + line + "," + line + "," + line + "]",
        () -> nested("[", many(20, 500), line, "]"),
        () -> "a=" + line + " b=\"{{.a}}\" n=9",
        () -> "\u001b[31m" + line + "\u001b[0m",
        () -> "{{" + growth(some(6)) + "}}",
        () -> "{{$x := " + growth(3) + "}}{{range 90000}}{{$y := " + growth(1) + "}}{{end}}",
        () -> "x".repeat(many(100, 20_000)));
  }

  /// Functions whose results are longer than their arguments.
  String growth(int depth) {
    String inner = depth <= 0 ? one("__line__", "$.a", "\"x\"") : "(" + growth(depth - 1) + ")";
    return made(
        () -> "repeat " + one("3", "70000", huge()) + " " + inner,
        () -> "print " + (inner + " ").repeat(some(20)),
        () -> "printf \"%" + some(9_999) + "q%s%[1]v\" " + inner + " " + inner,
        () -> "regexReplaceAll \".\" " + inner + " \"$0$0$0\"",
        () -> "regexReplaceAllLiteral \"\" " + inner + " \"xxxxxxxx\"",
        () -> "replace \"\" \"yyyyyyyy\" " + inner,
        () -> "urlencode " + inner,
        () -> "b64enc " + inner,
        () -> "indent " + some(99_999) + " " + inner,
        () -> "alignLeft " + huge() + " " + inner,
        () -> "count \"x*y|.\" " + inner,
        () -> "date " + inner + " now",
        () -> "fromJson " + inner);
  }

  String stage() {
    return made(
        () -> "| line_format " + quoted(template()),
        () -> "| line_format " + quoted("{{__line__}}".repeat(4)),
        () -> "| label_format " + label() + "=" + quoted(template()),
        () -> "| label_format a=`{{.a}}{{.a}}{{.b}}{{__line__}}`, b=`{{.b}}{{.a}}{{.a}}`",
        () -> "| label_format b=a",
        () -> "| json",
        () -> "| json a=\"a\", b=`x[0][\"y\"]." + "z.".repeat(some(70)) + "q`",
        () -> "| logfmt",
        () -> "| logfmt --strict --keep-empty",
        () -> "| unpack",
        () -> "| decolorize",
        () -> "| regexp " + quoted(regex()),
        () -> "| pattern `<a> <b> <_> <msg>`",
        () -> "| pattern `" + repeated(" ", some(40), () -> "<_>") + " <x>`",
        () -> "| drop " + label(),
        () -> "| keep a, b, " + label(),
        () -> "|= " + quoted(template()),
        () -> "|~ " + quoted(regex()),
        () -> "!~ " + quoted(regex()),
        () -> "| " + condition());
  }

  String condition() {
    return made(
        () -> label() + " > " + some(100),
        () -> label() + " = `" + label() + "`",
        () -> label() + " =~ " + quoted(regex()),
        () -> label() + " <= 5KB",
        () -> repeated(" or ", many(6, 1_500), () -> label() + " != " + some(99)),
        () -> repeated(" and ", many(6, 1_500), () -> "n > " + some(99)),
        () -> nested("(", many(10, 3_000), "a=`1`", ")"));
  }

  String log() {
    if (seldom()) {
      String growth = "| line_format `" + "{{__line__}}".repeat(4) + "` ";
      return selector() + growth.repeat(some(30)) + (seldom() ? stage() : "");
    }
    if (seldom()) {
      String same = stage();
      int most = Math.max(1, 60_000 / same.length());
      return selector() + repeated(" ", Math.min(most, many(20, 5_000)), () -> same);
    }
    return selector() + " " + repeated(" ", random.nextInt(10), this::stage);
  }

  String grouping() {
    return made(
        () -> "",
        () -> " by (" + label() + ")",
        () -> " by (" + repeated(",", many(5, 2_000), this::label) + ")",
        () -> " without (" + label() + ")");
  }

  String range() {
    String window = "[" + duration() + "]" + (seldom() ? " offset " + duration() : "");
    return made(
        () ->
            one("count_over_time", "rate", "bytes_over_time", "bytes_rate", "absent_over_time")
                + "("
                + log()
                + window
                + ")",
        () ->
            one(
                    "sum_over_time",
                    "avg_over_time",
                    "max_over_time",
                    "stddev_over_time",
                    "first_over_time")
                + "("
                + log()
                + " | unwrap "
                + label()
                + window
                + ")"
                + (seldom() ? grouping() : ""),
        () ->
            "quantile_over_time(0."
                + some(99)
                + ","
                + log()
                + " | unwrap n"
                + window
                + ")"
                + grouping(),
        () -> "count_over_time({service_name=`ids`} | keep uid " + window + ")");
  }

  String metric(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return seldom() ? one("1", "vector(1)", "1e308", "-0", "vector(NaN)") : range();
    }
    return made(
        () ->
            one("sum", "avg", "min", "max", "count", "stddev", "sort", "sort_desc")
                + grouping()
                + "("
                + metric(depth - 1)
                + ")",
        () ->
            one("topk", "bottomk")
                + "("
                + one("1", "1000000000", huge())
                + ","
                + metric(depth - 1)
                + ")"
                + grouping(),
        () ->
            metric(depth - 1)
                + one(" + ", " / ", " ^ ", " and ", " or ", " unless ", " > bool ", " == ")
                + metric(depth - 1),
        () ->
            metric(depth - 1) + one(" + on(", " or ignoring(") + label() + ") " + metric(depth - 1),
        () -> repeated(one("+", "^", "*"), many(10, 20_000), () -> "1"),
        () -> repeated(" or ", many(5, 3_000), () -> "vector(1)"),
        () -> repeated(" + ", many(5, 900), () -> "count_over_time({}[1m])"),
        () -> nested("(", many(10, 30_000), "1", ")"),
        () -> nested("sum(", many(10, 5_000), range(), ")"));
  }
}
