package io.widerow.ingest.decode;

import java.nio.charset.StandardCharsets;

/// Names the tags of a metric so that none of them is lost. A tag keeps its name, unless the event
/// itself has an attribute or a part of this name: then it is `tag.<name>`. When a sender gives a
/// tag several times, the second is `<name>.2`, the third `<name>.3`.
///
/// Almost no event needs any of this, and finding out costs time: a decoder takes the names as they
/// are first, and only when the batch says that an attribute is given twice it tries once more,
/// with `distinct`.
///
/// - Threads: one.
public final class TagNames {
  private static final byte[] PREFIX = "tag.".getBytes(StandardCharsets.US_ASCII);

  /// Bounds the search for a free name.
  private static final int REPEATS_MAX = 16;

  private final AttributeTape tape;
  private boolean distinct;
  private int own; // attributes of the event itself, which precede its tags on the tape

  public TagNames(AttributeTape tape) {
    this.tape = tape;
  }

  /// Starts the tags of an event. Its own attributes are on the tape already.
  ///
  /// @param distinct whether to look for names that are taken
  public void begin(boolean distinct) {
    this.distinct = distinct;
    own = tape.count();
  }

  /// Adds the name of a tag to the tape; its value must follow.
  ///
  /// @return false when no free name was found, and none was added
  public boolean put(byte[] source, int offset, int length) {
    boolean reserved = isReserved(source, offset, length);
    if (!reserved && !distinct) {
      tape.name(false, offset, length);
      return true;
    }
    int taken = distinct ? tape.find(source, offset, length) : -1;
    if (!reserved && taken < 0) {
      tape.name(false, offset, length);
      return true;
    }
    int start = tape.scratchLimit();
    if (reserved || taken < own) {
      tape.appendScratch(PREFIX, 0, PREFIX.length);
    }
    tape.appendScratch(source, offset, length);
    int base = tape.scratchLimit() - start;
    int total = base;
    for (int n = 2; distinct && tape.find(tape.scratch(), start, total) >= 0; n++) {
      if (n > REPEATS_MAX) {
        return false;
      }
      int copy = tape.scratchLimit();
      tape.appendScratch(tape.scratch(), start, base);
      start = copy;
      tape.appendScratch('.');
      appendNumber(n);
      total = tape.scratchLimit() - start;
    }
    tape.name(true, start, total);
    return true;
  }

  private void appendNumber(int number) {
    if (number >= 10) {
      tape.appendScratch('0' + number / 10);
    }
    tape.appendScratch('0' + number % 10);
  }

  /// `id`, `ts` and `type` are the event's own.
  private static boolean isReserved(byte[] source, int at, int length) {
    return switch (length) {
      case 2 ->
          (source[at] == 'i' && source[at + 1] == 'd')
              || (source[at] == 't' && source[at + 1] == 's');
      case 4 ->
          source[at] == 't'
              && source[at + 1] == 'y'
              && source[at + 2] == 'p'
              && source[at + 3] == 'e';
      default -> false;
    };
  }
}
