package io.widerow.query.parse;

import io.widerow.query.text.TokenReader;
import java.util.function.Function;

/// Reads the name of a format, in a filter and in a file of transforms:
///
/// ```
/// parsed = "as" format | "by" "sight"
/// format = "json" | "logfmt" | "clf" | "nginx" | "haproxy" | "postgres" "csv" | "syslog"
///        | "pattern" verbatim | "grok" verbatim | "regexp" /regex/
/// ```
///
/// A `verbatim` text is between backticks, or in quotes, where a backslash stays except before a
/// quote.
public final class TextFormats {
  private static final String KNOWN =
      "json, logfmt, clf, nginx, haproxy, postgres csv, syslog, pattern \"...\", grok \"...\" or"
          + " regexp /.../";

  private TextFormats() {}

  /// Reads what follows the name of the text: `as` and a format, or `by sight`.
  ///
  /// @throws E when something else follows
  public static <E extends Exception> TextFormat readAfterSource(TokenReader<E> tokens) throws E {
    if (tokens.takeWord("by")) {
      if (!tokens.takeWord("sight")) {
        throw tokens.wrong("expected sight after by");
      }
      return new SightFormat();
    }
    if (!tokens.takeWord("as")) {
      throw tokens.wrong("expected as, and a format");
    }
    return read(tokens);
  }

  /// @throws E when another word follows, or a pattern makes no sense
  private static <E extends Exception> TextFormat read(TokenReader<E> tokens) throws E {
    if (tokens.takeWord("json")) {
      return new JsonFormat();
    }
    if (tokens.takeWord("logfmt")) {
      return new LogfmtFormat();
    }
    if (tokens.takeWord("clf")) {
      return new AccessLogFormat();
    }
    if (tokens.takeWord("nginx")) {
      return new NginxFormat();
    }
    if (tokens.takeWord("haproxy")) {
      return new HaproxyFormat();
    }
    if (tokens.takeWord("postgres")) {
      if (!tokens.takeWord("csv")) {
        throw tokens.wrong("expected csv after postgres");
      }
      return new CsvLogFormat();
    }
    if (tokens.takeWord("syslog")) {
      return new SyslogFormat();
    }
    if (tokens.takeWord("pattern")) {
      return made(tokens, tokens.verbatimText(), CaptureFormat::of);
    }
    if (tokens.takeWord("grok")) {
      return made(tokens, tokens.verbatimText(), GrokText::parse);
    }
    if (tokens.takeWord("regexp")) {
      return made(tokens, tokens.slashed(), RegexFormat::of);
    }
    throw tokens.wrong("expected a format: " + KNOWN);
  }

  private static <E extends Exception> TextFormat made(
      TokenReader<E> tokens, String of, Function<String, TextFormat> maker) throws E {
    try {
      return maker.apply(of);
    } catch (IllegalArgumentException senseless) {
      throw tokens.wrong(String.valueOf(senseless.getMessage()));
    }
  }
}
