package io.widerow.query.logql.run;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A template as text, and what it makes of a line in a few plain words of Java.
///
/// @param of its text; null when it fails on the line
record PlainTemplate(String text, Function<PlainLine, @Nullable String> of) {
  static final List<PlainTemplate> ALL =
      List.of(
          new PlainTemplate(
              "{{.env}}-{{ .code }}", line -> line.get("env") + "-" + line.get("code")),
          new PlainTemplate(
              "{{.env | ToUpper}}{{lower .level}}",
              line ->
                  line.get("env").toUpperCase(Locale.ROOT)
                      + line.get("level").toLowerCase(Locale.ROOT)),
          new PlainTemplate(
              "{{if eq .env \"prod\"}}P{{else if .env}}D{{else}}none{{end}}",
              line ->
                  switch (line.get("env")) {
                    case "prod" -> "P";
                    case "" -> "none";
                    default -> "D";
                  }),
          new PlainTemplate(
              "{{printf \"%s|%5s|%-4s|\" .env .code .took}}",
              line ->
                  line.get("env")
                      + "|"
                      + "%5s".formatted(line.get("code"))
                      + "|"
                      + "%-4s".formatted(line.get("took"))
                      + "|"),
          new PlainTemplate(
              "{{regexReplaceAll \"([a-z])(o?)\" .env \"<${1}$2>\"}}",
              line -> line.get("env").replaceAll("([a-z])(o?)", "<$1$2>")),
          new PlainTemplate(
              "{{regexReplaceAllLiteral \"[aeiou]\" .level \"$\"}}",
              line -> line.get("level").replaceAll("[aeiou]", "\\$")),
          new PlainTemplate(
              "{{trunc 2 .env}}{{trunc -2 .level}}",
              line -> {
                String env = line.get("env");
                String level = line.get("level");
                return env.substring(0, Math.min(2, env.length()))
                    + level.substring(Math.max(0, level.length() - 2));
              }),
          new PlainTemplate(
              "{{default \"nobody\" .k8s_pod_name}}",
              line -> line.get("k8s_pod_name").isEmpty() ? "nobody" : line.get("k8s_pod_name")),
          new PlainTemplate(
              "{{replace \"o\" \"00\" .env}}{{Replace .took \"s\" \"S\" 1}}",
              line -> line.get("env").replace("o", "00") + line.get("took").replaceFirst("s", "S")),
          new PlainTemplate(
              "{{add 1 .number}} {{mul .number 2}} {{mod .number 7}}",
              line -> {
                long number = Long.parseLong("0" + line.get("number"));
                return (number + 1) + " " + 2 * number + " " + number % 7;
              }),
          new PlainTemplate(
              "{{duration .took}}",
              line ->
                  switch (line.get("took")) {
                    case "5ms" -> "0.005";
                    case "15ms" -> "0.015";
                    case "1.5s" -> "1.5";
                    default -> null;
                  }),
          new PlainTemplate(
              "{{bytes .size | printf \"%.1f\"}}",
              line ->
                  switch (line.get("size")) {
                    case "1KB" -> "1000.0";
                    case "2KB" -> "2000.0";
                    case "5MiB" -> "5242880.0";
                    default -> null;
                  }),
          new PlainTemplate(
              "{{range $i, $e := fromJson `[1,\"b\",true]`}}{{$i}}{{$e}}{{$.env}};{{end}}",
              line -> {
                String env = line.get("env");
                return "01" + env + ";1b" + env + ";2true" + env + ";";
              }),
          new PlainTemplate(
              "{{with .ok}}<{{.}}>{{else}}?{{end}}{{$x := .env}}{{$x = print $x 1}}{{$x}}",
              line ->
                  (line.get("ok").isEmpty() ? "?" : "<" + line.get("ok") + ">")
                      + line.get("env")
                      + "1"),
          new PlainTemplate(
              "{{__line__ | b64enc}}",
              line ->
                  Base64.getEncoder().encodeToString(line.text.getBytes(StandardCharsets.UTF_8))),
          new PlainTemplate(
              "{{alignRight 6 .env}}{{alignLeft 3 .level}}{{repeat 2 .env}}{{len .took}}",
              line -> {
                String env = line.get("env");
                String level = line.get("level");
                String left = "%-3s".formatted(level).substring(0, 3);
                String right = "%6s".formatted(env);
                return right.substring(right.length() - 6)
                    + left
                    + env
                    + env
                    + line.get("took").length();
              }),
          new PlainTemplate(
              "{{if and (contains \"ro\" .env) (hasSuffix \"s\" .took)}}a{{end}}"
                  + "{{if or (hasPrefix \"w\" .service_name) (gt (len .env) 3)}}b{{end}}",
              line ->
                  (line.get("env").contains("ro") && line.get("took").endsWith("s") ? "a" : "")
                      + (line.get("service_name").startsWith("w") || line.get("env").length() > 3
                          ? "b"
                          : "")),
          new PlainTemplate(
              "{{unixEpochNanos __timestamp__}} {{date \"15:04\" __timestamp__}}",
              line -> {
                long minute = line.nanos / 60_000_000_000L;
                return line.nanos + " %02d:%02d".formatted(minute / 60 % 24, minute % 60);
              }),
          new PlainTemplate(
              "{{count \"o\" .env}}{{.env | title}}{{urlencode \"a b&\"}}{{trimPrefix \"p\" .env}}",
              line -> {
                String env = line.get("env");
                long count = env.chars().filter(c -> c == 'o').count();
                String titled =
                    Pattern.compile("(?<!\\S)[a-z]")
                        .matcher(env)
                        .replaceAll(first -> first.group().toUpperCase(Locale.ROOT));
                return count + titled + "a+b%26" + env.replaceFirst("^p", "");
              }));
}
