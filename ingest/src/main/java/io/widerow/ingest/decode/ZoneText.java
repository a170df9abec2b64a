package io.widerow.ingest.decode;

import static io.widerow.event.Utf8.ascii;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the zone that follows a time of day. A zone is read whole or not at all.
///
/// | what follows | the zone |
/// |---|---|
/// | `Z`, `+01:00`, `+0100`, `+01` | that offset; after a space or a tab, too |
/// | `UTC`, `GMT-0500`, `UTC+5:30`, `CET`, `(UTC)`, `Europe/Paris`, `[Europe/Paris]` | that zone |
/// | what looks like one and is none of these: `IST`, `EST-5`, `+25:00`, `Zulu` | [#UNREAD] |
/// | a word or a number: `INFO`, `MST-based`, `-5 degrees`, `-1100 points` | [#NO_ZONE] |
///
/// - Threads: one.
final class ZoneText {
  /// Nothing that looks like a zone follows.
  static final int NO_ZONE = Integer.MAX_VALUE;

  /// The text that follows looks like a zone but is unknown: the time is not known.
  static final int UNREAD = Integer.MAX_VALUE - 1;

  /// The zone is [#region].
  static final int REGION = Integer.MAX_VALUE - 2;

  private static final int END = -1;
  private static final int NAME_BYTES_MAX = 40;
  private static final int ATTACHED_HOURS_MAX = 23; // as in RFC 3339
  private static final int HOURS_MAX = 14;

  /// Names of zones that are read, each with its minutes east of UTC: those of RFC 822, and others
  /// that mean one zone only.
  private static final String ZONE_MINUTES =
      "UTC 0 GMT 0 UT 0 Z 0 EST -300 EDT -240 CST -360 CDT -300 MST -420 MDT -360 PST -480 PDT -420"
          + " AKST -540 AKDT -480 HST -600 NST -210 NDT -150 WET 0 WEST 60 CET 60 CEST 120 EET 120"
          + " EEST 180 MSK 180 SAST 120 PKT 300 NPT 345 WIB 420 HKT 480 SGT 480 AWST 480 JST 540"
          + " KST 540 ACST 570 ACDT 630 AEST 600 AEDT 660 NZST 720 NZDT 780";

  /// Names of zones that mean several, or that are hardly used.
  private static final Set<String> OTHER_NAMES =
      Set.of(
          ("ADT AFT ALMT AMST AMT AST AZT BDT BNT BRST BRT BST BTT CHAST CLST CLT COT CHST EAT ECT"
                  + " EGST FJT FKT GFT GST GYT HADT HAST HDT ICT IDT IRDT IRKT IRST IST KGT KRAT"
                  + " LHST LKT MAGT MART MEST MESZ MEZ MMT MSD MUT MVT MYT NOVT NZT OMST PETT PGT"
                  + " PHT PYST PYT QYZT RET SAMT SBT SCT SRT SST TJT TLT TMT TRT ULAT UYST UYT UZT"
                  + " VET VLAT VUT WAST WAT WGST WGT WIT WITA YAKT YEKT")
              .split(" ", -1));

  private static final int LONG_NAME_WORDS_MAX = 4;
  private static final byte[][] LONG_NAME_ENDS = {
    ascii("Standard"), ascii("Daylight"), ascii("Summer")
  };
  private static final byte[] TIME = ascii("Time");
  private static final int UTC_NAMES = 3; // UTC, GMT and UT may have an offset
  private static final byte[][] NAMES;
  private static final int[] SECONDS;

  static {
    String[] words = ZONE_MINUTES.split(" ", -1);
    NAMES = new byte[words.length / 2][];
    SECONDS = new int[words.length / 2];
    for (int i = 0; i < NAMES.length; i++) {
      NAMES[i] = ascii(words[2 * i]);
      SECONDS[i] = 60 * Integer.parseInt(words[2 * i + 1]);
    }
  }

  /// The position at which reading continues: after the zone, or after what looks like one.
  int at;

