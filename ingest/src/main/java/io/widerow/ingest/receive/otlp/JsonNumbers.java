package io.widerow.ingest.receive.otlp;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.DecimalText;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.receive.otlp.JsonMessage.Member;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads the numbers of JSON as protobuf writes them: each may be a number or a text, whole numbers
/// with a fraction of zero are whole.
///
/// Source: protobuf, "ProtoJSON Format".
///
/// - Threads: one.
final class JsonNumbers {
  private static final byte[] UNSIGNED_MAX = // 2^64 - 1
      "18446744073709551615".getBytes(StandardCharsets.US_ASCII);

  private static final int DIGITS_SAFE = 19; // so many always fit into 64 bits without a sign
  private static final long UINT32_MAX = 0xffff_ffffL;
  private static final double TWO_63 = 0x1p63;
  private static final String WHOLE_VALUE = "intValue"; // of an attribute
  private static final String FRACTION_VALUE = "doubleValue";
  private static final byte[] NAN = ascii("NaN");
  private static final byte[] INFINITY = ascii("Infinity");
  private static final byte[] MINUS_INFINITY = ascii("-Infinity");

  private final JsonScanner json;
  private final AttributeTape text;
  private final DecimalText decimal = new DecimalText();

  // Where the number is that is being read.
  private byte[] source = {};
  private int offset;
  private int limit;
  private boolean wide;

  JsonNumbers(JsonScanner json, AttributeTape text) {
    this.json = json;
    this.text = text;
  }

  /// Reads a whole number, in the range of its kind.
  long whole(Member member) throws JsonScanner.Bad, BadField {
    int at = json.at;
    find(member);
    wide = false;
    try {
      return whole(member, at);
    } catch (BadField bad) {
      int first = offset + (offset < limit && source[offset] == '-' ? 1 : 0);
      wide = first < limit && TimeParser.fractionLimit(source, first, limit) == limit;
      if (!isWide(member)) {
        throw bad;
      }
      return 0;
    }
  }

  /// Whether the number that was read last is the value of an attribute and fits into no number: it
  /// is kept as its text.
  boolean isWide(Member member) {
    return wide && (member.name.equals(WHOLE_VALUE) || member.name.equals(FRACTION_VALUE));
  }

  /// The array with the text of the number that was read last.
  byte[] source() {
    return source;
  }

  int offset() {
    return offset;
  }

  int length() {
    return limit - offset;
  }

  /// Reads the number of an enum, or its name.
  long choice(Member member) throws JsonScanner.Bad, BadField {
    int at = json.at;
    if (json.peek() == '"') {
      find(member);
      String name = new String(source, offset, limit - offset, StandardCharsets.UTF_8);
      for (int i = 0; i < member.texts.length; i++) {
        if (member.texts[i].equals(name)) {
          return i;
        }
      }
      return whole(member, at);
    }
    return whole(member);
  }

  double fraction(Member member) throws JsonScanner.Bad, BadField {
    int at = json.at;
    boolean quoted = json.peek() == '"';
    find(member);
    wide = false;
    if (quoted && is(NAN)) {
      return Double.NaN;
    }
    if (quoted && (is(INFINITY) || is(MINUS_INFINITY))) {
      return is(INFINITY) ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    boolean read = decimal.read(source, offset, limit);
    wide = decimal.wide;
    if (!read && !isWide(member)) {
      throw new BadField(member.name, at, shown() + " is no number, or too large for a double");
    }
    return decimal.value;
  }

  private boolean is(byte[] word) {
    return Arrays.equals(word, 0, word.length, source, offset, limit);
  }

  private String shown() {
    return BadField.shown(source, offset, limit);
  }

  /// Finds the digits at `json.at`.
  private void find(Member member) throws JsonScanner.Bad, BadField {
    int at = json.at;
    if (json.peek() == '"') {
      text.begin(json.bytes);
      json.string(text);
      source = json.textInScratch ? text.scratch() : json.bytes;
      offset = json.textOffset;
      limit = offset + json.textBytes;
      return;
    }
    int first = json.peek();
    if (first != '-' && !TimeParser.isDigit((byte) first)) {
      throw new BadField(member.name, at, "expected a number");
    }
    json.number();
    source = json.bytes;
    offset = json.numberOffset;
    limit = offset + json.numberBytes;
  }

  private long whole(Member member, int at) throws BadField {
    boolean negative = offset < limit && source[offset] == '-';
    int first = offset + (negative ? 1 : 0);
    int end = TimeParser.fractionLimit(source, first, limit);
    boolean digits = first < limit && end == limit && limit - first <= DIGITS_SAFE;
    long size = digits ? digits(first) : otherwise(member, at, first);
    if (!fits(member, negative, size)) {
      throw new BadField(member.name, at, shown() + " is out of range");
    }
    return negative ? -size : size;
  }

  private long digits(int first) {
    long size = 0;
    for (int i = first; i < limit; i++) {
      size = 10 * size + source[i] - '0';
    }
    return size;
  }

  /// A number with a point, an exponent, or 20 digits, without its sign.
  private long otherwise(Member member, int at, int first) throws BadField {
    String number = new String(source, first, limit - first, StandardCharsets.UTF_8);
    if (number.length() == DIGITS_SAFE + 1 && number.matches("\\d+")) {
      try {
        return Long.parseUnsignedLong(number);
      } catch (NumberFormatException moreThan64Bits) {
        throw new BadField(member.name, at, shown() + " is out of range");
      }
    }
    boolean plain = first < limit && TimeParser.isDigit(source[first]);
    if (!plain || !decimal.read(source, first, limit)) {
      throw new BadField(member.name, at, shown() + " is no whole number");
    }
    double value = decimal.value;
    if (value != Math.rint(value)) {
      throw new BadField(member.name, at, shown() + " is no whole number");
    }
    if (value < TWO_63) {
      return (long) value;
    }
    if (member.kind != JsonMessage.Kind.UINT64 || value >= 2 * TWO_63) {
      throw new BadField(member.name, at, shown() + " is out of range");
    }
    return new BigDecimal(number).longValue(); // its lowest 64 bits
  }

  private static boolean fits(Member member, boolean negative, long size) {
    return switch (member.kind) {
      case UINT64 -> !negative || size == 0;
      case UINT32 -> (!negative || size == 0) && size >= 0 && size <= UINT32_MAX;
      case SINT32, ENUM ->
          size >= 0 && size <= (negative ? -(long) Integer.MIN_VALUE : Integer.MAX_VALUE);
      default -> size >= 0 || (negative && size == Long.MIN_VALUE);
    };
  }

  /// Whether the text is a whole number that fits into 64 bits without a sign.
  static boolean isUnsigned(byte[] source, int from, int end) {
    int digits = end - from;
    boolean fits =
        digits < UNSIGNED_MAX.length
            || (digits == UNSIGNED_MAX.length
                && Arrays.compare(source, from, end, UNSIGNED_MAX, 0, digits) <= 0);
    return fits && digits > 0 && TimeParser.fractionLimit(source, from, end) == end;
  }

  /// Reads a text for which [#isUnsigned] holds. As an unsigned long: negative from 2^63 on.
  static long unsigned(byte[] digits, int from, int end) {
    long number = 0;
    for (int i = from; i < end; i++) {
      number = 10 * number + digits[i] - '0';
    }
    return number;
  }
}
