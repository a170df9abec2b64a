package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the level in the text of a log line, for events without an attribute for the level. The
/// first of these forms in the line decides:
///
/// ```
///   {"level":30,"msg":"..."}                      a member of an object, as an attribute
///   <11>Nov 28 12:00:00 web1 app: ...             the priority of syslog
///   E1128 12:00:00.000000 1 file.go:1] ...        klog
///   time=... level=warn msg="..."                 logfmt
///   2026-11-28 12:00:00,123 [main] ERROR c.x.Y    a word in capitals
///   2026/11/28 12:00:00 [error] 1234#0: ...       a word in brackets, after a colon as well
///   12:00:00 warning ...    info: Microsoft...    the first word, after a time or before a colon
/// ```
///
/// - Threads: one, that of the value.
final class LevelText {
  /// Attributes that hold the text of a log line; the first that an event has is looked at.
  static final List<AttributeName> ATTRIBUTES =
      List.of(
          AttributeName.BODY,
          AttributeName.of("message"),
          AttributeName.of("msg"),
          AttributeName.of("log"));

  private static final int WORDS_BYTES_MAX = 256; // in which words are looked for
  private static final int OBJECT_BYTES_MAX = 1 << 12;

  /// No word that is a level is longer than what is behind the others.
  private static final int LOOKED_BYTES_MAX = OBJECT_BYTES_MAX + (1 << 8);

  private static final int PRIORITY_MAX = 191;
  private static final int TEN = 10;
  private static final int KLOG_DIGITS = 4;
  private static final byte ESCAPE = 0x1b;

  private static final byte[] BEFORE = ascii(" \t\n\r[(<|:,;>"); // may stand before a word
  private static final byte[] BEHIND = ascii(" \t\n\r])>|:,;[");
  private static final byte[][] KEYS = {
    ascii("level"),
    ascii("lvl"),
    ascii("severity"),
    ascii("loglevel"),
    ascii("log_level"),
    ascii("log.level"),
    ascii("levelname"),
    ascii("@level")
  };

