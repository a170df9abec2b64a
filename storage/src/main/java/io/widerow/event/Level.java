package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The severity of an event, the same for every reader: filters, aggregates, alert rules, the page
/// and Loki's `detected_level`. In ascending order:
///
/// ```
///   trace < debug < info < warn < error < critical < fatal
/// ```
///
/// The first attribute of [LevelAttribute] that has a level decides; without one, the text of the
/// event does, see [LevelText].
public enum Level {
  TRACE(0, "trc trce verbose vrb silly finest"),
  DEBUG(1, "dbg dbug finer fine config"),
  INFO(2, "inf information informational notice note log success http"),
  WARN(3, "wrn warning"),
  ERROR(4, "err eror severe fail"),
  CRITICAL(5, "crit alert emerg emergency dpanic"),
  FATAL(6, "ftl panic");

  /// The name of the field in filters and aggregates. An attribute may have it, too.
  public static final AttributeName FIELD = AttributeName.of("level");

  /// The attribute in which the level is that was found when the event arrived. Its text is one of
  /// the words, or [#UNKNOWN], or as it was sent.
  public static final AttributeName DETECTED = AttributeName.of("detected_level");

  /// The text of [#DETECTED] of an event without a level.
  public static final String UNKNOWN = "unknown";

  private static final byte[] UNKNOWN_UTF8 = UNKNOWN.getBytes(StandardCharsets.US_ASCII);

  /// Words that mean something else where a text or a `status` has them.
  private static final String NO_STATUS = " log success http fail fine config silly ";

  private static final int WORD_BYTES_MAX = 13; // informational
  private static final int PADDED_BYTES_MAX = 32;
  private static final int LETTER_BITS = 5; // letters beyond the twelfth push out the first ones
  private static final String LETTERS = "tdiwecf"; // one-letter forms, by rank

  private static final MemorySegment[] UTF8; // by rank
  private static final long[] KEYS;
  private static final Level[] LEVELS;
  private static final boolean[] STATUS; // whether the word is a level as a status

  static {
    int count = 0;
    UTF8 = new MemorySegment[values().length];
    for (Level level : values()) {
      count += 1 + level.others.split(" ", -1).length;
      byte[] ascii = level.word.getBytes(StandardCharsets.US_ASCII);
      UTF8[level.rank] = MemorySegment.ofArray(ascii);
    }
    KEYS = new long[count];
    LEVELS = new Level[count];
    STATUS = new boolean[count];
    int at = 0;
    for (Level level : values()) {
      at = add(level.word, level, at);
      for (String other : level.others.split(" ", -1)) {
        at = add(other, level, at);
      }
    }
  }

  private final int rank;
  private final String word;
  private final String others; // other words for it, with blanks between them

  Level(int rank, String others) {
    this.rank = rank;
    this.word = name().toLowerCase(Locale.ROOT);
    this.others = others;
  }

  private static int add(String word, Level level, int count) {
    long key = 0;
    for (int i = 0; i < word.length(); i++) {
      key = key << LETTER_BITS | letter((byte) word.charAt(i));
    }
    int at = -1 - Arrays.binarySearch(KEYS, 0, count, key);
    if (at < 0) {
      throw new IllegalStateException("two levels are called " + word);
    }
    System.arraycopy(KEYS, at, KEYS, at + 1, count - at);
    System.arraycopy(LEVELS, at, LEVELS, at + 1, count - at);
    System.arraycopy(STATUS, at, STATUS, at + 1, count - at);
    KEYS[at] = key;
    LEVELS[at] = level;
    STATUS[at] = !NO_STATUS.contains(" " + word + " ");
    return count + 1;
  }

  /// 1 to 26, whatever the case; 0 for other bytes.
  static int letter(byte here) {
    int lower = here | 0x20;
    return lower >= 'a' && lower <= 'z' ? lower - 'a' + 1 : 0;
  }

  /// All canonical words in ascending order, with blanks between them.
  public static String words() {
    return Stream.of(values()).map(Level::word).collect(Collectors.joining(" "));
  }

  /// The canonical word, in lower case.
  public String word() {
    return word;
  }

  /// The place in ascending order, from 0.
  public int rank() {
    return rank;
  }

  /// Fills `out` with the canonical word.
  public void read(AttributeValue out) {
    MemorySegment utf8 = UTF8[rank];
    out.setText(AttributeKind.STRING, utf8, 0, (int) utf8.byteSize());
  }

