package io.widerow.ingest.receive.loki;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.ingest.decode.Swar;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the level in a line as Loki's distributor does. The first of these forms decides:
///
/// ```
///   {"level":"warn","msg":"..."}       the first name of EntryLevels, at most 2 objects deep
///   time=... level=warn msg="..."      the pair of the first of these names, in any case
///   12:00:00 [main] ERROR c.x.Y        the first of nine words between bounds
/// ```
///
/// One pass finds the word, and whether any name of a level may stand before a quote or an equals
/// sign. Only then the line is read as an object or as pairs.
///
/// - Threads: one.
/// - Memory: allocates nothing, except for a level of the first two forms.
final class LineLevel {
  private static final byte BEFORE = 1; // may stand before a word
  private static final byte BEHIND = 2;
  private static final int LETTERS = 26;
  private static final byte[] CLASSES = new byte[1 << Byte.SIZE];
  private static final int[] SECONDS = new int[1 << Byte.SIZE]; // letters, by the first of a word
  private static final int NAME_END = 3; // bytes
  private static final long LEVEL_END = key("vel");
  private static final long LVL_END = key("lvl");
  private static final long SEVERITY_END = key("ity");
  private static final long TEXT_END = key("ext");
  private static final int WORD_BYTES_MAX = 8;
  private static final int DEPTH_MAX = 2;
  private static final long TRACE = key("trace");
  private static final long DEBUG = key("debug");
  private static final long FATAL = key("fatal");
  private static final long CRITICAL = key("critical");
  private static final long ERROR = key("error");
  private static final long ERR = key("err");
  private static final long WARNING = key("warning");
  private static final long WARN = key("warn");
  private static final long INFO = key("info");

  static {
    mark(" \t\n[({\"'=|", BEFORE);
    mark(" \t\n[](){}:,!\"'=|", BEHIND);
    for (String start : List.of("tr", "de", "fa", "cr", "er", "wa", "in")) {
      int second = 1 << (start.charAt(1) - 'a');
      SECONDS[start.charAt(0)] |= second;
      SECONDS[start.charAt(0) - ' '] |= second;
    }
  }

  private final AttributeValue value = new AttributeValue();
  private byte[] bytes = {};
  private int limit;

  private static void mark(String characters, byte bit) {
    for (int i = 0; i < characters.length(); i++) {
      CLASSES[characters.charAt(i)] |= bit;
    }
  }

  private static long key(String word) {
    long key = 0;
    for (int i = 0; i < word.length(); i++) {
      key = key << Byte.SIZE | word.charAt(i);
    }
    return key;
  }

  /// 0 to 25, whatever the case; larger for other bytes.
  private static int letter(byte here) {
    return ((here | 0x20) - 'a') & 0xff;
  }

  /// The level in `[from, until)`; null when there is none.
  @Nullable Level find(byte[] newBytes, int from, int until) {
    bytes = newBytes;
    limit = until;
    Level word = from < until ? word(from) : null;
    boolean mayHaveName = false;
    for (int at = from; at < until - 1; at += Long.BYTES) {
      boolean isWhole = at + Long.BYTES <= newBytes.length;
      long bounds = isWhole ? Swar.levelBounds(Swar.word(newBytes, at)) : -1;
      while (bounds != 0) {
        int bound = at + (Long.numberOfTrailingZeros(bounds) >>> 3);
        bounds &= isWhole ? bounds - 1 : -1L << (Byte.SIZE * (bound + 1 - at));
        if (bound >= until - 1) {
          break;
        }
        byte here = newBytes[bound];
        if (word == null && isStart(newBytes, bound + 1) && (CLASSES[here & 0xff] & BEFORE) != 0) {
          word = word(bound + 1);
        }
        mayHaveName |=
            (here == '=' || here == '"')
                && bound >= from + NAME_END
                && isEndOfName(bound - NAME_END);
      }
    }
    Level named = mayHaveName ? named(from) : null;
    return named == null ? word : named;
  }

  /// Whether the first two letters of a word are here.
  private static boolean isStart(byte[] bytes, int at) {
    int seconds = SECONDS[bytes[at] & 0xff];
    if (seconds == 0 || at + 1 >= bytes.length) {
      return false;
    }
    int letter = letter(bytes[at + 1]);
    return letter < LETTERS && (seconds >>> letter & 1) != 0;
  }

  /// Whether the last bytes of a name of a level are here: of level, lvl, severity, severity_text.
  private boolean isEndOfName(int at) {
    int end =
        ((bytes[at] & 0xff) << (2 * Byte.SIZE))
            | ((bytes[at + 1] & 0xff) << Byte.SIZE)
            | (bytes[at + 2] & 0xff);
    end |= 0x20_2020;
    return end == LEVEL_END || end == LVL_END || end == SEVERITY_END || end == TEXT_END;
  }

