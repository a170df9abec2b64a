package io.widerow.query;

import java.util.LinkedHashMap;
import java.util.Map;

/// Reads one line of an answer: a flat JSON object of strings, numbers and booleans. Numbers are
/// Long when they are whole and fit, else Double.
final class JsonLine {
  private final String text;
  private int at;

  private JsonLine(String text) {
    this.text = text;
  }

  /// @throws QueryException.Remote when it is anything else
  static Map<String, Object> parse(String text) {
    JsonLine line = new JsonLine(text);
    try {
      return line.object();
    } catch (StringIndexOutOfBoundsException | NumberFormatException cut) {
      throw line.wrong();
    }
  }

  private QueryException.Remote wrong() {
    return new QueryException.Remote(
        "the daemon's answer is not JSON lines, at character %d: %s"
            .formatted(
                at + 1, TextWriter.escaped(text.substring(0, Math.min(200, text.length())))));
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    expect('{');
    if (text.charAt(at) == '}') {
      return members;
    }
    while (true) {
      String name = string();
      expect(':');
      members.put(name, value());
      if (text.charAt(at) == '}') {
        return members;
      }
      expect(',');
    }
  }

  private void expect(char sign) {
    if (text.charAt(at) != sign) {
      throw wrong();
    }
    at++;
  }

  private Object value() {
    char first = text.charAt(at);
    if (first == '"') {
      return string();
    }
    int start = at;
    while (text.charAt(at) != ',' && text.charAt(at) != '}') {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      default -> number(word);
    };
  }

  private static Object number(String word) {
    if (word.indexOf('.') < 0 && word.indexOf('E') < 0 && word.indexOf('e') < 0) {
      return Long.parseLong(word);
    }
    return Double.parseDouble(word);
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (text.charAt(at) != '"') {
      char here = text.charAt(at++);
      if (here != '\\') {
        out.append(here);
        continue;
      }
      char escape = text.charAt(at++);
      switch (escape) {
        case 'n' -> out.append('\n');
        case 'r' -> out.append('\r');
        case 't' -> out.append('\t');
        case 'u' -> {
          out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        default -> out.append(escape);
      }
    }
    at++;
    return out.toString();
  }
}
