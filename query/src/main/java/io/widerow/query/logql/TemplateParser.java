package io.widerow.query.logql;

import io.widerow.query.logql.Template.Command;
import io.widerow.query.logql.Template.Node;
import io.widerow.query.logql.Template.Operand;
import io.widerow.query.logql.Template.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses templates by recursive descent; see [Template].
///
/// - Threads: one.
final class TemplateParser {
  private static final int CHARS_MAX = 64 << 10;
  private static final int DEPTH_MAX = 64;
  private static final Pattern WORD =
      Pattern.compile(
          "\\s*(?:(\"(?:[^\"\\\\\\n]|\\\\.)*\"|`[^`]*`|'(?:[^'\\\\\\n]|\\\\.)+')"
              + "|([-+]?(?:0[xX][0-9a-fA-F]+|[0-9][0-9_]*(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
              + "|\\.[0-9]+))"
              + "|((?:\\.[A-Za-z_][A-Za-z0-9_]*)+|\\.)"
              + "|(\\$[A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*)*)"
              + "|([A-Za-z_][A-Za-z0-9_]*)|(:=|[|(),=]))",
          Pattern.DOTALL);
  private static final int TEXT = 1;
  private static final int NUMBER = 2;
  private static final int FIELD = 3;
  private static final int VARIABLE = 4;
  private static final int NAME = 5;

  private final String text;
  private final TemplateLibrary library;
  private final Set<String> fields = new LinkedHashSet<>();
  private final List<String> variables = new ArrayList<>(List.of("$"));
  private int at; // in the text
  private final Map<String, List<Node>> defined = new HashMap<>();
  private int depth;
  private int loops; // around the current place
  private String action = ""; // the current one, without its brackets
  private int actionAt; // in the text
  private @Nullable Matcher words; // the current word of it; null at its end
  private boolean trimsNext;

  TemplateParser(String text, TemplateLibrary library) {
    this.text = text;
    this.library = library;
    if (text.length() > CHARS_MAX) {
      throw new IllegalArgumentException(
          "template of %d characters, at most %d are allowed".formatted(text.length(), CHARS_MAX));
    }
  }

  Template template() {
    List<Node> nodes = new ArrayList<>();
    String end = list(nodes);
    if (!end.isEmpty()) {
      throw new IllegalArgumentException("unexpected {{%s}}".formatted(end));
    }
    return new Template(text, nodes, defined, fields);
  }

  /// Reads nodes up to `end` or `else`, which is returned, or to the end of the text: then nothing.
  private String list(List<Node> into) {
    if (++depth > DEPTH_MAX) {
      throw new IllegalArgumentException("template nested deeper than " + DEPTH_MAX);
    }
    while (true) {
      int open = text.indexOf("{{", at);
      String literal = text.substring(at, open < 0 ? text.length() : open);
      boolean trims = trimsNext;
      if (open < 0) {
        at = text.length();
        add(trims ? literal.stripLeading() : literal, into);
        depth--;
        return "";
      }
      readAction(open + 2);
      literal = trims ? literal.stripLeading() : literal;
      add(trimsBefore ? literal.stripTrailing() : literal, into);
      if (action.startsWith("/*")) {
        continue;
      }
      String word = isKind(NAME) ? word() : "";
      switch (word) {
        case "end", "else" -> {
          depth--;
          return word;
        }
        case "if", "with" -> into.add(branch(word));
        case "range" -> into.add(loop());
        case "template", "block" -> into.add(call(word));
        case "define" -> {
          if (depth > 1) {
            throw new IllegalArgumentException("unexpected {{define}}");
          }
          String _ = next();
          String name = name();
          requireEnd();
          define(name);
        }
        case "break", "continue" -> {
          String _ = next();
          requireEnd();
          if (loops == 0) {
            throw new IllegalArgumentException("{{%s}} outside {{range}}".formatted(word));
          }
          into.add(new Node.Jump(word.equals("break")));
        }
        default -> {
          Pipe pipe = pipe();
          requireEnd();
          into.add(new Node.Show(pipe));
        }
      }
    }
  }

  private boolean trimsBefore;

  private static void add(String literal, List<Node> into) {
    if (!literal.isEmpty()) {
      into.add(new Node.Literal(literal));
    }
  }

  /// Takes the text of an action up to its closing brackets.
  private void readAction(int from) {
    int start = from;
    trimsBefore = text.startsWith("-", start) && start + 1 < text.length() && isBlank(start + 1);
    start += trimsBefore ? 1 : 0;
    int comment = start;
    while (comment < text.length() && isBlank(comment)) {
      comment++;
    }
    int close = text.startsWith("/*", comment) ? commentEnd(comment) : actionEnd(start);
    trimsNext = text.charAt(close - 1) == '-' && close - 2 >= start && isBlank(close - 2);
    String inside = text.substring(start, trimsNext ? close - 1 : close);
    action = inside.strip();
    actionAt = start + inside.length() - inside.stripLeading().length();
    at = close + 2;
    words = WORD.matcher(action);
    if (!action.startsWith("/*")) {
      advance(0);
    }
  }

