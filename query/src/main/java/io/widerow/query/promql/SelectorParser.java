package io.widerow.query.promql;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.promql.PromqlExpr.Selector;
import io.widerow.query.promql.PromqlExpr.Timing;
import io.widerow.query.promql.PromqlLexer.Kind;
import io.widerow.query.promql.PromqlLexer.Token;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.List;

/// Reads tokens one after the other, and the selectors of series among them.
///
/// - Threads: one.
abstract sealed class SelectorParser permits PromqlParser {
  private static final int REGEX_CHARS_MAX = 3_000;

  private final String text;
  private final List<Token> tokens;
  private int next;
  private int taken; // the place of the last token that was taken

  SelectorParser(String text) {
    this.text = text;
    this.tokens = PromqlLexer.tokens(text);
  }

  Token look() {
    return tokens.get(next);
  }

  Token look(int ahead) {
    return tokens.get(Math.min(next + ahead, tokens.size() - 1));
  }

  Token take() {
    Token token = tokens.get(next);
    taken = next;
    next += token.kind() == Kind.END ? 0 : 1;
    return token;
  }

  /// Takes back the last token.
  void back() {
    next = taken;
  }

  boolean takes(String sign) {
    boolean is = look().is(sign);
    if (is) {
      next++;
    }
    return is;
  }

  Token expect(String sign, String where) {
    if (!look().is(sign)) {
      throw unexpected("%s, expected \"%s\"".formatted(where, sign));
    }
    return take();
  }

  boolean isWord(Token token, String word) {
    return token.kind() == Kind.NAME && token.text().equalsIgnoreCase(word);
  }

  PromqlException unexpected(String where) {
    Token token = look();
    String what =
        switch (token.kind()) {
          case END -> "end of input";
          case NAME -> "identifier \"%s\"".formatted(token.text());
          case NUMBER -> "number \"%s\"".formatted(token.text());
          case DURATION -> "duration \"%s\"".formatted(token.text());
          case TEXT -> "string \"%s\"".formatted(token.text());
          case SIGN -> "\"%s\"".formatted(token.text());
        };
    return error(token.place(), "unexpected " + what + where);
  }

  PromqlException error(Place place, String what) {
    return PromqlLexer.error(text, place.from(), what);
  }

  Place since(Token first) {
    return new Place(first.place().from(), tokens.get(next - 1).place().until());
  }

  Selector selector(String named, Token first) {
    List<Matcher> matchers = new ArrayList<>();
    String name = named;
    if (takes("{")) {
      while (!takes("}")) {
        Token label = take();
        if (label.kind() != Kind.NAME && label.kind() != Kind.TEXT) {
          back();
          throw unexpected(" in label matching, expected identifier or \"}\"");
        }
        boolean isName = label.kind() == Kind.TEXT && (look().is(",") || look().is("}"));
        if (isName) {
          if (!name.isEmpty()) {
            throw twice(first, name, label.text());
          }
          name = label.text();
        } else {
          matchers.add(matcher(label));
        }
        if (!takes(",") && !look().is("}")) {
          throw unexpected(" in label matching, expected \",\" or \"}\"");
        }
      }
    }
    if (!name.isEmpty()) {
      for (Matcher matcher : matchers) {
        if (matcher.name().equals(Labels.NAME)) {
          throw twice(first, name, matcher.text());
        }
      }
      matchers.addFirst(new Matcher(Labels.NAME, Matcher.Kind.EQUAL, name, null));
    }
    if (matchers.stream().allMatch(each -> each.test(""))) {
      throw error(since(first), "vector selector must contain at least one non-empty matcher");
    }
    return new Selector(name, matchers, Timing.NONE, since(first));
  }

  PromqlException twice(Token first, String one, String other) {
    return error(
        first.place(), "metric name must not be set twice: \"%s\" or \"%s\"".formatted(one, other));
  }

  Matcher matcher(Token label) {
    Token sign = take();
    Matcher.Kind kind = null;
    for (Matcher.Kind each : Matcher.Kind.values()) {
      if (sign.is(each.sign)) {
        kind = each;
      }
    }
    if (kind == null) {
      back();
      throw unexpected(" in label matching, expected label matching operator");
    }
    Token value = look();
    if (value.kind() != Kind.TEXT) {
      throw unexpected(" in label matching, expected string");
    }
    take();
    boolean isRegex = kind == Matcher.Kind.MATCHES || kind == Matcher.Kind.NOT_MATCHES;
    return new Matcher(
        label.text(), kind, value.text(), isRegex ? regex(value.text(), value.place()) : null);
  }

  Pattern regex(String regex, Place place) {
    if (regex.length() > REGEX_CHARS_MAX) {
      throw error(
          place,
          "a regular expression of %d characters; at most %d"
              .formatted(regex.length(), REGEX_CHARS_MAX));
    }
    try {
      return Pattern.compile(regex, Pattern.DOTALL);
    } catch (PatternSyntaxException odd) {
      throw error(place, "error parsing regexp: " + odd.getMessage());
    }
  }
}
