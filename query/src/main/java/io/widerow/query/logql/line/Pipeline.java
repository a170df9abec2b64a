package io.widerow.query.logql.line;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import io.widerow.query.QueryException;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.Template;
import io.widerow.query.logql.TemplateRun;
import io.widerow.query.logql.Units;
import io.widerow.query.logql.line.Line.Category;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The matchers and stages of a query on one line after the other.
///
/// - Threads: one.
public final class Pipeline {
  private static final String JSON_ERROR = "JSONParserErr";
  private static final String LOGFMT_ERROR = "LogfmtParserErr";
  private static final String FILTER_ERROR = "LabelFilterErr";
  private static final String SAMPLE_ERROR = "SampleExtractionErr";
  private static final String ENTRY = "_entry";
  private static final String TEMPLATE_ERROR = "TemplateFormatErr";
  private static final int SHOWN_CHARS = 200;
  private static final Pattern COLORS =
      Pattern.compile(
          "[\\x{1b}\\x{9b}][\\[\\]()#;?]*(?:(?:(?:[a-zA-Z\\d]*(?:;[a-zA-Z\\d]*)*)?\\x{07})"
              + "|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PRZcf-ntqry=><~]))");

  private final LogQuery query;
  private final int searched;
  private final ParserHints hints;

  /// @param searched so many stages, the first ones, hold line filters that the store has applied
  ///   to events with a body
  public Pipeline(LogQuery query, int searched) {
    this(query, searched, ParserHints.of(query));
  }

  /// @param hints the labels that parsers need to find
  public Pipeline(LogQuery query, int searched, ParserHints hints) {
    this.query = query;
    this.searched = searched;
    this.hints = hints;
  }

  /// Runs a line through. False when it is not kept.
  public boolean run(Line line) {
    line.hint(hints);
    for (var matcher : query.matchers()) {
      if (!test(matcher, line)) {
        return false;
      }
    }
    List<Stage> stages = query.stages();
    for (int i = 0; i < stages.size(); i++) {
      boolean isDone = i < searched && stages.get(i) instanceof Stage.LineFilter && line.isBody();
      if (!isDone && !run(stages.get(i), line)) {
        return false;
      }
    }
    return true;
  }

  /// As in Loki, filters do not see the details of an error.
  private static boolean test(io.widerow.query.logql.Matcher matcher, Line line) {
    boolean isDetails = matcher.name().equals(LogqlNames.ERROR_DETAILS);
    String value = isDetails ? null : line.get(matcher.name());
    return matcher.test(value == null ? "" : line.memory().watched(value));
  }

  /// Runs one stage. False when the line is not kept.
  public static boolean run(Stage stage, Line line) {
    switch (stage) {
      case Stage.LineFilter filter -> {
        return keeps(filter, line);
      }
      case Stage.LabelFilter(LabelCondition condition) -> {
        return holds(condition, line);
      }
      case Stage.Json json -> json(json, line);
      case Stage.Logfmt logfmt -> logfmt(logfmt, line);
      case Stage.Regexp regexp -> regexp(regexp, line);
      case Stage.PatternParser(List<Stage.Piece> pieces) -> pattern(pieces, line);
      case Stage.Unpack() -> unpack(line);
      case Stage.LineFormat(Template template) -> lineFormat(template, line);
      case Stage.LabelFormat(List<Stage.Assignment> assignments) -> format(assignments, line);
      case Stage.Drop(List<Stage.NameTest> names) -> drop(names, line);
      case Stage.Keep(List<Stage.NameTest> names) ->
          line.keep((name, value) -> names.stream().anyMatch(test -> isNamed(test, name, value)));
      case Stage.Decolorize() -> {
        line.memory().reserveBuilt(2L * line.text().length());
        line.setText(COLORS.matcher(line.memory().watched(line.text())).replaceAll(""));
      }
      case Stage.Unwrap _ -> throw new IllegalStateException("unwrap is no stage of lines");
    }
    return !line.isDropped();
  }

  private static boolean keeps(Stage.LineFilter filter, Line line) {
    if (filter.keepsAll()) {
      return true;
    }
    String text = line.text();
    for (Stage.LinePart part : filter.parts()) {
      Pattern regex = part.regex();
      var address = part.address();
      var pattern = part.pattern();
      boolean found;
      if (regex != null) {
        found = regex.matcher(line.memory().watched(text)).find();
      } else if (address != null) {
        found = address.isIn(line.memory().watched(text));
      } else {
        found = pattern != null ? pattern.isOf(text) : text.contains(part.text());
      }
      if (found) {
        return !filter.negated();
      }
    }
    return filter.negated();
  }

