package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.figures.Cell;
import io.widerow.query.output.TextWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/// Parses one line of a response: a JSON object of strings, numbers, booleans and, of exports,
/// objects of one string. A number with a fraction or an exponent is a Double, any other a Long.
/// Another value, which only a newer daemon sends, is kept as its text.
public final class JsonLine {
  /// A value that no line of this version has.
  ///
  /// @param text as it is written; empty for `null`
  record Other(String text) {
    static final Other NULL = new Other("");

    @Override
    public String toString() {
      return text;
    }
  }

  private final String text;
  private int at;

  private JsonLine(String text) {
    this.text = text;
  }

  /// @throws QueryException.Remote when the line is anything else
  public static Map<String, Object> parse(String text) {
    JsonLine line = new JsonLine(text);
    try {
      return line.object();
    } catch (StringIndexOutOfBoundsException | NumberFormatException cut) {
      throw line.wrong();
    }
  }

  /// Parses a line into its members in order: numbers as they are written.
  ///
  /// @throws QueryException.Remote when the line is anything else
  static List<Map.Entry<String, Cell>> cells(String text) {
    JsonLine line = new JsonLine(text);
    List<Map.Entry<String, Cell>> members = new ArrayList<>();
    try {
      line.members(line::cell, (name, value) -> members.add(Map.entry(name, value)));
    } catch (StringIndexOutOfBoundsException | NumberFormatException cut) {
      throw line.wrong();
    }
    return members;
  }

  /// Parses an array of flat objects inside a text: each with its members by name.
  ///
  /// @param start index of its `[`
  /// @throws QueryException.Remote when it is anything else
  static List<Map<String, Cell>> array(String text, int start) {
    JsonLine line = new JsonLine(text);
    line.at = start;
    List<Map<String, Cell>> objects = new ArrayList<>();
    try {
      line.expect('[');
      while (text.charAt(line.at) != ']') {
        if (!objects.isEmpty()) {
          line.expect(',');
        }
        Map<String, Cell> members = new LinkedHashMap<>();
        line.members(line::cell, members::put);
        line.expect('}');
        objects.add(members);
      }
    } catch (StringIndexOutOfBoundsException | NumberFormatException cut) {
      throw line.wrong();
    }
    return objects;
  }

  /// Parses an array of texts inside a text.
  ///
  /// @param start index of its `[`
  /// @throws QueryException.Remote when it is anything else
  static List<String> texts(String text, int start) {
    JsonLine line = new JsonLine(text);
    line.at = start;
    List<String> texts = new ArrayList<>();
    try {
      line.expect('[');
      while (text.charAt(line.at) != ']') {
        if (!texts.isEmpty()) {
          line.expect(',');
        }
        texts.add(line.string());
      }
    } catch (StringIndexOutOfBoundsException | NumberFormatException cut) {
      throw line.wrong();
    }
    return texts;
  }

  private QueryException.Remote wrong() {
    return new QueryException.Remote(
        "the response of the daemon is not JSON lines, at character %d: %s"
            .formatted(
                at + 1, TextWriter.escaped(text.substring(0, Math.min(200, text.length())))));
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    members(this::value, members::put);
    return members;
  }

  private <T> void members(Supplier<T> value, BiConsumer<String, T> member) {
    expect('{');
    while (text.charAt(at) != '}') {
      String name = string();
      expect(':');
      member.accept(name, value.get());
      if (text.charAt(at) == '}') {
        return;
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
    if (first == '{' || first == '[') {
      String nested = nested();
      return isExactValue(nested) ? new JsonLine(nested).strings() : new Other(nested);
    }
    String word = word();
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> Other.NULL;
      default -> number(word);
    };
  }

  private Cell cell() {
    char first = text.charAt(at);
    if (first == '"') {
      return Cell.ofText(string());
    }
    if (first == '{' || first == '[') {
      return Cell.ofText(nested());
    }
    String word = word();
    return switch (word) {
      case "null" -> Cell.MISSING;
      case "true", "false" -> Cell.of(word.equals("true"));
      default -> Cell.ofNumber(word);
    };
  }

  /// True for an object of one string whose name begins with `$`, see `ExactJson`.
  private static boolean isExactValue(String nested) {
    return nested.startsWith("{\"$") && nested.endsWith("\"}");
  }

  private Map<String, String> strings() {
    Map<String, String> members = new LinkedHashMap<>();
    members(this::string, members::put);
    expect('}');
    return members;
  }

  /// The text of an object or an array, up to the bracket that closes it.
  private String nested() {
    int start = at;
    int depth = 0;
    do {
      switch (text.charAt(at)) {
        case '"' -> {
          String _ = string();
          at--;
        }
        case '{', '[' -> depth++;
        case '}', ']' -> depth--;
        default -> {} // a part of a word, or between two members
      }
      at++;
    } while (depth > 0);
    return text.substring(start, at);
  }

  private String word() {
    int start = at;
    while (text.charAt(at) != ',' && text.charAt(at) != '}') {
      at++;
    }
    return text.substring(start, at);
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