  private boolean isBlank(int place) {
    return " \t\r\n".indexOf(text.charAt(place)) >= 0;
  }

  private int commentEnd(int from) {
    int end = text.indexOf("*/", from);
    int close = end < 0 ? -1 : text.indexOf("}}", end);
    if (close < 0) {
      throw new IllegalArgumentException("unclosed comment");
    }
    return close;
  }

  private int actionEnd(int from) {
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        i += c == '\\' && quote != '`' ? 1 : 0;
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '`' || c == '\'') {
        quote = c;
      } else if (text.startsWith("}}", i)) {
        return i;
      }
    }
    throw new IllegalArgumentException("unclosed action");
  }

  private void advance(int from) {
    Matcher next = WORD.matcher(action);
    if (next.find(from) && next.start() == from) {
      words = next;
    } else if (action.substring(from).isBlank()) {
      words = null;
    } else {
      throw new IllegalArgumentException(
          "unexpected \"%s\" in action".formatted(action.substring(from).strip()));
    }
  }

  private boolean isKind(int kind) {
    Matcher current = words;
    return current != null && current.group(kind) != null;
  }

  private String word() {
    Matcher current = words;
    return current == null ? "" : current.group().strip();
  }

  private String next() {
    Matcher current = words;
    if (current == null) {
      throw new IllegalArgumentException("missing value for command");
    }
    String word = current.group().strip();
    advance(current.end());
    return word;
  }

  private boolean take(String word) {
    boolean is = word().equals(word) && !isKind(TEXT);
    if (is) {
      String _ = next();
    }
    return is;
  }

  private void requireEnd() {
    if (words != null) {
      throw new IllegalArgumentException("unexpected \"%s\" in operand".formatted(word()));
    }
  }

  /// The rest of `if` or `with`.
  private Node branch(String kind) {
    String _ = next();
    int known = variables.size();
    Pipe pipe = pipe();
    requireEnd();
    List<Node> then = new ArrayList<>();
    List<Node> otherwise = new ArrayList<>();
    String end = list(then);
    if (end.equals("else")) {
      String _ = next();
      if (isKind(NAME) && (word().equals("if") || word().equals("with"))) {
        otherwise.add(branch(word()));
        end = "end"; // that of the inner one
      } else {
        requireEnd();
        end = list(otherwise);
      }
    }
    requireClosed(end, kind);
    forget(known);
    return new Node.Branch(pipe, kind.equals("with"), then, otherwise);
  }

  private String name() {
    if (!isKind(TEXT)) {
      throw new IllegalArgumentException("unexpected \"%s\" in template clause".formatted(word()));
    }
    return String.valueOf(GoQuotes.unquoted(next()));
  }

  /// The rest of `template`, or of `block`, which defines it too.
  private Node call(String kind) {
    String _ = next();
    String name = name();
    boolean isBlock = kind.equals("block");
    Pipe pipe = words != null || isBlock ? pipe() : null;
    requireEnd();
    fields.add(Template.LINE); // it may look at anything
    if (isBlock) {
      define(name);
    }
    return new Node.Call(name, pipe);
  }

  /// Reads the body of a template, which sees no variables but its own. An empty one does not
  /// replace another.
  private void define(String name) {
    List<String> outer = List.copyOf(variables);
    int outerLoops = loops;
    loops = 0;
    variables.clear();
    variables.add("$");
    List<Node> body = new ArrayList<>();
    requireClosed(list(body), "define");
    variables.clear();
    variables.addAll(outer);
    loops = outerLoops;
    boolean isEmpty =
        body.stream().allMatch(node -> node instanceof Node.Literal(var said) && said.isBlank());
    if (!isEmpty || !defined.containsKey(name)) {
      defined.put(name, List.copyOf(body));
    }
  }

  private Node loop() {
    String _ = next();
    int known = variables.size();
    Pipe pipe = pipe();
    requireEnd();
    List<Node> each = new ArrayList<>();
    List<Node> otherwise = new ArrayList<>();
    loops++;
    String end = list(each);
    loops--;
    if (end.equals("else")) {
      String _ = next();
      requireEnd();
      end = list(otherwise);
    }
    requireClosed(end, "range");
    forget(known);
    return new Node.Loop(pipe, each, otherwise);
  }

  private void forget(int known) {
    variables.subList(known, variables.size()).clear();
  }

  private static void requireClosed(String end, String kind) {
    if (!end.equals("end")) {
      throw new IllegalArgumentException("unexpected EOF in {{%s}}".formatted(kind));
    }
  }

  private Pipe pipe() {
    List<String> set = new ArrayList<>();
    boolean declares = false;
    if (isKind(VARIABLE) && action.matches("(?s).*?\\$\\w+(\\s*,\\s*\\$\\w+)?\\s*:?=.*")) {
      do {
        set.add(next());
      } while (take(","));
      declares = take(":=");
      if (!declares && !take("=")) {
        throw new IllegalArgumentException("unexpected \"%s\" in operand".formatted(word()));
      }
      if (declares) {
        variables.addAll(set);
      }
    }
    List<Command> commands = new ArrayList<>();
    do {
      commands.add(command());
    } while (take("|"));
    set.forEach(this::requireVariable);
    return new Pipe(set, declares, commands);
  }

  private void requireVariable(String name) {
    if (!variables.contains(name)) {
      throw new IllegalArgumentException("undefined variable \"%s\"".formatted(name));
    }
  }

  private Command command() {
    List<Operand> operands = new ArrayList<>();
    int start = words == null ? action.length() : words.start();
    while (words != null && !word().equals("|") && !word().equals(")")) {
      operands.add(operand(operands.isEmpty()));
    }
    if (operands.isEmpty()) {
      throw new IllegalArgumentException("missing value for command");
    }
    int end = words == null ? action.length() : words.start();
    return new Command(operands, place(actionAt + start), action.substring(start, end).strip());
  }

  private Operand operand(boolean isFirst) {
    if (isKind(TEXT)) {
      return new Operand.Constant(GoQuotes.unquoted(next()));
    }
    if (isKind(NUMBER)) {
      return new Operand.Constant(number(next()));
    }
    if (isKind(FIELD)) {
      List<String> path = path(next());
      fields.add(path.isEmpty() ? Template.LINE : path.getFirst());
      return new Operand.Dot(path);
    }
    if (isKind(VARIABLE)) {
      String word = next();
      int dot = word.indexOf('.');
      String name = dot < 0 ? word : word.substring(0, dot);
      requireVariable(name);
      List<String> path = dot < 0 ? List.of() : path(word.substring(dot));
      if (name.equals("$")) {
        fields.add(path.isEmpty() ? Template.LINE : path.getFirst());
      }
      return new Operand.Variable(name, path);
    }
    if (take("(")) {
      if (++depth > DEPTH_MAX) {
        throw new IllegalArgumentException("template nested deeper than " + DEPTH_MAX);
      }
      Pipe pipe = pipe();
      depth--;
      if (!word().equals(")")) {
        throw new IllegalArgumentException("unclosed left paren");
      }
      boolean touches = words != null && action.startsWith(".", words.end());
      String _ = next();
      return new Operand.Nested(pipe, touches && isKind(FIELD) ? path(next()) : List.of());
    }
    if (isKind(NAME)) {
      return named(next(), isFirst);
    }
    throw new IllegalArgumentException("unexpected \"%s\" in operand".formatted(word()));
  }

  private Operand named(String name, boolean isFirst) {
    switch (name) {
      case "true", "false" -> {
        return new Operand.Constant(name.equals("true"));
      }
      case "nil" -> {
        if (isFirst) {
          throw new IllegalArgumentException("nil is not a command");
        }
        return new Operand.Constant(null);
      }
      case Template.LINE, "__timestamp__" -> fields.add(Template.LINE);
      default -> {}
    }
    if (!library.has(name)) {
      throw new IllegalArgumentException("function \"%s\" not defined".formatted(name));
    }
    return new Operand.Function(name);
  }

  /// The line, from 1, and the bytes before it in the line.
  private String place(int at) {
    String before = text.substring(0, at);
    int line = before.lastIndexOf('\n') + 1;
    long lines = before.chars().filter(each -> each == '\n').count();
    int bytes = before.substring(line).getBytes(StandardCharsets.UTF_8).length;
    return (lines + 1) + ":" + bytes;
  }

  private static List<String> path(String field) {
    return field.equals(".") ? List.of() : List.of(field.substring(1).split("\\."));
  }

  private static Object number(String word) {
    String plain = word.replace("_", "");
    try {
      return plain.matches("[-+]?0[xX].*")
          ? (Object) Long.parseLong(plain.replaceFirst("0[xX]", ""), 16)
          : plain.matches("[-+]?[0-9]+") ? (Object) Long.parseLong(plain) : Double.valueOf(plain);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException("bad number syntax: \"%s\"".formatted(word));
    }
  }
}
