package io.widerow.ingest.transform;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventLayout;
import io.widerow.query.NameText;
import io.widerow.query.QueryException;
import io.widerow.query.WholeFile;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.parse.TextFormat;
import io.widerow.query.parse.TextFormats;
import io.widerow.query.text.TokenReader;
import io.widerow.storage.Filter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// Parses a rule file, line by line:
///
/// ```
/// line    = [ rule | "key" string ] [ "#" comment ]
/// rule    = [ "when" ( filter | "*" ) "then" ] action
/// action  = "drop" ( "event" | names )
///         | "rename" name "->" name { "," name "->" name }
///         | "redact" names [ "with" /regex/ ] [ "->" string ]
///         | "hash" names
///         | "parse" [ name ] parsed [ "overwrite" ]
///         | "set" name "=" value { "," name "=" value }
///         | "copy" name "->" name { "," name "->" name }
///         | "move" "to" "type" string
///         | "sample" percent "%" [ "by" name ]
///         | "lookup" string "by" name [ "overwrite" ]
/// names   = name { "," name }
/// name    = letters, digits, _ . - / @ : and * for any text   or anything between backticks
/// value   = string | whole number | decimal | "true" | "false"
/// string  = between " or ', with \" \' \\ \n \t
/// parsed  = that of [TextFormats]
/// ```
///
/// The filter is that of queries, see [FilterParser]. In an expression `\/` is a slash.
final class TransformParser extends TokenReader<TransformMistake> {
  private static final int RULES_MAX = 1_000;
  private static final int REGEX_CHARS_MAX = 1_000;
  private static final int KEY_CHARS_MIN = 16;

  /// Longest name to rename to, so that a number can follow it.
  private static final int NEW_NAME_BYTES_MAX = 250;

  private static final String REDACTED = "[redacted]";

  private final int number;
  private final @Nullable Path directory;
  private final Map<Path, LookupTable> tables; // by file, of all lines

  private TransformParser(
      String line, int number, @Nullable Path directory, Map<Path, LookupTable> tables) {
    super(line, "_.-/@:*");
    this.number = number;
    this.directory = directory;
    this.tables = tables;
  }

  /// @param directory of relative names of tables; null when no table may be read
  static TransformSet parse(String text, long nowNanos, @Nullable Path directory)
      throws TransformMistake {
    Map<Path, LookupTable> tables = new LinkedHashMap<>();
    List<Transform> rules = new ArrayList<>();
    byte[] key = {};
    int hashLine = 0;
    int number = 0;
    for (String line : WholeFile.unmarked(text).split("\r?\n", -1)) {
      TransformParser parser = new TransformParser(line, ++number, directory, tables);
      if (parser.atEnd()) {
        continue;
      }
      if (parser.takeWord("key")) {
        if (key.length > 0) {
          throw new TransformMistake(number, "there is a key already");
        }
        key = parser.key();
        continue;
      }
      for (Transform rule : parser.rule(nowNanos)) {
        rules.add(rule);
        hashLine = hashLine == 0 && rule.action() instanceof Action.Hash ? number : hashLine;
      }
      if (rules.size() > RULES_MAX) {
        throw new TransformMistake(number, "more than %d rules".formatted(RULES_MAX));
      }
    }
    if (hashLine > 0 && key.length == 0) {
      throw new TransformMistake(
          hashLine,
          "hash needs a key: a line with key and a secret of at least %d characters in quotes"
              .formatted(KEY_CHARS_MIN));
    }
    return new TransformSet(rules, key, tables);
  }

  @Override
  protected TransformMistake wrong(String why, int where) {
    return new TransformMistake(number, "%s at character %d".formatted(why, where + 1));
  }

  /// At the end, or before a comment.
  @Override
  public boolean atEnd() {
    return super.atEnd() || text.charAt(at) == '#';
  }

  /// Errors do not contain the text.
  private byte[] key() throws TransformMistake {
    int start = at;
    String secret = string();
    if (secret.length() < KEY_CHARS_MIN) {
      throw wrong("a key has at least %d characters".formatted(KEY_CHARS_MIN), start);
    }
    expectEnd();
    return secret.getBytes(StandardCharsets.UTF_8);
  }

  private void expectEnd() throws TransformMistake {
    if (!atEnd()) {
      throw wrong("expected the end of the line, or # and a comment");
    }
  }

  private List<Transform> rule(long nowNanos) throws TransformMistake {
    Filter when = takeWord("when") ? filter(nowNanos) : new Filter.Everything();
    List<Transform> rules = new ArrayList<>();
    for (Action action : actions()) {
      rules.add(new Transform(number, when, action));
    }
    expectEnd();
    return rules;
  }

