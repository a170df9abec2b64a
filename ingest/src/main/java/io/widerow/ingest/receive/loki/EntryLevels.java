package io.widerow.ingest.receive.loki;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.event.LevelAttribute.Scale;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.AttributeTape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds the level of each entry of a stream and adds it as the attribute `detected_level`, so that
/// no query looks for it in lines. The first of these sources decides, as in Loki:
///
/// | source | level |
/// |---|---|
/// | metadata `detected_level` | its word, in the form of [Level], or as it was sent |
/// | the first of [#NAMES] that is a label, else metadata | the same |
/// | metadata `severity_number` | that of OpenTelemetry's number |
/// | the line | a word of [Level], see [LineLevel]; or `unknown` |
///
/// A stream with a label `detected_level` has its level already.
///
/// - Threads: one.
/// - Memory: keeps its constants in the scratch of the tape; allocates nothing for an entry.
final class EntryLevels {
  /// Labels and metadata that are a level, by precedence.
  static final List<String> NAMES =
      List.of(
          "level",
          "LEVEL",
          "Level",
          "log.level",
          "severity",
          "SEVERITY",
          "Severity",
          "SeverityText",
          "lvl",
          "LVL",
          "Lvl",
          "severity_text",
          "Severity_Text",
          "SEVERITY_TEXT");

  private static final byte[][] UTF8 = NAMES.stream().map(Utf8::ascii).toArray(byte[][]::new);
  private static final int[] FIRSTS = firsts();
  private static final LevelAttribute[] ATTRIBUTES =
      NAMES.stream().map(EntryLevels::attribute).toArray(LevelAttribute[]::new);
  private static final LevelAttribute SENT = new LevelAttribute(Level.DETECTED, Scale.LOGGER);
  private static final LevelAttribute OTLP =
      new LevelAttribute(AttributeName.of("severity_number"), Scale.OTLP);
  private static final byte[] DETECTED = ascii(Level.DETECTED.toString());
  private static final byte[] NUMBER = ascii(OTLP.name().toString());
  private static final byte[][] WORDS = words();
  private static final int UNKNOWN = WORDS.length - 1;
  private static final int NONE = Integer.MIN_VALUE;

  private final AttributeTape tape;
  private final int nameAt;
  private final int[] wordsAt = new int[WORDS.length];
  private final AttributeValue value = new AttributeValue();
  private final LineLevel line = new LineLevel();
  private byte @Nullable [] shown; // the array of the segment
  private MemorySegment segment = MemorySegment.NULL;
  private boolean labelled; // the stream has the label already
  private int ofLabels; // the level of the labels, see #found; NONE when they have none

  EntryLevels(AttributeTape tape) {
    this.tape = tape;
    nameAt = tape.constant(DETECTED);
    for (int i = 0; i < WORDS.length; i++) {
      wordsAt[i] = tape.constant(WORDS[i]);
    }
  }

  /// The first letters of names of each length, as bits.
  private static int[] firsts() {
    int[] firsts = new int[Stream.of(UTF8).mapToInt(name -> name.length).max().orElseThrow()];
    for (byte[] name : UTF8) {
      firsts[name.length - 1] |= 1 << (name[0] & 31);
    }
    return firsts;
  }

  private static byte[][] words() {
    Level[] levels = Level.values();
    byte[][] words = new byte[levels.length + 1][];
    for (Level level : levels) {
      words[level.rank()] = ascii(level.word());
    }
    words[levels.length] = ascii(Level.UNKNOWN);
    return words;
  }

  private static LevelAttribute attribute(String name) {
    boolean isSeverity = name.toLowerCase(Locale.ROOT).startsWith("severity");
    return new LevelAttribute(AttributeName.of(name), isSeverity ? Scale.SEVERITY : Scale.LOGGER);
  }

  /// The place of the first name of [#NAMES] that is this one in any case; negative for another
  /// name.
  static int foldedPlace(byte[] source, int offset, int length) {
    for (int i = 0; i < UTF8.length; i++) {
      if (UTF8[i].length == length && isFolded(UTF8[i], source, offset)) {
        return i;
      }
    }
    return -1;
  }

  /// The place of a name in [#NAMES], in this case only; negative for another name.
  static int place(byte[] source, int offset, int length) {
    if (length == 0
        || length > FIRSTS.length
        || (FIRSTS[length - 1] >>> (source[offset] & 31) & 1) == 0) {
      return -1; // most names
    }
    for (int i = 0; i < UTF8.length; i++) {
      if (UTF8[i].length == length && isSame(UTF8[i], source, offset, length)) {
        return i;
      }
    }
    return -1;
  }

  /// The meaning of a name of [#NAMES].
  static LevelAttribute attribute(int place) {
    return ATTRIBUTES[place];
  }