  /// Valid when the zone is [#REGION].
  @Nullable ZoneId region;

  private byte[] bytes = {};
  private int limit;

  /// Reads the zone at `offset`.
  ///
  /// @return seconds to the east of UTC, [#NO_ZONE], [#UNREAD] or [#REGION]
  int read(byte[] line, int offset, int newLimit) {
    bytes = line;
    limit = newLimit;
    at = offset;
    int b = byteAt(offset);
    return switch (b) {
      case '+', '-' -> offset(offset, true);
      case ' ', '\t' -> apart(offset + 1);
      case '[' -> isRegion(offset + 1, ']') ? REGION : NO_ZONE;
      case '.', ',' -> // a fraction without digits, but not the next value of a CSV row
          (isSign(byteAt(offset + 1)) && digits(offset + 2) == 2 && byteAt(offset + 4) == ':')
                  || (byteAt(offset + 1) == 'Z' && !isWordAt(offset + 2))
              ? unread(offset + 1)
              : NO_ZONE;
      default -> isLetter(b) ? attachedName(offset) : isMinus(offset) ? unread(offset) : NO_ZONE;
    };
  }

  private int byteAt(int i) {
    return i < limit ? bytes[i] : END;
  }

  private boolean isDigitAt(int i) {
    return i < limit && TimeParser.isDigit(bytes[i]);
  }

