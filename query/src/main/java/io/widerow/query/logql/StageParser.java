package io.widerow.query.logql;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Parses selectors and the stages after them:
///
/// ```
/// selector = "{" [ matcher { "," matcher } ] "}"
/// matcher  = name ( "=" | "!=" | "=~" | "!~" ) text
/// stage    = ( "|=" | "!=" | "|~" | "!~" ) text { "or" text }
///          | "|" ( "json" | "logfmt" | "regexp" | "pattern" | "unpack" | "line_format"
///                | "label_format" | "drop" | "keep" | "decolorize" | condition )
/// ```
///
/// - Threads: one.
final class StageParser {
  private static final int DEPTH_MAX = 64;
  private static final int MATCHERS_MAX = 1_000;

  private final LogqlLexer lexer;
  private int depth;

  StageParser(LogqlLexer lexer) {
    this.lexer = lexer;
  }

  List<Matcher> selector() {
    lexer.expect("{");
    List<Matcher> matchers = new ArrayList<>();
    while (!lexer.take("}")) {
      if (!matchers.isEmpty()) {
        lexer.expect(",");
        if (lexer.take("}")) {
          break;
        }
      }
      matchers.add(matcher(lexer.name("the name of a label")));
      if (matchers.size() > MATCHERS_MAX) {
        throw lexer.wrong("more than %d matchers".formatted(MATCHERS_MAX));
      }
    }
    return matchers;
  }

  private Matcher matcher(String name) {
    Matcher.Kind kind = matcherKind();
    if (kind == null) {
      throw lexer.wrong("expected = != =~ or !~");
    }
    return matcher(name, kind);
  }

  private Matcher.@Nullable Kind matcherKind() {
    for (Matcher.Kind kind : Matcher.Kind.values()) {
      if (lexer.take(kind.sign)) {
        return kind;
      }
    }
    return null;
  }

  private Matcher matcher(String name, Matcher.Kind kind) {
    if (kind == Matcher.Kind.EQUAL || kind == Matcher.Kind.NOT_EQUAL) {
      return new Matcher(name, kind, lexer.string("the text of the label"), null);
    }
    Pattern regex = lexer.regex();
    return new Matcher(name, kind, regex.pattern(), regex);
  }

  /// True when the current word starts a stage.
  boolean isStage() {
    return lexer.isSign("|")
        || lineFilterRegex() != null
        || lexer.isSign("|>")
        || lexer.isSign("!>");
  }

  /// For the sign of a line filter: whether it takes an expression. Null for other words.
  private @Nullable Boolean lineFilterRegex() {
    if (lexer.isSign("|=") || lexer.isSign("!=")) {
      return false;
    }
    return (lexer.isSign("|~") || lexer.isSign("!~")) ? Boolean.TRUE : null;
  }

  /// The next stage.
  Stage stage() {
    lexer.part();
    Boolean regex = lineFilterRegex();
    if (regex != null) {
      return lineFilter(regex);
    }
    if (lexer.isSign("|>") || lexer.isSign("!>")) {
      throw lexer.unsupported(lexer.position(), lexer.word() + ", the filter by pattern");
    }
    lexer.expect("|");
    int where = lexer.position();
    if (lexer.kind() == LogqlLexer.Kind.NAME) {
      Stage named = named(lexer.word(), where);
      if (named != null) {
        return named;
      }
    }
    return new Stage.LabelFilter(condition());
  }

  private Stage lineFilter(boolean isRegex) {
    boolean negated = lexer.word().startsWith("!");
    lexer.advance();
    List<Stage.LinePart> parts = new ArrayList<>();
    do {
      if (lexer.isName("ip")) {
        throw lexer.unsupported(lexer.position(), "ip()");
      }
      if (isRegex) {
        Pattern regex = lexer.regex();
        parts.add(new Stage.LinePart(regex.pattern(), regex));
      } else {
        parts.add(new Stage.LinePart(lexer.string("a text"), null));
      }
    } while (lexer.takeName("or"));
    return new Stage.LineFilter(negated, parts);
  }

