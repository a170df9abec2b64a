package io.widerow.query.parse;

import io.widerow.query.parse.RegexNode.One;
import io.widerow.query.parse.RegexNode.Place;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An expression as steps that [RegexRun] takes over UTF-8. It finds the groups that RE2/J finds,
/// many times faster where there are many groups, because it follows one way through the steps at a
/// time, and each pair of step and place once:
///
/// ```
///   0  SAVE  slot, next       1  ONE  set       2  LOOP  set       3  EITHER first, otherwise
/// ```
///
/// - Threads: any; immutable.
final class RegexProgram {
  static final int ONE = 0; // a: number of the set
  static final int BYTE = 1; // a: the byte
  static final int EITHER = 2; // a, b: steps, the first is tried first
  static final int JUMP = 3; // a: step
  static final int SAVE = 4; // a: slot
  static final int PLACE = 5; // a: number of the place
  static final int MATCH = 6;
  static final int LOOP = 7; // a: number of the set; as many of it as possible

  private static final List<Place> PLACES = List.of(Place.values());
  private static final int STEPS_MAX = 10_000;

  private final Set<Integer> wanted;
  private final RegexLiterals literals;
  private final boolean atBegin;
  private int[] ops = new int[64];
  private int[] as = new int[64];
  private int[] bs = new int[64];
  private int count;
  private One[] sets = new One[16];
  private int setCount;
  private int[] joins = {}; // of a step its number among those that several lead to; negative
  private int joinCount;

  private RegexProgram(RegexNode node, Set<Integer> wanted) {
    this.wanted = wanted;
    this.literals = RegexLiterals.of(node);
    this.atBegin = node.isAtBegin();
  }

  /// @param regex that RE2 has accepted
  /// @param groups that are wanted, from 1
  /// @return null when the expression has what only RE2/J knows, or is too large
  static @Nullable RegexProgram of(String regex, Set<Integer> groups) {
    RegexNode node = RegexReader.read(regex);
    if (node == null) {
      return null;
    }
    RegexProgram program = new RegexProgram(node, Set.copyOf(groups));
    if (!program.add(node)) {
      return null;
    }
    int _ = program.step(MATCH, 0, 0);
    program.findJoins();
    return program;
  }

  /// What each match holds.
  RegexLiterals literals() {
    return literals;
  }

  /// True when a match begins where the text does.
  boolean isAtBegin() {
    return atBegin;
  }

  int op(int step) {
    return ops[step];
  }

  int a(int step) {
    return as[step];
  }

  int b(int step) {
    return bs[step];
  }

  One set(int number) {
    return sets[number];
  }

  static Place place(int number) {
    return PLACES.get(number);
  }

  /// The number of a step among those that are noted when they are taken; negative for others.
  int join(int step) {
    return joins[step];
  }

  int joinCount() {
    return joinCount;
  }

  private int step(int op, int a, int b) {
    if (count == ops.length) {
      ops = Arrays.copyOf(ops, 2 * count);
      as = Arrays.copyOf(as, 2 * count);
      bs = Arrays.copyOf(bs, 2 * count);
    }
    ops[count] = op;
    as[count] = a;
    bs[count] = b;
    return count++;
  }

  /// Adds the steps of a node; false when there are too many.
  private boolean add(RegexNode node) {
    if (count > STEPS_MAX) {
      return false;
    }
    return switch (node) {
      case One one -> {
        int _ = step(ONE, numberOf(one), 0);
        yield true;
      }
      case RegexNode.Beyond(int value) -> {
        int _ = step(BYTE, value, 0);
        yield true;
      }
      case RegexNode.Sequence(var parts) -> parts.stream().allMatch(this::add);
      case RegexNode.Choice(var parts) -> choice(parts);
      case RegexNode.Repeat repeat -> repeat(repeat);
      case RegexNode.Group(RegexNode part, int number) -> {
        if (!wanted.contains(number)) {
          yield add(part);
        }
        int _ = step(SAVE, 2 * number, 0);
        boolean added = add(part);
        int _ = step(SAVE, 2 * number + 1, 0);
        yield added;
      }
      case Place place -> {
        int _ = step(PLACE, PLACES.indexOf(place), 0);
        yield true;
      }
    };
  }

  private int numberOf(One set) {
    if (setCount == sets.length) {
      sets = Arrays.copyOf(sets, 2 * setCount);
    }
    sets[setCount] = set;
    return setCount++;
  }

  private boolean choice(List<RegexNode> parts) {
    int[] ends = new int[parts.size()];
    for (int i = 0; i < parts.size() - 1; i++) {
      int either = step(EITHER, count + 1, 0);
      if (!add(parts.get(i))) {
        return false;
      }
      ends[i] = step(JUMP, 0, 0);
      bs[either] = count;
    }
    boolean added = add(parts.getLast());
    for (int i = 0; i < parts.size() - 1; i++) {
      as[ends[i]] = count;
    }
    return added;
  }

  private boolean repeat(RegexNode.Repeat repeat) {
    RegexNode part = repeat.part();
    for (int i = 0; i < repeat.min(); i++) {
      if (!add(part)) {
        return false;
      }
    }
    if (repeat.max() < 0 && repeat.greedy() && part instanceof One set) {
      int _ = step(LOOP, numberOf(set), 0);
      return true;
    }
    if (repeat.max() < 0) {
      int either = step(EITHER, 0, 0);
      boolean added = add(part);
      int _ = step(JUMP, either, 0);
      set(either, repeat.greedy(), either + 1);
      return added;
    }
    int optional = repeat.max() - repeat.min();
    int[] eithers = new int[Math.max(0, optional)];
    for (int i = 0; i < optional; i++) {
      eithers[i] = step(EITHER, 0, 0);
      if (!add(part)) {
        return false;
      }
    }
    for (int either : eithers) {
      set(either, repeat.greedy(), either + 1);
    }
    return true;
  }

  /// A repetition goes on, or ends here.
  private void set(int either, boolean greedy, int body) {
    as[either] = greedy ? body : count;
    bs[either] = greedy ? count : body;
  }

  /// Between two steps that several lead to there is one way, so noting these makes the time
  /// linear.
  private void findJoins() {
    int[] leading = new int[count];
    for (int step = 0; step < count; step++) {
      switch (ops[step]) {
        case EITHER -> {
          leading[as[step]]++;
          leading[bs[step]]++;
        }
        case JUMP -> leading[as[step]]++;
        case LOOP -> {
          leading[step] += 2; // it leads to itself
          leading[step + 1]++;
        }
        case MATCH -> {}
        default -> leading[step + 1]++;
      }
    }
    leading[0]++; // each search begins there
    joins = new int[count];
    for (int step = 0; step < count; step++) {
      joins[step] = leading[step] > 1 ? joinCount++ : -1;
    }
  }
}
