package io.widerow.ingest.receive.statsd;

import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.storage.StorageException;
import org.jspecify.annotations.Nullable;

/// Decodes StatsD and DogStatsD, as Etsy and Datadog describe them. Each sample is an event, and
/// nothing is aggregated. The type is the name of the metric, the number is `value`, and `kind`
/// says what it measures.
///
/// ```
///   name:value[:value...]|type[|@rate][|#tag:value,tag,...][|T<seconds>][|c:..][|e:..][|card:..]
///   _e{<bytes of title>,<bytes of text>}:title|text[|d:..][|h:..][|k:..][|p:..][|s:..][|t:..]
///   _sc|name|status[|d:..][|h:..][|#..][|m:..]
/// ```
///
/// Sections come in any order, and unknown ones are ignored. A bad line is refused, and so is a bad
/// value among several; the others are stored. StatsD cannot tell a sender that its text was
/// refused, so bytes that are not UTF-8 are escaped, see [EscapedText].
///
/// - Threads: one.
/// - Memory: allocates nothing for a good line of UTF-8.
public final class StatsdDecoder {
  /// Bounds what a line of many values and long tags becomes.
  static final int LINE_EVENTS_BYTES_MAX = 4 << 20;

  private static final byte[] VALUE = Message.ascii("value");
  private static final byte[] MEMBER = Message.ascii("member");
  private static final byte[] KIND = Message.ascii("kind");
  private static final byte[] RELATIVE = Message.ascii("relative");

  private final Message message = new Message();
  private final DogstatsdMessages others = new DogstatsdMessages(message);
  private final Message.Writer sample = this::sample;

  // The sample that is written.
  private int name;
  private int nameEnd;
  private int value;
  private int valueEnd;
  private Kind kind = Kind.COUNTER;

  /// Decodes the lines of `[offset, limit)`; the last one may lack its newline.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
  public void decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    for (int from = offset; from < limit; ) {
      int newline = Swar.newline(bytes, from, limit);
      line(bytes, from, newline, batch);
      from = newline + 1;
    }
  }

  /// Decodes one line; an empty one is skipped.
  public void line(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    int end = limit > offset && bytes[limit - 1] == '\r' ? limit - 1 : limit;
    if (end == offset) {
      return;
    }
    boolean valid = Utf8.validEnd(bytes, offset, end) == end;
    @Nullable EscapedText escaped =
        valid ? null : EscapedText.of(Rejection.TEXT_NOT_UTF8, bytes, offset, end, false);
    message.begin(bytes, offset, end);
    try {
      if (message.begins(DogstatsdMessages.EVENT)) {
        others.event(batch, escaped);
        return;
      }
      if (escaped != null) {
        message.use(escaped);
      }
      if (message.begins(DogstatsdMessages.CHECK)) {
        others.check(batch);
      } else {
        metric(batch);
      }
    } catch (BadField bad) {
      batch.refuse(bad.reason());
    } catch (StorageException.ClockWrong behind) { // the sender cannot be asked to repeat it
      batch.refuse(String.valueOf(behind.getMessage()));
    }
  }

  private void metric(IncomingBatch batch) throws BadField {
    name = message.at;
    nameEnd = message.find(':', name);
    if (nameEnd == message.limit) {
      throw message.bad("value", nameEnd, "missing, there is no ':' after the name");
    }
    if (nameEnd == name) {
      throw message.bad("name", name, "empty");
    }
    long before = batch.events.bytes();
    message.at = nameEnd;
    while (message.at < message.limit && message.bytes[message.at] == ':') {
      int values = message.at + 1; // StatsD has `name:1|c:2|ms` too
      int valuesEnd = message.find('|', values);
      if (valuesEnd == message.limit) {
        throw message.bad("type", valuesEnd, "missing, there is no '|' after the value");
      }
      message.at = valuesEnd + 1;
      readKind();
      message.sections(Section.METRIC, true);
      samples(batch, values, valuesEnd, before + LINE_EVENTS_BYTES_MAX);
    }
  }

  private void readKind() throws BadField {
    int from = message.at;
    int end = from;
    while (end < message.limit && message.bytes[end] != '|' && message.bytes[end] != ':') {
      end++;
    }
    Kind found = Kind.of(message.bytes, from, end - from);
    if (found == null) {
      throw message.bad("type", from, end, "c, g, ms, h, d or s");
    }
    kind = found;
    message.at = end;
  }

  private void samples(IncomingBatch batch, int values, int valuesEnd, long bytesMax)
      throws BadField {
    if (kind == Kind.SET) {
      if (values == valuesEnd) {
        throw message.bad("value", values, "a set needs a member");
      }
      value = values;
      valueEnd = valuesEnd; // a member may contain colons
      message.write(batch, sample);
      return;
    }
    for (int from = values; from <= valuesEnd; ) {
      int end = from;
      while (end < valuesEnd && message.bytes[end] != ':') {
        end++;
      }
      if (batch.events.bytes() > bytesMax) {
        throw message.bad("value", from, "the samples of the line before it need 4 MiB");
      }
      if (message.number.read(message.bytes, from, end)) {
        value = from;
        valueEnd = end;
        message.write(batch, sample);
      } else {
        batch.refuse(message.bad("value", from, end, "a number").reason());
      }
      from = end + 1;
    }
  }

  /// Writes one sample. Unless it is a set's, its number has been read.
  private @Nullable Rejection sample(IncomingBatch batch, boolean distinct) {
    message.tape.begin(message.bytes);
    message.name(KIND);
    message.text(kind.text);
    if (kind == Kind.SET) {
      message.name(MEMBER);
      message.tape.string(false, value, valueEnd - value);
    } else {
      message.name(VALUE);
      if (message.number.whole) {
        message.tape.whole(message.number.wholeValue);
      } else {
        message.tape.fraction(message.number.value);
      }
      int sign = message.bytes[value];
      if (kind == Kind.GAUGE && (sign == '+' || sign == '-')) {
        message.name(RELATIVE);
        message.tape.truth(true);
      }
    }
    return message.end(batch, message.bytes, name, nameEnd - name, distinct);
  }
}
