package io.widerow.ingest.receive.influx;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventBatch;
import io.widerow.event.EventNames;
import io.widerow.event.StreamLabels;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.series.KnownSeries;
import io.widerow.ingest.series.SeriesCache;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decodes InfluxDB line protocol. The measurement is the event's type, tags are string attributes,
/// and fields are attributes of their own kinds. [StreamLabels] tells tags from fields that are
/// texts.
///
/// ```
///   measurement[,tag=value]* field=value[,field=value]* [timestamp]
///   cpu,host=a\ b usage=0.5,count=3i,note="a \"b\"",ok=true 1434055562000000000
/// ```
///
/// A backslash escapes a comma, an equals sign and a space in names and tag values, and a quote and
/// a backslash in a string; elsewhere it stands for itself. A string may contain newlines. Blank
/// lines and lines that begin with `#` are not counted. A bad line is refused and decoding goes on
/// with the next one.
///
/// - Threads: one.
public final class LineProtocolDecoder {
  private static final int OF_FIELDS = 0; // levels
  private static final int OF_TAGS = 1;
  private static final AttributeLevels LEVELS = AttributeLevels.unreserved("", "tag.");

  private static final byte[] LABELS = ascii(StreamLabels.FIELD.toString());
  private static final byte[] TEXTS = ascii(StreamLabels.TEXTS);

  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final int labelsName = tape.constant(LABELS);
  private final int textsValue = tape.constant(TEXTS);
  private final SenderTime time = new SenderTime();
  private final long unitNanos;
  private byte[] body = new byte[0];
  private int at;
  private int limit;
  private int line; // number of the line, from 1
  private final int listedMax;
  private final List<RefusedLine> refusedLines = new ArrayList<>();
  private @Nullable SeriesCache series;
  private long[] numbers = new long[16]; // of the fields of a known series

  private boolean textFields; // the line has some

  // The name or value read last.
  private boolean inScratch;
  private int textOffset;
  private int textBytes;

  private static final int SHOWN_BYTES_MAX = 200;
  private static final String MEASUREMENT = "missing measurement";
  private static final String TAG_KEY = "missing tag key";
  private static final String TAG_VALUE = "missing tag value";
  private static final String FIELDS = "missing fields";
  private static final String FIELD_KEY = "missing field key";
  private static final String FIELD_VALUE = "missing field value";
  private static final String QUOTES = "unbalanced quotes";
  private static final String TIMESTAMP = "bad timestamp";

  /// Takes the unit of a timestamp from its size: below 5e9 it is seconds, below 5e12 milliseconds,
  /// below 5e15 microseconds, else nanoseconds, as InfluxDB 3 does.
  public static final long AUTO = 0;

  private static final long AUTO_SECONDS = 5_000_000_000L;
  private static final long AUTO_STEP = 1_000;

  /// A line that was refused.
  ///
  /// @param number from 1
  /// @param text its beginning
  public record RefusedLine(int number, String text, String reason) {}

  /// @param unitNanos unit of timestamps in nanoseconds, or [#AUTO]
  public LineProtocolDecoder(long unitNanos) {
    this(unitNanos, 1);
  }

  /// @param unitNanos unit of timestamps in nanoseconds, or [#AUTO]
  /// @param listedMax so many of the refused lines are listed
  LineProtocolDecoder(long unitNanos, int listedMax) {
    this.unitNanos = unitNanos;
    this.listedMax = listedMax;
  }

