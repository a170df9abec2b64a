package io.widerow.storage.text;

import io.widerow.event.Text;
import io.widerow.storage.codec.ByteWords;
import java.util.Arrays;

/// The common lead of lines that fit no template: the leading variables that most of them share.
/// The lines of a log usually begin with time and level, however rare a kind of line is.
///
/// ```
///   [12:00:01] INFO Broker 0: Started           1 common variable, "] INFO ", and the rest
///   [12:00:07] INFO Purged 17 files of 3 MB     1
///   Caused by: 5 timeouts                       0: not such a line
///    ^variable
/// ```
///
/// The prefix common to all rests ends after a byte outside tokens, so that no token crosses it.
///
/// - Threads: one.
final class LineLead {
  private static final int VARIABLES_MAX = 8;

  /// The least number of lines that makes a lead worthwhile.
  private static final int LINES_MIN = 4;

  private final Templates templates;
  private final int[] linesWith = new int[VARIABLES_MAX + 1]; // by common leading variables
  private TextSlices lines = new TextSlices();
  int example; // a line that begins with the lead
  int variables; // number in the lead; 0 when there is none
  int behind; // bytes after the lead that all rests have in common

  LineLead(Templates templates) {
    this.templates = templates;
  }

  /// Forgets the lead.
  void clear() {
    variables = 0;
    behind = 0;
  }

  /// Finds the lead that lines without a template have in common with the example: the number of
  /// variables that covers most variables of all lines.
  void find(TextSlices newLines, int newExample) {
    lines = newLines;
    example = newExample;
    variables = 0;
    Arrays.fill(linesWith, 0);
    for (int line = 0; line < lines.count; line++) {
      if (templates.codes[line] < 0) {
        linesWith[inCommon(line)]++;
      }
    }
    int with = 0;
    int taken = 0;
    for (int count = VARIABLES_MAX; count > 0; count--) {
      with += linesWith[count];
      if (with >= LINES_MIN && with * count > taken) {
        taken = with * count;
        variables = count;
      }
    }
    behind = variables > 0 ? commonBehind() : 0;
  }

  private int commonBehind() {
    int from = restOf(example);
    int common = lines.offsets[example] + lines.lengths[example] - from;
    for (int line = 0; line < lines.count && common > 0; line++) {
      if (templates.codes[line] < 0 && leads(line)) {
        int rest = restOf(line);
        int most = Math.min(common, lines.offsets[line] + lines.lengths[line] - rest);
        int mismatch =
            Arrays.mismatch(lines.bytes, from, from + most, lines.bytes, rest, rest + most);
        common = mismatch < 0 ? most : mismatch;
      }
    }
    while (common > 0 && Text.isToken(lines.bytes[from + common - 1])) {
      common--;
    }
    return common;
  }

  /// Where the lead's last variable ends.
  private int restOf(int line) {
    int last = templates.firsts[line] + variables - 1;
    return templates.parser.offsets[last] + templates.parser.lengths[last];
  }

  /// True when a line without a template begins with the lead.
  boolean leads(int line) {
    return variables > 0 && inCommon(line) >= variables;
  }

  /// The number of leading variables that a line has in common with the example.
  private int inCommon(int line) {
    int first = templates.firsts[line];
    int firstThere = templates.firsts[example];
    int most =
        Math.min(templates.firsts[line + 1] - first, templates.firsts[example + 1] - firstThere);
    int at = lines.offsets[line];
    int there = lines.offsets[example];
    int[] offsets = templates.parser.offsets;
    int[] lengths = templates.parser.lengths;
    for (int i = 0; i < Math.min(most, VARIABLES_MAX); i++) {
      int bytes = offsets[first + i] - at;
      if (bytes != offsets[firstThere + i] - there
          || !ByteWords.same(lines.bytes, at, lines.bytes, there, bytes)) {
        return i;
      }
      at = offsets[first + i] + lengths[first + i];
      there = offsets[firstThere + i] + lengths[firstThere + i];
    }
    return Math.min(most, VARIABLES_MAX);
  }
}
