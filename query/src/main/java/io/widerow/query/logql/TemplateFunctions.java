package io.widerow.query.logql;

import com.fasterxml.jackson.core.JsonToken;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.query.RegexBudget;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.logql.TemplateLibrary.Function;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The functions of templates: those of Go's `text/template`, and those that Loki adds.
///
/// - Threads: any.
final class TemplateFunctions {
  private static final long SECOND_NANOS = 1_000_000_000L;

  /// Compiling a character of an expression costs as much as reading so many.
  private static final int COMPILED_CHARS = 64;

  /// Matching a character costs as much as reading so many more.
  private static final int MATCHED_CHARS = 4;

  private static final Map<String, Function> ALL = new HashMap<>();

  /// The functions of Loki's templates.
  static final TemplateLibrary LIBRARY = new TemplateLibrary.Named(ALL);

  private TemplateFunctions() {}

  /// One of them, for another language of templates that has it too.
  static Function of(String name) {
    Function function = ALL.get(name);
    if (function == null) {
      throw new IllegalArgumentException("no function " + name);
    }
    return function;
  }

  /// The arguments of a call.
  record Arguments(String name, List<@Nullable Object> values, TemplateRun run) {
    int count() {
      return values.size();
    }

    /// The same call with other values.
    Arguments with(List<@Nullable Object> others) {
      return new Arguments(name, others, run);
    }

    @Nullable Object get(int i) throws TemplateRun.Failed {
      if (i >= values.size()) {
        throw wrong("wrong number of args: got %d".formatted(values.size()));
      }
      return values.get(i);
    }

    String text(int i) throws TemplateRun.Failed {
      if (get(i) instanceof String text) {
        return text;
      }
      throw wrong("wrong type for value; expected string; got " + GoFormat.typed(get(i)));
    }

    /// The last argument, which often is the value of the command before.
    String last() throws TemplateRun.Failed {
      return text(Math.max(0, count() - 1));
    }

    int small(int i) throws TemplateRun.Failed {
      if (get(i) instanceof Long number) {
        return Math.clamp(number, Integer.MIN_VALUE, Integer.MAX_VALUE);
      }
      throw wrong("wrong type for value; expected int; got " + GoFormat.typed(get(i)));
    }

    /// A whole number, whatever the value is; 0 for a text that is none.
    long whole(int i) throws TemplateRun.Failed {
      return switch (get(i)) {
        case Long number -> number;
        case Double number -> (long) (double) number;
        case Boolean truth -> truth ? 1 : 0;
        case String text -> wholeOf(text);
        case null, default -> 0;
      };
    }

    double fraction(int i) throws TemplateRun.Failed {
      return switch (get(i)) {
        case Long number -> number;
        case Double number -> number;
        case Boolean truth -> truth ? 1 : 0;
        case String text -> fractionOf(text);
        case null, default -> 0;
      };
    }

    Instant time(int i) throws TemplateRun.Failed {
      return switch (get(i)) {
        case Instant time -> time;
        case Long seconds -> Instant.ofEpochSecond(seconds);
        case null, default ->
            throw wrong("wrong type for value; expected time.Time; got " + GoFormat.typed(get(i)));
      };
    }

    TemplateRun.Failed wrong(String why) {
      return new TemplateRun.Failed("error calling %s: %s".formatted(name, why));
    }

    /// Counts a text before it is made: one that may be longer than the arguments.
    void making(long chars) {
      run.makes(chars);
    }

    /// A matcher of the expression of one argument on the text of another one.
    Matcher matcher(int expression, int text) throws TemplateRun.Failed {
      String of = text(text);
      run.reads((long) MATCHED_CHARS * of.length());
      return regex(expression).matcher(run.source().watched(of));
    }

    private Pattern regex(int i) throws TemplateRun.Failed {
      String source = text(i);
      run.reads((long) COMPILED_CHARS * source.length());
      String exceeded = new RegexBudget().exceeded(source);
      if (exceeded != null) {
        throw wrong(exceeded);
      }
      try {
        return Pattern.compile(source);
      } catch (PatternSyntaxException invalid) {
        throw wrong(String.valueOf(invalid.getMessage()));
      }
    }
  }

