package io.widerow.storage.text;

import io.widerow.storage.codec.ByteWords;
import java.util.Arrays;

/// A fast parser for lines that resemble an example. It finds what [LineParser] finds: it compares
/// constant parts a word at a time and examines only variables. It refuses a line at the first
/// difference.
///
/// ```
///   83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 -
///   vvvvvvvvvvvv=v=v==vvvvvvvvvvv=vvvvvvvv=vvvvv===vvvvvvvvvvvvvvv==vvv=v
/// ```
///
/// Adjacent variables that usually repeat those of the line before, such as a date, are not parsed:
/// the bytes from the first of them to the next variable are compared in both lines.
///
/// Why the result is the same: the parser treats a constant part by that part alone, except after a
/// quote that is not closed. A line with one is never an example.
///
/// - Threads: one.
/// - Memory: [ByteSource#SLACK] bytes must follow the texts.
final class LineMatcher {
  /// After this many lines, variables that repeated at least `REPEATS_MIN` times count as
  /// repeating.
  private static final int LINES_LEARNED = 32;

  private static final int REPEATS_MIN = 28;

  private boolean serves; // an example is set
  private int linesParsed; // up to LINES_LEARNED
  private int lastFirst; // first variable of the last line parsed
  private int[] repeats = new int[16]; // by variable: how often it equalled that of the line before
  private int[] runLimits = new int[16]; // the variable after the run that starts here; 0: none
  private int variables;
  private int[] constantBytes = new int[16]; // before each variable, and after the last
  private int[] constantOffsets = new int[16]; // in the example
  private long[] words = new long[16]; // the first bytes of the constant part, zero-padded
  private long[] masks = new long[16];
  private boolean[] quoted = new boolean[16];

  /// Takes a line as the example. An unsuitable line leaves the matcher without one.
  ///
  /// @param first index of the line's first variable in `parser`
  /// @param newVariables number of the line's variables
  void learn(LineParser parser, byte[] text, int offset, int length, int first, int newVariables) {
    variables = newVariables;
    if (quoted.length <= variables) {
      constantBytes = new int[2 * variables];
      constantOffsets = new int[2 * variables];
      words = new long[2 * variables];
      masks = new long[2 * variables];
      quoted = new boolean[2 * variables];
      repeats = new int[2 * variables];
      runLimits = new int[2 * variables];
    }
    linesParsed = 0;
    lastFirst = first;
    Arrays.fill(repeats, 0);
    Arrays.fill(runLimits, 0);
    boolean open = false; // inside a quote
    boolean quotes = false;
    boolean lines = false;
    int at = offset;
    for (int i = 0; i <= variables; i++) {
      int end = i < variables ? parser.offsets[first + i] : offset + length;
      constantOffsets[i] = at;
      constantBytes[i] = end - at;
      masks[i] = ByteWords.first(Math.min(Long.BYTES, end - at));
      words[i] = ByteWords.load(text, at) & masks[i];
      for (; at < end; at++) {
        open ^= text[at] == '"';
        quotes |= text[at] == '"';
        lines |= text[at] == '\n';
      }
      quoted[i] = open;
      at = i < variables ? end + parser.lengths[first + i] : end;
    }
    serves = variables < LineParser.VARIABLES_MAX && !open && !(quotes && lines);
  }

  /// True when there is an example.
  boolean serves() {
    return serves;
  }

  int variables() {
    return variables;
  }

  /// Offset, in the example, of the constant part before a variable. The number of variables gives
  /// the part after the last one.
  int constantOffset(int variable) {
    return constantOffsets[variable];
  }

  int constantBytes(int variable) {
    return constantBytes[variable];
  }

  /// True when a variable is in quotes.
  boolean quoted(int variable) {
    return quoted[variable];
  }

  /// Adds the variables of a line to `parser`. False, with nothing added, when the line does not
  /// match the example, which must still be in `text`.
  boolean parse(LineParser parser, byte[] text, int offset, int length) {
    if (!serves) {
      return false;
    }
    parser.room(variables);
    int[] offsets = parser.offsets;
    int[] lengths = parser.lengths;
    int first = parser.count;
    int limit = offset + length;
    int at = offset;
    for (int i = 0; ; i++) {
      if (!hasConstant(i, text, at, limit)) {
        return false;
      }
      at += constantBytes[i];
      if (i == variables) {
        break;
      }
      int run = runLimits[i];
      if (run > 0) {
        int lastAt = offsets[lastFirst + i];
        int bytes = offsets[lastFirst + run] - lastAt;
        if (limit - at >= bytes && ByteWords.same(text, at, text, lastAt, bytes)) {
          for (; i < run; i++) {
            offsets[first + i] = offsets[lastFirst + i] + at - lastAt;
            lengths[first + i] = lengths[lastFirst + i];
          }
          at += bytes;
        }
      }
      int end =
          quoted[i]
              ? LineParser.closing(text, at, limit)
              : LineParser.variableEnd(text, offset, at, limit);
      if (end < 0) {
        return false;
      }
      offsets[first + i] = at;
      lengths[first + i] = end - at;
      at = end;
    }
    if (at != limit) {
      return false;
    }
    if (linesParsed < LINES_LEARNED) {
      learnRepeats(text, offsets, lengths, first);
    }
    lastFirst = first;
    parser.count = first + variables;
    return true;
  }

  private void learnRepeats(byte[] text, int[] offsets, int[] lengths, int first) {
    for (int i = 0; i < variables; i++) {
      int bytes = lengths[first + i];
      boolean same =
          bytes == lengths[lastFirst + i]
              && ByteWords.same(text, offsets[first + i], text, offsets[lastFirst + i], bytes);
      repeats[i] += same ? 1 : 0;
    }
    linesParsed++;
    if (linesParsed == LINES_LEARNED) {
      int behind = variables - 1; // the last variable ends no run: nothing shows where it ends
      for (int i = variables - 2; i >= 0; i--) {
        boolean mostly = repeats[i] >= REPEATS_MIN;
        behind = mostly ? behind : i;
        boolean starts = i == 0 || repeats[i - 1] < REPEATS_MIN;
        runLimits[i] = mostly && starts ? behind : 0;
      }
    }
  }

  private boolean hasConstant(int i, byte[] text, int at, int limit) {
    int bytes = constantBytes[i];
    return limit - at >= bytes
        && (ByteWords.load(text, at) & masks[i]) == words[i]
        && (bytes <= Long.BYTES || ByteWords.same(text, at, text, constantOffsets[i], bytes));
  }
}