  /// The level of an event; null when it has none. Allocates nothing unless it reads a text.
  ///
  /// @param scratch overwritten
  public static @Nullable Level of(EventView event, AttributeValue scratch) {
    return event.level(scratch);
  }

  /// The level that the attributes of an event tell; null when none does.
  static @Nullable Level search(EventView event, AttributeValue scratch) {
    for (LevelAttribute attribute : LevelAttribute.ORDERED) {
      if (event.find(attribute.name(), scratch)) {
        Level level = attribute.level(scratch);
        if (level != null || attribute.isFinal(scratch)) {
          return level;
        }
      }
    }
    for (AttributeName name : LevelText.ATTRIBUTES) {
      if (event.find(name, scratch) && scratch.kind() == AttributeKind.STRING) {
        return LevelText.level(scratch);
      }
    }
    return null;
  }

  /// The level in a text; null when it has none.
  ///
  /// @param text a string; overwritten
  public static @Nullable Level ofText(AttributeValue text) {
    return LevelText.level(text);
  }

  /// Fills `out` with the field `level` of an event: the canonical word, or else the attribute
  /// [#DETECTED] or `level` as it was sent. False when the event has none of them.
  public static boolean find(EventView event, AttributeValue out) {
    Level level = of(event, out);
    if (level == null) {
      return (event.find(DETECTED, out) && isOther(out)) || event.find(FIELD, out);
    }
    level.read(out);
    return true;
  }

  /// True when a value of [#DETECTED] that is no level is a word of the sender.
  public static boolean isOther(AttributeValue value) {
    if (value.kind() != AttributeKind.STRING || value.length() == 0) {
      return false;
    }
    int length = value.length();
    return length != UNKNOWN_UTF8.length
        || !ByteRuns.same(value.memory(), value.offset(), UNKNOWN_UTF8, 0, length);
  }

  /// The level that a word names in any case; null when it names none.
  public static @Nullable Level ofWord(String word) {
    byte[] utf8 = word.getBytes(StandardCharsets.UTF_8);
    return ofWord(MemorySegment.ofArray(utf8), 0, utf8.length);
  }

  /// The level that a word names in any case; null when it names none.
  static @Nullable Level ofWord(MemorySegment memory, long offset, int length) {
    int at = find(memory, offset, length);
    return at < 0 ? null : LEVELS[at];
  }

  /// True when a word names a level, whatever it stands for.
  static boolean isStatus(MemorySegment memory, long offset, int length) {
    int at = find(memory, offset, length);
    return at >= 0 && STATUS[at];
  }

  private static int find(MemorySegment memory, long offset, int length) {
    if (length < 1 || length > WORD_BYTES_MAX) {
      return -1;
    }
    long key = 0;
    for (int i = 0; i < length; i++) {
      int letter = letter(memory.get(JAVA_BYTE, offset + i));
      if (letter == 0) {
        return -1;
      }
      key = key << LETTER_BITS | letter;
    }
    return Arrays.binarySearch(KEYS, key);
  }

  /// The level that the value of an attribute names: a word in any case, with blanks around it,
  /// with the offset of slog (`INFO+2`), or its first letter in upper case. Null when it names
  /// none.
  ///
  /// @param isStatus whether words that say something else of a status are none
  static @Nullable Level ofValue(AttributeValue value, boolean isStatus) {
    MemorySegment memory = value.memory();
    long from = value.offset();
    long until = from + value.length();
    if (value.length() > PADDED_BYTES_MAX) {
      return null;
    }
    while (from < until && memory.get(JAVA_BYTE, from) == ' ') {
      from++;
    }
    while (until > from && memory.get(JAVA_BYTE, until - 1) == ' ') {
      until--;
    }
    if (until - from == 1) {
      int letter = isStatus ? -1 : LETTERS.indexOf(memory.get(JAVA_BYTE, from) - 'A' + 'a');
      return letter < 0 ? null : values()[letter];
    }
    long end = until;
    while (end > from && isDigit(memory.get(JAVA_BYTE, end - 1))) {
      end--;
    }
    boolean hasOffset = end < until && end > from && isSign(memory.get(JAVA_BYTE, end - 1));
    int at = find(memory, from, (int) ((hasOffset ? end - 1 : until) - from));
    return at < 0 || (isStatus && !STATUS[at]) ? null : LEVELS[at];
  }

  private static boolean isDigit(byte here) {
    return here >= '0' && here <= '9';
  }

  private static boolean isSign(byte here) {
    return here == '+' || here == '-';
  }
}
