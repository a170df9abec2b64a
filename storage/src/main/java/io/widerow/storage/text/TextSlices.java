package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Needle;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// A sequence of texts, each a slice of one array: the input of text encoders and the output of
/// text decoders. A decoder may leave numbers unprinted and texts in their dictionary; [#print]
/// makes a slice of each. [ByteSource#SLACK] bytes follow the last text.
///
/// ```
///   RAW          offsets, lengths         by text
///   DICTIONARY   offsets, lengths         by code, `size` of them
///                codes                    by text
///   else         numbers                  by text
/// ```
///
/// - Threads: one.
public final class TextSlices {
  public byte[] bytes = new byte[0];
  public int[] offsets = new int[0];
  public int[] lengths = new int[0];
  public int count;

  /// [PieceFormat#RAW] when each text has a slice, [PieceFormat#DICTIONARY] when each code has one;
  /// otherwise how the numbers are printed.
  int form = PieceFormat.RAW;

  int size; // of the dictionary
  long[] codes = new long[0];
  long[] numbers = new long[0];
  int detail; // of the form: number of digits, separator, or length of the other text
  int otherOffset;
  int spanOffset; // where a decoder found the distinct texts, back to back
  int spanBytes;
  int dictionaryPause; // blocks for which an encoder skips the dictionary

  /// True when some texts are known to repeat earlier ones.
  public boolean repeats;

  /// Numbers are printed once when each is there so often, on average.
  private static final int DISTINCT_TEXTS = 8;

  private int[] firsts = new int[0]; // then, by text: the first one known to be equal
  private byte[] printed = new byte[0];

  /// Approximate heap memory held, without the texts, which may be borrowed.
  public long heldBytes() {
    return 2L * Integer.BYTES * offsets.length
        + (long) Long.BYTES * (numbers.length + codes.length)
        + printed.length;
  }

  public void clear() {
    count = 0;
    repeats = false;
  }

  /// Forgets what an encoder found of the texts before.
  public void renew() {
    dictionaryPause = 0;
  }

  public void add(int offset, int length) {
    if (count == offsets.length) {
      room(Math.max(16, 2 * count));
    }
    offsets[count] = offset;
    lengths[count++] = length;
  }

  /// Adds the text of an earlier slice again without copying its bytes.
  public void addAgain(int slice) {
    if (!repeats) {
      repeats = true;
      knowFirsts(0);
    }
    int first = firsts[slice];
    add(offsets[first], lengths[first]);
    firsts[count - 1] = first;
  }

  private void knowFirsts(int from) {
    if (firsts.length < offsets.length) {
      firsts = Arrays.copyOf(firsts, offsets.length);
    }
    for (int i = from; i < offsets.length; i++) {
      firsts[i] = i;
    }
  }

  /// The first slice known to have the text of this one; usually itself.
  int first(int slice) {
    return repeats ? firsts[slice] : slice;
  }

  /// Makes room for `slices` slices.
  void room(int slices) {
    if (offsets.length < slices) {
      int before = offsets.length;
      offsets = Arrays.copyOf(offsets, slices);
      lengths = Arrays.copyOf(lengths, slices);
      if (repeats) {
        knowFirsts(before);
      }
    }
  }

  /// The slice of a text that is not a number.
  public int slice(int index) {
    return form == PieceFormat.DICTIONARY ? (int) codes[index] : index;
  }

  /// Makes a slice for each text.
  public void print() {
    if (form == PieceFormat.RAW) {
      return;
    }
    if (form == PieceFormat.DICTIONARY) {
      spread();
      return;
    }
    room(count);
    int bytesMax = count * PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK;
    if (printed.length < bytesMax) {
      printed = new byte[bytesMax];
    }
    int at = 0;
    for (int i = 0; i < count; i++) {
      offsets[i] = at;
      at = printNumber(i, printed, at);
      lengths[i] = at - offsets[i];
    }
    bytes = printed;
    spanOffset = 0;
    spanBytes = at;
    form = PieceFormat.RAW;
  }

  /// Prints each number once, as a dictionary. False when most differ; then nothing changed.
  boolean printDistinct(LineCodes distinct) {
    if (codes.length < count) {
      codes = new long[LongDecoder.withSpare(count)];
    }
    distinct.clear();
    int most = count / DISTINCT_TEXTS;
    room(most);
    int[] found = lengths; // by code: where the number is first, until it is printed
    for (int i = 0; i < count; i++) {
      int before = distinct.size();
      int code = distinct.codeOf(numbers[i]);
      if (code == before) {
        if (code == most) {
          return false;
        }
        found[code] = i;
      }
      codes[i] = code;
    }
    size = distinct.size();
    int bytesMax = size * PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK;
    if (printed.length < bytesMax) {
      printed = new byte[bytesMax];
    }
    int at = 0;
    for (int code = 0; code < size; code++) {
      offsets[code] = at;
      at = printNumber(found[code], printed, at);
      lengths[code] = at - offsets[code];
    }
    bytes = printed;
    spanOffset = 0;
    spanBytes = at;
    form = PieceFormat.DICTIONARY;
    return true;
  }

