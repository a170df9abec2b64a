package io.widerow.storage;

import java.util.Arrays;

/// What most of those lines begin with that fit no template: the variables up to where they part. A
/// log's lines mostly begin with time and level, however seldom one of a kind is.
///
/// ```
///   [12:00:01] INFO Broker 0: Started           1 variable in common, "] INFO ", and the rest
///   [12:00:07] INFO Purged 17 files of 3 MB     1
///   Caused by: 5 timeouts                       0: is no such line
///    ^variable
/// ```
///
/// What all rests begin with ends behind a byte that is of no token, so that none reaches over it.
///
/// - Threads: one.
final class LineLead {
  private static final int VARIABLES_MAX = 8;

  /// Lines that are worth it.
  private static final int LINES_MIN = 4;

  private final Templates templates;
  private final int[] linesWith = new int[VARIABLES_MAX + 1]; // by leading variables in common
  private TextSlices lines = new TextSlices();
  int example; // a line that begins so
  int variables; // of the lead; 0 when there is none
  int behind; // bytes behind these that the rests have in common

  LineLead(Templates templates) {
    this.templates = templates;
  }

  /// Forgets the lead of other lines.
  void clear() {
    variables = 0;
    behind = 0;
  }

  /// Finds how much lines without a template have in common with one of them: as many variables as
  /// take most out of all lines.
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
    while (common > 0 && TokenFilter.isToken(lines.bytes[from + common - 1])) {
      common--;
    }
    return common;
  }

  /// Where the lead's variables end.
  private int restOf(int line) {
    int last = templates.firsts[line] + variables - 1;
    return templates.parser.offsets[last] + templates.parser.lengths[last];
  }

  /// True when a line without a template begins so.
  boolean leads(int line) {
    return variables > 0 && inCommon(line) >= variables;
  }

  /// How many variables a line begins with that stand where the example's do.
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
