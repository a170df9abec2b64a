package io.widerow.query.logql.line;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A value of JSON.
///
/// @param source a string without quotes and escapes; else what the value is a part of
/// @param from where the value begins in it
/// @param until where it ends
/// @param isText true for a string
/// @param members of an object; else null
/// @param items of an array; else null
record JsonNode(
    String source,
    int from,
    int until,
    boolean isText,
    @Nullable Map<String, JsonNode> members,
    @Nullable List<JsonNode> items) {
  private static final int DEPTH_MAX = 64;

  /// Heap memory of a value, with its place in an object or an array.
  private static final long NODE_BYTES = 160;

  boolean isNull() {
    return !isText && length() == 4 && source.startsWith("null", from);
  }

  int length() {
    return until - from;
  }

  /// A string without quotes and escapes; anything else as it is written.
  String text(LineMemory memory) {
    if (from == 0 && until == source.length()) {
      return source;
    }
    memory.reserveText(length());
    return source.substring(from, until);
  }

  /// What a path of names and indexes leads to; null when there is nothing.
  @Nullable JsonNode at(List<Object> path) {
    JsonNode node = this;
    for (Object step : path) {
      JsonNode next = null;
      if (step instanceof Integer index) {
        List<JsonNode> of = node.items;
        next = of != null && index < of.size() ? of.get(index) : null;
      } else {
        Map<String, JsonNode> of = node.members;
        next = of == null ? null : of.get((String) step);
      }
      if (next == null) {
        return null;
      }
      node = next;
    }
    return node;
  }

  /// A text is no JSON.
  static final class Bad extends Exception {
    private static final long serialVersionUID = 1L;

    Bad(String why, int at) {
      super("%s at pos %d".formatted(why, at + 1), null, false, false);
    }
  }

  /// @param memory for all values
  /// @throws Bad when the text is not one value
  static JsonNode parse(String text, LineMemory memory) throws Bad {
    Reader reader = new Reader(text, memory);
    JsonNode node = reader.value(0);
    reader.blanks();
    if (reader.at < text.length()) {
      throw new Bad("more than one value", reader.at);
    }
    return node;
  }

  private static final class Reader {
    private final String source;
    private final LineMemory memory;
    private int at;

    Reader(String source, LineMemory memory) {
      this.source = source;
      this.memory = memory;
    }

    void blanks() {
      while (at < source.length() && " \t\r\n".indexOf(source.charAt(at)) >= 0) {
        at++;
      }
    }

    private char peek() throws Bad {
      blanks();
      if (at == source.length()) {
        throw new Bad("the text ends too early", at);
      }
      return source.charAt(at);
    }

    private boolean take(char c) throws Bad {
      boolean is = peek() == c;
      at += is ? 1 : 0;
      return is;
    }

    private void expect(char c) throws Bad {
      if (!take(c)) {
        throw new Bad("expected " + c, at);
      }
    }

    JsonNode value(int depth) throws Bad {
      if (depth > DEPTH_MAX) {
        throw new Bad("nested deeper than " + DEPTH_MAX, at);
      }
      memory.reserve(NODE_BYTES);
      char c = peek();
      int start = at;
      Map<String, JsonNode> members = null;
      List<JsonNode> items = null;
      switch (c) {
        case '"' -> {
          String text = string();
          return new JsonNode(text, 0, text.length(), true, null, null);
        }
        case '{' -> members = object(depth);
        case '[' -> items = array(depth);
        default -> scalar();
      }
      return new JsonNode(source, start, at, false, members, items);
    }

    private Map<String, JsonNode> object(int depth) throws Bad {
      Map<String, JsonNode> members = new LinkedHashMap<>();
      expect('{');
      if (take('}')) {
        return members;
      }
      do {
        if (peek() != '"') {
          throw new Bad("expected a name", at);
        }
        String name = string();
        expect(':');
        members.put(name, value(depth + 1));
      } while (take(','));
      expect('}');
      return members;
    }

    private List<JsonNode> array(int depth) throws Bad {
      List<JsonNode> items = new ArrayList<>();
      expect('[');
      if (take(']')) {
        return items;
      }
      do {
        items.add(value(depth + 1));
      } while (take(','));
      expect(']');
      return items;
    }

    private void scalar() throws Bad {
      int start = at;
      while (at < source.length() && ",]}: \t\r\n".indexOf(source.charAt(at)) < 0) {
        at++;
      }
      memory.reserveText(at - start);
      String word = source.substring(start, at);
      if (!word.equals("true")
          && !word.equals("false")
          && !word.equals("null")
          && !isNumber(word)) {
        throw new Bad("no value", start);
      }
    }

    /// `-?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?`
    private static boolean isNumber(String word) {
      int i = word.startsWith("-") ? 1 : 0;
      int whole = digits(word, i);
      if (whole == i || (word.charAt(i) == '0' && whole > i + 1)) {
        return false;
      }
      i = whole;
      if (i < word.length() && word.charAt(i) == '.') {
        int end = digits(word, i + 1);
        if (end == i + 1) {
          return false;
        }
        i = end;
      }
      if (i < word.length() && (word.charAt(i) == 'e' || word.charAt(i) == 'E')) {
        boolean sign = i + 1 < word.length() && "+-".indexOf(word.charAt(i + 1)) >= 0;
        int from = i + (sign ? 2 : 1);
        i = digits(word, from);
        if (i == from) {
          return false;
        }
      }
      return i == word.length();
    }

    private static int digits(String word, int from) {
      int i = from;
      while (i < word.length() && word.charAt(i) >= '0' && word.charAt(i) <= '9') {
        i++;
      }
      return i;
    }

    private String string() throws Bad {
      int start = ++at;
      while (at < source.length() && source.charAt(at) != '"' && source.charAt(at) != '\\') {
        at++;
      }
      if (at < source.length() && source.charAt(at) == '"') {
        memory.reserveText(at - start);
        return source.substring(start, at++);
      }
      int length = closing(at) - start;
      memory.reserveBuilt(length);
      StringBuilder text = new StringBuilder(length).append(source, start, at);
      while (at < source.length()) {
        char c = source.charAt(at++);
        if (c == '"') {
          return text.toString();
        }
        text.append(c == '\\' ? escape() : c);
      }
      throw new Bad("a string without its end", start - 1);
    }

    /// Where a string with escapes ends, at its quote or that of the whole text.
    private int closing(int from) {
      int end = from;
      while (end < source.length() && source.charAt(end) != '"') {
        end += source.charAt(end) == '\\' ? 2 : 1;
      }
      return Math.min(end, source.length());
    }

    private char escape() throws Bad {
      char c = at < source.length() ? source.charAt(at++) : 0;
      return switch (c) {
        case '"', '\\', '/' -> c;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'u' -> unicode();
        default -> throw new Bad("no escape", at - 1);
      };
    }

    private char unicode() throws Bad {
      int code = 0;
      for (int i = 0; i < 4; i++) {
        int digit = at < source.length() ? Character.digit(source.charAt(at), 16) : -1;
        if (digit < 0) {
          throw new Bad("no escape", at);
        }
        code = code * 16 + digit;
        at++;
      }
      return (char) code;
    }
  }
}
