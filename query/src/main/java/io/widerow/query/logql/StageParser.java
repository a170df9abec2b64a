package io.widerow.query.logql;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Parses selectors and the stages after them:
///
/// ```
/// selector = "{" [ matcher { "," matcher } ] "}"
/// matcher  = name ( "=" | "!=" | "=~" | "!~" ) text
/// stage    = ( "|=" | "!=" | "|~" | "!~" | "|>" | "!>" ) part { "or" part }
/// part     = text | "ip" "(" text ")"
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
        if (!lexer.take(",")) {
          throw lexer.wrong("} or ,");
        }
        if (lexer.take("}")) {
          break;
        }
      }
      matchers.add(matcher(lexer.name()));
      if (matchers.size() > MATCHERS_MAX) {
        throw lexer.wrongAt(lexer.position(), "more than %d matchers".formatted(MATCHERS_MAX));
      }
    }
    return matchers;
  }

  private Matcher matcher(String name) {
    Matcher.Kind kind = matcherKind();
    if (kind == null) {
      throw lexer.wrong("");
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
      return new Matcher(name, kind, lexer.string(), null);
    }
    Pattern regex = lexer.regex();
    return new Matcher(name, kind, regex.pattern(), regex);
  }

  /// True when the current word starts a stage.
  boolean isStage() {
    return lexer.isSign("|") || isLineFilter();
  }

  private boolean isLineFilter() {
    return lexer.kind() == LogqlLexer.Kind.SIGN
        && switch (lexer.word()) {
          case "|=", "!=", "|~", "!~", "|>", "!>" -> true;
          default -> false;
        };
  }

  /// The next stage.
  Stage stage() {
    lexer.part();
    if (isLineFilter()) {
      return lineFilter();
    }
    lexer.expect("|");
    if (lexer.kind() == LogqlLexer.Kind.NAME) {
      Stage named = named(lexer.word().toLowerCase(Locale.ROOT));
      if (named != null) {
        return named;
      }
    }
    return new Stage.LabelFilter(condition());
  }

  private Stage lineFilter() {
    String sign = lexer.word();
    lexer.advance();
    List<Stage.LinePart> parts = new ArrayList<>();
    do {
      lexer.part();
      parts.add(isIp() ? address(sign) : linePart(sign));
    } while (lexer.takeName("or"));
    return new Stage.LineFilter(sign.startsWith("!"), parts);
  }

  private Stage.LinePart linePart(String sign) {
    if (lexer.kind() != LogqlLexer.Kind.TEXT) {
      throw lexer.wrong("STRING or ip");
    }
    if (sign.endsWith("~")) {
      Pattern regex = lexer.regex();
      return new Stage.LinePart(regex.pattern(), regex, null, null);
    }
    String text = lexer.string();
    if (!sign.endsWith(">")) {
      return Stage.LinePart.of(text);
    }
    try {
      return new Stage.LinePart(text, null, null, LinePattern.parse(text));
    } catch (IllegalArgumentException wrong) {
      throw lexer.invalid(String.valueOf(wrong.getMessage()));
    }
  }

  private Stage.LinePart address(String sign) {
    if (!sign.endsWith("=")) {
      throw lexer.invalid("ip: invalid operation %s, only |= and != are".formatted(sign));
    }
    lexer.advance();
    lexer.expect("(");
    String text = lexer.string();
    lexer.expect(")");
    return new Stage.LinePart(text, null, range(text), null);
  }

  private boolean isIp() {
    return lexer.isName("ip") && lexer.isBefore("(");
  }

  private IpRange range(String text) {
    IpRange range = IpRange.parse(text);
    if (range == null) {
      throw lexer.invalid("ip: invalid pattern: \"%s\"".formatted(text));
    }
    return range;
  }

  /// The stage that a name starts; null when it is a label.
  private @Nullable Stage named(String name) {
    switch (name) {
      case "json", "logfmt", "regexp", "pattern", "unpack", "line_format", "label_format" -> {}
      case "drop", "keep", "decolorize", "unwrap" -> {}
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
      case "line_format" -> new Stage.LineFormat(template("invalid line template", "line"));
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
      String flag = lexer.name();
      if (flag.equals("strict")) {
        strict = true;
      } else if (flag.equals("keep") && lexer.take("-") && lexer.takeName("empty")) {
        keepsEmpty = true;
      } else {
        throw lexer.wrongAt(where, "syntax error: unexpected flag --" + flag);
      }
    }
    return new Stage.Logfmt(strict, keepsEmpty, extractions(false));
  }

  /// `a="b.c[0]", d` after a parser; nothing when the next word is no name.
  private List<Stage.Extraction> extractions(boolean isPath) {
    List<Stage.Extraction> wanted = new ArrayList<>();
    while (lexer.kind() == LogqlLexer.Kind.NAME && !endsStages()) {
      lexer.part();
      String label = lexer.name();
      String from = lexer.take("=") ? lexer.string() : label;
      wanted.add(new Stage.Extraction(label, from, isPath ? path(from) : List.of(from)));
      if (!lexer.take(",")) {
        break;
      }
    }
    return wanted;
  }

  /// A name after a log query that is none of its stages: of an operator, or of a range's offset.
  private boolean endsStages() {
    return switch (lexer.word().toLowerCase(Locale.ROOT)) {
      case "offset", "and", "or", "unless", "by", "without" -> true;
      default -> false;
    };
  }

  private List<Object> path(String text) {
    List<Object> path = JsonPath.parse(text);
    if (path == null) {
      throw lexer.invalid("cannot parse expression [%s]: it is no path in JSON".formatted(text));
    }
    return path;
  }

  private Stage regexp() {
    Pattern regex = lexer.regex("invalid regexp parser: ");
    List<String> groups = new ArrayList<>(regex.namedGroups().keySet());
    if (groups.isEmpty()) {
      throw lexer.invalid("invalid regexp parser: at least one named capture must be supplied");
    }
    for (String group : groups) {
      if (!LogqlNames.isLabel(group)) {
        throw lexer.invalid(
            "invalid regexp parser: invalid extracted label name '%s'".formatted(group));
      }
    }
    return new Stage.Regexp(regex, groups);
  }

  private Stage pattern() {
    String text = lexer.string();
    try {
      return new Stage.PatternParser(CapturePattern.parse(text));
    } catch (IllegalArgumentException wrong) {
      throw lexer.invalid("invalid pattern parser: " + wrong.getMessage());
    }
  }

  /// @param name of the template, in messages
  private Template template(String about, String name) {
    String text = lexer.string();
    try {
      return Template.parse(text);
    } catch (IllegalArgumentException wrong) {
      throw lexer.invalid(about + ": template: %s:1: %s".formatted(name, wrong.getMessage()));
    }
  }

  private List<Stage.Assignment> assignments() {
    List<Stage.Assignment> assignments = new ArrayList<>();
    Set<String> labels = new HashSet<>();
    do {
      String label = lexer.name();
      if (!labels.add(label)) {
        throw lexer.invalid(
            "multiple label name '%s' not allowed in a single format operation".formatted(label));
      }
      if (label.equals(LogqlNames.ERROR)) {
        throw lexer.invalid(label + " cannot be formatted");
      }
      lexer.part();
      lexer.expect("=");
      assignments.add(
          lexer.kind() == LogqlLexer.Kind.NAME
              ? new Stage.Assignment(label, lexer.name(), null)
              : new Stage.Assignment(
                  label,
                  null,
                  template("invalid template for label '%s'".formatted(label), "label")));
    } while (lexer.take(","));
    return assignments;
  }

  private List<Stage.NameTest> nameTests() {
    List<Stage.NameTest> names = new ArrayList<>();
    do {
      lexer.part();
      String name = lexer.name();
      Matcher.Kind kind = matcherKind();
      names.add(new Stage.NameTest(name, kind == null ? null : matcher(name, kind)));
    } while (lexer.take(","));
    return names;
  }

  private Stage unwrap() {
    int where = lexer.position();
    String name = lexer.name();
    if (!lexer.take("(")) {
      return new Stage.Unwrap(name, Stage.Conversion.NUMBER);
    }
    Stage.Conversion conversion =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "duration", "duration_seconds" -> Stage.Conversion.DURATION;
          case "bytes" -> Stage.Conversion.BYTES;
          default ->
              throw lexer.wrongAt(
                  where, "syntax error: unexpected conversion %s()".formatted(name));
        };
    Stage unwrap = new Stage.Unwrap(lexer.name(), conversion);
    lexer.expect(")");
    return unwrap;
  }

  /// `and` binds closer than `or`. A comma, or a blank alone, means `and` between what stands
  /// before it and all that follows: `a, b or c` is `a and (b or c)`, and `a or b, c` is `a or (b
  /// and c)`.
  private LabelCondition condition() {
    List<LabelCondition> any = new ArrayList<>();
    List<LabelCondition> all = new ArrayList<>();
    while (true) {
      all.add(one());
      if (lexer.takeName("and")) {
        continue;
      }
      boolean isRest = lexer.take(",") || startsTest();
      if (isRest) {
        LabelCondition rest = condition();
        all.addAll(rest instanceof LabelCondition.And(var parts) ? parts : List.of(rest));
      }
      any.add(all.size() == 1 ? all.getFirst() : new LabelCondition.And(all));
      if (isRest || !lexer.takeName("or")) {
        return any.size() == 1 ? any.getFirst() : new LabelCondition.Or(any);
      }
      all.clear();
    }
  }

  private boolean startsTest() {
    return lexer.isSign("(")
        || (lexer.kind() == LogqlLexer.Kind.NAME && !endsStages() && !lexer.isName("or"));
  }

  private LabelCondition one() {
    if (depth == DEPTH_MAX) {
      throw lexer.wrongAt(lexer.position(), "nested deeper than " + DEPTH_MAX);
    }
    if (lexer.take("(")) {
      depth++;
      LabelCondition inner = condition();
      depth--;
      lexer.expect(")");
      return inner;
    }
    return test(lexer.name());
  }

  private LabelCondition test(String label) {
    lexer.part();
    if (lexer.kind() != LogqlLexer.Kind.SIGN) {
      throw lexer.wrong("");
    }
    String sign = lexer.word();
    LabelCondition.Sign numeric = numericSign(sign);
    if (numeric == null && !sign.equals("=~") && !sign.equals("!~")) {
      throw lexer.wrong("");
    }
    lexer.advance();
    boolean isText = lexer.kind() == LogqlLexer.Kind.TEXT;
    if (isIp() && (sign.equals("=") || sign.equals("!="))) {
      lexer.advance();
      lexer.expect("(");
      IpRange range = range(lexer.string());
      lexer.expect(")");
      return new LabelCondition.Address(label, sign.equals("!="), range);
    }
    if (numeric != null && !isText) {
      return number(label, numeric);
    }
    for (Matcher.Kind kind : Matcher.Kind.values()) {
      if (kind.sign.equals(sign)) {
        return new LabelCondition.Words(matcher(label, kind));
      }
    }
    throw lexer.wrong(""); // a text has no order
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
          case DURATION -> seconds(word);
          case BYTES -> Units.bytes(word);
          case NAME, TEXT, SIGN, END -> null;
        };
    if (value == null) {
      throw lexer.wrong("");
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

  /// Queries may have days, weeks and years.
  private static @Nullable Double seconds(String word) {
    Long nanos = Units.nanos(word);
    return nanos == null ? null : (Double) (nanos / 1e9);
  }
}
