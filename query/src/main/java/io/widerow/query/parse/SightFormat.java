package io.widerow.query.parse;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Any format that is known by sight: JSON, access logs, nginx, HAProxy, PostgreSQL, syslog, those
/// of `sight.txt`, and logfmt. The first of which a text is decides.
record SightFormat() implements TextFormat {
  /// Fewer pairs may be words with a `=` between them.
  private static final int PAIRS_MIN = 3;

  private static final List<TextFormat> KNOWN =
      List.of(new JsonFormat(), new NginxFormat(), new HaproxyFormat(), new CsvLogFormat());
  private static final List<SightPattern> PATTERNS = patterns();
  private static final SyslogFormat SYSLOG = new SyslogFormat();
  private static final LogfmtFormat LOGFMT = new LogfmtFormat();

  private static List<SightPattern> patterns() {
    List<SightPattern> patterns = new ArrayList<>();
    try (InputStream file = SightFormat.class.getResourceAsStream("sight.txt")) {
      if (file == null) {
        throw new IllegalStateException("sight.txt is not in the jar");
      }
      for (String line : new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          patterns.add(SightPattern.parse(line));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return List.copyOf(patterns);
  }

  /// The names of the formats of `sight.txt`.
  static List<String> names() {
    return PATTERNS.stream().map(SightPattern::name).toList();
  }

  @Override
  public boolean parse(ParsedText text) {
    for (int i = 0; i < KNOWN.size(); i++) {
      text.begin();
      if (KNOWN.get(i).parse(text)) {
        return true;
      }
    }
    for (int i = 0; i < PATTERNS.size(); i++) {
      text.begin();
      if (PATTERNS.get(i).parse(text)) {
        return true;
      }
    }
    text.begin();
    if (SYSLOG.parse(text)) {
      return true; // also of other lines that begin with a time
    }
    text.begin();
    return isPair(text) && LOGFMT.parse(text) && text.count() >= PAIRS_MIN;
  }

  /// True when the first word has a key and a value.
  private static boolean isPair(ParsedText text) {
    int equals = text.indexOf('=', 0);
    int space = text.indexOf(' ', 0);
    return equals > 0 && (space < 0 || equals < space);
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "sight";
  }
}
