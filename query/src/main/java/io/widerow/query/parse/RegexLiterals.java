package io.widerow.query.parse;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/// The texts that stand in whatever an expression matches, one after the other. A text without them
/// does not match, which is found without following a step:
///
/// ```
///   (\S+) \[([^\]]+)\] "(GET|POST) /      " [" , "] \"" , " /"
/// ```
///
/// - Threads: any; immutable.
final class RegexLiterals {
  private final byte[][] literals;
  private final boolean first;

  private RegexLiterals(byte[][] literals, boolean first) {
    this.literals = literals;
    this.first = first;
  }

  static RegexLiterals of(RegexNode node) {
    Collection found = new Collection();
    found.add(node);
    found.end();
    return new RegexLiterals(found.all.toArray(byte[][]::new), found.first);
  }

  int count() {
    return literals.length;
  }

  /// True when a match begins with the first of them.
  boolean isFirst() {
    return first;
  }

  /// False when a match begins with the first of them and the text does not.
  boolean mayBegin(byte[] text, int length) {
    return !first
        || (literals[0].length <= length
            && text[0] == literals[0][0]
            && isAt(text, 0, literals[0]));
  }

  /// Finds the literals in what is left of a text. The places only move on, so that all calls for
  /// one text together take linear time.
  ///
  /// @param from not before that of the last call
  /// @param places of the literals after the last call; -1 before the first
  /// @return false when they are not there
  boolean find(byte[] text, int from, int length, int[] places) {
    int at = from;
    for (int i = 0; i < literals.length && places[i] < at; i++) {
      int found = find(text, at, length, literals[i]);
      if (found < 0) {
        return false;
      }
      places[i] = found;
      at = found + literals[i].length;
    }
    return true;
  }

  private static int find(byte[] text, int from, int length, byte[] literal) {
    byte first = literal[0];
    for (int i = from; i <= length - literal.length; i++) {
      if (text[i] == first && isAt(text, i, literal)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isAt(byte[] text, int at, byte[] literal) {
    for (int i = 1; i < literal.length; i++) {
      if (text[at + i] != literal[i]) {
        return false;
      }
    }
    return true;
  }

  /// Collects them from the parts that each match takes.
  private static final class Collection {
    private final List<byte[]> all = new ArrayList<>();
    private final ByteArrayOutputStream current = new ByteArrayOutputStream();
    private boolean first; // the first one stands before all else
    private boolean begun;

    void add(RegexNode node) {
      switch (node) {
        case RegexNode.One one -> {
          int only = one.only();
          if (only >= 0) {
            write(only);
          } else {
            end();
          }
        }
        case RegexNode.Beyond(int value) -> write(value);
        case RegexNode.Sequence(var parts) -> parts.forEach(this::add);
        case RegexNode.Group(RegexNode part, _) -> add(part);
        case RegexNode.Repeat(RegexNode part, int min, int max, _) -> {
          if (min > 0) {
            add(part);
          }
          if (min != 1 || max != 1) {
            end();
          }
        }
        case RegexNode.Choice _ -> end();
        case RegexNode.Place _ -> {} // takes no text
      }
    }

    private void write(int value) {
      first |= !begun;
      begun = true;
      current.write(value);
    }

    void end() {
      begun = true;
      if (current.size() > 0) {
        all.add(current.toByteArray());
        current.reset();
      }
    }
  }
}
