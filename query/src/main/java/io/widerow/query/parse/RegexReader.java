package io.widerow.query.parse;

import io.widerow.query.parse.RegexNode.One;
import io.widerow.query.parse.RegexNode.Place;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads an expression that RE2 has accepted, when it has only what most have: characters, classes
/// of ASCII, groups, choices, repetitions, the flags `i` and `s`, `^ $ \A \z \b \B`.
final class RegexReader {
  private static final One NONE = new One(0, 0, false);
  private static final One ANY = NONE.not();
  private static final One DIGIT = range('0', '9');
  private static final One WORD = DIGIT.or(range('a', 'z')).or(range('A', 'Z')).or(range('_', '_'));
  private static final One SPACE = range('\t', '\n').or(range('\f', '\r')).or(range(' ', ' '));
  private static final String CONTROLS = "tnrfva";
  private static final String CONTROL_CHARS = "\t\n\r\f\u000b\u0007";

  /// Letters of ASCII that are the same, in any case, as a character beyond it.
  private static final String FOLDED_BEYOND = "ks";

  private static final byte[] KELVIN = "\u212a".getBytes(StandardCharsets.UTF_8);
  private static final byte[] LONG_S = "\u017f".getBytes(StandardCharsets.UTF_8);

  private final String regex;
  private int at;
  private int groups;
  private boolean anyCase;
  private boolean dotAll;

  private RegexReader(String regex) {
    this.regex = regex;
  }

  /// Something that this class does not read.
  private static final class Other extends Exception {
    private static final long serialVersionUID = 1;

    Other() {
      super(null, null, false, false);
    }
  }

  /// @return null when it has something else
  static @Nullable RegexNode read(String regex) {
    RegexReader reader = new RegexReader(regex);
    try {
      RegexNode node = reader.choice();
      return reader.at == regex.length() ? node : null;
    } catch (Other _) {
      return null;
    }
  }

  private static One range(int from, int to) {
    long low = 0;
    long high = 0;
    for (int c = from; c <= to; c++) {
      low |= c < Long.SIZE ? 1L << c : 0;
      high |= c < Long.SIZE ? 0 : 1L << (c - Long.SIZE);
    }
    return new One(low, high, false);
  }

  private boolean take(String text) {
    boolean is = regex.startsWith(text, at);
    at += is ? text.length() : 0;
    return is;
  }

  private int next() throws Other {
    if (at == regex.length()) {
      throw new Other();
    }
    int c = regex.codePointAt(at);
    at += Character.charCount(c);
    return c;
  }

  private RegexNode choice() throws Other {
    List<RegexNode> parts = new ArrayList<>();
    do {
      parts.add(sequence());
    } while (take("|"));
    return parts.size() == 1 ? parts.getFirst() : new RegexNode.Choice(parts);
  }

  private RegexNode sequence() throws Other {
    List<RegexNode> parts = new ArrayList<>();
    while (at < regex.length() && regex.charAt(at) != '|' && regex.charAt(at) != ')') {
      RegexNode part = part();
      if (part != null) { // else flags
        parts.add(repeated(part));
      }
    }
    return parts.size() == 1 ? parts.getFirst() : new RegexNode.Sequence(parts);
  }

  /// Reads one part; null for flags.
  private @Nullable RegexNode part() throws Other {
    int c = next();
    return switch (c) {
      case '(' -> group();
      case '[' -> oneOf();
      case '.' -> dotAll ? ANY : range('\n', '\n').not();
      case '^' -> Place.BEGIN;
      case '$' -> Place.END;
      case '\\' -> escape();
      case '*', '+', '?' -> throw new Other();
      default -> character(c);
    };
  }

  private @Nullable RegexNode group() throws Other {
    boolean caseBefore = anyCase;
    boolean dotBefore = dotAll;
    int number = 0;
    if (take("?P<") || take("?<")) {
      number = ++groups;
      at = regex.indexOf('>', at) + 1;
    } else if (take("?")) {
      int c;
      while ((c = next()) != ':') {
        switch (c) {
          case 'i' -> anyCase = true;
          case 's' -> dotAll = true;
          case ')' -> {
            return null; // to the end of what it is in
          }
          default -> throw new Other();
        }
      }
    } else {
      number = ++groups;
    }
    RegexNode inner = choice();
    if (!take(")")) {
      throw new Other();
    }
    anyCase = caseBefore;
    dotAll = dotBefore;
    return number == 0 ? inner : new RegexNode.Group(inner, number);
  }

