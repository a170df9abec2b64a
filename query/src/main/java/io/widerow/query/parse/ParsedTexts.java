package io.widerow.query.parse;

import io.widerow.event.AttributeValue;
import io.widerow.storage.sketch.ValueTable;
import java.util.Arrays;

/// Reads texts in one format, and remembers the fields of texts that come again: a message that
/// occurs a thousand times is parsed once. Where texts hardly repeat, none is remembered any more.
///
/// - Threads: one.
/// - Memory: up to [#BYTES_MAX]. A full table is emptied.
final class ParsedTexts {
  private static final long BYTES_MAX = 1 << 20;

  /// After so many texts a quarter of them must have been found again.
  private static final int TRIAL = 1 << 11;

  private final TextFormat format;
  private final ParsedText scratch = new ParsedText();
  private ValueTable known = new ValueTable(false);
  private ParsedText[] parsed = new ParsedText[16]; // by number of the text
  private long bytes;
  private int asked;
  private int repeated;
  private boolean remembers = true;

  ParsedTexts(TextFormat format) {
    this.format = format;
  }

  /// The fields of a string, until the next call; none when it is not of the format.
  ParsedText of(AttributeValue text) {
    if (!remembers) {
      return parse(text);
    }
    int before = known.size();
    int number = known.add(text);
    asked++;
    if (number < before) {
      repeated++;
      return parsed[number];
    }
    ParsedText made = parse(text);
    if (number == parsed.length) {
      parsed = Arrays.copyOf(parsed, 2 * number);
    }
    parsed[number] = made.copyOfFields();
    bytes += parsed[number].heldBytes();
    if (asked >= TRIAL) {
      remembers = repeated > asked / 4;
      asked = 0;
      repeated = 0;
    }
    if (!remembers || bytes + known.bytes() > BYTES_MAX) {
      known = new ValueTable(false);
      parsed = new ParsedText[16];
      bytes = 0;
    }
    return made;
  }

  private ParsedText parse(AttributeValue text) {
    scratch.begin(text);
    if (!format.parse(scratch)) {
      scratch.clear();
    }
    return scratch;
  }
}
