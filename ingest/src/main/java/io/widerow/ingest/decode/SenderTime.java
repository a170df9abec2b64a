package io.widerow.ingest.decode;

import static io.widerow.event.Utf8.ascii;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;

/// Reads the time that a sender gives to an event. All receivers share one rule:
///
/// | the sender gives | the event has |
/// |---|---|
/// | a time that the store takes | that time |
/// | nothing, null, or the number 0 | the time of its arrival |
/// | anything else: no time, out of range, ahead | that of its arrival, and the value as [#NAME] |
///
/// The value is kept exactly as it was sent.
///
/// So an event is never refused for its time, and its time is never another one than the sender's
/// or that of its arrival.
///
/// ```
///   clear()                          for each event
///   text(..), json(..), whole(..)    what the sender gives
///   take(batch, tape)                before the event begins
/// ```
///
/// - Threads: one.
/// - Memory: allocates nothing for a time that is taken.
public final class SenderTime {
  /// The attribute with the value of the sender.
  public static final byte[] NAME = "sender_time".getBytes(StandardCharsets.US_ASCII);

  /// A text of so many digits is a year: a date of ISO 8601.
  public static final int YEAR_DIGITS = 4;

  private static final byte[][] SECONDS = {ascii("epochSecond"), ascii("seconds")};
  private static final byte[][] NANOS = {ascii("nanoOfSecond"), ascii("nanos")};

  /// The kind of the value.
  private enum Form {
    ABSENT,
    TEXT,
    WHOLE,
    UNSIGNED,
    FRACTION,
    PAIR,
    OTHER
  }

  private final LoneTime times;
  private Form form = Form.ABSENT;
  private long nanos; // Times.NONE when it is no time
  private boolean replaced;

  // The value: a text, or bits.
  private boolean inScratch;
  private int offset;
  private int length;
  private long bits;
  private long moreBits;
  private byte[] other = {};

  /// Of times without a zone in UTC.
  public SenderTime() {
    this(ZoneOffset.UTC);
  }

  /// @param zone of times without one
  public SenderTime(ZoneId zone) {
    times = new LoneTime(zone);
  }

  /// Begins an event without a time.
  public void clear() {
    form = Form.ABSENT;
    nanos = TimeParser.NONE;
    replaced = false;
  }

  /// Whether the sender gives a value.
  public boolean isGiven() {
    return form != Form.ABSENT;
  }

  /// The time that the value is, in nanoseconds since the Unix epoch; [TimeParser#NONE] when it is
  /// none or not given.
  public long nanos() {
    return isGiven() ? nanos : TimeParser.NONE;
  }

  /// Whether a value that is a text is in the scratch of the tape, else in its body.
  public boolean isInScratch() {
    return inScratch;
  }

  /// Where a value is that is a text.
  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /// Whether [#take] gave the event the time of its arrival in place of the value.
  public boolean isReplaced() {
    return replaced;
  }

  /// Takes a text that the protocol has for a time. It must be in the body of the tape or in its
  /// scratch when [#take] is called.
  ///
  /// @param source the array that it is in
  /// @param ofScratch whether that is the scratch of the tape
  /// @param unitNanos unit of a number in nanoseconds, or [EpochText#AUTO]
  /// @param nowNanos completes times without a year
  public void text(
      byte[] source, boolean ofScratch, int from, int bytes, long unitNanos, long nowNanos) {
    read(times.nanos(source, from, from + bytes, unitNanos, nowNanos), ofScratch, from, bytes);
    if (nanos == 0 && LoneTime.isEpoch(source, from, from + bytes)) {
      form = Form.ABSENT;
    }
  }

  /// Takes a text that is in no body. Its magnitude gives the unit of a number.
  public void text(String given, long nowNanos) {
    byte[] utf8 = given.getBytes(StandardCharsets.UTF_8);
    text(utf8, true, 0, utf8.length, EpochText.AUTO, nowNanos);
    if (form != Form.ABSENT) {
      form = Form.OTHER;
      other = utf8;
    }
  }

  /// Takes bytes that are no text; [#NAME] is their hexadecimal form.
  public void hex(byte[] bytes, int from, int until) {
    nanos = TimeParser.NONE;
    form = Form.OTHER;
    other = ascii(HexFormat.of().formatHex(bytes, from, until));
  }

  /// Takes a text whose time is known.
  ///
  /// @param newNanos [TimeParser#NONE] when it is no time
  public void read(long newNanos, boolean ofScratch, int from, int bytes) {
    form = Form.TEXT;
    nanos = newNanos;
    inScratch = ofScratch;
    offset = from;
    length = bytes;
  }

  /// Takes and passes over the JSON value at `json.at`, whatever it is.
  ///
  /// @param unitNanos unit of a number in nanoseconds, or [EpochText#AUTO]
  /// @param nowNanos completes times without a year
  public void json(JsonScanner json, AttributeTape tape, long unitNanos, long nowNanos)
      throws JsonScanner.Bad {
    int first = json.peek();
    int start = json.at;
    switch (first) {
      case 'n' -> {
        json.word("null");
        clear();
      }
      case '"' -> {
        json.string(tape);
        byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
        text(source, json.textInScratch, json.textOffset, json.textBytes, unitNanos, nowNanos);
        boolean mayBeYear = json.textBytes == YEAR_DIGITS;
        int year = mayBeYear ? TimeParser.digits(source, json.textOffset, YEAR_DIGITS) : -1;
        if (year > 0) {
          read(TimeParser.nanosOf(year, 1, 1, 0), json.textInScratch, json.textOffset, YEAR_DIGITS);
        }
      }
      case '{', '[', 't', 'f' -> {
        long object = first == '{' ? ofObject(json, tape) : TimeParser.NONE;
        int before = json.loneSurrogates; // those in it stay as they are
        json.skip(tape, 1);
        json.loneSurrogates = before;
        read(object, false, start, json.at - start);
      }
      default -> {
        json.requireNumber(first);
        json.number();
        text(json.bytes, false, start, json.at - start, unitNanos, nowNanos);
      }
    }
  }

