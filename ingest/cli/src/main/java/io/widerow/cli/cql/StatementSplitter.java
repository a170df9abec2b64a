package io.widerow.cli.cql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Cuts a text into statements: each ends with a semicolon outside of strings, names and comments.
/// A batch is one statement up to `APPLY BATCH`. Text after the last semicolon waits for more.
///
/// - Threads: one.
final class StatementSplitter {
  private static final Pattern BATCH = Pattern.compile("(?is)\\s*BEGIN\\b.*");
  private static final Pattern APPLIED = Pattern.compile("(?is).*\\bAPPLY\\s+BATCH\\s*");

  private final StringBuilder text = new StringBuilder(); // of the statement, comments included
  private final StringBuilder code = new StringBuilder(); // the same without comments and strings
  private int line = 1;
  private int first = 1; // line in which the statement begins
  private String until = ""; // the end of the string, name or comment; empty outside of them

  /// A statement.
  ///
  /// @param text without the semicolon
  /// @param line in which it begins, from 1
  record Statement(String text, int line) {}

  /// Takes more of the text.
  ///
  /// @return the statements that it ends
  List<Statement> take(String more) {
    List<Statement> ended = new ArrayList<>();
    for (int at = 0; at < more.length(); at++) {
      char here = more.charAt(at);
      if (isBlank() && !Character.isWhitespace(here)) {
        first = line;
      }
      if (here == '\n') {
        line++;
      }
      if (!until.isEmpty()) {
        at += inside(more, at);
      } else if (here == ';' && !isOpenBatch()) {
        end(ended);
      } else {
        at += outside(more, at);
      }
    }
    return ended;
  }

  /// Ends the text: what waits is a statement too.
  List<Statement> finish() {
    List<Statement> ended = new ArrayList<>();
    end(ended);
    until = "";
    return ended;
  }

  /// True when nothing but blanks and whole comments waits.
  boolean isBlank() {
    return code.toString().isBlank() && until.isEmpty();
  }

  private void end(List<Statement> ended) {
    if (!code.toString().isBlank()) {
      ended.add(new Statement(text.toString().strip(), first));
    }
    text.setLength(0);
    code.setLength(0);
  }

  private boolean isOpenBatch() {
    return BATCH.matcher(code).matches() && !APPLIED.matcher(code).matches();
  }

  /// Takes a character inside of a string, name or comment. Returns how many more it took. A quote
  /// that is doubled ends the string and begins it again.
  private int inside(String more, int at) {
    int taken = more.startsWith(until, at) ? until.length() : 1;
    text.append(more, at, at + taken);
    if (more.startsWith(until, at)) {
      until = "";
    }
    return taken - 1;
  }

  private int outside(String more, int at) {
    int taken = 1;
    boolean counts = true;
    if (more.startsWith("--", at) || more.startsWith("//", at)) {
      until = "\n";
      taken = 2;
      counts = false;
    } else if (more.startsWith("/*", at)) {
      until = "*/";
      taken = 2;
      counts = false;
    } else if (more.startsWith("$$", at)) {
      until = "$$";
      taken = 2;
    } else if (more.charAt(at) == '\'' || more.charAt(at) == '"') {
      until = more.substring(at, at + 1);
    }
    text.append(more, at, at + taken);
    code.append(counts ? more.substring(at, at + taken).toUpperCase(Locale.ROOT) : " ");
    return taken - 1;
  }
}