  /// As Go reads it: `0x10` and `010` too, and of `1.9` what stands before the point.
  private static long wholeOf(String text) {
    String whole = text.matches("[-+]?\\d*\\.\\d*") ? text.substring(0, text.indexOf('.')) : text;
    try {
      return whole.matches("[-+]?\\d[\\da-fA-FxX]*") ? Long.decode(whole) : 0;
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  private static double fractionOf(String text) {
    Double number = Units.number(text);
    return number == null ? 0 : number;
  }

  static {
    ofLine();
    ofLogic();
    ofTexts();
    ofTextsWithTextLast();
    ofNumbers();
    ofTimes();
    TemplateEscapes.addTo(ALL);
  }

  private static void ofLine() {
    ALL.put(Template.LINE, call -> call.run().source().line());
    ALL.put("__timestamp__", call -> instant(call.run().source().timeNanos()));
    ALL.put("now", call -> instant(call.run().source().nowNanos()));
    ALL.put("print", call -> GoFormat.print(call.values(), false, call::making));
    ALL.put("println", call -> GoFormat.print(call.values(), true, call::making));
    ALL.put(
        "printf",
        call ->
            GoFormat.printf(call.text(0), call.values().subList(1, call.count()), call::making));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, SECOND_NANOS), Math.floorMod(nanos, SECOND_NANOS));
  }

  private static void ofLogic() {
    Function last = call -> call.get(call.count() - 1); // the run has looked at the others
    ALL.put("and", last);
    ALL.put("or", last);
    ALL.put("not", call -> !TemplateRun.isTrue(call.get(0)));
    ALL.put(
        "eq",
        call -> {
          boolean any = false;
          for (int i = 1; i < Math.max(2, call.count()); i++) {
            any |= compare(call, 0, i, true) == 0;
          }
          return any;
        });
    ALL.put("ne", call -> compare(call, 0, 1, true) != 0);
    ALL.put("lt", call -> compare(call, 0, 1, false) < 0);
    ALL.put("le", call -> compare(call, 0, 1, false) <= 0);
    ALL.put("gt", call -> compare(call, 0, 1, false) > 0);
    ALL.put("ge", call -> compare(call, 0, 1, false) >= 0);
    ALL.put(
        "len",
        call ->
            switch (call.get(0)) {
              case String text -> (long) text.getBytes(StandardCharsets.UTF_8).length;
              case List<?> list -> (long) list.size();
              case Map<?, ?> map -> (long) map.size();
              case null, default -> throw call.wrong("len of type " + GoFormat.typed(call.get(0)));
            });
    ALL.put(
        "index",
        call -> {
          Object of = call.get(0);
          for (int i = 1; i < call.count(); i++) {
            Object key = call.get(i);
            if (of instanceof Map<?, ?> map) {
              of = map.get(String.valueOf(key));
            } else if (of instanceof List<?> list && key instanceof Long at) {
              if (at < 0 || at >= list.size()) {
                throw call.wrong("index out of range: " + at);
              }
              of = list.get(Math.toIntExact(at));
            } else {
              throw call.wrong("can't index item of type " + GoFormat.typed(of));
            }
          }
          return of;
        });
    ALL.put("default", call -> TemplateRun.isTrue(call.get(1)) ? call.get(1) : call.get(0));
  }

  private static int compare(Arguments call, int left, int right, boolean equality)
      throws TemplateRun.Failed {
    Object one = call.get(left);
    Object other = call.get(right);
    if (one instanceof String text && other instanceof String second) {
      return text.compareTo(second);
    }
    if (one instanceof Long number && other instanceof Long second) {
      return Long.compare(number, second);
    }
    if (one instanceof Double number && other instanceof Double second) {
      return number.equals(second) ? 0 : Double.compare(number, second);
    }
    if (equality && one instanceof Boolean truth && other instanceof Boolean second) {
      return Boolean.compare(truth, second);
    }
    if (equality && (one == null || other == null)) {
      return one == null && other == null ? 0 : 1;
    }
    throw call.wrong("incompatible types for comparison");
  }

