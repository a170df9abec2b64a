package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Lexeme.Kind;
import io.widerow.cql.type.Identifiers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The words of a statement, with the next two in sight.
///
/// - Threads: one.
final class Words {
  private final Lexer lexer;
  private Lexeme next;
  private @Nullable Lexeme second;

  /// @param most words and signs of the text
  Words(String text, int most) {
    this.lexer = new Lexer(text, most);
    this.next = lexer.next();
  }

  Lexeme peek() {
    return next;
  }

  Lexeme peekSecond() {
    Lexeme seen = second;
    if (seen == null) {
      seen = lexer.next();
      second = seen;
    }
    return seen;
  }

  Lexeme take() {
    Lexeme taken = next;
    next = peekSecond();
    second = null;
    return taken;
  }

  boolean skipSign(String sign) {
    boolean there = next.isSign(sign);
    if (there) {
      take();
    }
    return there;
  }

  boolean skipWord(String keyword) {
    boolean there = next.isWord(keyword);
    if (there) {
      take();
    }
    return there;
  }

  void requireSign(String sign) {
    if (!skipSign(sign)) {
      throw expected("'" + sign + "'");
    }
  }

  void requireWord(String keyword) {
    if (!skipWord(keyword)) {
      throw expected(keyword.toUpperCase(Locale.ROOT));
    }
  }

  /// True when a name comes next.
  boolean isName() {
    return next.kind() == Kind.QUOTED_NAME
        || (next.kind() == Kind.WORD && !Identifiers.isReserved(next.lower()));
  }

  /// True when a constant of a boolean comes next.
  boolean isTruth() {
    return next.isWord("true") || next.isWord("false");
  }

  /// Takes a name: in lower case, or as it is in quotes.
  ///
  /// @param what the kind of named object, for the message
  String name(String what) {
    if (!isName()) {
      throw expected(what);
    }
    Lexeme name = take();
    return name.kind() == Kind.QUOTED_NAME ? name.text() : name.lower();
  }

  /// Takes the name of a table or a type, with its keyspace or without.
  Statement.TableName tableName() {
    String first = name("a table");
    return skipSign(".")
        ? new Statement.TableName(first, name("a table"))
        : new Statement.TableName(null, first);
  }

  /// The error that something else comes next.
  CqlException expected(String what) {
    return lexer.error(next.offset(), "expected %s, got %s".formatted(what, next.shown()));
  }
}
