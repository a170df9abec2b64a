package io.widerow.ingest.receive.json;

/// Notes of a decoder about the values of one line, to recognise the next line with the same
/// members. Values are numbered in the order of the line.
///
/// - Threads: one.
final class JsonNotes {
  static final int MEMBERS_MAX = 64; // a bit of a long each
  static final int NONE = -1;

  final int[] roles = new int[MEMBERS_MAX];
  final int[] depths = new int[MEMBERS_MAX];
  final int[] starts = new int[MEMBERS_MAX];
  final int[] ends = new int[MEMBERS_MAX];
  final int[] indexes = new int[MEMBERS_MAX]; // on the tape; NONE for a non-attribute
  private int count;
  private int attributes;
  private int types;
  private int times;
  private int lineIndex;
  private boolean fit;

  void begin() {
    count = 0;
    attributes = 0;
    types = 0;
    times = 0;
    lineIndex = NONE;
    fit = true;
  }

  int count() {
    return count;
  }

  /// Whether what the values became follows from the names of the members and from their kinds, and
  /// each of `put` attributes on the tape is one of them. An only member may be an envelope the
  /// next time.
  boolean isFit(int put) {
    return fit && attributes == put && count > 1 && types <= 1 && times <= 1;
  }

  /// Notes a value that is no object.
  ///
  /// @param depth levels of nesting around it
  /// @param index of the attribute on the tape; [#NONE] when it became none
  void add(int role, int depth, byte[] bytes, int start, int end, int index) {
    if (count == MEMBERS_MAX) {
      fit = false;
      return;
    }
    switch (JsonNames.kind(role)) {
      case JsonNames.NULL -> {}
      case JsonNames.TYPE -> types++;
      case JsonNames.TIME -> {
        times++;
        fit &= index == NONE; // a time that became an attribute may be one the next time
      }
      case JsonNames.TEXT -> // which member is the text depends on which are strings
          fit &= index != NONE && bytes[start] == '"';
      case JsonNames.ID, JsonNames.KEY -> fit = false;
      default -> fit &= index != NONE;
    }
    attributes += index != NONE ? 1 : 0;
    roles[count] = role;
    depths[count] = depth;
    starts[count] = start;
    ends[count] = end;
    indexes[count] = index;
    count++;
  }

  /// Notes that a text is a line, whose newline is dropped.
  ///
  /// @param index of the text on the tape
  void line(int index) {
    lineIndex = index;
  }

  /// The member that is a line; NONE for none.
  int lineMember() {
    return lineIndex == NONE ? NONE : memberOf(lineIndex);
  }

  /// The member that became the attribute at `index` of the tape.
  int memberOf(int index) {
    int member = 0;
    while (indexes[member] != index) {
      member++;
    }
    return member;
  }

  /// The members of a kind of roles, a bit each.
  long having(int kind) {
    long found = 0;
    for (int member = 0; member < count; member++) {
      found |= JsonNames.kind(roles[member]) == kind ? 1L << member : 0;
    }
    return found;
  }
}
