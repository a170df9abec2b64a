package io.widerow.ingest.receive.statsd;

import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.storage.StorageException;
import java.util.List;
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

  private final Message message = new Message();
  private final DogstatsdMessages others = new DogstatsdMessages(message);
  private final Message.Word valueName = message.constant("value");
  private final Message.Word memberName = message.constant("member");
  private final Message.Word kindName = message.constant("kind");
  private final Message.Word relativeName = message.constant("relative");
  private final List<Message.Word> kinds =
      Kind.ALL.stream().map(each -> message.constant(each.text)).toList();

  // The metric.
  private int name;
  private int nameBytes;
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
    message.nowNanos = batch.wallNanos;
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
    int nameEnd = message.find(':', name);
    if (nameEnd == message.limit) {
      throw message.bad("value", nameEnd, "missing, there is no ':' after the name");
    }
    if (nameEnd == name) {
      throw message.bad("name", name, "empty");
    }
    nameBytes = nameEnd - name;
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
    message.tape.begin(message.bytes);
    message.name(kindName);
    message.text(kinds.get(kind.place));
    if (!message.putAll()) {
      batch.refuse(Rejection.TOO_MANY_ATTRIBUTES.reason());
      return;
    }
    if (kind == Kind.SET) {
      member(batch, values, valuesEnd);
      return;
    }
    long mark = message.tape.mark();
    for (int from = values; from <= valuesEnd; ) {
      int end = from;
      while (end < valuesEnd && message.bytes[end] != ':') {
        end++;
      }
      if (batch.events.bytes() > bytesMax) {
        throw message.bad("value", from, "the samples of the line before it need 4 MiB");
      }
      if (from > values) {
        message.tape.reset(mark);
      }
      if (message.number.readAny(message.bytes, from, end) || message.number.wide) {
        sample(batch, from, end);
      } else {
        batch.refuse(message.bad("value", from, end, "a number").reason());
      }
      from = end + 1;
    }
  }

  /// Stores a member of a set, which may contain colons.
  private void member(IncomingBatch batch, int from, int until) throws BadField {
    if (from == until) {
      throw message.bad("value", from, "a set needs a member");
    }
    message.name(memberName);
    message.tape.string(false, from, until - from);
    message.end(batch, message.bytes, name, nameBytes);
  }

  /// Stores the number that was read, which begins at `from`.
  private void sample(IncomingBatch batch, int from, int end) {
    message.name(valueName);
    if (message.number.wide) {
      message.tape.string(false, from, end - from);
    } else if (message.number.whole) {
      message.tape.whole(message.number.wholeValue);
    } else {
      message.tape.fraction(message.number.value);
    }
    int sign = message.bytes[from];
    if (kind == Kind.GAUGE && (sign == '+' || sign == '-')) {
      message.name(relativeName);
      message.tape.truth(true);
    }
    message.end(batch, message.bytes, name, nameBytes);
  }
}
