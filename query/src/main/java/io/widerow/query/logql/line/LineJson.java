package io.widerow.query.logql.line;

import io.widerow.query.logql.LogqlNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads JSON in a line as far as it is JSON, as Loki does: members before a mistake count, and
/// what follows the object is not looked at. A mistake has Loki's words. A parser of JSON alone
/// would refuse values that Loki takes, such as `1x`.
///
/// - Threads: one.
final class LineJson {
  private static final int DEPTH_MAX = 64;
  private static final String NO_OBJECT =
      "Value looks like object, but can't find closing '}' symbol";
  private static final String NO_ARRAY = "Value is array, but can't find closing ']' symbol";
  private static final String NO_STRING = "Value is string, but can't find closing '\"' symbol";
  private static final String BAD_ESCAPE = "Encountered an invalid escape sequence in a string";
  private static final String MALFORMED = "Malformed JSON error";
  private static final String UNKNOWN = "Unknown value type";
  private static final String DONE = "done"; // no mistake

  /// The kinds of values.
  enum Kind {
    STRING,
    NUMBER,
    BOOLEAN,
    NULL,
    ARRAY,
    OBJECT
  }

  /// A value: its place in the text, without the quotes of a string.
  record Value(Kind kind, int from, int until) {
    /// The place after it.
    int end() {
      return kind == Kind.STRING ? until + 1 : until;
    }

    /// True for a value that becomes a label.
    boolean isScalar() {
      return kind == Kind.STRING || kind == Kind.NUMBER || kind == Kind.BOOLEAN;
    }
  }

  /// Takes the members of an object.
  @FunctionalInterface
  interface Members {
    /// Returns a mistake, after which nothing more is read; null without one.
    @Nullable String member(String name, Value value);
  }

  private final String text;
  private final LineMemory memory;
  private @Nullable String mistake; // of the last value
  private String mistaken = ""; // the name of the member that it is in

  LineJson(String text, LineMemory memory) {
    this.text = text;
    this.memory = memory;
  }

  /// Hands over the members of the object that the text is, in order. Returns the first mistake;
  /// null without one.
  @Nullable String members(Members members) {
    return members(0, text.length(), members);
  }

  /// The same of a value that is an object.
  @Nullable String members(Value object, Members members) {
    return members(object.from, object.until, members);
  }

  private @Nullable String members(int from, int end, Members members) {
    int at = skip(from, end);
    if (at == end || text.charAt(at) != '{') {
      return NO_OBJECT;
    }
    at = skip(at + 1, end);
    if (at == end) {
      return MALFORMED;
    }
    while (text.charAt(at) != '}') {
      int nameEnd = text.charAt(at) == '"' ? stringEnd(at + 1, end) : -1;
      if (nameEnd < 0) {
        return text.charAt(at) == '"' ? MALFORMED : NO_OBJECT;
      }
      String name = unescaped(at + 1, nameEnd - 1);
      if (name == null) {
        return BAD_ESCAPE;
      }
      at = skip(nameEnd, end);
      at = at < end && text.charAt(at) == ':' ? skip(at + 1, end) : end;
      if (at == end) {
        return MALFORMED;
      }
      Value value = value(at, end);
      if (value == null) {
        mistaken = name;
        return mistake;
      }
      String wrong = members.member(name, value);
      if (wrong != null) {
        return wrong;
      }
      at = skip(value.end(), end);
      if (at < end && text.charAt(at) != '}') {
        if (text.charAt(at) != ',') {
          return NO_OBJECT;
        }
        at = skip(at + 1, end);
      }
      if (at == end) {
        return NO_ARRAY;
      }
    }
    return null;
  }

  /// Adds the values that become labels to a line, those in objects inside others too: with the
  /// names on the way, and `_` between them. Returns the first mistake; null without one, or when
  /// the line has all labels that are needed before it.
  @Nullable String flatten(Line line) {
    String wrong = flatten("", null, line, 0);
    return DONE.equals(wrong) ? null : wrong;
  }

  /// @param prefix ends with `_`; empty for the outermost object
  private @Nullable String flatten(String prefix, @Nullable Value object, Line line, int depth) {
    if (depth > DEPTH_MAX) {
      return "nested deeper than " + DEPTH_MAX;
    }
    Members each =
        (name, value) -> {
          memory.reserveBuilt(2L * (prefix.length() + name.length()));
          String label = LogqlNames.shown(prefix + name.strip());
          if (value.kind == Kind.OBJECT) {
            String inner = name.isBlank() ? prefix : label + "_";
            boolean isNeeded = name.isBlank() || line.hints().takesPrefix(label);
            return isNeeded ? flatten(inner, value, line, depth + 1) : null;
          }
          if (name.isBlank() && !prefix.isEmpty()) {
            label = prefix.substring(0, prefix.length() - 1);
          }
          if (value.isScalar() && !label.isEmpty()) {
            line.parsed(label, text(value));
          }
          return line.isParsed() ? DONE : null;
        };
    return object == null ? members(each) : members(object, each);
  }