  /// The level that is the word at a place.
  private @Nullable Level word(int from) {
    if (!isStart(bytes, from)) {
      return null;
    }
    long key = 0;
    int at = from;
    while (at < limit && letter(bytes[at]) < LETTERS && at - from <= WORD_BYTES_MAX) {
      key = key << Byte.SIZE | (bytes[at++] | 0x20);
    }
    if (at - from > WORD_BYTES_MAX || (at < limit && (CLASSES[bytes[at] & 0xff] & BEHIND) == 0)) {
      return null;
    }
    if (key == ERROR || key == ERR) {
      return Level.ERROR;
    } else if (key == INFO) {
      return Level.INFO;
    } else if (key == WARN || key == WARNING) {
      return Level.WARN;
    } else if (key == DEBUG) {
      return Level.DEBUG;
    } else if (key == TRACE) {
      return Level.TRACE;
    } else if (key == FATAL) {
      return Level.FATAL;
    }
    return key == CRITICAL ? Level.CRITICAL : null;
  }

  private @Nullable Level named(int from) {
    int first = behindBlanks(from);
    int last = limit - 1;
    while (last > first && (bytes[last] & 0xff) <= ' ') {
      last--;
    }
    boolean isObject = first < last && bytes[first] == '{' && bytes[last] == '}';
    return isObject ? ofObject(first + 1) : ofPairs(from);
  }

  private int behindBlanks(int from) {
    int at = from;
    while (at < limit && (bytes[at] & 0xff) <= ' ') {
      at++;
    }
    return at;
  }

  private byte next(int at) {
    return at < limit ? bytes[at] : 0;
  }

  /// The level of the first text, or of the first number that is a level, under a name of a level.
  ///
  /// @param from behind the bracket of the object
  private @Nullable Level ofObject(int from) {
    int depth = 1;
    int at = behindBlanks(from);
    while (depth > 0) {
      byte here = next(at);
      if (here == '}' || here == ',') {
        depth -= here == '}' ? 1 : 0;
        at = behindBlanks(at + 1);
        continue;
      }
      int close = here == '"' ? closing(at + 1) : limit;
      int colon = behindBlanks(close + 1);
      if (next(colon) != ':') {
        return null; // no object
      }
      int place = EntryLevels.place(bytes, at + 1, close - at - 1);
      int start = behindBlanks(colon + 1);
      byte first = next(start);
      if (first == '{' && depth < DEPTH_MAX) {
        depth++;
        at = behindBlanks(start + 1);
        continue;
      }
      int end = endOfValue(start, first);
      if (place >= 0) {
        boolean isText = first == '"';
        Level level =
            isText
                ? level(place, start + 1, end - 1)
                : isDigit(first) ? level(place, start, end) : null;
        if (isText || level != null) {
          return level;
        }
      }
      at = behindBlanks(end);
    }
    return null;
  }

  private static boolean isDigit(byte here) {
    return here >= '0' && here <= '9';
  }

  /// The quote that closes a string; the limit when there is none.
  private int closing(int from) {
    int at = from;
    while (at < limit && bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return Math.min(at, limit);
  }

  private int endOfValue(int start, byte first) {
    int at = start;
    if (first == '"') {
      return closing(start + 1) + 1;
    }
    if (first != '{' && first != '[') {
      while (at < limit && bytes[at] != ',' && bytes[at] != '}' && (bytes[at] & 0xff) > ' ') {
        at++;
      }
      return at;
    }
    int depth = 0;
    do {
      byte here = next(at);
      depth += here == '{' || here == '[' ? 1 : here == '}' || here == ']' ? -1 : 0;
      at = here == '"' ? closing(at + 1) + 1 : at + 1;
    } while (depth > 0 && at < limit);
    return at;
  }

  /// The level of the pair whose name comes first in the order of names.
  private @Nullable Level ofPairs(int from) {
    int best = EntryLevels.NAMES.size();
    Level level = null;
    int at = behindBlanks(from);
    while (at < limit && best > 0) {
      int name = at;
      while ((next(at) & 0xff) > ' ' && bytes[at] != '=' && bytes[at] != '"') {
        at++;
      }
      int equals = at;
      if (equals > name && next(at) == '=') {
        boolean isQuoted = next(at + 1) == '"';
        int start = isQuoted ? at + 2 : at + 1;
        at = isQuoted ? closing(start) : start;
        while (!isQuoted && (next(at) & 0xff) > ' ' && bytes[at] != '=' && bytes[at] != '"') {
          at++;
        }
        int place = EntryLevels.foldedPlace(bytes, name, equals - name);
        if (place >= 0 && place < best) {
          best = place;
          level = level(place, start, at);
        }
        at += isQuoted ? 1 : 0;
      }
      if (at == name || ((next(at) & 0xff) > ' ')) {
        break; // no pairs
      }
      at = behindBlanks(at);
    }
    return level;
  }

  private @Nullable Level level(int place, int from, int until) {
    LevelAttribute attribute = EntryLevels.attribute(place);
    value.setText(AttributeKind.STRING, MemorySegment.ofArray(bytes), from, until - from);
    return attribute.level(value);
  }
}