  private RegexNode repeated(RegexNode part) throws Other {
    int min = 0;
    int max = -1;
    if (take("+")) {
      min = 1;
    } else if (take("?")) {
      max = 1;
    } else if (!take("*")) {
      int close = regex.startsWith("{", at) ? regex.indexOf('}', at) : -1;
      String times = close < 0 ? "" : regex.substring(at + 1, close);
      if (!times.matches("\\d{1,4}(,\\d{0,4})?")) {
        return part;
      }
      at = close + 1;
      int comma = times.indexOf(',');
      min = Integer.parseInt(comma < 0 ? times : times.substring(0, comma));
      boolean open = comma == times.length() - 1 && comma > 0;
      max = comma < 0 ? min : open ? -1 : Integer.parseInt(times.substring(comma + 1));
    }
    boolean greedy = !take("?");
    boolean again = at < regex.length() && "*+?{".indexOf(regex.charAt(at)) >= 0;
    if (again || (max != 1 && part.mayBeEmpty())) {
      throw new Other(); // engines differ in how often the empty text is repeated
    }
    return new RegexNode.Repeat(part, min, max, greedy);
  }

  private RegexNode escape() throws Other {
    int c = next();
    One named = named(c);
    if (named != null) {
      if (anyCase && (c == 'w' || c == 'W')) {
        throw new Other(); // RE2/J folds these too
      }
      return named;
    }
    return switch (c) {
      case 'b' -> Place.WORD_EDGE;
      case 'B' -> Place.NO_WORD_EDGE;
      case 'A' -> Place.BEGIN;
      case 'z' -> Place.END;
      default -> character(escaped(c));
    };
  }

  private static @Nullable One named(int letter) {
    return switch (letter) {
      case 'd' -> DIGIT;
      case 'D' -> DIGIT.not();
      case 'w' -> WORD;
      case 'W' -> WORD.not();
      case 's' -> SPACE;
      case 'S' -> SPACE.not();
      default -> null;
    };
  }

  /// The character that an escape stands for.
  private int escaped(int c) throws Other {
    int control = CONTROLS.indexOf(c);
    if (control >= 0) {
      return CONTROL_CHARS.charAt(control);
    }
    if (c == 'x') {
      String digits = regex.substring(at, Math.min(regex.length(), at + 2));
      if (!digits.matches("[0-7][0-9A-Fa-f]")) {
        throw new Other();
      }
      at += 2;
      return Integer.parseInt(digits, 16);
    }
    if (c >= 128 || Character.isLetterOrDigit(c)) {
      throw new Other();
    }
    return c;
  }

  private RegexNode character(int c) throws Other {
    if (c < 128) {
      One one = range(c, c);
      int lower = Character.toLowerCase(c);
      if (!anyCase || lower < 'a' || lower > 'z') {
        return one;
      }
      One both = range(lower, lower).or(range(Character.toUpperCase(c), Character.toUpperCase(c)));
      return FOLDED_BEYOND.indexOf(lower) < 0
          ? both
          : new RegexNode.Choice(List.of(both, bytes(lower == 'k' ? KELVIN : LONG_S)));
    }
    if (anyCase || (c < 0x10000 && Character.isSurrogate((char) c))) {
      throw new Other();
    }
    return bytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
  }

  private static RegexNode bytes(byte[] utf8) {
    List<RegexNode> bytes = new ArrayList<>();
    for (byte each : utf8) {
      bytes.add(new RegexNode.Beyond(each));
    }
    return new RegexNode.Sequence(bytes);
  }

  private RegexNode oneOf() throws Other {
    if (anyCase) {
      throw new Other();
    }
    boolean not = take("^");
    One all = NONE;
    boolean first = true;
    while (first || !regex.startsWith("]", at)) {
      first = false;
      int from = next();
      One named = from == '\\' ? named(at < regex.length() ? regex.charAt(at) : 0) : null;
      if (named != null) {
        at++;
        all = all.or(named);
        continue;
      }
      from = inClass(from);
      int to = from;
      if (regex.startsWith("-", at) && !regex.startsWith("-]", at)) {
        at++;
        to = inClass(next());
      }
      all = all.or(range(from, to));
    }
    at++;
    return not ? all.not() : all;
  }

  private int inClass(int c) throws Other {
    if (c == '[' && regex.startsWith(":", at)) {
      throw new Other();
    }
    int one = c == '\\' ? escaped(next()) : c;
    if (one >= 128) {
      throw new Other();
    }
    return one;
  }
}
