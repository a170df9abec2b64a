package io.widerow.loadgen.format;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads and writes JSON objects, and reads arrays, without others in them.
///
/// - Threads: one; an instance reads one line.
public final class FlatJson {
  private final String text;
  private int at;

  private FlatJson(String text) {
    this.text = text;
  }

  /// The members as text, strings without their quotes.
  ///
  /// @throws IllegalArgumentException when it is not such an object
  public static Map<String, String> parse(String line) {
    return new FlatJson(line).object();
  }

  /// The elements of an array as text, strings without their quotes.
  ///
  /// @throws IllegalArgumentException when it is no array, or has arrays or objects in it
  public static List<String> array(String text) {
    return new FlatJson(text).array();
  }

  private List<String> array() {
    List<String> elements = new ArrayList<>();
    expect('[');
    if (peek() == ']') {
      return elements;
    }
    while (true) {
      elements.add(value());
      if (peek() == ']') {
        return elements;
      }
      expect(',');
    }
  }

  private Map<String, String> object() {
    Map<String, String> members = new LinkedHashMap<>();
    expect('{');
    if (peek() == '}') {
      return members;
    }
    while (true) {
      String name = string();
      expect(':');
      members.put(name, value());
      if (peek() == '}') {
        return members;
      }
      expect(',');
    }
  }

  private char peek() {
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
    if (at == text.length()) {
      throw bad();
    }
    return text.charAt(at);
  }

  private void expect(char c) {
    if (peek() != c) {
      throw bad();
    }
    at++;
  }

  private String value() {
    return peek() == '"' ? string() : bare();
  }

  private String bare() {
    int from = at;
    while (at < text.length() && ",}]".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return text.substring(from, at).strip();
  }

  private String string() {
    expect('"');
    int plain = text.indexOf('"', at);
    if (plain >= 0 && text.substring(at, plain).indexOf('\\') < 0) {
      String found = text.substring(at, plain);
      at = plain + 1;
      return found;
    }
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      out.append(c == '\\' ? escaped() : c);
    }
    expect('"');
    return out.toString();
  }

  private char escaped() {
    if (at == text.length()) {
      throw bad();
    }
    char c = text.charAt(at++);
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw bad();
        }
        at += 4;
        yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      default -> c;
    };
  }

  private IllegalArgumentException bad() {
    String shown = text.length() > 80 ? text.substring(0, 80) + "..." : text;
    return new IllegalArgumentException("not flat JSON at " + at + ": " + shown);
  }

  /// @param members numbers and booleans stay what they are, anything else is a string
  public static String render(Map<String, Object> members) {
    StringBuilder out = new StringBuilder("{");
    members.forEach((name, value) -> {
      out.append(out.length() == 1 ? "\"" : ",\"").append(name).append("\":");
      if (value instanceof Number || value instanceof Boolean) {
        out.append(value);
      } else {
        quote(value.toString(), out);
      }
    });
    return out.append('}').toString();
  }

  /// Appends the text as a JSON string, quotes included.
  public static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