  /// Decodes the lines of `newBody` in `[offset, newLimit)`.
  ///
  /// @param newBody with [Swar#SLACK_BYTES] readable bytes after `newLimit`
  /// @param known series; null to decode without a cache
  public void decode(
      byte[] newBody, int offset, int newLimit, IncomingBatch batch, @Nullable SeriesCache known) {
    series = known;
    body = newBody;
    at = offset;
    limit = newLimit;
    line = 0;
    refusedLines.clear();
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
        if (!decodeKnown(batch)) {
          decodeLine(batch);
        }
        reason = batch.refused.count() == refused ? "" : batch.refused.lastReason();
      } catch (BadLine bad) {
        at = start; // a quote that never ends may have moved it to the limit
        reason = String.valueOf(bad.getMessage());
        batch.refuse(reason);
      }
      if (batch.refused.count() > refused && refusedLines.size() < listedMax) {
        refusedLines.add(new RefusedLine(line, shown(start), reason));
      }
      at = Swar.newline(body, at, limit) + 1;
    }
  }

  /// The refused lines in their order.
  List<RefusedLine> refusedLines() {
    return refusedLines;
  }

  private String shown(int start) {
    int length = Math.min(Swar.newline(body, start, limit) - start, SHOWN_BYTES_MAX);
    return new String(body, start, length, StandardCharsets.UTF_8);
  }

  private void decodeLine(IncomingBatch batch) throws BadLine {
    tape.begin(body);
    text(false);
    if (textBytes == 0) {
      throw new BadLine(MEASUREMENT);
    }
    boolean typeInScratch = inScratch;
    int typeOffset = textOffset;
    int typeBytes = textBytes;
    tape.level(OF_TAGS);
    while (at < limit && body[at] == ',') {
      at++;
      tag();
    }
    if (at == limit || body[at] != ' ') {
      throw new BadLine(FIELDS);
    }
    tape.level(OF_FIELDS);
    int labels = tape.count();
    tape.name(true, labelsName, LABELS.length);
    tape.string(true, textsValue, TEXTS.length);
    int tags = tape.count();
    textFields = false;
    skipSpaces();
    fields();
    if (textFields) {
      nameTags(labels);
    }
    skipSpaces();
    timestamp(batch.wallNanos);
    long nanos = time.take(batch, tape);
    byte[] type = typeInScratch ? tape.scratch() : body;
    batch.events.begin(type, typeOffset, typeBytes, nanos);
    tape.writeTo(batch.events);
    if (batch.end(tape, type, typeOffset, typeBytes) && series != null && !time.isReplaced()) {
      series.learn(batch.events, tape, tags, body);
    }
  }

  /// Names the tags, because not every text of the line is one.
  private void nameTags(int labels) {
    int from = tape.scratchLimit();
    for (int i = 0; i < labels; i++) {
      if (i > 0) {
        tape.appendScratch(',');
      }
      tape.appendName(i);
    }
    tape.replace(labels, true, from, tape.scratchLimit() - from);
  }

  /// Decodes the next line when its series is known and it has the same fields of the same kinds.
  /// Otherwise returns false and consumes nothing.
  private boolean decodeKnown(IncomingBatch batch) throws BadLine {
    KnownSeries like = series == null ? null : series.find(body, at, limit);
    if (series == null || like == null) {
      return false;
    }
    int start = at;
    at += series.headBytes();
    skipSpaces();
    if (!knownFields(like)) {
      at = start;
      return false;
    }
    skipSpaces();
    timestamp(batch.wallNanos);
    if (time.isGiven() && !batch.takes(time.nanos())) {
      at = start;
      return false;
    }
    long nanos = time.isGiven() ? time.nanos() : batch.useArrivalTime();
    EventBatch events = batch.events;
    events.begin(like.record(), nanos);
    for (int field = like.fields().count() - 1; field >= 0; field--) {
      events.set(like.place(field), numbers[field]);
    }
    batch.end();
    return true;
  }

  private boolean knownFields(KnownSeries like) {
    try {
      return areKnown(like);
    } catch (BadLine bad) { // the decoder of other lines reports it, or accepts it
      return false;
    }
  }

  private boolean areKnown(KnownSeries like) throws BadLine {
    EventNames names = like.fields();
    int count = names.count();
    if (numbers.length < count) {
      numbers = new long[2 * count];
    }
    for (int field = 0; field < count; field++) {
      int nameEnd = at + names.nameBytes(field);
      if (nameEnd + 1 >= limit
          || body[nameEnd] != '='
          || !names.isNext(field, body, at, nameEnd - at)) {
        return false;
      }
      at = nameEnd + 1;
      if (!knownNumber(like.kind(field), field)) {
        return false;
      }
      boolean isLast = field == count - 1;
      if (isLast ? at < limit && !endsFields(body[at]) : at == limit || body[at] != ',') {
        return false;
      }
      at += isLast ? 0 : 1;
    }
    return true;
  }

  private static boolean endsFields(int b) {
    return b == ' ' || b == '\n' || b == '\r';
  }

  /// Reads the value of a field if it is of this kind.
  private boolean knownNumber(AttributeKind kind, int field) throws BadLine {
    int start = at;
    int first = body[at];
    if (kind == AttributeKind.LONG) {
      return plainWhole(field);
    }
    while (at < limit && !endsValue(body[at])) {
      at++;
    }
    boolean startsNumber =
        TimeParser.isDigit((byte) first) || first == '-' || first == '+' || first == '.';
    if (at == start || first == '"' || startsNumber != (kind == AttributeKind.DOUBLE)) {
      return false;
    }
    if (kind == AttributeKind.BOOLEAN) {
      numbers[field] = LineNumbers.truth(body, start, at) ? 1 : 0;
      return true;
    }
    int suffix = body[at - 1];
    if (suffix == 'i' || suffix == 'u') {
      return false;
    }
    numbers[field] = Double.doubleToRawLongBits(LineNumbers.fraction(body, start, at));
    return true;
  }

  /// Reads an integer that surely fits into a long: an optional minus, digits and `i`.
  private boolean plainWhole(int field) {
    int digits = at + (body[at] == '-' ? 1 : 0);
    int end = digits;
    long value = 0;
    while (end < limit && TimeParser.isDigit(body[end])) {
      value = 10 * value + (body[end] - '0');
      end++;
    }
    if (end == digits
        || end - digits > LineNumbers.DIGITS_SAFE
        || end == limit
        || body[end] != 'i') {
      return false;
    }
    numbers[field] = digits > at ? -value : value;
    at = end + 1;
    return true;
  }

  private void tag() throws BadLine {
    if (!takeExpectedName()) {
      text(true);
      if (textBytes == 0 || at == limit || body[at] != '=') {
        throw new BadLine(textBytes == 0 ? TAG_KEY : TAG_VALUE);
      }
      tape.name(inScratch, textOffset, textBytes);
      at++;
    }
    text(true);
    if (textBytes == 0 || (at < limit && body[at] == '=')) {
      throw new BadLine(TAG_VALUE);
    }
    tape.string(inScratch, textOffset, textBytes);
  }

  private void fields() throws BadLine {
    if (at == limit || body[at] == '\n') {
      throw new BadLine(FIELDS);
    }
    while (true) {
      if (!takeExpectedName()) {
        text(true);
        if (textBytes == 0) {
          throw new BadLine(FIELD_KEY);
        }
        if (at == limit || body[at] != '=') {
          throw new BadLine(FIELD_VALUE);
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
      throw new BadLine(FIELD_VALUE);
    }
  }

  /// Consumes the name that the previous event had here, and its equals sign, without a search for
  /// its end.
  private boolean takeExpectedName() {
    int length = tape.expectedName(at, limit, (byte) '=');
    at += length == 0 ? 0 : length + 1;
    return length > 0;
  }

  private void value() throws BadLine {
    if (at == limit) {
      throw new BadLine(FIELD_VALUE);
    }
    int first = body[at];
    if (first == '"') {
      quoted();
      textFields = true;
      return;
    }
    int start = at;
    while (at < limit && !endsValue(body[at])) {
      at++;
    }
    if (at == start) {
      throw new BadLine(FIELD_VALUE);
    }
    if (TimeParser.isDigit((byte) first) || first == '-' || first == '+' || first == '.') {
      number(start);
    } else {
      tape.truth(LineNumbers.truth(body, start, at));
    }
  }

  private static boolean endsValue(int b) {
    return b == ',' || b == ' ' || b == '\n' || b == '\r';
  }

  private void number(int start) throws BadLine {
    int suffix = body[at - 1];
    boolean whole = suffix == 'i' || suffix == 'u';
    int end = whole ? at - 1 : at;
    try {
      if (whole) {
        tape.whole(LineNumbers.whole(body, start, end, suffix == 'i'));
      } else {
        tape.fraction(LineNumbers.fraction(body, start, end));
      }
    } catch (BadLine bad) {
      if (bad != LineNumbers.WIDE) {
        throw bad;
      }
      tape.string(false, start, end - start); // its digits
      textFields = true;
    }
  }

  /// Reads the time, if there is one.
  private void timestamp(long nowNanos) throws BadLine {
    time.clear();
    int start = at;
    boolean field = false; // after a space where a comma belongs
    while (at < limit && body[at] != ' ' && body[at] != '\n' && body[at] != '\r') {
      field |= body[at++] == '=';
    }
    int length = at - start;
    skipSpaces();
    if (field || (at < limit && body[at] != '\n')) {
      throw new BadLine(TIMESTAMP);
    }
    if (length == 0) {
      return;
    }
    long unit = unitNanos;
    if (unit == AUTO && length <= LineNumbers.DIGITS_SAFE + 1) {
      unit = unitOf(seconds(start, start + length));
    }
    time.text(body, false, start, length, unit, nowNanos);
  }

  /// The whole part of a number of seconds.
  private long seconds(int from, int until) {
    long number = 0;
    int first = body[from] == '-' ? from + 1 : from;
    for (int i = first; i < until && TimeParser.isDigit(body[i]); i++) {
      number = 10 * number + body[i] - '0';
    }
    return number;
  }

  private static long unitOf(long number) {
    long size = Math.abs(number);
    long unit = TimeParser.NANOS_PER_SECOND;
    for (long most = AUTO_SECONDS; unit > 1 && size >= most; most *= AUTO_STEP) {
      unit /= AUTO_STEP;
    }
    return unit;
  }

  /// Reads a name or a tag value up to an unescaped comma, space or newline, or equals sign if
  /// `untilEquals`.
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

  private void quoted() throws BadLine {
    int start = ++at;
    int end = Swar.quoteOrBackslash(body, start, limit);
    int offset = tape.scratchLimit();
    int plain = start; // the bytes before are in the scratch
    while (end < limit && body[end] == '\\') {
      int next = end + 1 < limit ? body[end + 1] : 0;
      if (next == '"' || next == '\\') {
        tape.appendScratch(body, plain, end - plain);
        plain = end + 1;
        end++;
      }
      end = Swar.quoteOrBackslash(body, end + 1, limit);
    }
    if (end >= limit) {
      throw new BadLine(QUOTES);
    }
    at = end + 1;
    if (plain == start) {
      tape.string(false, start, end - start);
      return;
    }
    tape.appendScratch(body, plain, end - plain);
    tape.string(true, offset, tape.scratchLimit() - offset);
  }

  private void skipSpaces() {
    while (at < limit && (body[at] == ' ' || body[at] == '\t' || body[at] == '\r')) {
      at++;
    }
  }
}
