package io.widerow.ingest.decode;

import java.util.Arrays;

/// The attributes of a tape in the order of their names. The order of the previous event is tried
/// first, so that sorting is usually one pass of comparisons.
///
/// - Threads: one.
/// - Memory: keeps its arrays.
final class NameOrder {
  private static final int START = 32;

  /// Above, the cost is bounded for senders that would make the insertion sort quadratic.
  private static final int INSERTED_MAX = 64;

  private final AttributeTape tape;
  private int[] order = new int[START];
  private long[] heads = new long[START]; // the first bytes of names, as sort keys
  private int ordered; // entries of `order` that the last event filled

  NameOrder(AttributeTape tape) {
    this.tape = tape;
  }

  /// The attribute at a place in the order.
  int at(int place) {
    return order[place];
  }

  /// Sorts the attributes of the tape.
  void sort(int count) {
    if (order.length < count) {
      order = Arrays.copyOf(order, 2 * count);
      heads = new long[2 * count];
    }
    for (int i = 0; i < count; i++) {
      heads[i] = Swar.head(tape.nameSource(i), tape.nameOffset(i), tape.nameBytes(i));
    }
    if (ordered != count) {
      for (int i = 0; i < count; i++) {
        order[i] = i;
      }
      ordered = count;
    }
    if (isSorted(count)) {
      return;
    }
    if (count > INSERTED_MAX) {
      Integer[] boxed = boxed(count);
      Arrays.sort(boxed, this::compare);
      unbox(boxed);
      return;
    }
    for (int i = 1; i < count; i++) {
      int moving = order[i];
      int at = i;
      while (at > 0 && compare(order[at - 1], moving) > 0) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = moving;
    }
  }

  /// Sorts the attributes by other names, which all differ.
  void sort(byte[][] names) {
    Integer[] boxed = boxed(names.length);
    Arrays.sort(boxed, (a, b) -> Arrays.compareUnsigned(names[a], names[b]));
    unbox(boxed);
  }

  private static Integer[] boxed(int count) {
    Integer[] boxed = new Integer[count];
    Arrays.setAll(boxed, i -> i);
    return boxed;
  }

  private void unbox(Integer[] boxed) {
    for (int i = 0; i < boxed.length; i++) {
      order[i] = boxed[i];
    }
  }

  /// Whether the attributes at a place and after it have the same name.
  boolean isNamedAlike(int place) {
    int a = order[place];
    int b = order[place + 1];
    return heads[a] == heads[b] && compareNames(a, b) == 0;
  }

  private boolean isSorted(int count) {
    for (int i = 1; i < count; i++) {
      if (compare(order[i - 1], order[i]) > 0) {
        return false;
      }
    }
    return true;
  }

  /// Orders attributes by name; those of equal names as they were added.
  private int compare(int a, int b) {
    if (heads[a] != heads[b]) { // most names
      return Long.compareUnsigned(heads[a], heads[b]);
    }
    int names = compareNames(a, b);
    return names != 0 ? names : a - b;
  }

  private int compareNames(int a, int b) {
    int atA = tape.nameOffset(a);
    int atB = tape.nameOffset(b);
    return Arrays.compareUnsigned(
        tape.nameSource(a),
        atA,
        atA + tape.nameBytes(a),
        tape.nameSource(b),
        atB,
        atB + tape.nameBytes(b));
  }
}
