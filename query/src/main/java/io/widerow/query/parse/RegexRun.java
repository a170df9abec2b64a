package io.widerow.query.parse;

import io.widerow.query.parse.RegexNode.Place;
import java.util.Arrays;

/// Searches texts for what a [RegexProgram] matches: the first place, and there the first way. A
/// way that fails is taken back to its last choice. A step that was taken at a place and failed is
/// not taken there again, so the time is linear in the text. A repetition of a set goes as far as
/// it can at once, and is one choice:
///
/// ```
///   "[^"]*" \d+      "GET / HTTP/1.1" 200
///                     low ........ high           what follows may also begin before `high`
/// ```
///
/// - Threads: one.
/// - Memory: up to [#NOTED_BITS_MAX] bits, and places to go back to.
final class RegexRun {
  /// Larger products of text and expression are left to RE2/J.
  static final int NOTED_BITS_MAX = 1 << 22;

  /// Added to a step of [RegexProgram#LOOP] that was taken, among those to go back to.
  private static final int TAKEN = 1 << 30;

  private long[] noted = new long[64];

  /// What to go back to: a step and a place; a slot's complement and value; or low, a loop that was
  /// taken, and high.
  private int[] back = new int[256];

  private int depth;
  private int[] slots = new int[8];
  private int[] places = {}; // of literals

  /// True when a text of this length can be searched.
  static boolean fits(RegexProgram program, int length) {
    return (long) program.joinCount() * (length + 1L) <= NOTED_BITS_MAX;
  }

  /// Where a group begins; negative when it took no part.
  int start(int group) {
    return 2 * group < slots.length ? slots[2 * group] : -1;
  }

  int end(int group) {
    return 2 * group + 1 < slots.length ? slots[2 * group + 1] : -1;
  }