  private static boolean isFolded(byte[] name, byte[] source, int offset) {
    for (int i = 0; i < name.length; i++) {
      int lower = source[offset + i] >= 'A' && source[offset + i] <= 'Z' ? 0x20 : 0;
      int wanted = name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i];
      if ((source[offset + i] | lower) != wanted) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSame(byte[] name, byte[] source, int offset, int length) {
    return Arrays.equals(name, 0, name.length, source, offset, offset + length);
  }

  private boolean isNamed(byte[] name, int i) {
    return tape.nameBytes(i) == name.length
        && isSame(name, tape.nameSource(i), tape.nameOffset(i), name.length);
  }

  /// Looks at the labels of a stream, which are all that is on the tape.
  void labels() {
    labelled = false;
    for (int i = 0; i < tape.count(); i++) {
      labelled |= isNamed(DETECTED, i);
    }
    ofLabels = named(0);
  }

  /// Adds the level of an entry.
  ///
  /// @param from the first attribute that is metadata
  /// @param inScratch whether the line is in the scratch, not in the body
  void add(int from, byte[] body, boolean inScratch, int offset, int length) {
    for (int i = from; i < tape.count(); i++) {
      if (isNamed(DETECTED, i)) {
        normalize(i);
        return;
      }
    }
    if (labelled) {
      return;
    }
    int level = ofLabels;
    if (level == NONE && tape.count() > from) {
      level = named(from);
      level = level == NONE ? numbered(from) : level;
    }
    if (level == NONE) {
      Level found = line.find(inScratch ? tape.scratch() : body, offset, offset + length);
      level = ~(found == null ? UNKNOWN : found.rank());
    }
    tape.name(true, nameAt, DETECTED.length);
    if (level < 0) {
      tape.string(true, wordsAt[~level], WORDS[~level].length);
    } else {
      tape.copy(level);
    }
  }

  private void normalize(int i) {
    int level = found(i, SENT);
    if (level < 0 && tape.kind(i) == AttributeKind.STRING && level != NONE) {
      tape.replace(i, true, wordsAt[~level], WORDS[~level].length);
    }
  }

  /// The level of the first of [#NAMES] among the attributes from `from` on; NONE when there is no
  /// such attribute.
  private int named(int from) {
    int best = NAMES.size();
    int of = -1;
    for (int i = from; i < tape.count(); i++) {
      int place = place(tape.nameSource(i), tape.nameOffset(i), tape.nameBytes(i));
      if (place >= 0 && place < best) {
        best = place;
        of = i;
      }
    }
    return of < 0 ? NONE : found(of, ATTRIBUTES[best]);
  }

  /// The level of a value: the complement of the place of its word in [#WORDS], or the attribute
  /// itself when its text is another word. NONE when it is empty.
  private int found(int i, LevelAttribute attribute) {
    show(i);
    boolean isText = value.kind() == AttributeKind.STRING;
    if (isText && value.length() == 0) {
      return NONE;
    }
    Level level = attribute.level(value);
    return level != null ? ~level.rank() : isText ? i : ~UNKNOWN;
  }

  private void show(int i) {
    AttributeKind kind = tape.kind(i);
    if (kind.isText()) {
      byte[] source = tape.valueSource(i);
      value.setText(kind, segment(source), tape.valueOffset(i), tape.valueBytes(i));
    } else {
      value.setBits(kind, tape.bits(i));
    }
  }

  @SuppressWarnings("ReferenceEquality") // the segment is of this very array
  private MemorySegment segment(byte[] source) {
    if (shown != source) {
      shown = source;
      segment = MemorySegment.ofArray(source);
    }
    return segment;
  }

  /// The level of OpenTelemetry's number. As in Loki, a text that is no whole number is `info`, and
  /// a negative one `trace`.
  private int numbered(int from) {
    for (int i = from; i < tape.count(); i++) {
      if (isNamed(NUMBER, i)) {
        int level = found(i, OTLP);
        return level < 0
            ? level
            : ~ofText(tape.valueSource(i), tape.valueOffset(i), tape.valueBytes(i));
      }
    }
    return NONE;
  }

  /// The place in [#WORDS] of a text that is no number of a level.
  private static int ofText(byte[] source, int offset, int length) {
    int first = source[offset] == '-' || source[offset] == '+' ? 1 : 0;
    boolean isWhole = length > first;
    for (int i = first; i < length; i++) {
      isWhole &= source[offset + i] >= '0' && source[offset + i] <= '9';
    }
    boolean isNegative = isWhole && source[offset] == '-';
    return isNegative ? Level.TRACE.rank() : isWhole ? UNKNOWN : Level.INFO.rank();
  }
}
