package io.widerow.ingest;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes InfluxDB line protocol: the measurement is the event's type, tags are string attributes,
/// fields are attributes of their own kinds.
///
/// ```
///   measurement[,tag=value]* field=value[,field=value]* [timestamp]
///   cpu,host=a\ b usage=0.5,count=3i,note="a \"b\"",ok=true 1434055562000000000
/// ```
///
/// A backslash escapes a comma, an equals sign and a space in names and tag values, and a quote and
/// a backslash in a string; elsewhere it stands for itself. A string may hold newlines. Blank lines
/// and lines that begin with `#` do not count. A bad line is refused and the next one is read.
///
/// - Threads: one.
final class LineProtocolDecoder {
  /// So many digits are no number above a long's.
  private static final int DIGITS_SAFE = 18;

  private final AttributeTape tape = new AttributeTape();
  private final long unitNanos;
  private byte[] body = new byte[0];
  private int at;
  private int limit;
  private int line; // number of the line, from 1
  private @Nullable String firstBad;

  // The name or value read last.
  private boolean inScratch;
  private int textOffset;
  private int textBytes;

  /// Why a line is refused.
  private static final class Bad extends Exception {
    private static final long serialVersionUID = 1L;

    Bad(String reason) {
      super(reason, null, false, false);
    }
  }

  private static final String MEASUREMENT = "missing measurement";
  private static final String TAG_KEY = "missing tag key";
  private static final String TAG_VALUE = "missing tag value";
  private static final String FIELDS = "missing fields";
  private static final String FIELD_KEY = "missing field key";
  private static final String FIELD_VALUE = "missing field value";
  private static final String NUMBER = "invalid number";
  private static final String RANGE = "number out of range";
  private static final String BOOLEAN = "invalid boolean";
  private static final String QUOTES = "unbalanced quotes";
  private static final String TIMESTAMP = "bad timestamp";

  /// @param unitNanos what a timestamp counts
  LineProtocolDecoder(long unitNanos) {
    this.unitNanos = unitNanos;
  }

  /// Decodes the lines of `newBody` in `[offset, newLimit)`.
  ///
  /// @param newBody with [Swar#SLACK_BYTES] readable bytes behind `newLimit`
  void decode(byte[] newBody, int offset, int newLimit, IncomingBatch batch) {
    body = newBody;
    at = offset;
    limit = newLimit;
    line = 0;
    firstBad = null;
    while (at < limit) {
      line++;
      int start = at;
      skipSpaces();
      if (at == limit || body[at] == '\n' || body[at] == '#') {
        at = Swar.newline(body, at, limit) + 1;
        continue;
      }
      int refused = batch.refused.count();
      String reason = "";
      try {
        decodeLine(batch);
        reason = batch.refused.count() == refused ? "" : batch.refused.lastReason();
      } catch (Bad bad) {
        at = start; // not behind a quote that never ends
        reason = String.valueOf(bad.getMessage());
        batch.refuse(reason);
      }
      if (firstBad == null && batch.refused.count() > refused) {
        firstBad = describe(start, reason);
      }
      at = Swar.newline(body, at, limit) + 1;
    }
  }

  /// The first refused line with its number and the reason, as InfluxDB words it; null when every
  /// line is fine.
  @Nullable String firstBad() {
    return firstBad;
  }

  private String describe(int start, String reason) {
    int shown = Math.min(Swar.newline(body, start, limit) - start, 200);
    String text = new String(body, start, shown, StandardCharsets.UTF_8);
    return "unable to parse '%s': %s (line %d)".formatted(text, reason, line);
  }

  private void decodeLine(IncomingBatch batch) throws Bad {
    tape.begin(body);
    text(false);
    if (textBytes == 0) {
      throw new Bad(MEASUREMENT);
    }
    boolean typeInScratch = inScratch;
    int typeOffset = textOffset;
    int typeBytes = textBytes;
    while (at < limit && body[at] == ',') {
      at++;
      tag();
    }
    if (at == limit || body[at] != ' ') {
      throw new Bad(FIELDS);
    }
    skipSpaces();
    fields();
    skipSpaces();
    long nanos = at == limit || body[at] == '\n' ? batch.useArrivalTime() : timestamp();
    byte[] type = typeInScratch ? tape.scratch() : body;
    batch.events.begin(type, typeOffset, typeBytes, nanos);
    tape.writeTo(batch.events);
    batch.end();
  }