  /// Functions with the text first.
  private static void ofTexts() {
    ALL.put("ToLower", call -> call.text(0).toLowerCase(Locale.ROOT));
    ALL.put("ToUpper", call -> call.text(0).toUpperCase(Locale.ROOT));
    ALL.put(
        "Replace", call -> replace(call, call.text(0), call.text(1), call.text(2), call.small(3)));
    ALL.put("Trim", call -> trimmed(call.text(0), call.text(1), true, true));
    ALL.put("TrimLeft", call -> trimmed(call.text(0), call.text(1), true, false));
    ALL.put("TrimRight", call -> trimmed(call.text(0), call.text(1), false, true));
    ALL.put("TrimPrefix", call -> withoutPrefix(call.text(0), call.text(1)));
    ALL.put("TrimSuffix", call -> withoutSuffix(call.text(0), call.text(1)));
    ALL.put("TrimSpace", call -> call.text(0).strip());
    ALL.put(
        "regexReplaceAll",
        call -> {
          String with = call.text(2).replaceAll("\\$(?:\\{(\\w+)}|(\\w+))", "\\$\\{$1$2\\}");
          return replaced(call, (found, made) -> GroupReferences.expand(with, found, made));
        });
    ALL.put(
        "regexReplaceAllLiteral",
        call -> {
          String with = call.text(2);
          return replaced(call, (_, made) -> made.append(with));
        });
    ALL.put(
        "count",
        call -> {
          Matcher found = call.matcher(0, 1);
          long count = 0;
          while (found.find()) {
            count++;
          }
          return count;
        });
    ALL.put("urlencode", UrlText::encoded);
    ALL.put(
        "urldecode",
        call -> {
          try {
            return URLDecoder.decode(call.text(0), StandardCharsets.UTF_8);
          } catch (IllegalArgumentException _) {
            throw call.wrong("invalid URL escape: " + call.text(0));
          }
        });
    ALL.put("bytes", call -> number(call, Stage.Conversion.BYTES));
    ALL.put("duration", call -> number(call, Stage.Conversion.DURATION));
    ALL.put("duration_seconds", call -> number(call, Stage.Conversion.DURATION));
    ALL.put("fromJson", TemplateFunctions::json);
  }

  /// The second argument, with other texts for what the expression of the first one finds in it.
  private static String replaced(Arguments call, BiConsumer<Matcher, CountedText> with)
      throws TemplateRun.Failed {
    String text = call.text(1);
    CountedText made = new CountedText(call::making);
    Matcher found = call.matcher(0, 1);
    int at = 0;
    while (found.find()) {
      made.append(text, at, found.start());
      with.accept(found, made);
      at = found.end();
    }
    return made.append(text, at, text.length()).toString();
  }

  private static double number(Arguments call, Stage.Conversion conversion)
      throws TemplateRun.Failed {
    String text = call.text(0);
    Double value = conversion == Stage.Conversion.BYTES ? Units.bytes(text) : Units.seconds(text);
    if (value == null) {
      throw call.wrong(Units.error(conversion, text));
    }
    return value;
  }

  private static String replace(Arguments call, String text, String old, String with, int most) {
    if (most == 0 || old.equals(with)) {
      return text;
    }
    long times = 0;
    for (int at = text.indexOf(old); at >= 0 && (most < 0 || times < most); ) {
      times++;
      int next = at + Math.max(1, old.length());
      at = next > text.length() ? -1 : text.indexOf(old, next);
    }
    call.making(text.length() + times * with.length());
    StringBuilder made = new StringBuilder();
    int at = 0;
    for (long i = 0; i < times; i++) {
      int found = old.isEmpty() ? (int) i : text.indexOf(old, at);
      made.append(text, at, found).append(with);
      at = found + old.length();
    }
    return made.append(text, at, text.length()).toString();
  }

  private static String trimmed(String text, String set, boolean left, boolean right) {
    int from = 0;
    int until = text.length();
    while (left && from < until && set.indexOf(text.charAt(from)) >= 0) {
      from++;
    }
    while (right && until > from && set.indexOf(text.charAt(until - 1)) >= 0) {
      until--;
    }
    return text.substring(from, until);
  }

  private static String withoutPrefix(String text, String prefix) {
    return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
  }

  private static String withoutSuffix(String text, String suffix) {
    return text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
  }