  private Filter filter(long nowNanos) throws TransformMistake {
    int start = at;
    int then = then();
    String filter = text.substring(start, then);
    at = then + "then".length();
    if (filter.isBlank()) {
      throw wrong("expected a filter between when and then", start);
    }
    if (filter.strip().equals("*")) {
      return new Filter.Everything();
    }
    try {
      return FilterParser.parse(" ".repeat(start) + filter, nowNanos); // keeps its column
    } catch (QueryException.Refused refused) {
      String why = String.valueOf(refused.getMessage()).lines().findFirst().orElse("");
      throw new TransformMistake(number, why.startsWith("where: ") ? why.substring(7) : why);
    }
  }

  /// Where the word `then` stands after a filter, outside of quotes.
  private int then() throws TransformMistake {
    int then = findUnquoted(place -> text.startsWith("then", place) && isWord(place, place + 4));
    if (then >= 0) {
      return then;
    }
    throw wrong("expected then, and an action, after the filter", text.length());
  }

  private boolean isWord(int start, int end) {
    return !isNameChar(text.charAt(start - 1))
        && (end == text.length() || !isNameChar(text.charAt(end)));
  }

  private List<Action> actions() throws TransformMistake {
    if (takeWord("drop")) {
      return List.of(drop());
    }
    if (takeWord("rename")) {
      return pairs("rename", Action.Rename::new);
    }
    if (takeWord("redact")) {
      return List.of(redact());
    }
    if (takeWord("hash")) {
      return List.of(new Action.Hash(names()));
    }
    if (takeWord("parse")) {
      return List.of(parsing());
    }
    if (takeWord("set")) {
      return values();
    }
    if (takeWord("copy")) {
      return pairs("copy", Action.Copy::new);
    }
    if (takeWord("move")) {
      return List.of(move());
    }
    if (takeWord("sample")) {
      return List.of(sample());
    }
    if (takeWord("lookup")) {
      return List.of(lookup());
    }
    throw wrong(
        "expected when, drop, rename, redact, hash, parse, set, copy, move, sample, lookup or key");
  }

  private Action parsing() throws TransformMistake {
    AttributeName source = AttributeName.BODY;
    if (!isWord("as") && !isWord("by")) {
      source = wholeName("parse");
    }
    TextFormat format = TextFormats.readAfterSource(this);
    return new Action.Parse(source, format, takeWord("overwrite"));
  }

  private List<Action> values() throws TransformMistake {
    List<Action> values = new ArrayList<>();
    do {
      AttributeName name = wholeName("set");
      expect("=");
      values.add(new Action.SetValue(name, literal()));
    } while (take(","));
    return values;
  }

  private Literal literal() throws TransformMistake {
    skipSpace();
    int start = at;
    if (isQuote()) {
      return Literal.of(string());
    }
    String word = word("");
    if (word.equals("true") || word.equals("false")) {
      return Literal.of(AttributeKind.BOOLEAN, word.equals("true") ? 1 : 0);
    }
    try {
      if (word.matches("-?\\d+")) {
        return Literal.of(AttributeKind.LONG, Long.parseLong(word));
      }
      if (word.matches("-?\\d+\\.\\d+")) {
        double number = Double.parseDouble(word);
        return Literal.of(AttributeKind.DOUBLE, Double.doubleToRawLongBits(number));
      }
    } catch (NumberFormatException _) {
      throw wrong("a whole number has at most 64 bits, got " + word, start);
    }
    throw wrong("expected a value: a text in quotes, a number, true or false", start);
  }

