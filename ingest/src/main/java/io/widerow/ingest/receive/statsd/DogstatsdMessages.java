package io.widerow.ingest.receive.statsd;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TimeParser;
import org.jspecify.annotations.Nullable;

/// Decodes the messages of DogStatsD that are no metrics: events and service checks.
///
/// - Threads: one.
final class DogstatsdMessages {
  static final byte[] EVENT = ascii("_e{");
  static final byte[] CHECK = ascii("_sc|");

  private static final byte[] EVENT_TYPE = ascii("dogstatsd.event");
  private static final byte[] CHECK_TYPE = ascii("dogstatsd.check");
  private static final int LENGTH_DIGITS_MAX = 8;

  private final Message message;
  private final Message.Word titleName;
  private final Message.Word bodyName;
  private final Message.Word checkName;
  private final Message.Word statusName;

  // The title and the text of an event.
  private int first;
  private int firstBytes;
  private int second;
  private int secondBytes;

  DogstatsdMessages(Message message) {
    this.message = message;
    titleName = message.constant("title");
    bodyName = message.constant("body");
    checkName = message.constant("name");
    statusName = message.constant("status");
  }

  /// Decodes `_e{<bytes of title>,<bytes of text>}:title|text` and sections. The lengths count the
  /// bytes that were sent, so they are read before the line is escaped.
  ///
  /// @param escaped copy of the line; null when all of it is UTF-8
  void event(IncomingBatch batch, @Nullable EscapedText escaped) throws BadField {
    message.at += EVENT.length;
    firstBytes = length("length of the title", ',');
    secondBytes = length("length of the text", '}');
    int colon = message.at;
    if (colon == message.limit || message.bytes[colon] != ':') {
      throw message.bad("title", colon, "missing, there is no ':' after the lengths");
    }
    first = colon + 1;
    requireText("title", first, firstBytes);
    second = first + firstBytes + 1;
    if (second > message.limit || message.bytes[second - 1] != '|') {
      throw message.bad("text", second - 1, "there is no '|' where the title's length puts it");
    }
    requireText("text", second, secondBytes);
    int end = second + secondBytes;
    if (end < message.limit && message.bytes[end] != '|') {
      throw message.bad("text", second, "it does not end where its length puts its end");
    }
    if (escaped != null) {
      escape(escaped);
    }
    message.at = second + secondBytes;
    message.sections(Section.EVENT, false);
    message.tape.begin(message.bytes);
    message.name(titleName);
    message.unescaped(first, firstBytes);
    message.name(bodyName);
    message.unescaped(second, secondBytes);
    end(batch, EVENT_TYPE);
  }

  private void escape(EscapedText escaped) {
    int longer = 3 * wrongBytes(first, firstBytes);
    secondBytes += 3 * wrongBytes(second, secondBytes);
    first -= message.start();
    second += longer - message.start();
    firstBytes += longer;
    message.use(escaped);
  }

  private int length(String field, int end) throws BadField {
    int from = message.at;
    int digits =
        Math.min(TimeParser.fractionLimit(message.bytes, from, message.limit), message.limit);
    boolean known =
        digits > from
            && digits - from <= LENGTH_DIGITS_MAX
            && digits < message.limit
            && message.bytes[digits] == end;
    if (!known) {
      throw message.bad(field, from, "must be a number of bytes and '%c'".formatted(end));
    }
    message.at = digits + 1;
    return TimeParser.digits(message.bytes, from, digits - from);
  }

  private void requireText(String field, int from, int length) throws BadField {
    int left = message.limit - from;
    if (left < length) {
      throw message.bad(field, from, "has %d bytes, its length says %d".formatted(left, length));
    }
  }

  private int wrongBytes(int from, int length) {
    int wrong = 0;
    int end = from + length;
    for (int at = Utf8.validEnd(message.bytes, from, end);
        at < end;
        at = Utf8.validEnd(message.bytes, at + 1, end)) {
      wrong++;
    }
    return wrong;
  }

  private void end(IncomingBatch batch, byte[] type) {
    if (message.putAll()) {
      message.end(batch, type, 0, type.length);
    } else {
      batch.refuse(Rejection.TOO_MANY_ATTRIBUTES.reason());
    }
  }

  /// Decodes `_sc|name|status` and sections.
  void check(IncomingBatch batch) throws BadField {
    int name = message.at + CHECK.length;
    int nameEnd = message.find('|', name);
    if (nameEnd == name) {
      throw message.bad("name", name, "empty");
    }
    if (nameEnd == message.limit) {
      throw message.bad("status", nameEnd, "missing, there is no '|' after the name");
    }
    int status = nameEnd + 1;
    int end = message.find('|', status);
    if (end - status != 1 || message.bytes[status] < '0' || message.bytes[status] > '3') {
      throw message.bad("status", status, end, "0, 1, 2 or 3");
    }
    message.at = end;
    message.sections(Section.CHECK, false);
    message.tape.begin(message.bytes);
    message.name(checkName);
    message.tape.string(false, name, nameEnd - name);
    message.name(statusName);
    message.tape.whole(message.bytes[status] - '0');
    end(batch, CHECK_TYPE);
  }
}