  /// Functions with the text last, so that they can follow a `|`.
  private static void ofTextsWithTextLast() {
    ALL.put("lower", call -> call.text(0).toLowerCase(Locale.ROOT));
    ALL.put("upper", call -> call.text(0).toUpperCase(Locale.ROOT));
    ALL.put("title", call -> titled(call.text(0)));
    ALL.put("trim", call -> call.text(0).strip());
    ALL.put("trimAll", call -> trimmed(call.text(1), call.text(0), true, true));
    ALL.put("trimPrefix", call -> withoutPrefix(call.text(1), call.text(0)));
    ALL.put("trimSuffix", call -> withoutSuffix(call.text(1), call.text(0)));
    ALL.put("replace", call -> replace(call, call.text(2), call.text(0), call.text(1), -1));
    ALL.put("contains", call -> call.text(1).contains(call.text(0)));
    ALL.put("hasPrefix", call -> call.text(1).startsWith(call.text(0)));
    ALL.put("hasSuffix", call -> call.text(1).endsWith(call.text(0)));
    ALL.put("trunc", call -> truncated(call.text(1), call.small(0)));
    ALL.put("substr", call -> part(call.text(2), call.small(0), call.small(1)));
    ALL.put("alignLeft", call -> aligned(call, true));
    ALL.put("alignRight", call -> aligned(call, false));
    ALL.put(
        "repeat",
        call -> {
          long times = Math.max(0, call.whole(0));
          String text = call.text(1);
          if (text.isEmpty()) {
            return "";
          }
          call.making(times > Integer.MAX_VALUE ? Long.MAX_VALUE / 8 : times * text.length());
          return text.repeat((int) times);
        });
    ALL.put("indent", call -> indented(call, ""));
    ALL.put("nindent", call -> indented(call, "\n"));
    ALL.put(
        "b64enc",
        call -> {
          byte[] bytes = call.last().getBytes(StandardCharsets.UTF_8);
          call.making((bytes.length + 2L) / 3 * 4);
          return Base64.getEncoder().encodeToString(bytes);
        });
    ALL.put(
        "b64dec",
        call -> {
          try {
            byte[] bytes = Base64.getDecoder().decode(call.last());
            return new String(bytes, StandardCharsets.UTF_8);
          } catch (IllegalArgumentException wrong) {
            return "illegal base64 data: " + wrong.getMessage(); // as Loki shows it
          }
        });
  }

  private static String titled(String text) {
    StringBuilder titled = new StringBuilder(text);
    for (int i = 0; i < titled.length(); i++) {
      boolean starts = i == 0 || separates(titled.charAt(i - 1));
      titled.setCharAt(i, starts ? Character.toTitleCase(titled.charAt(i)) : titled.charAt(i));
    }
    return titled.toString();
  }

  /// Of ASCII all but letters, digits and underscores.
  private static boolean separates(char c) {
    return c < 0x80 ? !Character.isLetterOrDigit(c) && c != '_' : Character.isWhitespace(c);
  }

  private static String truncated(String text, int count) {
    int length = text.codePointCount(0, text.length());
    if (count < 0 && length + count > 0) {
      return text.substring(text.offsetByCodePoints(0, length + count));
    }
    return count >= 0 && length > count
        ? text.substring(0, text.offsetByCodePoints(0, count))
        : text;
  }

  /// A part by characters; without an end for a negative one.
  private static String part(String text, int start, int end) {
    int length = text.codePointCount(0, text.length());
    int from = Math.clamp(start, 0, length);
    int until = end < 0 || end > length ? length : Math.max(from, end);
    return text.substring(text.offsetByCodePoints(0, from), text.offsetByCodePoints(0, until));
  }

  private static String aligned(Arguments call, boolean left) throws TemplateRun.Failed {
    int width = call.small(0);
    String text = call.text(1);
    int length = text.codePointCount(0, text.length());
    if (width < 0 || width == length) {
      return text;
    }
    if (width > length) {
      call.making(width);
      String pad = " ".repeat(width - length);
      return left ? text + pad : pad + text;
    }
    return left ? part(text, 0, width) : part(text, length - width, length);
  }

  private static String indented(Arguments call, String before) throws TemplateRun.Failed {
    long width = Math.max(0, call.whole(0));
    String text = call.text(1);
    long lines = 1 + text.chars().filter(c -> c == '\n').count();
    call.making(width > Integer.MAX_VALUE ? Long.MAX_VALUE / 8 : text.length() + lines * width + 1);
    String pad = " ".repeat((int) width);
    return before + pad + text.replace("\n", "\n" + pad);
  }

  private static @Nullable Object json(Arguments call) throws TemplateRun.Failed {
    try {
      return value(JsonNode.parse(call.text(0), JsonNode.DEPTH_MAX, call::making));
    } catch (JsonException _) {
      return null;
    }
  }