  /// The value to which a path of names and indexes leads, from the start of the text. Null when
  /// there is none, or when it is no JSON: then [#mistake] has the words.
  @Nullable Value at(List<?> path) {
    mistake = null;
    int at = skip(0, text.length());
    Value value = at == text.length() ? null : new Value(Kind.OBJECT, at, text.length());
    for (Object step : path) {
      if (value == null) {
        return null;
      }
      @Nullable Value[] found = new @Nullable Value[1];
      if (step instanceof Integer index) {
        found[0] = item(value, index);
      } else {
        mistaken = "";
        String _ =
            members(
                value,
                (name, member) -> {
                  if (!name.equals(step)) {
                    return null;
                  }
                  found[0] = member;
                  return name;
                });
        mistake = mistaken.equals(step) ? mistake : null; // other members are not looked at
      }
      value = found[0];
    }
    return value;
  }

  /// The mistake in the value that was looked for last; null without one.
  @Nullable String mistake() {
    return mistake;
  }

  private @Nullable Value item(Value array, int index) {
    int at = array.from;
    if (text.charAt(at) != '[') {
      return null;
    }
    at = skip(at + 1, array.until);
    for (int i = 0; at < array.until && text.charAt(at) != ']'; i++) {
      Value item = value(at, array.until);
      if (item == null || i == index) {
        return item;
      }
      at = skip(item.end(), array.until);
      at = at < array.until && text.charAt(at) == ',' ? skip(at + 1, array.until) : array.until;
    }
    return null;
  }

  /// A value as a text: a string without escapes, empty when one is wrong; null as an empty text;
  /// anything else as it is written.
  String text(Value value) {
    memory.reserveText(value.until - value.from);
    return switch (value.kind) {
      case NULL -> "";
      case STRING, ARRAY -> {
        String plain = unescaped(value.from, value.until);
        yield plain == null ? "" : plain.replace('\ufffd', ' ');
      }
      default -> text.substring(value.from, value.until);
    };
  }

  private @Nullable Value value(int at, int end) {
    char c = text.charAt(at);
    if (c == '"') {
      int close = stringEnd(at + 1, end);
      return close < 0 ? wrong(NO_STRING) : new Value(Kind.STRING, at + 1, close - 1);
    }
    if (c == '{' || c == '[') {
      int close = blockEnd(at, end, c, c == '{' ? '}' : ']');
      Kind kind = c == '{' ? Kind.OBJECT : Kind.ARRAY;
      return close < 0 ? wrong(c == '{' ? NO_OBJECT : NO_ARRAY) : new Value(kind, at, close);
    }
    int until = at;
    while (until < end && " \n\r\t,}]".indexOf(text.charAt(until)) < 0) {
      until++;
    }
    Kind kind =
        switch (text.substring(at, Math.min(until, at + 6))) {
          case "true", "false" -> Kind.BOOLEAN;
          case "null" -> Kind.NULL;
          default -> (c >= '0' && c <= '9') || c == '-' ? Kind.NUMBER : null;
        };
    return kind == null ? wrong(UNKNOWN) : new Value(kind, at, until);
  }

  private @Nullable Value wrong(String why) {
    mistake = why;
    return null;
  }

  private int skip(int from, int end) {
    int at = from;
    while (at < end && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at;
  }

  /// The place after the quote that closes a string; negative without one.
  private int stringEnd(int from, int end) {
    for (int at = from; at < end; at++) {
      char c = text.charAt(at);
      if (c == '"') {
        return at + 1;
      }
      if (c == '\\') {
        at++;
      }
    }
    return -1;
  }

  private int blockEnd(int from, int end, char open, char close) {
    int level = 0;
    for (int at = from; at < end; at++) {
      char c = text.charAt(at);
      if (c == '"') {
        at = stringEnd(at + 1, end) - 1;
        if (at < 0) {
          return -1;
        }
      } else if (c == open) {
        level++;
      } else if (c == close && --level == 0) {
        return at + 1;
      }
    }
    return -1;
  }

  /// A part of the text without escapes; null when one is wrong.
  private @Nullable String unescaped(int from, int until) {
    if (text.indexOf('\\', from, until) < 0) {
      return text.substring(from, until);
    }
    memory.reserveText(until - from);
    StringBuilder plain = new StringBuilder(until - from);
    for (int at = from; at < until; at++) {
      char c = text.charAt(at);
      if (c != '\\') {
        plain.append(c);
        continue;
      }
      char kind = ++at < until ? text.charAt(at) : 0;
      int simple = "\"\\/bfnrt".indexOf(kind);
      if (simple >= 0) {
        plain.append("\"\\/\b\f\n\r\t".charAt(simple));
        continue;
      }
      int code = kind == 'u' ? hex(at + 1, until) : -1;
      at += 4;
      if (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
        boolean isPair = text.startsWith("\\u", at + 1);
        int low = isPair ? hex(at + 3, until) : -1;
        at += 6;
        code =
            low < Character.MIN_LOW_SURROGATE ? -1 : Character.toCodePoint((char) code, (char) low);
      }
      if (code < 0) {
        return null;
      }
      plain.appendCodePoint(Character.isValidCodePoint(code) ? code : 0xfffd);
    }
    return plain.toString();
  }

  private int hex(int from, int until) {
    if (from + 4 > until) {
      return -1;
    }
    int code = 0;
    for (int i = from; i < from + 4; i++) {
      char c = text.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }
}