  private void spread() {
    int[] offsetOf = Arrays.copyOf(offsets, size);
    int[] lengthOf = Arrays.copyOf(lengths, size);
    room(count);
    for (int i = 0; i < count; i++) {
      offsets[i] = offsetOf[(int) codes[i]];
      lengths[i] = lengthOf[(int) codes[i]];
    }
    form = PieceFormat.RAW;
  }

  /// Prints a number and returns the offset after it. Takes up to [PieceFormat#PRINTED_BYTES_MAX]
  /// bytes; [ByteSource#SLACK] bytes after them may be overwritten.
  int printNumber(int slice, byte[] out, int at) {
    long value = numbers[slice];
    return switch (form) {
      case PieceFormat.NUMBER -> PieceFormat.printNumber(value, out, at);
      case PieceFormat.DIGITS -> PieceFormat.printDigits(value, detail, out, at);
      case PieceFormat.TIME -> PieceFormat.printTime(value, 0, out, at);
      case PieceFormat.TIME_MILLIS -> PieceFormat.printTime(value, detail, out, at);
      default -> {
        assert form == PieceFormat.NUMBER_OR : form;
        if (value == 0) {
          ByteWords.copy(bytes, otherOffset, out, at, detail);
          yield at + detail;
        }
        yield PieceFormat.printNumber(PieceFormat.unfolded(value), out, at);
      }
    };
  }

  /// Length that [#printNumber] prints, in bytes.
  int numberBytes(int slice) {
    return switch (form) {
      case PieceFormat.NUMBER -> PieceFormat.numberBytes(numbers[slice]);
      case PieceFormat.DIGITS -> detail;
      case PieceFormat.TIME -> PieceFormat.TIME_BYTES;
      case PieceFormat.TIME_MILLIS -> PieceFormat.TIME_MILLIS_BYTES;
      default ->
          numbers[slice] == 0
              ? detail
              : PieceFormat.numberBytes(PieceFormat.unfolded(numbers[slice]));
    };
  }

  /// Adds the texts that have the needle's part `[from, limit)` at a place. The texts must come
  /// from a decoder and must not be numbers.
  void search(Needle needle, Needle.Place place, int from, int limit, BitSet found) {
    if (place == Needle.Place.WITHIN) {
      search(needle, found);
      return;
    }
    int slices = form == PieceFormat.DICTIONARY ? size : count;
    BitSet has = form == PieceFormat.DICTIONARY ? new BitSet() : found;
    for (int i = 0; i < slices; i++) {
      if (needle.isAt(place, from, limit, bytes, offsets[i], lengths[i])) {
        has.set(i);
      }
    }
    addShowing(has, found);
  }

  /// Marks the texts of a dictionary that contain a needle, by their codes.
  ///
  /// @param needle null for all texts
  /// @return false when none does
  public boolean mark(@Nullable Needle needle, boolean[] marked) {
    if (needle == null) {
      Arrays.fill(marked, true);
      return true;
    }
    boolean any = needle.isIn(bytes, spanOffset, spanBytes);
    for (int code = 0; any && code < marked.length; code++) {
      marked[code] =
          lengths[code] >= needle.length() && needle.isWithin(bytes, offsets[code], lengths[code]);
    }
    return any;
  }

  /// Adds the texts that contain `needle`. Usually none does, which one pass over all bytes shows.
  /// A text of a dictionary is searched once.
  void search(Needle needle, BitSet found) {
    if (!needle.isIn(bytes, spanOffset, spanBytes)) {
      return;
    }
    int slices = form == PieceFormat.DICTIONARY ? size : count;
    BitSet has = form == PieceFormat.DICTIONARY ? new BitSet() : found;
    for (int i = 0; i < slices; i++) {
      if (lengths[i] >= needle.length() && needle.isWithin(bytes, offsets[i], lengths[i])) {
        has.set(i);
      }
    }
    addShowing(has, found);
  }

  /// Adds the texts whose codes are wanted; nothing when each text has a slice.
  private void addShowing(BitSet wanted, BitSet found) {
    if (form != PieceFormat.DICTIONARY || wanted.isEmpty()) {
      return;
    }
    boolean[] has = new boolean[size];
    wanted.stream().forEach(code -> has[code] = true);
    for (int i = 0; i < count; i++) {
      if (has[(int) codes[i]]) {
        found.set(i);
      }
    }
  }

  long totalBytes() {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += lengths[i];
    }
    return total;
  }

  boolean same(int a, int b) {
    return lengths[a] == lengths[b]
        && ByteWords.same(bytes, offsets[a], bytes, offsets[b], lengths[a]);
  }

  /// True when `other` has the same texts, from the same array.
  boolean sameAs(TextSlices other) {
    if (other.count != count) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (other.lengths[i] != lengths[i]
          || !ByteWords.same(bytes, offsets[i], other.bytes, other.offsets[i], lengths[i])) {
        return false;
      }
    }
    return true;
  }

  boolean allSame() {
    for (int i = 1; i < count; i++) {
      if (first(i) == i && !same(0, i)) {
        return false;
      }
    }
    return true;
  }
}
