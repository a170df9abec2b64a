package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.Needle;
import java.util.Arrays;
import java.util.BitSet;

/// A search for the numbers of a column that, when printed, have a part of a [Needle] at a place.
///
/// ```
///   part    place    numbers of any width             of four digits
///   17      whole    17                               none
///   17      start    17, 170 to 179, 1700 to 1799 ... 1700 to 1799
///   17      within, as a word: 17 and -17             none
///   else             each is printed, if its form can contain such bytes
/// ```
///
/// Numbers too great for their form, which no encoder writes, are all included.
///
/// - Threads: one.
final class NumberSearch {
  private static final int RANGES_MAX = PieceFormat.DIGITS_MAX;

  private final Needle needle;
  private final Needle.Place place;
  private final int from;
  private final int limit;

  /// @param from start of the needle's part
  /// @param limit end of the part
  NumberSearch(Needle needle, Needle.Place place, int from, int limit) {
    this.needle = needle;
    this.place = place;
    this.from = from;
    this.limit = limit;
  }

  /// Adds the numbers that have the part. They need not be printed yet.
  void search(TextSlices texts, BitSet found) {
    boolean isOther =
        texts.form == PieceFormat.NUMBER_OR
            && needle.isAt(place, from, limit, texts.bytes, texts.otherOffset, texts.detail);
    if (isOther) {
      for (int i = 0; i < texts.count; i++) {
        found.set(i, texts.numbers[i] == 0);
      }
    }
    if (mayPrint(texts) && !compare(texts, found)) {
      print(texts, found);
    }
  }

  /// False when no number of the form contains these bytes.
  private boolean mayPrint(TextSlices texts) {
    if (limit == from || limit - from > PieceFormat.PRINTED_BYTES_MAX) {
      return false;
    }
    boolean time = texts.form == PieceFormat.TIME || texts.form == PieceFormat.TIME_MILLIS;
    boolean signs = texts.form == PieceFormat.NUMBER || texts.form == PieceFormat.NUMBER_OR;
    boolean separated = texts.form == PieceFormat.TIME_MILLIS;
    if (separated && texts.detail == 0) {
      return true; // the printed form is not known
    }
    for (int i = from; i < limit; i++) {
      byte here = needle.at(i);
      boolean possible =
          (here >= '0' && here <= '9')
              || (signs && here == '-')
              || (time && here == ':')
              || (separated && here == (byte) texts.detail);
      if (!possible) {
        return false;
      }
    }
    return true;
  }

  /// Compares the numbers without printing. False, with nothing added, when that cannot decide.
  private boolean compare(TextSlices texts, BitSet found) {
    int digits = limit - from;
    boolean fixed = texts.form == PieceFormat.DIGITS;
    boolean decimal =
        fixed || texts.form == PieceFormat.NUMBER || texts.form == PieceFormat.NUMBER_OR;
    if (!decimal || digits < 1 || digits > PieceFormat.DIGITS_MAX) {
      return false;
    }
    long value = 0;
    for (int i = from; i < limit; i++) {
      if (needle.at(i) == '-') {
        return false;
      }
      value = 10 * value + needle.at(i) - '0';
    }
    int width = fixed ? texts.detail : 0;
    if (!fixed && needle.at(from) == '0' && digits > 1) {
      if (place == Needle.Place.WITHIN || place == Needle.Place.END) {
        return needle.isWord() && place == Needle.Place.WITHIN; // no number starts with a zero
      }
      return true;
    }
    switch (place) {
      case WHOLE -> addWithin(texts, new long[] {value}, new long[] {value}, digits, width, found);
      case START -> addStarting(texts, value, digits, width, found);
      default -> {
        if (!needle.isWord() || place != Needle.Place.WITHIN) {
          return false;
        }
        addWithin(
            texts, new long[] {value, -value}, new long[] {value, -value}, digits, width, found);
      }
    }
    return true;
  }

  private void addStarting(TextSlices texts, long value, int digits, int width, BitSet found) {
    long[] least = new long[RANGES_MAX];
    long[] most = new long[RANGES_MAX];
    int ranges = 0;
    boolean longer = !needle.closes() && (value > 0 || width > 0);
    long unit = 1;
    for (int all = digits; all <= (longer ? PieceFormat.DIGITS_MAX : digits); all++, unit *= 10) {
      if (width == 0 || all == width) {
        least[ranges] = value * unit;
        most[ranges++] = value * unit + unit - 1;
      }
    }
    addWithin(
        texts, Arrays.copyOf(least, ranges), Arrays.copyOf(most, ranges), width, width, found);
  }

  /// Adds the numbers in a range.
  ///
  /// @param digits that the numbers must have, in a column of fixed width
  /// @param width of the column's numbers; 0 when it is not fixed
  private static void addWithin(
      TextSlices texts, long[] least, long[] most, int digits, int width, BitSet found) {
    long beyond = PieceFormat.limit(width == 0 ? PieceFormat.DIGITS_MAX : width);
    int ranges = width == 0 || digits == width ? least.length : 0;
    boolean folded = texts.form == PieceFormat.NUMBER_OR;
    for (int i = 0; i < texts.count; i++) {
      long number = texts.numbers[i];
      if (folded) {
        if (number == 0) {
          continue; // the other text
        }
        number = PieceFormat.unfolded(number);
      }
      boolean has = number >= beyond || number <= -beyond;
      for (int range = 0; range < ranges; range++) {
        has |= number >= least[range] && number <= most[range];
      }
      if (has) {
        found.set(i);
      }
    }
  }

  /// Prints the numbers one by one. Consecutive equal numbers, such as times, are printed once.
  private void print(TextSlices texts, BitSet found) {
    byte[] printed = new byte[PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK];
    boolean has = false;
    for (int i = 0; i < texts.count; i++) {
      if (i == 0 || texts.numbers[i] != texts.numbers[i - 1]) {
        int length = texts.printNumber(i, printed, 0);
        has = needle.isAt(place, from, limit, printed, 0, length);
      }
      if (has) {
        found.set(i);
      }
    }
  }
}
