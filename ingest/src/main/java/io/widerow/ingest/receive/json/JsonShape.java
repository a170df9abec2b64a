package io.widerow.ingest.receive.json;

import io.widerow.event.EventBatch;
import io.widerow.event.EventNames;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.Swar;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The shape of a decoded line: its literals, which are the text between its values; the role of
/// each value; and the names of the attributes, in the order of the record.
///
/// ```
///   {"ts":"2026-11-20T19:15:00Z","type":"web","http":{"status":200,"host":null}}
///   |---->                      |------>     |--------------->   |------->    ->   literals
///         TIME                          TYPE                  ATTRIBUTE   NULL
/// ```
///
/// Lines with the same literals have the same members, so that nothing of them is left to read but
/// the values. A value that is an object has none: its braces are in the literals.
///
/// - Threads: one.
/// - Memory: up to [#LITERAL_BYTES_MAX] of literals, and names of [JsonNotes#MEMBERS_MAX] members.
final class JsonShape {
  private static final int LITERAL_BYTES_MAX = 1 << 12;

  private final int members;
  private final byte[] literals; // back to back, with slack after them
  private final int[] ends; // of each literal; the last one is after all members
  private final int[] roles;
  private final int[] depths;
  private final int[] placed; // the member of each attribute
  private final long valued; // members that are not null, a bit each
  private final long needed; // members that may not be null
  private final boolean typed;
  private final boolean timed;
  private final int lineMember; // the text that may end with a newline; NONE for none

  /// The names of its attributes.
  final EventNames names;

  private JsonShape(
      JsonScanner json, int start, JsonNotes notes, AttributeTape tape, EventNames names) {
    this.names = names;
    members = notes.count();
    literals = new byte[literalBytes(start, json.at, notes) + Swar.SLACK_BYTES];
    ends = new int[members + 1];
    int from = start;
    int length = 0;
    for (int member = 0; member <= members; member++) {
      int until = member < members ? notes.starts[member] : json.at;
      System.arraycopy(json.bytes, from, literals, length, until - from);
      length += until - from;
      ends[member] = length;
      from = member < members ? notes.ends[member] : 0;
    }
    roles = Arrays.copyOf(notes.roles, members);
    depths = Arrays.copyOf(notes.depths, members);
    valued = ~notes.having(JsonNames.NULL);
    long types = notes.having(JsonNames.TYPE);
    long times = notes.having(JsonNames.TIME);
    typed = types != 0;
    timed = times != 0;
    needed = types | times | notes.having(JsonNames.TEXT);
    placed = new int[names.count()];
    for (int place = 0; place < placed.length; place++) {
      placed[place] = notes.memberOf(tape.placed(place));
    }
    lineMember = notes.lineMember();
  }

  /// The shape of the line that was read last, which became the last event of `events`.
  ///
  /// @param start of the line, which ends at `json.at`
  /// @return null when later lines cannot be read by it
  static @Nullable JsonShape of(
      JsonScanner json, int start, JsonNotes notes, AttributeTape tape, EventBatch events) {
    if (!notes.isFit(tape.count()) || literalBytes(start, json.at, notes) > LITERAL_BYTES_MAX) {
      return null;
    }
    EventNames names = new EventNames();
    events.copyNames(names);
    boolean distinct = names.count() == tape.count();
    return distinct ? new JsonShape(json, start, notes, tape, names) : null;
  }

  private static int literalBytes(int start, int end, JsonNotes notes) {
    int bytes = end - start;
    for (int member = 0; member < notes.count(); member++) {
      bytes -= notes.ends[member] - notes.starts[member];
    }
    return bytes;
  }

  int members() {
    return members;
  }

  int role(int member) {
    return roles[member];
  }

  int depth(int member) {
    return depths[member];
  }

  /// False for a type, a time and a text; then other members may count.
  boolean mayBeNull(int member) {
    return (needed >>> member & 1) == 0;
  }

  /// Whether its lines have a type.
  boolean isTyped() {
    return typed;
  }

  /// Whether its lines have a time.
  boolean isTimed() {
    return timed;
  }

  /// Passes over the literal before a member, or over the last one. False when the line has another
  /// one at `json.at`.
  boolean skipLiteral(int member, JsonScanner json) {
    int from = member == 0 ? 0 : ends[member - 1];
    int length = ends[member] - from;
    if (json.limit - json.at < length || !Swar.same(literals, from, json.bytes, json.at, length)) {
      return false;
    }
    json.at += length;
    return true;
  }

  /// The number of leading literals that two shapes have in common.
  int common(JsonShape other) {
    int same = 0;
    int from = 0;
    while (same <= Math.min(members, other.members)
        && ends[same] == other.ends[same]
        && Arrays.equals(literals, from, ends[same], other.literals, from, ends[same])) {
      from = ends[same++];
    }
    return same;
  }

  /// True when each line of the other shape is one of this shape.
  boolean covers(JsonShape other) {
    return members == other.members && common(other) > members && (other.valued & ~valued) == 0;
  }

  /// Whether a line may have values for these members and no others.
  ///
  /// @param values a bit for each member that is not null
  boolean allows(long values) {
    return (values & ~valued) == 0 && (needed & ~values) == 0;
  }

  /// Puts the values of a line into the current event of `events`, which has the names of this
  /// shape.
  ///
  /// @param indexes of the values of all members on the tape; NONE for a null value
  void putValues(AttributeTape tape, int[] indexes, EventBatch events) {
    if (lineMember != JsonNotes.NONE) {
      tape.dropNewline(indexes[lineMember]);
    }
    for (int member : placed) {
      int index = indexes[member];
      if (index == JsonNotes.NONE) {
        events.skipName();
      } else {
        tape.putValue(events, index);
      }
    }
  }
}
