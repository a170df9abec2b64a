package io.widerow.ingest.receive.gelf;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.DecimalText;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.storage.StorageException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes one GELF message, a JSON object. The type is `gelf` unless the sender names another one;
/// `short_message` is the text, `timestamp` the time, `level` is `severity`, and `_name` is `name`,
/// or `_name` where the event has such an attribute already. `version` is left out.
///
/// Most senders cannot be notified of a refused message. So an invalid timestamp stays an
/// attribute, and bytes that are not UTF-8 are escaped, see [EscapedText].
///
/// - Threads: one.
///
/// Source: Graylog's GELF payload specification, versions 1.0 and 1.1.
public final class GelfDecoder {
  private static final byte[] DEFAULT_TYPE = ascii("gelf");
  private static final byte[] VERSION = ascii("version");
  private static final byte[] SHORT_MESSAGE = ascii("short_message");
  private static final byte[] TIMESTAMP = ascii("timestamp");
  private static final byte[] LEVEL = ascii("level");
  private static final byte[] BODY = ascii("body");
  private static final byte[] SEVERITY = ascii("severity");
  private static final AttributeLevels LEVELS = new AttributeLevels("", "_");
  private static final int ADDITIONAL = 1; // level

  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final int bodyName = tape.constant(BODY);
  private final int severityName = tape.constant(SEVERITY);
  private final JsonAttributes attributes = new JsonAttributes(tape);
  private final JsonAttributes.Taker taker = this::take;
  private final DecimalText number = new DecimalText();
  private final byte[] type;
  private int start;
  private final SenderTime time = new SenderTime();
  private long nowNanos;

  /// @param type of all events; null for `gelf`
  public GelfDecoder(@Nullable String type) {
    this.type = type == null ? DEFAULT_TYPE : type.getBytes(StandardCharsets.UTF_8);
  }

  /// Decodes the message in `[offset, limit)`, and stores or refuses it.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
  public void decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    start = offset;
    int from = ByteOrderMark.skip(bytes, offset, limit);
    JsonScanner json = new JsonScanner(bytes, from, limit, false);
    tape.begin(bytes);
    time.clear();
    nowNanos = batch.wallNanos;
    try {
      attributes.object(json, taker);
      json.peek();
      if (json.at < limit) {
        throw new JsonScanner.Bad("something follows the JSON object");
      }
      tape.level(0);
      if (json.loneSurrogates > 0) {
        tape.mark(EscapedText.MARK, json.loneSurrogates);
      }
      long nanos = time.take(batch, tape);
      batch.events.begin(type, 0, type.length, nanos);
      tape.writeTo(batch.events);
      boolean _ = batch.end(tape, type, 0, type.length);
    } catch (JsonScanner.Bad bad) {
      batch.refuse("message at byte %d: %s".formatted(json.at - start, bad.getMessage()));
    } catch (StorageException.ClockWrong behind) { // most senders cannot be asked to repeat it
      batch.refuse(String.valueOf(behind.getMessage()));
    }
  }

  /// Takes the members that are more than an attribute.
  private boolean take(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    int first = json.peek();
    boolean additional =
        member.nameBytes() > 1 && member.nameSource(json)[member.nameOffset()] == '_';
    tape.level(additional ? ADDITIONAL : 0);
    if (additional) {
      member.cutName(1);
      return false;
    }
    if (member.isNamed(json, VERSION)) {
      json.skip(tape, 1);
      return true;
    }
    if (member.isNamed(json, SHORT_MESSAGE) && first == '"') {
      json.string(tape);
      if (json.textBytes > 0) {
        tape.name(true, bodyName, BODY.length);
        tape.string(json.textInScratch, json.textOffset, json.textBytes);
      }
      return true;
    }
    if (member.isNamed(json, TIMESTAMP)) {
      time.json(json, tape, EpochText.AUTO, nowNanos);
      return true;
    }
    return member.isNamed(json, LEVEL) && severity(json, first);
  }

  /// Takes a level that is a whole number, also as text. Any other one stays as it is.
  private boolean severity(JsonScanner json, int first) throws JsonScanner.Bad {
    int before = json.at;
    int offset;
    int bytes;
    byte[] source = json.bytes;
    if (first == '"') {
      json.string(tape);
      offset = json.textOffset;
      bytes = json.textBytes;
      source = json.textInScratch ? tape.scratch() : json.bytes;
    } else if (first == '-' || TimeParser.isDigit((byte) first)) {
      json.number();
      offset = json.numberOffset;
      bytes = json.numberBytes;
    } else {
      return false;
    }
    if (!number.read(source, offset, offset + bytes) || !number.whole) {
      json.at = before;
      return false;
    }
    tape.name(true, severityName, SEVERITY.length);
    tape.whole(number.wholeValue);
    return true;
  }
}