  /// Words of times, in lower case.
  private static final List<String> TIME_WORDS =
      List.of(
          "t", "z", "utc", "gmt", "am", "pm", "jan", "feb", "mar", "apr", "may", "jun", "jul",
          "aug", "sep", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun");

  private final MemorySegment memory; // of these bytes
  private final byte[] bytes;
  private final long shift; // offset in the bytes of offset 0 in the memory
  private final AttributeValue value;
  private final int begin;
  private final int limit;
  private boolean onlyTime = true; // no other word yet
  private boolean anyTime; // a colon behind a digit

  private LevelText(AttributeValue text) {
    this.value = text;
    MemorySegment given = text.memory();
    long at = text.offset();
    long last = at + text.length();
    if (given.heapBase().orElse(null) instanceof byte[] array) {
      memory = given;
      shift = given.address();
      bytes = array;
    } else {
      while (at < last && isBlank(given.get(JAVA_BYTE, at))) {
        at++;
      }
      bytes = new byte[(int) Math.min(last - at, LOOKED_BYTES_MAX)];
      MemorySegment.copy(given, JAVA_BYTE, at, bytes, 0, bytes.length);
      memory = MemorySegment.ofArray(bytes);
      shift = 0;
      at = 0;
      last = bytes.length;
    }
    int first = (int) (at + shift);
    this.limit = (int) (last + shift);
    while (first < limit && isBlank(bytes[first])) {
      first++;
    }
    this.begin = first;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// The level of a text; null when it has none.
  ///
  /// @param text a string; overwritten
  static @Nullable Level level(AttributeValue text) {
    LevelText line = new LevelText(text);
    if (line.begin == line.limit) {
      return null;
    }
    byte first = line.byteAt(line.begin);
    if (first == '{') {
      return line.ofObject();
    }
    Level level = first == '<' ? line.ofPriority() : line.ofKlog(first);
    return level == null ? line.ofWords() : level;
  }

  private byte byteAt(int at) {
    return bytes[at];
  }

  private static boolean isBlank(byte here) {
    return (here & 0xff) <= ' ' && here != ESCAPE;
  }

  private byte next(int at) {
    return at < limit ? byteAt(at) : (byte) ' ';
  }

  private static boolean isDigit(byte here) {
    return here >= '0' && here <= '9';
  }

  private @Nullable Level ofPriority() {
    int number = 0;
    int at = begin + 1;
    while (isDigit(next(at)) && number <= PRIORITY_MAX) {
      number = TEN * number + byteAt(at++) - '0';
    }
    boolean isPriority = at > begin + 1 && number <= PRIORITY_MAX && next(at) == '>';
    return isPriority ? LevelAttribute.syslog(number & 7) : null;
  }

  private @Nullable Level ofKlog(byte first) {
    for (int i = 1; i <= KLOG_DIGITS; i++) {
      if (!isDigit(next(begin + i))) {
        return null;
      }
    }
    return next(begin + 1 + KLOG_DIGITS) != ' '
        ? null
        : switch (first) {
          case 'I' -> Level.INFO;
          case 'W' -> Level.WARN;
          case 'E' -> Level.ERROR;
          case 'F' -> Level.FATAL;
          default -> null;
        };
  }

  private @Nullable Level ofWords() {
    int end = Math.min(limit, begin + WORDS_BYTES_MAX);
    byte before = ' ';
    int at = begin;
    while (at < end) {
      byte here = byteAt(at);
      if (here == ESCAPE) { // a colour: it ends with a letter
        at++;
        while (at < end && Level.letter(byteAt(at)) == 0) {
          at++;
        }
        at++;
        before = ' ';
      } else if (Level.letter(here) == 0) {
        anyTime |= here == ':' && isDigit(before);
        before = here;
        at++;
      } else {
        int from = at;
        while (at < limit && Level.letter(byteAt(at)) != 0) {
          at++;
        }
        Level level = next(at) == '=' ? ofPair(from, at) : ofWord(from, at, before);
        if (level != null) {
          return level;
        }
        onlyTime = onlyTime && isTimeWord(from, at);
        before = byteAt(at - 1);
      }
    }
    return null;
  }

  /// The value of `level=warn`, where that is one of [#KEYS] behind a blank.
  private @Nullable Level ofPair(int from, int equals) {
    int start = from;
    while (start > begin && isKeyPart(byteAt(start - 1))) {
      start--;
    }
    boolean isOpen = start == begin || " \t[({,".indexOf(byteAt(start - 1)) >= 0;
    if (!isOpen || !isKey(start, equals - start)) {
      return null;
    }
    int at = equals + 1;
    at += next(at) == '"' ? 1 : 0;
    int end = at;
    while (end < limit && (Level.letter(byteAt(end)) != 0 || isDigit(byteAt(end)))) {
      end++;
    }
    return ofMember(LevelAttribute.ORDERED[0], at, end);
  }

  private static boolean isKeyPart(byte here) {
    return Level.letter(here) != 0 || isDigit(here) || "_.@-".indexOf(here) >= 0;
  }

  private boolean isKey(int from, int length) {
    for (byte[] key : KEYS) {
      if (key.length == length && ByteRuns.same(bytes, from, key, 0, length)) {
        return true;
      }
    }
    return false;
  }

  /// The level of a word that stands where loggers write it.
  private @Nullable Level ofWord(int from, int until, byte before) {
    if (indexOf(BEFORE, before) < 0 || indexOf(BEHIND, behind(until)) < 0) {
      return null;
    }
    Level level = Level.ofWord(memory, from - shift, until - from);
    if (level == null) {
      return null;
    }
    boolean closes = before == '[' || before == ':' || before == '<' || before == '(';
    boolean isEnclosed = closes && closesAfter(until);
    boolean isPlain = Level.isStatus(memory, from - shift, until - from);
    boolean isCapital = isCapital(from, until) && (isPlain || next(until) == ':');
    boolean isFirst = onlyTime && (next(until) == ':' || anyTime);
    boolean isFailure =
        from == begin && level == Level.ERROR && next(until) == ':'; // fail: of .NET
    return isCapital || isFailure || (isPlain && (isEnclosed || isFirst)) ? level : null;
  }

  /// The byte behind a word; a colour counts as a blank.
  private byte behind(int at) {
    byte here = next(at);
    return here == ESCAPE ? (byte) ' ' : here;
  }

  private static int indexOf(byte[] bytes, byte wanted) {
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private boolean closesAfter(int until) {
    int at = until;
    while (next(at) == ' ' && at < limit) {
      at++;
    }
    return at < limit && "])>".indexOf(byteAt(at)) >= 0;
  }

  private boolean isCapital(int from, int until) {
    for (int at = from; at < until; at++) {
      if ((byteAt(at) & 0x20) != 0) {
        return false;
      }
    }
    return true;
  }

  private boolean isTimeWord(int from, int until) {
    int length = until - from;
    for (String word : TIME_WORDS) {
      if (word.length() == length) {
        int same = 0;
        while (same < length && (byteAt(from + same) | 0x20) == word.charAt(same)) {
          same++;
        }
        if (same == length) {
          return true;
        }
      }
    }
    return false;
  }

  /// The level of an attribute whose value is the text from here to there.
  private @Nullable Level ofMember(LevelAttribute attribute, int from, int until) {
    value.setText(AttributeKind.STRING, memory, from - shift, until - from);
    return attribute.level(value);
  }

  /// Of the members of an object, and of its member `log`, the first in the order of the attributes
  /// that has a level.
  private @Nullable Level ofObject() {
    int end = Math.min(limit, begin + OBJECT_BYTES_MAX);
    Level found = null;
    int best = LevelAttribute.ORDERED.length;
    int depth = 0;
    boolean inLog = false; // at depth 2
    boolean isKey = false; // the next string is a name
    int at = begin;
    while (at < end) {
      byte here = byteAt(at);
      if (here == '"') {
        int close = closing(at, end);
        int from = at + 1;
        at = Math.min(close + 1, end);
        if (isKey && (depth == 1 || (depth == 2 && inLog))) {
          isKey = false;
          at = behindColon(at, end);
          if (depth == 1) {
            inLog = next(at) == '{' && isNamed("log", from, close);
          }
          int place = depth == 1 ? place(from, close) : isNamed("level", from, close) ? 0 : best;
          Level level = place < best ? ofJson(LevelAttribute.ORDERED[place], at, end) : null;
          if (level != null) {
            found = level;
            best = place;
          }
        }
      } else {
        depth += here == '{' || here == '[' ? 1 : here == '}' || here == ']' ? -1 : 0;
        isKey = here == '{' || here == ',' || (isKey && here != ':');
        at++;
      }
    }
    return found;
  }

  private int closing(int quote, int end) {
    int at = quote + 1;
    while (at < end && byteAt(at) != '"') {
      at += byteAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at, end);
  }

  private int behindColon(int from, int end) {
    int at = from;
    while (at < end && (byteAt(at) == ':' || (byteAt(at) & 0xff) <= ' ')) {
      at++;
    }
    return at;
  }

  private boolean isNamed(String name, int from, int until) {
    byte[] utf8 = ascii(name);
    return until - from == utf8.length && ByteRuns.same(bytes, from, utf8, 0, utf8.length);
  }

  /// The place of an attribute in the order; beyond the last when the name is none.
  private int place(int from, int until) {
    int place = 0;
    while (place < LevelAttribute.ORDERED.length
        && !LevelAttribute.ORDERED[place].name().matches(memory, from - shift, until - from)) {
      place++;
    }
    return place;
  }

  /// The level of a member, whose value begins here.
  private @Nullable Level ofJson(LevelAttribute attribute, int at, int end) {
    if (at < end && byteAt(at) == '"') {
      return ofMember(attribute, at + 1, closing(at, end));
    }
    int until = at;
    while (until < end && isDigit(byteAt(until))) {
      until++;
    }
    return ofMember(attribute, at, until);
  }
}
