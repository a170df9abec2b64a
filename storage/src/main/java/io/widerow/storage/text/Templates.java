package io.widerow.storage.text;

import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.LongDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The templates of a block's lines: lines with equal constant parts and as many variables share
/// one. The variables of line `i` are those of the parser from `firsts[i]`.
///
/// - Threads: one.
final class Templates {
  static final int TEMPLATES_MAX = 1_024;

  /// The least number of lines for a template; other lines are kept whole.
  private static final int LINES_MIN = 4;

  final LineParser parser = new LineParser();
  int[] firsts = new int[1];
  long[] codes = new long[0];
  int count;
  private long[] hashes = new long[64];
  private int[] examples = new int[64]; // by template: its first line
  private int[] uses = new int[64];
  private int[] followers = new int[64]; // by template: the one that followed it last
  private final List<LineMatcher> matchers = new ArrayList<>(); // by template; may have more
  private final LineTree tree = new LineTree();
  private final int[] table = new int[4 * TEMPLATES_MAX];

  /// Finds the templates of `lines`. False when too many lines have none.
  boolean build(TextSlices lines, int variablesMax) {
    parser.clear();
    tree.clear();
    Arrays.fill(table, 0);
    count = 0;
    codes = LongDecoder.room(codes, lines.count);
    if (firsts.length <= lines.count) {
      firsts = new int[2 * lines.count + 1];
    }
    int last = -1;
    for (int i = 0; i < lines.count; i++) {
      firsts[i] = parser.count;
      int code = last < 0 ? LineTree.NONE : followers[last];
      if (code < 0 || !parseLike(code, lines, i)) {
        code = tree.parse(parser, lines.bytes, lines.offsets[i], lines.lengths[i]);
      }
      if (code < 0) {
        long hash = parser.parse(lines.bytes, lines.offsets[i], lines.lengths[i]);
        firsts[i + 1] = parser.count;
        code = codeOf(lines, i, hash);
      }
      firsts[i + 1] = parser.count;
      codes[i] = code;
      if (code >= 0) {
        uses[code]++;
        if (last >= 0) {
          followers[last] = code;
        }
      }
      last = code;
      if (parser.count > variablesMax) {
        return false;
      }
    }
    return keepFrequent(lines);
  }

  private boolean parseLike(int template, TextSlices lines, int line) {
    return matchers
        .get(template)
        .parse(parser, lines.bytes, lines.offsets[line], lines.lengths[line]);
  }

  private void learn(int template, TextSlices lines, int line) {
    if (template == matchers.size()) {
      matchers.add(new LineMatcher());
    }
    int first = firsts[line];
    matchers
        .get(template)
        .learn(
            parser,
            lines.bytes,
            lines.offsets[line],
            lines.lengths[line],
            first,
            firsts[line + 1] - first);
    tree.add(matchers.get(template), template, lines.bytes);
  }

  /// The number of variables of a template; line `example(template)` is an example of them.
  int variables(int template) {
    int line = examples[template];
    return firsts[line + 1] - firsts[line];
  }

  int example(int template) {
    return examples[template];
  }

  private int codeOf(TextSlices lines, int line, long hash) {
    int slot = (int) (hash >>> 20) & (table.length - 1);
    while (table[slot] != 0) {
      int code = table[slot] - 1;
      if (hashes[code] == hash && same(lines, examples[code], line)) {
        return code;
      }
      slot = (slot + 1) & (table.length - 1);
    }
    if (count == TEMPLATES_MAX) {
      return -1;
    }
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * count);
      examples = Arrays.copyOf(examples, 2 * count);
      uses = Arrays.copyOf(uses, 2 * count);
      followers = Arrays.copyOf(followers, 2 * count);
    }
    table[slot] = count + 1;
    hashes[count] = hash;
    examples[count] = line;
    uses[count] = 0;
    followers[count] = count;
    learn(count, lines, line);
    return count++;
  }

  /// True when two lines have equal constant parts.
  private boolean same(TextSlices lines, int a, int b) {
    int variables = firsts[a + 1] - firsts[a];
    if (firsts[b + 1] - firsts[b] != variables) {
      return false;
    }
    byte[] text = lines.bytes;
    int atA = lines.offsets[a];
    int atB = lines.offsets[b];
    for (int i = 0; i <= variables; i++) {
      boolean last = i == variables;
      int endA = last ? lines.offsets[a] + lines.lengths[a] : parser.offsets[firsts[a] + i];
      int endB = last ? lines.offsets[b] + lines.lengths[b] : parser.offsets[firsts[b] + i];
      if (endA - atA != endB - atB || !ByteWords.same(text, atA, text, atB, endA - atA)) {
        return false;
      }
      atA = last ? endA : endA + parser.lengths[firsts[a] + i];
      atB = last ? endB : endB + parser.lengths[firsts[b] + i];
    }
    return true;
  }

  /// Drops templates with few lines; code -1 then means a line that is kept whole.
  private boolean keepFrequent(TextSlices lines) {
    int[] renumbered = new int[count];
    int kept = 0;
    for (int i = 0; i < count; i++) {
      renumbered[i] = uses[i] >= LINES_MIN ? kept : -1;
      if (uses[i] >= LINES_MIN) {
        examples[kept++] = examples[i];
      }
    }
    count = kept;
    long whole = 0;
    for (int i = 0; i < lines.count; i++) {
      codes[i] = codes[i] < 0 ? -1 : renumbered[(int) codes[i]];
      whole += codes[i] < 0 ? 1 : 0;
    }
    return whole * 2 <= lines.count;
  }
}