  private void tag() throws Bad {
    if (!takeExpectedName()) {
      text(true);
      if (textBytes == 0 || at == limit || body[at] != '=') {
        throw new Bad(textBytes == 0 ? TAG_KEY : TAG_VALUE);
      }
      tape.name(inScratch, textOffset, textBytes);
      at++;
    }
    text(true);
    if (textBytes == 0 || (at < limit && body[at] == '=')) {
      throw new Bad(TAG_VALUE);
    }
    tape.string(inScratch, textOffset, textBytes);
  }

  private void fields() throws Bad {
    if (at == limit || body[at] == '\n') {
      throw new Bad(FIELDS);
    }
    while (true) {
      if (!takeExpectedName()) {
        text(true);
        if (textBytes == 0) {
          throw new Bad(FIELD_KEY);
        }
        if (at == limit || body[at] != '=') {
          throw new Bad(FIELD_VALUE);
        }
        at++;
        tape.name(inScratch, textOffset, textBytes);
      }
      value();
      if (at == limit || body[at] != ',') {
        break;
      }
      at++;
    }
    if (at < limit && body[at] != ' ' && body[at] != '\n' && body[at] != '\r') {
      throw new Bad(FIELD_VALUE);
    }
  }

  /// Takes the name that the event before had here, and the equals sign behind it: no need to look
  /// for its end.
  private boolean takeExpectedName() {
    int length = tape.expectedName(at, limit, (byte) '=');
    at += length == 0 ? 0 : length + 1;
    return length > 0;
  }

  private void value() throws Bad {
    if (at == limit) {
      throw new Bad(FIELD_VALUE);
    }
    int first = body[at];
    if (first == '"') {
      quoted();
      return;
    }
    int start = at;
    while (at < limit && !endsValue(body[at])) {
      at++;
    }
    if (at == start) {
      throw new Bad(FIELD_VALUE);
    }
    if (Times.isDigit((byte) first) || first == '-' || first == '+' || first == '.') {
      number(start);
    } else {
      tape.truth(truth(start, at - start));
    }
  }

  private static boolean endsValue(int b) {
    return b == ',' || b == ' ' || b == '\n' || b == '\r';
  }

  private boolean truth(int start, int length) throws Bad {
    String text = new String(body, start, Math.min(length, 6), StandardCharsets.ISO_8859_1);
    return switch (text) {
      case "t", "T", "true", "True", "TRUE" -> true;
      case "f", "F", "false", "False", "FALSE" -> false;
      default -> throw new Bad(BOOLEAN);
    };
  }

  private void number(int start) throws Bad {
    int suffix = body[at - 1];
    if (suffix == 'i' || suffix == 'u') {
      tape.whole(whole(start, at - 1, suffix == 'i'));
      return;
    }
    tape.fraction(fraction(start, at));
  }

  /// Plain digits with a point are one exact division away (Clinger); the rest is the JDK's.
  private double fraction(int start, int end) throws Bad {
    boolean negative = body[start] == '-';
    int first = start + (negative ? 1 : 0);
    int point = -1;
    long mantissa = 0;
    int i = first;
    for (; i < end && i - first <= 17; i++) {
      if (Times.isDigit(body[i])) {
        mantissa = 10 * mantissa + (body[i] - '0');
      } else if (body[i] == '.' && point < 0 && i > first) {
        point = i;
      } else {
        break;
      }
    }
    if (i < end || i == first || mantissa > JsonScanner.EXACT_MAX) {
      return looseNumber(start, end);
    }
    double value =
        point < 0 ? (double) mantissa : mantissa / JsonScanner.POWERS_OF_TEN[end - point - 1];
    return negative ? -value : value;
  }

