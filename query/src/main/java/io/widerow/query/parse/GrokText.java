package io.widerow.query.parse;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Translates an expression of grok to RE2: `%{NAME}` is the pattern of that name, `%{NAME:field}`
/// is a field as well, `%{NAME:field:string}` one that is never a number. `(?<field>...)` is a
/// field too; `[a][b]` as a field's name is `a.b`. The patterns are those of `grok.txt`.
final class GrokText {
  private static final int REGEX_CHARS_MAX = 20_000;
  private static final int DEPTH_MAX = 16;
  private static final Map<String, String> PATTERNS = read();

  private final StringBuilder regex = new StringBuilder();
  private final List<AttributeName> names = new ArrayList<>();
  private final List<Boolean> texts = new ArrayList<>();

  private GrokText() {}

  private static Map<String, String> read() {
    Map<String, String> patterns = new HashMap<>();
    try (InputStream file = GrokText.class.getResourceAsStream("grok.txt")) {
      if (file == null) {
        throw new IllegalStateException("grok.txt is not in the jar");
      }
      String all = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : all.split("\n", -1)) {
        int space = line.indexOf(' ');
        if (space > 0 && !line.startsWith("#")) {
          patterns.put(line.substring(0, space), line.substring(space + 1));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return patterns;
  }

  /// The names of all patterns.
  static List<String> patterns() {
    return PATTERNS.keySet().stream().sorted().toList();
  }

  /// @throws IllegalArgumentException when a pattern is unknown, no field is named, or the
  ///   expression is not one of RE2
  static RegexFormat parse(String grok) {
    GrokText text = new GrokText();
    text.expand(grok, 0);
    if (text.names.isEmpty()) {
      throw new IllegalArgumentException(
          "at least one field is required, as %{IP:client}, got " + grok);
    }
    Pattern compiled = RegexFormat.compile(text.regex.toString());
    List<RegexFormat.Group> groups = new ArrayList<>();
    for (int i = 0; i < text.names.size(); i++) {
      int number = compiled.namedGroups().getOrDefault("g" + i, 0);
      groups.add(new RegexFormat.Group(text.names.get(i), number, text.texts.get(i)));
    }
    return new RegexFormat("grok `" + grok + "`", compiled, groups);
  }

  private void expand(String grok, int depth) {
    int at = 0;
    while (at < grok.length()) {
      char here = grok.charAt(at);
      if (here == '\\' && at + 1 < grok.length()) {
        regex.append(here).append(grok.charAt(at + 1));
        at += 2;
      } else if (grok.startsWith("%{", at)) {
        at = reference(grok, at, depth);
      } else if (isGroup(grok, at)) {
        int close = grok.indexOf('>', at);
        if (close < 0) {
          throw new IllegalArgumentException("a group's name has no end: " + grok.substring(at));
        }
        int open = grok.indexOf('<', at);
        begin(grok.substring(open + 1, close), false);
        at = close + 1;
      } else {
        regex.append(here);
        at++;
      }
      if (regex.length() > REGEX_CHARS_MAX) {
        throw new IllegalArgumentException(
            "more than %d characters as an expression".formatted(REGEX_CHARS_MAX));
      }
    }
  }

  private static boolean isGroup(String grok, int at) {
    boolean named = grok.startsWith("(?<", at) || grok.startsWith("(?P<", at);
    return named && !grok.startsWith("(?<=", at) && !grok.startsWith("(?<!", at);
  }

  private void begin(String field, boolean isText) {
    String name =
        field.startsWith("[") ? field.replace("][", ".").replaceAll("[\\[\\]]", "") : field;
    regex.append("(?P<g").append(names.size()).append('>');
    names.add(AttributeName.of(name));
    texts.add(isText);
  }

  /// Reads `%{NAME:field:type}` at `at`, and returns the place after it.
  private int reference(String grok, int at, int depth) {
    int close = grok.indexOf('}', at);
    if (close < 0) {
      throw new IllegalArgumentException("%{ without }: " + grok.substring(at));
    }
    String[] parts = grok.substring(at + 2, close).split(":", 3);
    String pattern = PATTERNS.get(parts[0]);
    if (pattern == null) {
      throw new IllegalArgumentException("no such grok pattern: " + parts[0]);
    }
    if (depth == DEPTH_MAX) {
      throw new IllegalStateException("patterns without end: " + parts[0]);
    }
    if (parts.length > 1) {
      String type = parts.length > 2 ? parts[2] : "";
      if (!type.isEmpty()
          && !type.equals("int")
          && !type.equals("float")
          && !type.equals("string")) {
        throw new IllegalArgumentException(
            "%s: the type of a field is int, float or string, got %s".formatted(parts[1], type));
      }
      begin(parts[1], type.equals("string"));
    } else {
      regex.append("(?:");
    }
    expand(pattern, depth + 1);
    regex.append(')');
    return close + 1;
  }
}
