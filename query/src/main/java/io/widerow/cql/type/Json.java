package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Parses JSON: objects as maps in their order, arrays as lists, numbers as [Numeral] with their
/// text, and strings, booleans and null.
///
/// - Threads: one.
public final class Json {
  private static final int DEPTH_MAX = 100;
  private static final String DIGITS = "+-.0123456789eE";

  private final String text;
  private int at;
  private int depth;

  /// A number as it is written.
  public record Numeral(String text) {}

  private Json(String text) {
    this.text = text;
  }

  /// @throws CqlException when the text is no JSON
  public static @Nullable Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.skipBlanks();
    if (json.at != text.length()) {
      throw json.wrong();
    }
    return value;
  }

  private CqlException wrong() {
    return CqlException.invalid(
        "Could not decode JSON string at character %d: %s"
            .formatted(at, text.length() > 100 ? text.substring(0, 100) + "..." : text));
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    skipBlanks();
    if (at == text.length()) {
      throw wrong();
    }
    return text.charAt(at);
  }

  private boolean skip(char wanted) {
    boolean there = peek() == wanted;
    if (there) {
      at++;
    }
    return there;
  }

  private void require(char wanted) {
    if (!skip(wanted)) {
      throw wrong();
    }
  }

  private @Nullable Object value() {
    if (++depth > DEPTH_MAX) {
      throw CqlException.invalid("JSON is nested at most %d deep".formatted(DEPTH_MAX));
    }
    Object value =
        switch (peek()) {
          case '{' -> object();
          case '[' -> array();
          case '"' -> string();
          case 't' -> word("true", true);
          case 'f' -> word("false", false);
          case 'n' -> word("null", null);
          default -> number();
        };
    depth--;
    return value;
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong();
    }
    at += word.length();
    return value;
  }

  private Numeral number() {
    int from = at;
    while (at < text.length() && DIGITS.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (from == at) {
      throw wrong();
    }
    return new Numeral(text.substring(from, at));
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    require('{');
    if (skip('}')) {
      return members;
    }
    do {
      if (peek() != '"') {
        throw wrong();
      }
      String name = string();
      require(':');
      members.put(name, value());
    } while (skip(','));
    require('}');
    return members;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> elements = new ArrayList<>();
    require('[');
    if (skip(']')) {
      return elements;
    }
    do {
      elements.add(value());
    } while (skip(','));
    require(']');
    return elements;
  }

  private char next() {
    if (at == text.length()) {
      throw wrong();
    }
    return text.charAt(at++);
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    require('"');
    while (true) {
      char next = next();
      if (next == '"') {
        return out.toString();
      }
      out.append(next == '\\' ? escaped() : next);
    }
  }

  private char escaped() {
    char next = next();
    return switch (next) {
      case '"', '\\', '/' -> next;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw wrong();
        }
        at += 4;
        try {
          yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
        } catch (NumberFormatException noHex) {
          throw wrong();
        }
      }
      default -> throw wrong();
    };
  }
}