  private static @Nullable Object value(JsonNode node) {
    Map<String, JsonNode> members = node.members();
    List<JsonNode> items = node.items();
    if (members != null) {
      Map<String, @Nullable Object> map = new TreeMap<>();
      members.forEach((name, each) -> map.put(name, value(each)));
      return map;
    }
    if (items != null) {
      List<@Nullable Object> list = new ArrayList<>();
      items.forEach(each -> list.add(value(each)));
      return list;
    }
    if (node.isText()) {
      return node.toString();
    }
    return switch (node.kind()) {
      case JsonToken.VALUE_TRUE -> true;
      case JsonToken.VALUE_FALSE -> false;
      case JsonToken.VALUE_NULL -> null;
      default -> Double.valueOf(node.toString());
    };
  }

  private static void ofNumbers() {
    ALL.put("add", call -> folded(call, Math::addExact));
    ALL.put("sub", call -> folded(call, Math::subtractExact));
    ALL.put("mul", call -> folded(call, Math::multiplyExact));
    ALL.put("div", call -> folded(call, (one, other) -> one / other));
    ALL.put("mod", call -> folded(call, (one, other) -> one % other));
    ALL.put("max", call -> folded(call, Math::max));
    ALL.put("min", call -> folded(call, Math::min));
    ALL.put("addf", call -> foldedFractions(call, Double::sum));
    ALL.put("subf", call -> foldedFractions(call, (one, other) -> one - other));
    ALL.put("mulf", call -> foldedFractions(call, (one, other) -> one * other));
    ALL.put("divf", call -> foldedFractions(call, (one, other) -> one / other));
    ALL.put("maxf", call -> foldedFractions(call, Math::max));
    ALL.put("minf", call -> foldedFractions(call, Math::min));
    ALL.put("int", call -> call.whole(0));
    ALL.put("float64", call -> call.fraction(0));
    ALL.put("ceil", call -> Math.ceil(call.fraction(0)));
    ALL.put("floor", call -> Math.floor(call.fraction(0)));
    ALL.put(
        "round",
        call -> {
          double value = call.fraction(0);
          int places = Math.clamp(call.whole(1), -300, 300);
          return Double.isFinite(value)
              ? (Object)
                  BigDecimal.valueOf(value).setScale(places, RoundingMode.HALF_UP).doubleValue()
              : (Object) value;
        });
  }

  private static long folded(Arguments call, java.util.function.LongBinaryOperator operator)
      throws TemplateRun.Failed {
    long value = call.whole(0);
    for (int i = 1; i < call.count(); i++) {
      value = operator.applyAsLong(value, call.whole(i));
    }
    return value;
  }

  private static double foldedFractions(
      Arguments call, java.util.function.DoubleBinaryOperator operator) throws TemplateRun.Failed {
    double value = call.fraction(0);
    for (int i = 1; i < call.count(); i++) {
      value = operator.applyAsDouble(value, call.fraction(i));
    }
    return value;
  }

  private static void ofTimes() {
    ALL.put("date", call -> GoLayout.format(call.text(0), call.time(1)));
    ALL.put("toDate", call -> GoLayout.parse(call.text(0), ZoneOffset.UTC, call.text(1)));
    ALL.put(
        "toDateInZone",
        call -> GoLayout.parse(call.text(0), ZoneId.of(call.text(1)), call.text(2)));
    ALL.put("unixEpoch", call -> Long.toString(call.time(0).getEpochSecond()));
    ALL.put("unixEpochMillis", call -> Long.toString(call.time(0).toEpochMilli()));
    ALL.put("unixEpochNanos", call -> Long.toString(nanos(call.time(0))));
    ALL.put("unixToTime", call -> ofUnix(call.text(0), call));
  }

  private static Instant ofUnix(String text, Arguments call) throws TemplateRun.Failed {
    String unread = "unable to parse time '" + text + "': ";
    if (!text.matches("\\d{1,18}|[1-8]\\d{18}")) {
      throw call.wrong(unread + "strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
    }
    long number = Long.parseLong(text);
    return switch (text.length()) {
      case 5 -> Instant.ofEpochSecond(number * 86_400);
      case 10 -> Instant.ofEpochSecond(number);
      case 13 -> Instant.ofEpochMilli(number);
      case 16 -> instant(Math.multiplyExact(number, 1_000));
      case 19 -> instant(number);
      default -> throw call.wrong(unread + "incorrect timestamp length");
    };
  }

  private static long nanos(Instant time) {
    return Math.addExact(Math.multiplyExact(time.getEpochSecond(), SECOND_NANOS), time.getNano());
  }
}