  /// The stage that a name starts; null when it is a label.
  private @Nullable Stage named(String name, int where) {
    switch (name) {
      case "json", "logfmt", "regexp", "pattern", "unpack", "line_format", "label_format" -> {}
      case "drop", "keep", "decolorize", "unwrap" -> {}
      case "distinct" -> throw lexer.unsupported(where, "distinct");
      default -> {
        return null;
      }
    }
    lexer.advance();
    return switch (name) {
      case "json" -> new Stage.Json(extractions(true));
      case "logfmt" -> logfmt();
      case "regexp" -> regexp();
      case "pattern" -> pattern();
      case "unpack" -> new Stage.Unpack();
      case "line_format" -> new Stage.LineFormat(template());
      case "label_format" -> new Stage.LabelFormat(assignments());
      case "drop" -> new Stage.Drop(nameTests());
      case "keep" -> new Stage.Keep(nameTests());
      case "unwrap" -> unwrap();
      default -> new Stage.Decolorize();
    };
  }

  private Stage logfmt() {
    boolean strict = false;
    boolean keepsEmpty = false;
    while (lexer.take("-")) {
      lexer.expect("-");
      int where = lexer.position();
      String flag = lexer.name("strict or keep-empty");
      if (flag.equals("strict")) {
        strict = true;
      } else if (flag.equals("keep") && lexer.take("-") && lexer.takeName("empty")) {
        keepsEmpty = true;
      } else {
        throw lexer.wrongAt(where, "expected strict or keep-empty, found " + flag);
      }
    }
    return new Stage.Logfmt(strict, keepsEmpty, extractions(false));
  }

  /// `a="b.c[0]", d` after a parser; nothing when the next word is no name.
  private List<Stage.Extraction> extractions(boolean isPath) {
    List<Stage.Extraction> wanted = new ArrayList<>();
    while (lexer.kind() == LogqlLexer.Kind.NAME && !endsStages()) {
      lexer.part();
      String label = lexer.name("the name of a label");
      int where = lexer.position();
      String from = lexer.take("=") ? lexer.string("what to extract") : label;
      wanted.add(new Stage.Extraction(label, isPath ? path(from, where) : List.of(from)));
      if (!lexer.take(",")) {
        break;
      }
    }
    return wanted;
  }

  /// A name after a log query that is none of its stages: of an operator, or of a range's offset.
  private boolean endsStages() {
    return switch (lexer.word()) {
      case "offset", "and", "or", "unless", "by", "without" -> true;
      default -> false;
    };
  }

  private List<Object> path(String text, int where) {
    List<Object> path = JsonPath.parse(text);
    if (path == null) {
      throw lexer.wrongAt(where, "no path in JSON: " + text);
    }
    return path;
  }

  private Stage regexp() {
    int where = lexer.position();
    Pattern regex = lexer.regex();
    List<String> groups = new ArrayList<>(regex.namedGroups().keySet());
    if (groups.isEmpty()) {
      throw lexer.wrongAt(where, "the expression has no named group, such as (?P<name>re)");
    }
    for (String group : groups) {
      if (!LogqlNames.isLabel(group)) {
        throw lexer.wrongAt(where, "no name of a label: " + group);
      }
    }
    return new Stage.Regexp(regex, groups);
  }

  private Stage pattern() {
    int where = lexer.position();
    String text = lexer.string("a pattern");
    try {
      return new Stage.PatternParser(FormatTemplates.pattern(text));
    } catch (IllegalArgumentException wrong) {
      throw lexer.wrongAt(where, String.valueOf(wrong.getMessage()));
    }
  }

  private List<Stage.Piece> template() {
    int where = lexer.position();
    String text = lexer.string("a template");
    try {
      return FormatTemplates.template(text);
    } catch (IllegalArgumentException unsupported) {
      throw lexer.unsupported(where, String.valueOf(unsupported.getMessage()));
    }
  }

  private List<Stage.Assignment> assignments() {
    List<Stage.Assignment> assignments = new ArrayList<>();
    Set<String> labels = new HashSet<>();
    do {
      int where = lexer.position();
      String label = lexer.name("the name of a label");
      if (!labels.add(label)) {
        throw lexer.wrongAt(where, "the label %s is set twice".formatted(label));
      }
      lexer.part();
      lexer.expect("=");
      assignments.add(
          lexer.kind() == LogqlLexer.Kind.NAME
              ? new Stage.Assignment(label, lexer.name("a label"), List.of())
              : new Stage.Assignment(label, null, template()));
    } while (lexer.take(","));
    return assignments;
  }

  private List<Stage.NameTest> nameTests() {
    List<Stage.NameTest> names = new ArrayList<>();
    do {
      lexer.part();
      String name = lexer.name("the name of a label");
      Matcher.Kind kind = matcherKind();
      names.add(new Stage.NameTest(name, kind == null ? null : matcher(name, kind)));
    } while (lexer.take(","));
    return names;
  }