  static boolean holds(LabelCondition condition, Line line) {
    return switch (condition) {
      case LabelCondition.And(List<LabelCondition> parts) -> {
        boolean all = true;
        for (int i = 0; i < parts.size() && all; i++) {
          all = holds(parts.get(i), line);
        }
        yield all;
      }
      case LabelCondition.Or(List<LabelCondition> parts) -> {
        boolean any = false;
        for (int i = 0; i < parts.size() && !any; i++) {
          any = holds(parts.get(i), line);
        }
        yield any;
      }
      case LabelCondition.Words(var matcher) -> test(matcher, line);
      case LabelCondition.Quantity quantity -> holds(quantity, line);
      case LabelCondition.Address address -> holds(address, line);
    };
  }

  private static boolean holds(LabelCondition.Quantity test, Line line) {
    String text = line.label(test.label());
    if (text == null) {
      return false;
    }
    Double value = number(test.conversion(), text);
    if (value == null) {
      if (!line.hasError()) { // the first one explains the others
        line.fail(FILTER_ERROR, Units.error(test.conversion(), shown(text)));
      }
      return true;
    }
    return test.sign().holds(value, test.value());
  }

  private static boolean holds(LabelCondition.Address test, Line line) {
    if (line.hasError()) {
      return true;
    }
    String text = line.label(test.label());
    return text != null && test.address().isIn(line.memory().watched(text)) != test.negated();
  }

  /// The number of a text; null when it has none.
  public static @Nullable Double number(Stage.Conversion conversion, String text) {
    return switch (conversion) {
      case NUMBER -> Units.number(text);
      case DURATION -> Units.seconds(text);
      case BYTES -> Units.bytes(text);
    };
  }

  /// Marks a line of which no sample could be made.
  ///
  /// @param text that is no number
  public static void fail(Line line, Stage.Conversion conversion, String text) {
    line.fail(SAMPLE_ERROR, Units.error(conversion, shown(text)));
  }

  /// The beginning of a text, for a message.
  private static String shown(String text) {
    return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
  }

  private static void json(Stage.Json stage, Line line) {
    String text = line.text();
    LineJson json = new LineJson(text, line.memory());
    if (line.isParsed()) {
      return;
    }
    if (stage.wanted().isEmpty()) {
      String wrong = json.flatten(line);
      if (wrong != null) {
        line.failParsing(JSON_ERROR, wrong);
      }
      return;
    }
    if (text.isEmpty()) {
      return;
    }
    if ("{[\"".indexOf(text.charAt(0)) < 0) {
      line.failParsing(JSON_ERROR, "");
      return;
    }
    for (Stage.Extraction wanted : stage.wanted()) {
      LineJson.Value found = json.at(wanted.path());
      String wrong = json.mistake();
      if (wrong != null) {
        line.failParsing(JSON_ERROR, wrong);
      }
      if (found != null || line.get(wanted.label()) == null) { // each has a label
        line.extracted(wanted.label(), found == null ? "" : json.text(found));
      }
    }
  }

  private static void logfmt(Stage.Logfmt logfmt, Line line) {
    if (line.isParsed()) {
      return;
    }
    List<Stage.Extraction> wanted = logfmt.wanted();
    String text = line.text();
    line.memory().reserveBuilt(2L * text.length()); // all keys and values are no longer than it
    for (Stage.Extraction one : wanted) {
      if (line.isFree(one.label())) {
        line.set(Category.PARSED, one.label(), ""); // each has a label
      }
    }
    String wrong =
        LogfmtText.read(
            text,
            logfmt.strict(),
            (key, raw) -> {
              if (line.isParsed()) {
                return false;
              }
              String shown = LogqlNames.shown(key);
              String value = raw.replace('\ufffd', ' ');
              if (wanted.isEmpty() && (logfmt.keepsEmpty() || !value.isEmpty())) {
                line.parsed(shown, value);
              }
              for (Stage.Extraction one : wanted) {
                String from = (String) one.path().getFirst();
                boolean isWanted = from.equals(key) || from.equals(shown);
                boolean isNew = isNamed(wanted, shown) || !line.isMade(shown);
                if (one.label().equals(shown) || (isWanted && isNew)) {
                  if (!line.isFree(one.label()) && line.isExtracted(one.label())) {
                    return false;
                  }
                  line.extracted(one.label(), raw.equals(value) ? raw : "");
                }
              }
              return true;
            });
    if (wrong != null && wanted.isEmpty()) {
      line.failStrictly(LOGFMT_ERROR, wrong);
    } else if (wrong != null) {
      line.failParsing(LOGFMT_ERROR, wrong);
    }
  }

  private static boolean isNamed(List<Stage.Extraction> wanted, String label) {
    return wanted.stream().anyMatch(one -> one.label().equals(label));
  }

  private static void regexp(Stage.Regexp regexp, Line line) {
    Matcher found = regexp.regex().matcher(line.memory().watched(line.text()));
    if (found.find()) {
      for (String group : regexp.groups()) {
        int length = found.end(group) - found.start(group);
        line.memory().reserveText(length);
        line.parsed(group, length > 0 ? found.group(group) : "");
      }
    }
  }