  /// @param text valid UTF-8
  boolean find(RegexProgram program, byte[] text, int length) {
    RegexLiterals literals = program.literals();
    if (program.isAtBegin() && !literals.mayBegin(text, length)) {
      return false;
    }
    if (places.length < literals.count()) {
      places = new int[literals.count()];
    }
    Arrays.fill(places, 0, literals.count(), -1);
    if (!literals.find(text, 0, length, places)) {
      return false;
    }
    int words = (int) (((long) program.joinCount() * (length + 1L) + Long.SIZE - 1) / Long.SIZE);
    if (noted.length < words) {
      noted = new long[words];
    } else {
      Arrays.fill(noted, 0, words, 0);
    }
    Arrays.fill(slots, -1);
    int last = program.isAtBegin() ? 0 : length;
    for (int from = 0; from <= last; from++) {
      if (!literals.find(text, from, length, places)) {
        return false;
      }
      if (literals.isFirst()) {
        from = places[0];
      }
      boolean inside = from < length && (text[from] & 0xc0) == 0x80;
      if (!inside && matches(program, text, length, from)) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(RegexProgram program, byte[] text, int length, int from) {
    depth = 0;
    push(0, from);
    while (depth > 0) {
      int at = back[--depth];
      int step = back[--depth];
      if (step < 0) {
        slots[~step] = at;
      } else if (step >= TAKEN) {
        int loop = step - TAKEN;
        int low = back[--depth];
        int shorter = shorter(program, text, loop + 1, low, at);
        if (shorter > low) {
          pushTaken(loop, low, shorter);
        }
        if (shorter >= low && follow(program, text, length, loop + 1, shorter)) {
          return true;
        }
      } else if (follow(program, text, length, step, at)) {
        return true;
      }
    }
    return false;
  }

  /// Follows one way until it matches or fails.
  private boolean follow(RegexProgram program, byte[] text, int length, int first, int from) {
    int step = first;
    int at = from;
    while (true) {
      int join = program.join(step);
      if (join >= 0 && !note(join * (length + 1) + at)) {
        return false;
      }
      int a = program.a(step);
      switch (program.op(step)) {
        case RegexProgram.ONE -> {
          if (at == length) {
            return false;
          }
          int next = after(program.set(a), text, at);
          if (next < 0) {
            return false;
          }
          at = next;
          step++;
        }
        case RegexProgram.BYTE -> {
          if (at == length || text[at] != a) {
            return false;
          }
          at++;
          step++;
        }
        case RegexProgram.EITHER -> {
          push(program.b(step), at);
          step = a;
        }
        case RegexProgram.LOOP -> {
          int high = loop(program.set(a), text, length, join * (length + 1), at);
          if (high > at) {
            pushTaken(step, at, high);
          }
          at = high;
          step++;
        }
        case RegexProgram.JUMP -> step = a;
        case RegexProgram.SAVE -> {
          save(a, at);
          step++;
        }
        case RegexProgram.PLACE -> {
          if (!isAt(RegexProgram.place(a), text, length, at)) {
            return false;
          }
          step++;
        }
        default -> {
          return true;
        }
      }
    }
  }

  /// Where the longest run of a set ends. It notes each place of it, and goes on to none that is
  /// noted: what follows from there has failed.
  private int loop(RegexNode.One set, byte[] text, int length, int noted, int from) {
    int at = from;
    while (at < length) {
      int next = after(set, text, at);
      if (next < 0 || !note(noted + next)) {
        break;
      }
      at = next;
    }
    return at;
  }

  /// The last place before `high` at which a step may be taken, as far as its first character says;
  /// less than `low` when there is none.
  private static int shorter(RegexProgram program, byte[] text, int step, int low, int high) {
    int next = step;
    while (program.op(next) == RegexProgram.SAVE) {
      next++; // takes no character
    }
    int op = program.op(next);
    int a = program.a(next);
    int at = high - 1;
    while (at >= low) {
      boolean inside = (text[at] & 0xc0) == 0x80;
      boolean may =
          switch (op) {
            case RegexProgram.ONE -> after(program.set(a), text, at) >= 0;
            case RegexProgram.BYTE -> text[at] == a;
            default -> true;
          };
      if (!inside && may) {
        return at;
      }
      at--;
    }
    return at;
  }

  /// Where the character ends that is at a place; negative when it is not of the set.
  private static int after(RegexNode.One set, byte[] text, int at) {
    byte here = text[at];
    if (here >= 0) {
      return set.has(here) ? at + 1 : -1;
    }
    if (!set.others()) {
      return -1;
    }
    int lead = here & 0xff;
    return at + (lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
  }

  private boolean note(int bit) {
    long mask = 1L << bit;
    long word = noted[bit >>> 6];
    noted[bit >>> 6] = word | mask;
    return (word & mask) == 0;
  }

  private void save(int slot, int at) {
    if (slot >= slots.length) {
      int before = slots.length;
      slots = Arrays.copyOf(slots, Math.max(slot + 1, 2 * before));
      Arrays.fill(slots, before, slots.length, -1);
    }
    push(~slot, slots[slot]);
    slots[slot] = at;
  }

  private void pushTaken(int loop, int low, int high) {
    if (depth + 3 > back.length) {
      back = Arrays.copyOf(back, 2 * back.length);
    }
    back[depth++] = low;
    push(TAKEN + loop, high);
  }

  private void push(int step, int at) {
    if (depth + 2 > back.length) {
      back = Arrays.copyOf(back, 2 * back.length);
    }
    back[depth++] = step;
    back[depth++] = at;
  }

  private static boolean isAt(Place place, byte[] text, int length, int at) {
    return switch (place) {
      case BEGIN -> at == 0;
      case END -> at == length;
      case WORD_EDGE -> isWord(text, length, at - 1) != isWord(text, length, at);
      case NO_WORD_EDGE -> isWord(text, length, at - 1) == isWord(text, length, at);
    };
  }

  private static boolean isWord(byte[] text, int length, int at) {
    if (at < 0 || at >= length) {
      return false;
    }
    byte here = text[at];
    int lower = here | 0x20;
    return (here >= '0' && here <= '9') || (lower >= 'a' && lower <= 'z') || here == '_';
  }
}
