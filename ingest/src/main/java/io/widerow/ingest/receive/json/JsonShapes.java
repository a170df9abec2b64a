package io.widerow.ingest.receive.json;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.JsonTimes;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The shapes of recent lines. Senders repeat the same members in the same order. A line of a known
/// shape is compared by words between its values and written by the names of the shape; so no name
/// is looked up, sorted or checked. The decoder reads all other lines, and lines that would be
/// refused.
///
/// The shape of the line before is tried first. Where a line differs from it, reading continues
/// there with a shape that has the same members up to that place.
///
/// ```
///   {"ts":1,"type":"a","x":1}     known
///   {"ts":2,"type":"b","y":"z"}   known
///                     |--> the first place where the two differ: nothing is read twice
/// ```
///
/// The bytes read in vain are weighed against the bytes saved. When too many were in vain, only the
/// decoder reads lines for a while: hostile lines cost little more than without shapes.
///
/// - Threads: one at a time.
/// - Memory: up to [#SHAPES_MAX] shapes.
final class JsonShapes {
  static final int SHAPES_MAX = 8;

  /// Of shapes without a free place, one of so many replaces another. So a part of them stays known
  /// when too many come in turn.
  private static final int TURNS = 8;

  private static final int CREDIT_START = 1 << 13; // bytes
  private static final int CREDIT_MAX = 1 << 20;
  private static final int LEARNING = 1 << 8; // its cost, in bytes that are read

  /// Lines that are left to the decoder when the credit is used up.
  static final int PAUSE_LINES = 1 << 10;

  private final JsonNames names;
  private final @Nullable JsonShape[] shapes = new JsonShape[SHAPES_MAX];
  private final int[] common = new int[SHAPES_MAX * SHAPES_MAX]; // literals at the start
  private final JsonNotes notes = new JsonNotes();
  private final RecentMinute minute = new RecentMinute();
  private final JsonTimes times = new JsonTimes();
  private int count;
  private int last;
  private int turn;
  private int victim;
  private int credit = CREDIT_START;
  private int paused;

  // The line being read.
  private final int[] indexes = new int[JsonNotes.MEMBERS_MAX]; // of values on the tape
  private long values; // a bit for each member that is not null
  private long timeNanos;
  private long nowNanos;
  private boolean typeInScratch;
  private int typeOffset;
  private int typeBytes;

  /// @param names of the members that are more than an attribute, in all lines
  JsonShapes(JsonNames names) {
    this.names = names;
  }

  JsonNames names() {
    return names;
  }

  /// Reads and writes the line at `json.at`, if it can.
  ///
  /// @return false, with `json.at` and `batch` unchanged, when it cannot
  boolean write(JsonScanner json, byte[] defaultType, AttributeTape tape, IncomingBatch batch) {
    if (paused > 0) {
      paused--;
      return false;
    }
    if (count == 0) {
      return false;
    }
    int start = json.at;
    nowNanos = batch.wallNanos;
    boolean written;
    try {
      JsonShape shape = read(json, tape);
      written = shape != null && put(shape, json, defaultType, tape, batch);
    } catch (JsonScanner.Bad bad) { // the decoder reports it
      written = false;
    }
    int bytes = json.at - start;
    if (written) {
      credit = Math.min(CREDIT_MAX, credit + bytes);
    } else {
      spend(bytes);
      json.at = start;
    }
    return written;
  }

  private void spend(int bytes) {
    credit -= bytes;
    if (credit < 0) {
      credit = CREDIT_START;
      paused = PAUSE_LINES;
    }
  }

  /// Where the decoder notes the members of the next line; null when it need not.
  @Nullable JsonNotes begin() {
    if (paused > 0) {
      return null;
    }
    notes.begin();
    return notes;
  }

  /// Learns the shape of a line that was noted, and that became the last event of `events`.
  ///
  /// @param start of the line, which ends at `json.at`
  void learn(JsonScanner json, int start, AttributeTape tape, EventBatch events) {
    turn = (turn + 1) % TURNS;
    if (count == SHAPES_MAX && turn != 0) {
      return;
    }
    spend(LEARNING);
    JsonShape shape = JsonShape.of(json, start, notes, tape, events);
    if (shape != null) {
      last = place(shape);
      shapes[last] = shape;
      for (int i = 0; i < count; i++) {
        int same = shape.common(shape(i));
        common[last * SHAPES_MAX + i] = same;
        common[i * SHAPES_MAX + last] = same;
      }
    }
  }