  /// The time of the object at `json.at`, which is not passed over: `epochSecond` and
  /// `nanoOfSecond`, which Log4j writes, or `seconds` and `nanos`. [TimeParser#NONE] for any other.
  public static long ofObject(JsonScanner json, AttributeTape tape) throws JsonScanner.Bad {
    int start = json.at++;
    int surrogates = json.loneSurrogates; // a lookahead does not count
    long seconds = TimeParser.NONE;
    long nanos = 0;
    boolean others = false;
    while (json.peek() == '"') {
      json.string(tape);
      boolean second = isOne(json, tape, SECONDS);
      boolean nano = isOne(json, tape, NANOS);
      others |= !second && !nano;
      json.expect(':');
      json.peek();
      int from = json.at;
      json.skip(tape, 2);
      int first = json.bytes[from] == '"' ? from + 1 : from; // protobuf writes 64 bits as texts
      int end = first > from ? json.at - 1 : json.at;
      if (second) {
        seconds = EpochText.nanos(json.bytes, first, end, TimeParser.NANOS_PER_SECOND);
      } else if (nano) {
        nanos = EpochText.nanos(json.bytes, first, end, 1);
      }
      if (json.peek() == ',') {
        json.at++;
      }
    }
    json.at = start;
    json.loneSurrogates = surrogates;
    boolean good = seconds != TimeParser.NONE && nanos >= 0 && nanos < TimeParser.NANOS_PER_SECOND;
    return !good || others
        ? TimeParser.NONE
        : seconds == EpochText.TOO_LARGE ? seconds : seconds + nanos;
  }

  private static boolean isOne(JsonScanner json, AttributeTape tape, byte[][] names) {
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    int end = json.textOffset + json.textBytes;
    for (byte[] name : names) {
      if (Arrays.equals(source, json.textOffset, end, name, 0, name.length)) {
        return true;
      }
    }
    return false;
  }

  /// Takes a whole number.
  ///
  /// @param unitNanos its unit in nanoseconds, or [EpochText#AUTO]
  public void whole(long number, long unitNanos) {
    form = number == 0 ? Form.ABSENT : Form.WHOLE;
    nanos = EpochText.ofWhole(number, unitNanos);
    bits = number;
  }

  /// Takes a whole number whose 0 is 1970, because the protocol requires a time.
  ///
  /// @param unitNanos its unit in nanoseconds
  public void required(long number, long unitNanos) {
    whole(number, unitNanos);
    form = Form.WHOLE;
  }

  /// Takes a number without a sign, in nanoseconds.
  public void unsignedNanos(long number) {
    form = number == 0 ? Form.ABSENT : Form.UNSIGNED;
    nanos = number < 0 ? EpochText.TOO_LARGE : number;
    bits = number;
  }

  /// Takes a double, whose magnitude gives the unit.
  public void fraction(double number) {
    form = number == 0 ? Form.ABSENT : Form.FRACTION;
    nanos = EpochText.ofFraction(number);
    bits = Double.doubleToRawLongBits(number);
  }

  /// Takes seconds and nanoseconds of a second.
  public void pair(long seconds, long nanosOfSecond) {
    form = seconds == 0 && nanosOfSecond == 0 ? Form.ABSENT : Form.PAIR;
    long whole = EpochText.ofWhole(seconds, TimeParser.NANOS_PER_SECOND);
    boolean good =
        nanosOfSecond >= 0
            && nanosOfSecond < TimeParser.NANOS_PER_SECOND
            && whole != EpochText.TOO_LARGE;
    nanos = good ? whole + nanosOfSecond : TimeParser.NONE;
    bits = seconds;
    moreBits = nanosOfSecond;
  }

  /// The time at which to store the event that is written next. Call it once the level of the tape
  /// does not matter any more: [#NAME] goes on it when the value is not the time of the event.
  ///
  /// @throws io.widerow.storage.StorageException.ClockWrong when the clock is too far back
  public long take(IncomingBatch batch, AttributeTape tape) {
    if (form == Form.ABSENT) {
      return batch.useArrivalTime();
    }
    if (batch.takes(nanos)) {
      return nanos;
    }
    long arrival = batch.replaceTime(nanos);
    keep(tape);
    return arrival;
  }

  /// Puts the value on a tape as [#NAME], because the event has another time.
  public void keep(AttributeTape tape) {
    replaced = true;
    if (form != Form.TEXT) {
      byte[] text = form == Form.OTHER ? other : ascii(shown());
      inScratch = true;
      offset = tape.scratchLimit();
      length = text.length;
      tape.appendScratch(text, 0, text.length);
    }
    tape.level(0);
    tape.ownName(NAME);
    tape.string(inScratch, offset, length);
  }

  private String shown() {
    return switch (form) {
      case UNSIGNED -> Long.toUnsignedString(bits);
      case FRACTION -> Double.toString(Double.longBitsToDouble(bits));
      case PAIR -> "{\"seconds\":%d,\"nanos\":%d}".formatted(bits, moreBits);
      case ABSENT, TEXT, OTHER, WHOLE -> Long.toString(bits);
    };
  }
}