  private static boolean isLetter(int b) {
    return (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
  }

  private static boolean isLower(int b) {
    return b >= 'a' && b <= 'z';
  }

  private boolean isWordAt(int i) {
    int b = byteAt(i);
    return b == '_' || isLetter(b) || isDigitAt(i);
  }

  private static boolean isSign(int b) {
    return b == '+' || b == '-';
  }

  /// Whether the minus of ISO 8601, U+2212, is at `i` before a digit.
  private boolean isMinus(int i) {
    return i + 3 < limit
        && bytes[i] == (byte) 0xe2
        && bytes[i + 1] == (byte) 0x88
        && bytes[i + 2] == (byte) 0x92
        && isDigitAt(i + 3);
  }

  private int digits(int i) {
    int end = i;
    while (isDigitAt(end)) {
      end++;
    }
    return end - i;
  }

  /// Ends with what looks like a zone from `from` on.
  private int unread(int from) {
    int end = isMinus(from) ? from + 3 : from;
    while (end < limit
        && bytes[end] > ' '
        && "])\"'|>}".indexOf(bytes[end]) < 0
        && end - from < NAME_BYTES_MAX) {
      end++;
    }
    at = end;
    return UNREAD;
  }

  private int apart(int i) {
    int b = byteAt(i);
    if (isSign(b)) {
      return offset(i, false);
    }
    if (isMinus(i)) {
      return unread(i);
    }
    int name = i;
    while (byteAt(name) == ' ') {
      name++;
    }
    boolean brackets = byteAt(name) == '(';
    return isLetter(byteAt(brackets ? name + 1 : name)) ? name(name, brackets) : NO_ZONE;
  }

  /// Reads `+01:00`, `+0100`, `+01` or `+1:00`.
  ///
  /// @param attached whether the time ends at `i`
  private int offset(int i, boolean attached) {
    int count = digits(i + 1);
    boolean colon = byteAt(i + 1 + count) == ':' && isDigitAt(i + 2 + count);
    if (count == 0) {
      return byteAt(i) == '+' && attached ? unread(i) : NO_ZONE;
    }
    int end = i + 1 + count + (colon ? 1 + digits(i + 2 + count) : 0);
    boolean form = colon ? count <= 2 && digits(i + 2 + count) == 2 : count == 4 || (count == 2);
    int hours = form ? TimeParser.digits(bytes, i + 1, Math.min(2, count)) : -1;
    int minutes = colon || count == 4 ? TimeParser.digits(bytes, end - 2, 2) : 0;
    boolean good =
        form
            && minutes <= 59
            && (attached ? hours <= ATTACHED_HOURS_MAX : hours <= HOURS_MAX && minutes % 15 == 0);
    if (!good || isJoined(end)) {
      boolean zeroed = form && bytes[i + 1] == '0' && !isJoined(end); // as no number is
      return attached || zeroed || (colon && !isWordAt(end)) ? unread(i) : NO_ZONE;
    }
    if (!attached && !colon && isNumber(i, count, end)) {
      return NO_ZONE;
    }
    at = end;
    int east = 3_600 * hours + 60 * minutes;
    return bytes[i] == '-' ? -east : east;
  }

  /// Whether the text that ends at `end` continues, and so is no offset: `-10%`, `+10ms`, `-8.5`,
  /// `+01:00:30`.
  private boolean isJoined(int end) {
    int b = byteAt(end);
    boolean point = b == '.' || b == ',' || b == ':' || b == '-' || b == '+' || b == '/';
    return isWordAt(end) || b == '%' || (point && isDigitAt(end + 1));
  }

  /// Whether the digits apart from a time are rather a number: nobody writes numbers with a zero
  /// before them, and hardly anyone lives at -11:00 or -12:00.
  private boolean isNumber(int i, int count, int end) {
    if (bytes[i + 1] == '0') {
      return false;
    }
    if (count == 4) {
      boolean rare = bytes[i] == '-' && bytes[i + 2] != '0';
      return rare && beforeWord(end);
    }
    int next = byteAt(end) == ' ' ? end + 1 : end;
    boolean year = digits(next) == 4 && !isWordAt(next + 4);
    return beforeWord(end) || (next > end && isDigitAt(next) && !year);
  }

  /// Whether a plain word in lower case follows.
  private boolean beforeWord(int i) {
    int end = i + 1;
    while (isLower(byteAt(end))) {
      end++;
    }
    int b = byteAt(end);
    boolean ends = b == END || b == ' ' || b == ',' || b == ';' || b == '\n' || b == '\r';
    boolean dot = b == '.' && !isWordAt(end + 1);
    return byteAt(i) == ' ' && end > i + 1 && (ends || dot);
  }

  private int attachedName(int i) {
    int end = letters(i);
    int zone = known(i, end);
    boolean utc = bytes[i] == 'z' && end == i + 1;
    if ((utc || zone >= 0) && !isJoinedToName(end)) {
      at = end;
      return utc ? 0 : SECONDS[zone];
    }
    return zone >= 0 && zone < UTC_NAMES && isSign(byteAt(end)) ? utcOffset(i, end) : unread(i);
  }

  /// Whether a name continues: `EST5EDT`, `EST-5`, `Z+01:00`.
  private boolean isJoinedToName(int end) {
    int b = byteAt(end);
    return isWordAt(end) || (isSign(b) && isDigitAt(end + 1)) || b == '/' || isMinus(end);
  }

  private int letters(int i) {
    int end = i;
    while (isLetter(byteAt(end))) {
      end++;
    }
    return end;
  }

  /// Reads the name of a zone apart from a time.
  ///
  /// @param start of it, or of the bracket before it
  private int name(int start, boolean brackets) {
    int i = brackets ? start + 1 : start;
    int end = letters(i);
    if (byteAt(end) == '/' && isRegion(i, brackets ? ')' : END)) {
      return REGION;
    }
    int zone = known(i, end);
    if (zone < 0 && !isOtherName(i, end)) {
      return isLongName(i, end) ? UNREAD : NO_ZONE;
    }
    boolean compound = byteAt(end) == '-' && isLetter(byteAt(end + 1)); // MST-based
    if (compound || byteAt(end) == '_') {
      return NO_ZONE;
    }
    if (zone >= 0 && zone < UTC_NAMES && isSign(byteAt(end)) && isDigitAt(end + 1)) {
      return utcOffset(i, end);
    }
    boolean closed = !brackets || byteAt(end) == ')';
    if (zone < 0 || isJoinedToName(end) || !closed) {
      return brackets && !closed ? NO_ZONE : unread(i);
    }
    at = brackets ? end + 1 : end;
    return SECONDS[zone];
  }

  /// Reads the offset of `GMT-0500`, `UTC-5`, `UTC+5:30`.
  private int utcOffset(int name, int i) {
    int count = digits(i + 1);
    boolean colon = byteAt(i + 1 + count) == ':';
    int after = colon ? digits(i + 2 + count) : 0;
    int end = i + 1 + count + (colon ? 1 + after : 0);
    boolean form = colon ? count <= 2 && after == 2 : count == 4 || count <= 2;
    int hours = form && count > 0 ? TimeParser.digits(bytes, i + 1, Math.min(2, count)) : -1;
    int minutes = colon || count == 4 ? TimeParser.digits(bytes, Math.max(i, end - 2), 2) : 0;
    if (hours < 0 || hours > HOURS_MAX || minutes < 0 || minutes > 59 || isJoined(end)) {
      return unread(name);
    }
    at = end;
    int east = 3_600 * hours + 60 * minutes;
    return bytes[i] == '-' ? -east : east;
  }

  /// The index of a name that is read; negative when it is none. UTC and GMT may be in lower case.
  private int known(int i, int end) {
    for (int zone = 0; zone < NAMES.length; zone++) {
      byte[] name = NAMES[zone];
      if (end - i == name.length && isName(i, name, zone < UTC_NAMES)) {
        return zone;
      }
    }
    return -1;
  }

  private boolean isName(int i, byte[] name, boolean anyCase) {
    for (int k = 0; k < name.length; k++) {
      if (bytes[i + k] != name[k] && !(anyCase && bytes[i + k] == (name[k] | 0x20))) {
        return false;
      }
    }
    return true;
  }

  private boolean isOtherName(int i, int end) {
    int length = end - i;
    int last = bytes[end - 1];
    if (length < 3 || length > 5 || (last != 'T' && last != 'Z')) {
      return false;
    }
    return OTHER_NAMES.contains(new String(bytes, i, length, StandardCharsets.US_ASCII));
  }

  /// Whether a name in words is at `i`: `Eastern Standard Time`.
  private boolean isLongName(int i, int firstEnd) {
    int word = i;
    int end = firstEnd;
    for (int words = 0; words < LONG_NAME_WORDS_MAX && byteAt(end) == ' '; words++) {
      if (isLower(byteAt(word)) || !isLower(byteAt(end - 1))) {
        return false;
      }
      word = end + 1;
      end = letters(word);
      for (byte[] last : LONG_NAME_ENDS) {
        if (end - word == last.length && isName(word, last, false) && isTime(end)) {
          at = end + 1 + TIME.length;
          return true;
        }
      }
    }
    return false;
  }

  private boolean isTime(int i) {
    return byteAt(i) == ' ' && letters(i + 1) == i + 1 + TIME.length && isName(i + 1, TIME, false);
  }

  /// Reads the name of a region, `Europe/Paris`, up to a bracket or to the end of the word.
  private boolean isRegion(int i, int bracket) {
    int end = i;
    boolean slash = false;
    while (end - i < NAME_BYTES_MAX && (isWordAt(end) || "/+-".indexOf(byteAt(end)) >= 0)) {
      slash |= bytes[end++] == '/';
    }
    if (!slash || (bracket != END && byteAt(end) != bracket)) {
      return false;
    }
    ZoneId named = Regions.find(bytes, i, end);
    if (named == null) {
      return false;
    }
    region = named;
    at = bracket == END ? end : end + 1;
    return true;
  }

  /// The regions of the JDK.
  private static final class Regions {
    static final Set<String> IDS = Set.copyOf(ZoneId.getAvailableZoneIds());

    private Regions() {}

    static @Nullable ZoneId find(byte[] bytes, int from, int until) {
      String id = new String(bytes, from, until - from, StandardCharsets.US_ASCII);
      return IDS.contains(id) ? ZoneId.of(id) : null;
    }
  }
}