  /// The first literal must start the line; a capture reaches to the next literal, or to the end.
  private static void pattern(List<Stage.Piece> pieces, Line line) {
    String text = line.text();
    if (text.isEmpty() || line.isParsed()) {
      return;
    }
    int at = 0;
    for (int i = 0; i < pieces.size(); i++) {
      Stage.Piece piece = pieces.get(i);
      if (!piece.isName()) {
        boolean there = i > 0 || text.startsWith(piece.text());
        if (!there) {
          return;
        }
        at += piece.text().length();
        continue;
      }
      int next = i + 1 < pieces.size() ? text.indexOf(pieces.get(i + 1).text(), at) : text.length();
      int end = next < 0 ? text.length() : next;
      if (!piece.text().equals("_")) {
        line.memory().reserveText(end - at);
        line.parsed(piece.text(), text.substring(at, end));
      }
      if (next < 0) {
        return;
      }
      at = next;
    }
  }

  /// Labels belong to an entry: without one, nothing was packed.
  private static void unpack(Line line) {
    String text = line.text();
    if (text.isEmpty() || line.isParsed()) {
      return;
    }
    LineJson json = new LineJson(text, line.memory());
    Map<String, String> packed = new LinkedHashMap<>();
    String[] entry = new String[1];
    String wrong =
        text.charAt(0) != '{'
            ? "expecting json object(6), but it is not"
            : json.members((name, value) -> {
              if (value.kind() == LineJson.Kind.STRING && name.equals(ENTRY)) {
                entry[0] = json.text(value);
              } else if (value.kind() == LineJson.Kind.STRING) {
                line.memory().reserveBuilt(name.length());
                packed.putIfAbsent(LogqlNames.shown(name), json.text(value));
              }
              return null;
            });
    if (wrong != null) {
      line.failParsing(JSON_ERROR, wrong);
    } else if (entry[0] != null) {
      packed.forEach(line::parsed);
      line.setText(entry[0]);
    }
  }

  /// The text of a template; null when it does not fit the line, which is marked then.
  private static @Nullable String render(Template template, String name, LineSource source) {
    try {
      return TemplateRun.render(template, source);
    } catch (TemplateRun.TooLong failed) {
      throw new QueryException.Refused("query", failed.getMessage() + " on a line");
    } catch (TemplateRun.Failed failed) {
      source.line.fail(TEMPLATE_ERROR, shown(failed.of(name)));
      return null;
    }
  }

  private static void format(List<Stage.Assignment> assignments, Line line) {
    LineSource source = new LineSource(line);
    for (Stage.Assignment assignment : assignments) {
      String from = assignment.from();
      Template template = assignment.template();
      if (template != null) {
        source.keepLabels(); // later templates of the stage see the labels before it
        String value = render(template, "label", source);
        if (value != null) {
          line.set(Category.PARSED, assignment.label(), value);
        }
      } else if (from != null) {
        String value = line.label(from); // an error keeps its name
        if (value != null) {
          line.set(Category.PARSED, assignment.label(), value);
          line.remove(from);
        }
      }
    }
  }

  private static void lineFormat(Template template, Line line) {
    String text = render(template, "line", new LineSource(line));
    if (text != null) {
      line.setText(text);
    }
  }

  /// A line as a template sees it.
  private static final class LineSource implements TemplateRun.Source {
    private final Line line;
    private @Nullable Map<String, String> kept;

    LineSource(Line line) {
      this.line = line;
    }

    void keepLabels() {
      if (kept == null) {
        kept = labels();
      }
    }

    @Override
    public @Nullable String label(String name) {
      Map<String, String> known = kept;
      return known == null ? line.get(name) : known.get(name);
    }

    @Override
    public Map<String, String> labels() {
      return line.labels(Category.STREAM, Category.METADATA, Category.PARSED);
    }

    @Override
    public String line() {
      return line.text();
    }

    @Override
    public long timeNanos() {
      return line.timeNanos();
    }

    @Override
    public long nowNanos() {
      return line.memory().nowNanos();
    }

    @Override
    public void made(long chars) {
      line.memory().reserveMade(chars);
    }

    @Override
    public void held(long chars) {
      line.memory().reserveText(chars);
    }

    @Override
    public CharSequence watched(String text) {
      return line.memory().watched(text);
    }
  }

  private static void drop(List<Stage.NameTest> names, Line line) {
    for (Stage.NameTest test : names) {
      String value = line.get(test.name());
      if (value != null && isNamed(test, test.name(), value)) {
        line.remove(test.name());
      }
    }
  }

  private static boolean isNamed(Stage.NameTest test, String name, String value) {
    var matcher = test.matcher();
    return test.name().equals(name) && (matcher == null || matcher.test(value));
  }
}
