package io.widerow.storage;

/// Parses lines that are expected to be like another one, and finds in them what [LineParser]
/// finds, sooner: the constant parts are compared, a word at a time, and only what varies is looked
/// at. A line that is not like the other is refused at the first difference.
///
/// ```
///   83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 -
///   vvvvvvvvvvvv=v=v==vvvvvvvvvvv=vvvvvvvv=vvvvv===vvvvvvvvvvvvvvv==vvv=v
/// ```
///
/// Why this finds the same: what a parser does with a constant part depends on that part alone,
/// except at a quote that is not closed. Lines with one serve as no example.
///
/// - Threads: one.
/// - Memory: texts have [ByteSource#SLACK] bytes behind them.
final class LineMatcher {
  private boolean serves; // there is an example
  private int variables;
  private int[] constantBytes = new int[16]; // before the variable; of the last, behind it
  private int[] constantOffsets = new int[16]; // in the example
  private long[] words = new long[16]; // the first bytes of the constant part, zeros behind them
  private long[] masks = new long[16];
  private boolean[] quoted = new boolean[16];

  /// Takes a line as the example; one that does not serve as such leaves none.
  ///
  /// @param first the line's first variable in `parser`
  /// @param newVariables how many it has
  void learn(LineParser parser, byte[] text, int offset, int length, int first, int newVariables) {
    variables = newVariables;
    if (quoted.length <= variables) {
      constantBytes = new int[2 * variables];
      constantOffsets = new int[2 * variables];
      words = new long[2 * variables];
      masks = new long[2 * variables];
      quoted = new boolean[2 * variables];
    }
    boolean open = false; // a quote
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

  /// Adds the variables of a line to `parser`. False, and nothing added, when the line is not like
  /// the example, which is still in `text`.
  boolean parse(LineParser parser, byte[] text, int offset, int length) {
    if (!serves) {
      return false;
    }
    parser.room(variables);
    int[] offsets = parser.offsets;
    int[] lengths = parser.lengths;
    int next = parser.count;
    int limit = offset + length;
    int at = offset;
    for (int i = 0; i < variables; i++) {
      if (!hasConstant(i, text, at, limit)) {
        return false;
      }
      at += constantBytes[i];
      int end =
          quoted[i]
              ? LineParser.closing(text, at, limit)
              : LineParser.variableEnd(text, offset, at, limit);
      if (end < 0) {
        return false;
      }
      offsets[next] = at;
      lengths[next++] = end - at;
      at = end;
    }
    if (limit - at != constantBytes[variables] || !hasConstant(variables, text, at, limit)) {
      return false;
    }
    parser.count = next;
    return true;
  }

  private boolean hasConstant(int i, byte[] text, int at, int limit) {
    int bytes = constantBytes[i];
    return limit - at >= bytes
        && (ByteWords.load(text, at) & masks[i]) == words[i]
        && (bytes <= Long.BYTES || ByteWords.same(text, at, text, constantOffsets[i], bytes));
  }
}