  private Action move() throws TransformMistake {
    if (!takeWord("to") || !takeWord("type")) {
      throw wrong("expected move to type, and a type in quotes");
    }
    skipSpace();
    int start = at;
    String type = string();
    int bytes = type.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > EventLayout.TYPE_BYTES_MAX) {
      throw wrong(
          "a type has 1 to %d bytes, got %d".formatted(EventLayout.TYPE_BYTES_MAX, bytes), start);
    }
    return new Action.MoveToType(type);
  }

  private Action sample() throws TransformMistake {
    skipSpace();
    int start = at;
    String percent = word("");
    boolean isNumber = percent.matches("\\d{1,2}(\\.\\d{1,6})?");
    double share = isNumber ? Double.parseDouble(percent) : 0;
    if (share <= 0 || !take("%")) {
      throw wrong("expected the share that is kept, as 5% or 0.1%, below 100%", start);
    }
    return new Action.Sample(share, takeWord("by") ? wholeName("sample") : null);
  }

  private Action lookup() throws TransformMistake {
    skipSpace();
    int start = at;
    String file = string();
    if (!takeWord("by")) {
      throw wrong("expected by, and the field that is the key");
    }
    AttributeName by = wholeName("lookup");
    boolean overwrites = takeWord("overwrite");
    Path base = directory;
    if (base == null) {
      throw wrong("lookup reads a file, which only the daemon's own transforms may", start);
    }
    try {
      Path path = base.resolve(file);
      LookupTable table = tables.get(path);
      if (table == null) {
        table = LookupTable.read(path);
        tables.put(path, table);
      }
      return new Action.Lookup(file, table, by, overwrites);
    } catch (IllegalArgumentException unusable) { // also a name that is no path
      throw wrong(String.valueOf(unusable.getMessage()), start);
    }
  }

  private Action drop() throws TransformMistake {
    if (!takeWord("event")) {
      return new Action.Drop(names());
    }
    if (take(",")) {
      throw wrong("drop event takes no names; put the attribute event in backticks", at - 1);
    }
    return new Action.DropEvent();
  }

  private List<Action> pairs(String what, BiFunction<AttributeName, AttributeName, Action> action)
      throws TransformMistake {
    List<Action> pairs = new ArrayList<>();
    do {
      AttributeName from = wholeName(what);
      expect("->");
      skipSpace();
      int start = at;
      AttributeName to = wholeName(what);
      if (to.length() > NEW_NAME_BYTES_MAX) {
        throw wrong("a new name has at most %d bytes".formatted(NEW_NAME_BYTES_MAX), start);
      }
      if (to.equals(from)) {
        throw wrong("both names are the same", start);
      }
      pairs.add(action.apply(from, to));
    } while (take(","));
    return pairs;
  }

  private Action redact() throws TransformMistake {
    AttributeSelector names = names();
    Pattern pattern = takeWord("with") ? regex() : null;
    skipSpace();
    int start = at;
    String put = take("->") ? string() : REDACTED;
    try {
      int groups = pattern == null ? 0 : pattern.groupCount();
      return new Action.Redact(names, pattern, Replacement.of(put, groups));
    } catch (IllegalArgumentException noGroup) {
      throw wrong(String.valueOf(noGroup.getMessage()), start);
    }
  }

  private AttributeSelector names() throws TransformMistake {
    List<AttributeName> whole = new ArrayList<>();
    List<String> globs = new ArrayList<>();
    do {
      skipSpace();
      int start = at;
      boolean verbatim = text.startsWith("`", at);
      String name = nameText();
      if (!verbatim && name.indexOf('*') >= 0) {
        globs.add(name);
      } else {
        whole.add(name(name, verbatim, start));
      }
    } while (take(","));
    return new AttributeSelector(whole, globs);
  }

  private AttributeName wholeName(String what) throws TransformMistake {
    skipSpace();
    int start = at;
    boolean verbatim = text.startsWith("`", at);
    String name = nameText();
    if (!verbatim && name.indexOf('*') >= 0) {
      throw wrong(what + " takes whole names, without *", start);
    }
    return name(name, verbatim, start);
  }

  /// @param verbatim whether it stood in backticks
  private AttributeName name(String name, boolean verbatim, int start) throws TransformMistake {
    if (!verbatim && NameText.isOwn(name)) {
      throw wrong(
          "%s is the event's own and stays; the attribute is attributes.%s or in backticks"
              .formatted(name, name),
          start);
    }
    if (!verbatim && (name.equals("with") || name.equals("then") || name.equals("when"))) {
      throw wrong("expected a name; if %s is one, put it in backticks".formatted(name), start);
    }
    try {
      return AttributeName.of(verbatim ? name : NameText.stored(name));
    } catch (IllegalArgumentException tooLong) {
      throw wrong(String.valueOf(tooLong.getMessage()), start);
    }
  }

  private String nameText() throws TransformMistake {
    int start = at;
    String verbatim = verbatim();
    if (verbatim != null && verbatim.isEmpty()) {
      throw wrong("expected the name of an attribute", start);
    }
    if (verbatim != null) {
      return verbatim;
    }
    while (at < text.length() && isNameChar(text.charAt(at)) && !text.startsWith("->", at)) {
      at++;
    }
    if (at == start) {
      throw wrong("expected the name of an attribute", start);
    }
    return text.substring(start, at);
  }

  private Pattern regex() throws TransformMistake {
    skipSpace();
    int start = at;
    String regex = slashed();
    if (regex.isEmpty() || regex.length() > REGEX_CHARS_MAX) {
      throw wrong("an expression has 1 to %d characters".formatted(REGEX_CHARS_MAX), start);
    }
    try {
      return Pattern.compile(regex);
    } catch (PatternSyntaxException notRegex) {
      throw wrong("not an RE2 expression (%s)".formatted(notRegex.getDescription()), start);
    }
  }

  private String string() throws TransformMistake {
    skipSpace();
    int start = at;
    String string = quoted("text", this::escape);
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(string)) {
      throw wrong("half a surrogate pair", start);
    }
    return string;
  }

  private String escape(char escaped) throws TransformMistake {
    return switch (escaped) {
      case '"', '\'', '\\' -> String.valueOf(escaped);
      case 'n' -> "\n";
      case 't' -> "\t";
      default -> throw wrong("unknown escape in a text", at - 2);
    };
  }
}