  private int place(JsonShape shape) {
    for (int i = 0; i < count; i++) {
      if (shape.covers(shape(i))) {
        return i;
      }
    }
    if (count < SHAPES_MAX) {
      return count++;
    }
    victim = (victim + 1) % SHAPES_MAX;
    return victim;
  }

  private JsonShape shape(int i) {
    return Objects.requireNonNull(shapes[i]);
  }

  /// Reads the values of a line. Returns its shape; null when it is not known.
  private @Nullable JsonShape read(JsonScanner json, AttributeTape tape) throws JsonScanner.Bad {
    tape.begin(json.bytes);
    tape.reserve(JsonNotes.MEMBERS_MAX);
    json.loneSurrogates = 0;
    values = 0;
    int current = last;
    int tried = 0;
    int member = 0;
    while (current >= 0) {
      JsonShape shape = shape(current);
      int literal = json.at;
      if (shape.skipLiteral(member, json)) {
        if (member < shape.members()) {
          if (value(shape, member, json, tape)) {
            member++;
            continue;
          }
        } else if (json.peek() == '\n') {
          last = current;
          return shape;
        }
      }
      json.at = literal;
      tried |= 1 << current;
      current = next(current, member, tried);
    }
    return null;
  }

  /// A shape that was not tried yet and has as many literals as were read in common with another
  /// one; negative when there is none.
  private int next(int other, int literals, int tried) {
    for (int i = 0; i < count; i++) {
      if ((tried & 1 << i) == 0
          && common[other * SHAPES_MAX + i] >= literals
          && shape(i).members() >= literals) {
        return i;
      }
    }
    return -1;
  }

  /// Reads the value of a member. False when lines of the shape do not have such a one.
  private boolean value(JsonShape shape, int member, JsonScanner json, AttributeTape tape)
      throws JsonScanner.Bad {
    int first = json.peek();
    if (first == 'n') {
      json.word("null");
      indexes[member] = JsonNotes.NONE;
      return shape.mayBeNull(member);
    }
    int role = shape.role(member);
    switch (JsonNames.kind(role)) {
      case JsonNames.NULL -> {
        return false;
      }
      case JsonNames.TYPE -> {
        if (first != '"') {
          return false;
        }
        json.string(tape);
        typeInScratch = json.textInScratch;
        typeOffset = json.textOffset;
        typeBytes = json.textBytes;
      }
      case JsonNames.TIME -> {
        timeNanos = time(json, first, JsonNames.rank(role), tape);
        if (timeNanos == TimeParser.NONE) {
          return false;
        }
      }
      default -> {
        if (first == '{' || (first != '"' && !shape.mayBeNull(member))) {
          return false;
        }
        indexes[member] = tape.count();
        JsonAttributes.putValue(json, first, shape.depth(member), tape);
      }
    }
    values |= 1L << member;
    return true;
  }

  private long time(JsonScanner json, int first, int rank, AttributeTape tape)
      throws JsonScanner.Bad {
    if (first != '"') {
      return times.read(json, first, rank, tape, nowNanos);
    }
    json.string(tape);
    if (json.textBytes == SenderTime.YEAR_DIGITS) {
      return TimeParser.NONE; // the decoder reads it as a year
    }
    if (json.textInScratch) {
      return times.ofString(json, rank, tape, nowNanos);
    }
    long nanos = minute.nanos(json.bytes, json.textOffset, json.textBytes);
    if (nanos == TimeParser.NONE) {
      nanos = times.ofString(json, rank, tape, nowNanos);
      minute.take(json.bytes, json.textOffset, json.textBytes, nanos);
    }
    return nanos;
  }

  /// Writes the line that was read. False when the decoder must see to it.
  private boolean put(
      JsonShape shape,
      JsonScanner json,
      byte[] defaultType,
      AttributeTape tape,
      IncomingBatch batch) {
    boolean typed = shape.isTyped();
    if (json.loneSurrogates > 0 || !shape.allows(values) || (!typed && defaultType.length == 0)) {
      return false;
    }
    byte[] type = !typed ? defaultType : typeInScratch ? tape.scratch() : json.bytes;
    int offset = typed ? typeOffset : 0;
    int length = typed ? typeBytes : defaultType.length;
    if (shape.isTimed() && (timeNanos == 0 || !batch.takes(timeNanos))) {
      return false;
    }
    long nanos = shape.isTimed() ? timeNanos : batch.useArrivalTime();
    batch.events.begin(type, offset, length, nanos, shape.names);
    shape.putValues(tape, indexes, batch.events);
    return batch.tryEnd() == null;
  }
}