  private double looseNumber(int start, int end) throws Bad {
    for (int i = start; i < end; i++) {
      int b = body[i];
      if ((!Times.isDigit((byte) b) && "+-.eE".indexOf(b) < 0) || end - start > 1_000) {
        throw new Bad(NUMBER);
      }
    }
    try {
      double value =
          Double.parseDouble(new String(body, start, end - start, StandardCharsets.US_ASCII));
      if (Double.isInfinite(value)) {
        throw new Bad(RANGE);
      }
      return value;
    } catch (NumberFormatException notANumber) {
      throw new Bad(NUMBER);
    }
  }

  private long whole(int start, int end, boolean signed) throws Bad {
    boolean negative = body[start] == '-';
    int digits = start + (negative || body[start] == '+' ? 1 : 0);
    if (digits == end || (negative && !signed)) {
      throw new Bad(NUMBER);
    }
    long value = 0;
    boolean fits = end - digits <= DIGITS_SAFE;
    for (int i = digits; i < end; i++) {
      if (!Times.isDigit(body[i])) {
        throw new Bad(NUMBER);
      }
      long digit = (long) body[i] - '0';
      if (!fits && value < (Long.MIN_VALUE + digit) / 10) {
        throw new Bad(RANGE);
      }
      value = 10 * value - digit; // downwards: the least long has no positive
    }
    if (!negative && value == Long.MIN_VALUE) {
      throw new Bad(RANGE);
    }
    return negative ? value : -value;
  }

  private long timestamp() throws Bad {
    int start = at;
    while (at < limit && !endsValue(body[at])) {
      at++;
    }
    long number;
    try {
      number = whole(start, at, true);
    } catch (Bad notWhole) {
      throw new Bad(TIMESTAMP);
    }
    skipSpaces();
    if (at < limit && body[at] != '\n') {
      throw new Bad(TIMESTAMP);
    }
    return Times.ofUnit(number, unitNanos);
  }

  /// Reads a name or a tag value up to an unescaped comma, space or newline, and equals sign if
  /// asked.
  private void text(boolean untilEquals) {
    int start = at;
    boolean escaped = false;
    while (true) {
      at = Swar.wordEnd(body, at, limit);
      if (at == limit) {
        break;
      }
      int b = body[at];
      if (b == '\\') {
        boolean escape = at + 1 < limit && isEscapable(body[at + 1], untilEquals);
        escaped |= escape;
        at += escape ? 2 : 1;
      } else if (b == '=' && !untilEquals) {
        at++;
      } else {
        break;
      }
    }
    inScratch = escaped;
    textOffset = start;
    textBytes = at - start;
    if (escaped) {
      unescape(start, at, untilEquals);
    }
  }

  private static boolean isEscapable(int b, boolean equals) {
    return b == ',' || b == ' ' || (equals && b == '=');
  }

  private void unescape(int start, int end, boolean equals) {
    textOffset = tape.scratchLimit();
    for (int i = start; i < end; i++) {
      if (body[i] == '\\' && i + 1 < end && isEscapable(body[i + 1], equals)) {
        i++;
      }
      tape.appendScratch(body[i]);
    }
    textBytes = tape.scratchLimit() - textOffset;
  }

  private void quoted() throws Bad {
    int start = ++at;
    boolean escaped = false;
    while (at < limit && body[at] != '"') {
      boolean escape = body[at] == '\\' && (body[at + 1] == '"' || body[at + 1] == '\\');
      escaped |= escape;
      at += escape ? 2 : 1;
    }
    if (at >= limit) {
      throw new Bad(QUOTES);
    }
    int end = at++;
    if (!escaped) {
      tape.string(false, start, end - start);
      return;
    }
    int offset = tape.scratchLimit();
    for (int i = start; i < end; i++) {
      if (body[i] == '\\' && (body[i + 1] == '"' || body[i + 1] == '\\')) {
        i++;
      }
      tape.appendScratch(body[i]);
    }
    tape.string(true, offset, tape.scratchLimit() - offset);
  }

  private void skipSpaces() {
    while (at < limit && (body[at] == ' ' || body[at] == '\t' || body[at] == '\r')) {
      at++;
    }
  }
}
