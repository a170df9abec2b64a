package io.widerow.storage.text;

import io.widerow.storage.codec.ByteWords;
import java.util.Arrays;

/// The templates of a block as a prefix tree of their constant parts. It finds a line's template,
/// and the variables that [LineParser] would find, where the line before does not predict the
/// template.
///
/// ```
///   "[" time -+- "] INFO Broker " number -+- " started"              template 0
///             |                           +- ": got " number " B"    template 1
///             +- "] WARN retry in " number " ms"                     template 2
/// ```
///
/// After a variable at most one branch fits: the parser treats a constant part by that part alone,
/// see [LineMatcher], so two branches that fit would be one. Branches that do not fit usually
/// differ in the last bytes of their constant parts, so those are compared first. The branch that
/// fitted last is tried first.
///
/// - Threads: one.
/// - Memory: [ByteSource#SLACK] bytes must follow the texts.
final class LineTree {
  /// No template, and no branch.
  static final int NONE = -1;

  /// The most branches of all templates; a template that would need more is left out.
  private static final int BRANCHES_MAX = 1 << 14;

  /// The most branches of one node. Where every line is a template of its own, as in prose, trying
  /// all branches would take several times as long as parsing the line.
  private static final int SIBLINGS_MAX = 32;

  private static final int ROOT = 0;

  private int[] firsts = new int[64]; // by node: its first branch
  private int[] siblings = new int[64]; // by node: its branches
  private int nodes;
  private int[] nexts = new int[64]; // by branch, as all below: its sibling
  private int[] offsets = new int[64]; // of the constant part, in the lines
  private int[] lengths = new int[64];
  private long[] lasts = new long[64]; // the last bytes of the constant part, up to eight
  private boolean[] quoted = new boolean[64];
  private int[] targets = new int[64]; // a node, after a variable; or ~template, at the line's end
  private int branches;

  void clear() {
    nodes = 0;
    branches = 0;
    addNode();
  }

  private int addNode() {
    if (nodes == firsts.length) {
      firsts = Arrays.copyOf(firsts, 2 * nodes);
      siblings = Arrays.copyOf(siblings, 2 * nodes);
    }
    firsts[nodes] = NONE;
    siblings[nodes] = 0;
    return nodes++;
  }

  /// Adds a template by its example line.
  void add(LineMatcher example, int template, byte[] text) {
    if (!example.serves() || branches + example.variables() >= BRANCHES_MAX) {
      return;
    }
    int node = ROOT;
    for (int i = 0; i <= example.variables(); i++) {
      boolean last = i == example.variables();
      int offset = example.constantOffset(i);
      int length = example.constantBytes(i);
      int branch = last ? NONE : find(node, text, offset, length);
      if (branch == NONE) {
        if (siblings[node] == SIBLINGS_MAX) {
          return; // nothing was added: the nodes after a new branch have room
        }
        branch = addBranch(node, text, offset, length);
        quoted[branch] = example.quoted(i);
        targets[branch] = last ? ~template : addNode();
      }
      node = targets[branch];
    }
  }

  /// The branch with a constant part that a variable follows.
  private int find(int node, byte[] text, int offset, int length) {
    for (int branch = firsts[node]; branch != NONE; branch = nexts[branch]) {
      if (targets[branch] >= 0
          && lengths[branch] == length
          && ByteWords.same(text, offsets[branch], text, offset, length)) {
        return branch;
      }
    }
    return NONE;
  }

  private int addBranch(int node, byte[] text, int offset, int length) {
    if (branches == nexts.length) {
      int size = 2 * branches;
      nexts = Arrays.copyOf(nexts, size);
      offsets = Arrays.copyOf(offsets, size);
      lengths = Arrays.copyOf(lengths, size);
      lasts = Arrays.copyOf(lasts, size);
      quoted = Arrays.copyOf(quoted, size);
      targets = Arrays.copyOf(targets, size);
    }
    offsets[branches] = offset;
    lengths[branches] = length;
    lasts[branches] = last(text, offset, length);
    nexts[branches] = firsts[node];
    firsts[node] = branches;
    siblings[node]++;
    return branches++;
  }

  /// The last bytes of a part, up to eight.
  private static long last(byte[] text, int offset, int length) {
    return length >= Long.BYTES
        ? ByteWords.load(text, offset + length - Long.BYTES)
        : ByteWords.load(text, offset) & ByteWords.first(length);
  }

  /// Adds the variables of a line to `parser` and returns its template; [#NONE], with nothing
  /// added, when the line matches none.
  int parse(LineParser parser, byte[] text, int offset, int length) {
    int limit = offset + length;
    int first = parser.count;
    int at = offset;
    int node = ROOT;
    int before = NONE;
    int branch = firsts[ROOT];
    while (branch != NONE) {
      int variable = at + lengths[branch];
      int target = targets[branch];
      if (fits(branch, text, at, limit)) {
        if (target < 0 && variable == limit) {
          return ~target;
        }
        int end = target < 0 ? NONE : variableEnd(branch, text, offset, variable, limit);
        if (end >= 0) {
          moveToFront(node, before, branch);
          parser.add(variable, end - variable);
          at = end;
          node = target;
          before = NONE;
          branch = firsts[node];
          continue;
        }
      }
      before = branch;
      branch = nexts[branch];
    }
    parser.count = first;
    return NONE;
  }

  private boolean fits(int branch, byte[] text, int at, int limit) {
    int length = lengths[branch];
    return limit - at >= length
        && last(text, at, length) == lasts[branch]
        && (length <= Long.BYTES || ByteWords.same(text, at, text, offsets[branch], length));
  }

  private int variableEnd(int branch, byte[] text, int offset, int at, int limit) {
    return quoted[branch]
        ? LineParser.closing(text, at, limit)
        : LineParser.variableEnd(text, offset, at, limit);
  }

  private void moveToFront(int node, int before, int branch) {
    if (before != NONE) {
      nexts[before] = nexts[branch];
      nexts[branch] = firsts[node];
      firsts[node] = branch;
    }
  }
}