  private Stage unwrap() {
    int where = lexer.position();
    String name = lexer.name("the name of a label");
    if (!lexer.take("(")) {
      return new Stage.Unwrap(name, Stage.Conversion.NUMBER);
    }
    Stage.Conversion conversion =
        switch (name) {
          case "duration", "duration_seconds" -> Stage.Conversion.DURATION;
          case "bytes" -> Stage.Conversion.BYTES;
          default -> throw lexer.unsupported(where, name + "() of unwrap");
        };
    Stage unwrap = new Stage.Unwrap(lexer.name("the name of a label"), conversion);
    lexer.expect(")");
    return unwrap;
  }

  private LabelCondition condition() {
    List<LabelCondition> parts = new ArrayList<>();
    do {
      parts.add(all());
    } while (lexer.takeName("or"));
    return parts.size() == 1 ? parts.getFirst() : new LabelCondition.Or(parts);
  }

  /// A comma and a blank between two tests mean `and`.
  private LabelCondition all() {
    List<LabelCondition> parts = new ArrayList<>();
    do {
      parts.add(one());
    } while (lexer.takeName("and") || lexer.take(",") || startsTest());
    return parts.size() == 1 ? parts.getFirst() : new LabelCondition.And(parts);
  }

  private boolean startsTest() {
    return lexer.isSign("(")
        || (lexer.kind() == LogqlLexer.Kind.NAME && !endsStages() && !lexer.isName("or"));
  }

  private LabelCondition one() {
    if (depth == DEPTH_MAX) {
      throw lexer.wrong("nested deeper than " + DEPTH_MAX);
    }
    if (lexer.take("(")) {
      depth++;
      LabelCondition inner = condition();
      depth--;
      lexer.expect(")");
      return inner;
    }
    return test(lexer.name("a parser, a formatter or the name of a label"));
  }

  private LabelCondition test(String label) {
    lexer.part();
    int where = lexer.position();
    if (lexer.kind() != LogqlLexer.Kind.SIGN) {
      throw lexer.wrong("expected = != =~ !~ == > >= < or <=");
    }
    String sign = lexer.word();
    LabelCondition.Sign numeric = numericSign(sign);
    boolean isRegex = sign.equals("=~") || sign.equals("!~");
    if (numeric == null && !isRegex) {
      throw lexer.wrong("expected = != =~ !~ == > >= < or <=");
    }
    lexer.advance();
    if (lexer.isName("ip")) {
      throw lexer.unsupported(lexer.position(), "ip()");
    }
    if (numeric != null && lexer.kind() != LogqlLexer.Kind.TEXT) {
      return number(label, numeric);
    }
    for (Matcher.Kind kind : Matcher.Kind.values()) {
      if (kind.sign.equals(sign)) {
        return new LabelCondition.Words(matcher(label, kind));
      }
    }
    throw lexer.wrongAt(where, "a text has no order: use = != =~ or !~, found " + sign);
  }

  private static LabelCondition.@Nullable Sign numericSign(String sign) {
    if (sign.equals("=")) {
      return LabelCondition.Sign.EQUAL;
    }
    for (LabelCondition.Sign numeric : LabelCondition.Sign.values()) {
      if (numeric.text.equals(sign)) {
        return numeric;
      }
    }
    return null;
  }

  private LabelCondition number(String label, LabelCondition.Sign sign) {
    boolean negative = lexer.take("-");
    boolean _ = !negative && lexer.take("+");
    String word = lexer.word();
    LogqlLexer.Kind kind = lexer.kind();
    Double value =
        switch (kind) {
          case NUMBER -> Units.number(word);
          case DURATION -> Units.seconds(word);
          case BYTES -> Units.bytes(word);
          case NAME, TEXT, SIGN, END -> null;
        };
    if (value == null) {
      throw lexer.wrong("expected a text in quotes, a number, a duration or a number of bytes");
    }
    lexer.advance();
    Stage.Conversion conversion =
        switch (kind) {
          case DURATION -> Stage.Conversion.DURATION;
          case BYTES -> Stage.Conversion.BYTES;
          default -> Stage.Conversion.NUMBER;
        };
    return new LabelCondition.Quantity(label, conversion, sign, negative ? -value : value);
  }
}
